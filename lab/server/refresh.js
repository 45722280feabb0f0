// Asks for another look after a while, when the page is idle (lab/server/refresh.py says why).

export default function ({ data, parentElement, setStateValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  clearTimeout(parentElement.__mavrRefresh);
  if (data.wait === null) return;
  const look = () => {
    if (!parentElement.isConnected) return;
    if (app?.dataset.testScriptState !== "notRunning") parentElement.__mavrRefresh = setTimeout(look, 50);
    else setStateValue("look", data.look + 1);
  };
  parentElement.__mavrRefresh = setTimeout(look, data.wait);
}
