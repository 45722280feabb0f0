// The first steps stay until they are closed; whether this is a first visit is known since the page began (lab/server/head.js).

const KEY = "mavr.welcome";

function keep(place, value) {
  try {
    window[place].setItem(KEY, value);
  } catch {
    // a browser that keeps nothing
  }
}

export default function ({ parentElement }) {
  const root = document.documentElement, box = parentElement.querySelector(".welcome");
  box.hidden = !root.dataset.first;
  if (box.hidden) return;
  keep("localStorage", "seen");
  keep("sessionStorage", "open");
  box.querySelector("button").onclick = () => {
    keep("sessionStorage", "closed");
    delete root.dataset.first;
    box.hidden = true;
  };
}
