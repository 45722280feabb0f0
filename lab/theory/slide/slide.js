// A slider over given values that speaks while it moves: one value is on its way at a time, the last one is always sent.

// Milliseconds without a move after which the hand rests.
const REST = 250;

function show(view) {
  const { input, output, data, at } = view;
  input.value = at;
  input.style.setProperty("--fill", `calc(8px + ${at / Math.max(1, data.values.length - 1)} * (100% - 16px))`);
  input.setAttribute("aria-valuetext", data.texts[at]);
  output.textContent = data.texts[at];
}

function send(view, rests) {
  const { data } = view;
  // The whole page hears of a hand at rest, whatever is on its way; of a moving one only its picture.
  if (!rests && view.seq > data.ack) { view.waiting = true; return; }
  view.waiting = false;
  view.seq = Math.max(view.seq, data.ack) + 1;
  view.setStateValue("at", { seq: view.seq, value: data.values[view.at], rests });
}

function moved(view) {
  view.at = Number(view.input.value);
  show(view);
  // Pictures that the browser draws itself follow at once.
  window.dispatchEvent(new CustomEvent("mavr-slide", { detail: { name: view.data.name, value: view.data.values[view.at] } }));
  send(view, false);
  clearTimeout(view.timer);
  view.timer = setTimeout(() => { view.timer = 0; send(view, true); }, REST);
}

export default function ({ data, parentElement, setStateValue }) {
  const find = (what) => parentElement.querySelector(what);
  const view = (parentElement.__slide ??= { input: find("input"), output: find("output"), seq: 0, waiting: false, timer: 0, at: data.at });
  // What the hand holds is newer than what the script knows.
  if (!view.timer && !view.waiting && data.ack >= view.seq) view.at = data.at;
  else view.at = Math.min(view.at, data.values.length - 1);
  Object.assign(view, { data, setStateValue });
  const label = find("label");
  label.textContent = data.label;
  label.title = data.help;
  view.input.max = data.values.length - 1;
  view.input.oninput = () => moved(view);
  show(view);
  if (view.waiting && data.ack >= view.seq) send(view, false);
}
