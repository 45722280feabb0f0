// A browser that has seen the first steps does not show them again; within the first visit they stay until closed.

const KEY = "mavr.welcome";

function store(name, value) {
  try {
    return value === undefined ? window[name].getItem(KEY) : window[name].setItem(KEY, value);
  } catch {
    return null; // a browser that keeps nothing
  }
}

export default function ({ parentElement }) {
  const box = parentElement.querySelector(".welcome");
  const seen = store("localStorage"), visit = store("sessionStorage");
  box.hidden = visit === "closed" || (seen !== null && visit !== "open");
  if (box.hidden) return;
  store("localStorage", "seen");
  store("sessionStorage", "open");
  box.querySelector("button").onclick = () => {
    store("sessionStorage", "closed");
    box.hidden = true;
  };
}
