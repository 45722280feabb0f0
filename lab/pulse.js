// Asks for another look after a while: one at a time, and only while the page is idle.
// A timer of the server's would also fire within a run of the whole page, and Streamlit would take the page's widgets for left over.

export default function ({ data, parentElement, setStateValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  clearTimeout(parentElement.__mavrPulse);
  if (data.wait === null) return;
  const look = () => {
    if (!parentElement.isConnected) return;
    if (app?.dataset.testScriptState !== "notRunning") parentElement.__mavrPulse = setTimeout(look, 50);
    else setStateValue("look", data.look + 1);
  };
  parentElement.__mavrPulse = setTimeout(look, data.wait);
}
