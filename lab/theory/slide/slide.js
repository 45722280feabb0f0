// A slider that the script follows while it moves: one value is on its way at a time, the last one is always sent.
// It is built by the code of the sidebar's sliders, which stands before.

// Milliseconds without a move after which the hand rests; pixels of a wheel for one step of the keys.
const SLIDE_REST = 250, SLIDE_WHEEL = 32;
// Steps of the keys from one end to the other, about; of a scale of ratios as many places of the slider.
const SLIDE_STEPS = 100;

function tell(view, rests) {
  // The whole page hears of a hand at rest, whatever is on its way; of a moving one only its picture.
  if (!rests && view.seq > view.data.ack) { view.waiting = true; return; }
  view.waiting = false;
  view.seq = Math.max(view.seq, view.data.ack) + 1;
  view.setStateValue("at", { seq: view.seq, value: view.control.value, rests });
}

function stirred(view, control) {
  const { s } = control;
  // A sum of halves and tenths that should be 0.
  if (!s.log && Math.abs(control.value) < 1e-9 * (s.high - s.low)) { control.value = 0; control.show(); }
  view.stirs = true;
  // Pictures that the browser draws itself follow at once.
  window.dispatchEvent(new CustomEvent("mavr-slide", { detail: { name: s.link, value: control.value } }));
  tell(view, false);
  clearTimeout(view.timer);
  view.timer = control.playing ? 0 : setTimeout(() => rested(view), SLIDE_REST);
}

function rested(view) {
  clearTimeout(view.timer);
  view.timer = 0;
  if (view.stirs) tell(view, true);
  view.stirs = false;
}

// 1, 2 or 5 times a power of ten: a step that one can follow.
function evenStep(s) {
  const rough = (s.high - s.low) / SLIDE_STEPS, power = 10 ** Math.floor(Math.log10(rough));
  return power * [5, 2, 1].find((k) => k * power <= rough * (1 + 1e-9));
}

// The value so many steps away: whole numbers one by one, others on round ones, ratios by places of the slider.
function stepped(s, value, steps) {
  if (s.log && !s.whole) {
    const place = Math.round(toPosition(s, value)) + (steps * POSITIONS) / SLIDE_STEPS, first = s.zero ? ZERO : 0;
    // From 0 to the first place of the scale, and back, is one step.
    if (s.zero && (value === 0 || place < first)) return steps > 0 && value === 0 ? toValue(s, first) : 0;
    return toValue(s, Math.min(Math.max(place, first), POSITIONS));
  }
  const step = s.whole ? 1 : evenStep(s), next = Number((Math.round(value / step + steps) * step).toPrecision(9));
  return Math.min(Math.max(next, s.low), s.high);
}

const STEP_KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

function stepEvents(control) {
  const range = control.row.querySelector('input[type="range"]');
  let turned = 0;
  range.addEventListener("keydown", (e) => {
    const steps = STEP_KEYS[e.key];
    if (!steps || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    control.set(stepped(control.s, control.value, steps));
  });
  range.onwheel = (e) => {
    if (range.getRootNode().activeElement !== range) return;
    e.preventDefault();
    // A touchpad turns by little at a time.
    turned -= e.deltaY * (e.deltaMode ? SLIDE_WHEEL : 1);
    const steps = Math.trunc(turned / SLIDE_WHEEL);
    turned -= steps * SLIDE_WHEEL;
    if (steps) control.set(stepped(control.s, control.value, steps));
  };
}

function mounted(parentElement, s) {
  const view = { seq: 0, waiting: false, stirs: false, timer: 0 };
  const state = { moved: (control) => stirred(view, control), rest: () => rested(view), slowly: () => {} };
  view.control = build(parentElement, parentElement.querySelector(".sliders"), s, state);
  stepEvents(view.control);
  return view;
}

export default function ({ data, parentElement, setStateValue }) {
  const view = (parentElement.__slide ??= mounted(parentElement, data.slider)), { control } = view;
  Object.assign(view, { data, setStateValue });
  control.s = data.slider;
  // What the hand holds is newer than what the script knows.
  const held = view.timer || view.waiting || control.playing || data.ack < view.seq;
  if (!held && control.value !== data.slider.value) {
    control.value = data.slider.value;
    control.row.querySelector(".why").textContent = "";
    control.row.querySelector('input[type="text"]').classList.remove("bad");
  }
  control.show();
  if (view.waiting && data.ack >= view.seq) tell(view, false);
}
