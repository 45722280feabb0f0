// A part of the page that follows the board: it runs again when the board is at rest.

export default function ({ data, parentElement, setStateValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  let shown = data.step;
  const follow = (step) => {
    if (step <= shown || !parentElement.isConnected) return;
    // Not between the messages of a run of the whole page: Streamlit would take its widgets for left over.
    if (app?.dataset.testScriptState !== "notRunning") return setTimeout(follow, 50, step);
    shown = step;
    setStateValue("step", step);
  };
  window.__mavrFollow = follow;
}
