// Tells the script that Back or Forward was pressed. Streamlit itself runs the page then, but with an address that it also
// tells at other times. The count follows when that run is over: two runs at once confuse Streamlit.

const LOOK = 60;

export default function ({ parentElement, setStateValue }) {
  const state = (parentElement.__mavrBack ??= { backs: 0, timer: 0 });
  const idle = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning";
  const tell = (calm) => {
    clearTimeout(state.timer);
    if (calm < 3) state.timer = setTimeout(() => tell(idle() ? calm + 1 : 0), LOOK);
    else setStateValue("backs", (state.backs += 1));
  };
  window.removeEventListener("popstate", state.back);
  state.back = () => tell(0);
  window.addEventListener("popstate", state.back);
  return () => window.removeEventListener("popstate", state.back);
}
