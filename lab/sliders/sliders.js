// Sliders that speak while they move: the board follows through the live channel, Streamlit hears when the hand rests.

// Milliseconds without a move before Streamlit hears of it; the least between the steps of a sweep that only the script
// answers, and the most that one of them is waited for.
const REST = 250, STEP = 400, LONGEST = 15000;
// Pixels of a wheel for one position.
const WHEEL = 16;

const ICONS = { record: "M10 5a6 6 0 1 0 .1 0", reset: "M4 4v5h5M4.5 9A7 7 0 1 1 4 13", play: "M6 4l11 7-11 7z", pause: "M6 4v14M14 4v14" };
const icon = (name) => `<svg width="14" height="14" viewBox="0 0 20 22" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

function markup(s, id) {
  const button = (name, hidden, said, title, face) => `<button data-do="${name}" ${hidden ? "hidden" : ""} aria-label="${escapeText(said)}" title="${title}">${face}</button>`;
  return `<div class="top"><label for="${id}" title="${escapeText(s.help)}">${escapeText(s.label)}<i class="rests" title="With so many points the picture follows when the hand rests." hidden>…</i></label>
    ${button("speed", true, "Speed of the sweep", "Speed of the sweep", "1×")}
    ${button("record", true, "Save one sweep as a film", "Save one sweep of the picture as a film (WebM; with Shift an animated PNG)", icon("record"))}
    ${button("play", false, `Play ${s.label}`, "Sweep over the whole range and back", icon("play"))}
    ${button("reset", false, `Reset ${s.label} to ${shortly(s.usual)}`, `Back to ${shortly(s.usual)}`, icon("reset"))}
    <input type="text" inputmode="decimal" aria-label="${escapeText(s.label)}, exact value"></div>
    <div class="track"><input type="range" id="${id}" min="0" max="${POSITIONS}" step="1"><span class="tick"></span></div><div class="why" role="status"></div>`;
}

function build(root, host, s, state) {
  const row = document.createElement("div"), find = (q) => row.querySelector(q);
  row.className = "slider";
  row.dataset.link = s.link;
  row.innerHTML = markup(s, `mavr-${s.link}`);
  host.append(row);
  const range = find('input[type="range"]'), text = find('input[type="text"]'), play = find('[data-do="play"]'), reset = find('[data-do="reset"]');
  const control = { s, value: s.value, row, range, text, why: find(".why"), focused: () => row.getRootNode().activeElement };
  control.show = () => showValue(control, reset, find(".tick"));
  control.set = (value) => {
    if (value === control.value) return;
    control.value = value;
    accept(control, true);
    control.show();
    state.moved(control);
  };
  rangeEvents(control, state);
  textEvents(control, state);
  reset.onclick = () => {
    const here = control.focused() === reset;
    control.set(control.s.usual);
    state.rest();
    // The button is gone now.
    if (here) range.focus();
  };
  play.setAttribute("aria-pressed", "false");
  play.onclick = () => sweep(control, play, state);
  control.show();
  return control;
}

function showValue(control, reset, tick) {
  const { s, value, range, text } = control, position = Math.round(toPosition(s, value));
  // What the hand moves is where it is.
  if (Number(range.value) !== position) range.value = position;
  range.style.setProperty("--fill", `calc(8px + ${Number(range.value) / POSITIONS} * (100% - 16px))`);
  range.setAttribute("aria-valuetext", shortly(value));
  if (control.focused() !== text && !text.classList.contains("bad")) text.value = shortly(value);
  reset.disabled = value === s.usual;
  const share = toPosition(s, s.usual) / POSITIONS;
  if (control.share !== share) tick.style.left = `calc(8px + ${share} * (100% - 16px))`;
  control.share = share;
}

// What is typed can be used, or the sentence says why not.
function accept({ text, why }, good, sentence = "") {
  why.textContent = sentence;
  text.classList.toggle("bad", !good);
  text.setAttribute("aria-invalid", String(!good));
}

function rangeEvents(control, state) {
  const { range } = control;
  let wheel = 0;
  // While a sweep plays, the slider is its scrubber; under the hand it stands still.
  range.oninput = () => { control.seek?.(Number(range.value)); control.set(toValue(control.s, Number(range.value))); };
  range.onchange = () => state.rest();
  const release = () => { control.held = false; };
  range.onpointerdown = () => {
    control.held = true;
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, release, { once: true });
  };
  range.onwheel = (e) => {
    if (control.focused() !== range) return;
    e.preventDefault();
    wheel -= e.deltaY * (e.deltaMode ? 2 * WHEEL : 1);
    const steps = Math.trunc(wheel / WHEEL);
    wheel -= steps * WHEEL;
    if (steps) control.set(toValue(control.s, Math.min(Math.max(Number(range.value) + steps, 0), POSITIONS)));
  };
}

function textEvents(control, state) {
  const { text } = control;
  text.onfocus = () => {
    // What could not be read is there to be corrected.
    if (!text.classList.contains("bad")) text.value = exactly(control.value);
    text.select();
  };
  text.onblur = () => control.show();
  // What is typed is not written over by a sweep.
  text.oninput = () => control.playing?.();
  text.onkeydown = (e) => {
    e.stopPropagation();
    if (e.key === "Escape") { text.value = exactly(control.value); accept(control, true); }
    if (e.key === "Enter" || e.key === "Escape") text.blur();
  };
  text.onchange = () => {
    const { value, why } = read(control.s, text.value);
    accept(control, !why, why);
    if (!why) { control.set(value); state.rest(); }
  };
}

// What was sent and not yet heard of, by page and place: a server that was started again is told once more.
const unheard = (window.__mavrUnheard ??= new Map());

function newState(host) {
  const state = { controls: new Map(), waiting: new Set(), timer: 0 };
  state.moved = (control) => {
    listen(host, state);
    state.waiting.add(control.s.link);
    const asked = window.__mavrLive?.change(control.s.link, exactly(control.value));
    clearTimeout(state.timer);
    if (!control.playing) state.timer = setTimeout(state.rest, REST);
    else if (!asked) state.slowly();
  };
  state.rest = () => {
    clearTimeout(state.timer);
    const names = [...state.waiting];
    if (!names.length) return;
    state.waiting.clear();
    state.send(names);
  };
  // A sweep that the channel does not answer goes on through the script, step after step.
  state.slowly = () => {
    clearTimeout(state.timer);
    const since = performance.now() - (state.told ?? 0), unheard = window.__mavrLive?.heard < (state.last ?? 0);
    if (since < STEP || (unheard && since < LONGEST)) { state.timer = setTimeout(state.slowly, REST); return; }
    state.told = performance.now();
    state.rest();
  };
  host.__mavrSliders = state;
  return state;
}

// The channel may come after the sliders.
function listen(host, state) {
  const live = window.__mavrLive;
  if (!live || host.__mavrListens) return;
  host.__mavrListens = true;
  const hear = (answer) => {
    if (!host.isConnected) { live.listeners.delete(hear); host.__mavrListens = false; return; }
    const moving = [...state.waiting].map((name) => state.controls.get(name));
    if (answer.wait && moving.some((c) => c.playing)) state.slowly();
    for (const control of moving) {
      control.row.querySelector(".rests").hidden = !answer.wait;
      if (answer.problem) control.why.textContent = answer.problem;
    }
  };
  live.listeners.add(hear);
}

export default function ({ data, parentElement, setStateValue }) {
  const host = parentElement.querySelector(".sliders"), state = host.__mavrSliders ?? newState(host);
  const place = data.name;
  state.send = (names) => {
    const changes = Object.fromEntries(names.map((name) => [name, exactly(state.controls.get(name).value)]));
    const seq = window.__mavrLive ? window.__mavrLive.changed : Date.now();
    state.last = Math.max(seq, (state.last ?? 0) + 1, data.changed + 1);
    setStateValue("sent", { seq: state.last, changes });
    unheard.set(place, { token: data.token, seq: state.last, changes: { ...unheard.get(place)?.changes, ...changes } });
    if (window.__mavrLive) window.__mavrLive.changed = Math.max(window.__mavrLive.changed, state.last);
  };
  const left = unheard.get(place), again = left && left.token !== data.token;
  if (left && (again || data.changed >= left.seq)) unheard.delete(place);
  const wanted = data.sliders.map((s) => s.link).join();
  if (host.dataset.links !== wanted) {
    host.replaceChildren();
    state.controls.clear();
    host.dataset.links = wanted;
    for (const s of data.sliders) state.controls.set(s.link, build(parentElement, host, s, state));
  }
  for (const s of data.sliders) {
    const control = state.controls.get(s.link);
    control.s = s;
    // What the hand holds is newer than what the script knows.
    if (!state.waiting.has(s.link) && !control.playing && control.value !== s.value) { control.value = s.value; accept(control, true); }
    if (again && left.changes[s.link] != null) { control.value = left.changes[s.link] === "none" ? null : Number(left.changes[s.link]); state.waiting.add(s.link); }
    control.show();
  }
  if (again) state.rest();
  listen(host, state);
}
