// A part of the page that follows the board: it runs again when the board is at rest.

export default function ({ data, parentElement, setStateValue }) {
  let shown = data.step;
  window.__mavrFollow = (step) => {
    if (step <= shown || !parentElement.isConnected) return;
    shown = step;
    setStateValue("step", step);
  };
}
