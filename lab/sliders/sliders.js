// Sliders that speak while they move: the board follows through the live channel, Streamlit hears when the hand rests.

const POSITIONS = 600, REST = 250;
// A slider with a logarithmic scale has 0, where it is allowed, in its first places.
const ZERO = 18;
// A sweep from one end to the other and back, in milliseconds, and how much faster it may be.
const SWEEP = 12000, SPEEDS = [1, 2, 4, 0.5];
// Milliseconds between the steps of a sweep that only the script answers.
const STEP = 1000;

const ICONS = { record: "M10 5a6 6 0 1 0 .1 0", reset: "M4 4v5h5M4.5 9A7 7 0 1 1 4 13", play: "M6 4l11 7-11 7z", pause: "M6 4v14M14 4v14" };
const icon = (name) => `<svg width="14" height="14" viewBox="0 0 20 22" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

function toValue(s, position) {
  if (s.zero && s.log && position < ZERO) return 0;
  const start = s.zero && s.log ? ZERO : 0, t = (position - start) / (POSITIONS - start);
  const v = s.log ? s.low * (s.high / s.low) ** t : s.low + (s.high - s.low) * t;
  return s.whole ? Math.round(v) : Number(v.toPrecision(3));
}

function toPosition(s, value) {
  if (s.zero && s.log && value <= 0) return 0;
  const start = s.zero && s.log ? ZERO : 0;
  const t = s.log ? Math.log(Math.max(value, 1e-300) / s.low) / Math.log(s.high / s.low) : (value - s.low) / (s.high - s.low);
  return start + Math.min(Math.max(t, 0), 1) * (POSITIONS - start);
}

function shortly(v) {
  if (v === 0) return "0";
  return Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5 ? String(Number(v.toPrecision(4))) : v.toExponential(1).replace("e+", "e");
}

function parse(s, text) {
  const v = Number(text.trim().replace(",", ".").replace("−", "-"));
  const inside = (v >= s.least && v <= s.most) || (s.zero && v === 0);
  return text.trim() !== "" && Number.isFinite(v) && inside ? (s.whole ? Math.round(v) : v) : null;
}

function build(root, host, s, state) {
  const row = document.createElement("div"), id = `mavr-${s.link}`;
  row.className = "slider";
  row.dataset.link = s.link;
  row.innerHTML = `<div class="top"><label for="${id}" title="${escapeText(s.help)}">${escapeText(s.label)}</label>
    <button data-do="speed" hidden aria-label="Speed of the sweep" title="Speed of the sweep">1×</button>
    <button data-do="record" hidden aria-label="Save one sweep as a film" title="Save one sweep of the picture as a film (WebM)">${icon("record")}</button>
    <button data-do="play" aria-pressed="false" aria-label="Play ${escapeText(s.label)}" title="Sweep over the whole range and back">${icon("play")}</button>
    <button data-do="reset" aria-label="Reset ${escapeText(s.label)} to ${shortly(s.usual)}" title="Back to ${shortly(s.usual)}">${icon("reset")}</button>
    <input type="text" inputmode="decimal" aria-label="${escapeText(s.label)}, exact value"></div>
    <div class="track"><input type="range" id="${id}" min="0" max="${POSITIONS}" step="1"><span class="tick"></span></div><div class="why" role="status"></div>`;
  host.append(row);
  const range = row.querySelector('input[type="range"]'), text = row.querySelector('input[type="text"]');
  const play = row.querySelector('[data-do="play"]'), reset = row.querySelector('[data-do="reset"]'), why = row.querySelector(".why");
  const control = { s, value: s.value, row, why };
  control.show = () => {
    const position = Math.round(toPosition(control.s, control.value));
    // What the hand moves is where it is.
    if (Number(range.value) !== position) range.value = position;
    range.style.setProperty("--fill", `calc(8px + ${Number(range.value) / POSITIONS} * (100% - 16px))`);
    range.setAttribute("aria-valuetext", shortly(control.value));
    if (row.getRootNode().activeElement !== text) text.value = shortly(control.value);
    text.classList.remove("bad");
    reset.disabled = control.value === control.s.usual;
    const share = toPosition(control.s, control.s.usual) / POSITIONS;
    if (control.share !== share) row.querySelector(".tick").style.left = `calc(8px + ${share} * (100% - 16px))`;
    control.share = share;
  };
  control.set = (value) => {
    if (value === control.value) return;
    control.value = value;
    why.textContent = "";
    control.show();
    state.moved(control);
  };
  // While a sweep plays, the slider is its scrubber.
  range.oninput = () => { control.seek?.(Number(range.value)); control.set(toValue(control.s, Number(range.value))); };
  range.onchange = () => state.rest();
  range.onwheel = (e) => {
    if (row.getRootNode().activeElement !== range) return;
    e.preventDefault();
    control.set(toValue(control.s, Math.min(Math.max(Number(range.value) - Math.sign(e.deltaY) * 6, 0), POSITIONS)));
  };
  text.onfocus = () => text.select();
  text.onkeydown = (e) => { e.stopPropagation(); if (e.key === "Enter") text.blur(); };
  text.onchange = () => {
    const v = parse(control.s, text.value);
    text.classList.toggle("bad", v === null);
    if (v === null) why.textContent = `${control.s.label} must be ${control.s.range}.`;
    else { control.set(v); state.rest(); }
  };
  reset.onclick = () => { control.set(control.s.usual); state.rest(); };
  play.onclick = () => sweep(control, play, state);
  control.show();
  return control;
}

// Over the whole range and back, from where it stands; a second click ends it.
function sweep(control, button, state) {
  if (control.playing) { control.playing(); return; }
  const extra = ["speed", "record"].map((name) => control.row.querySelector(`[data-do="${name}"]`)), [speed, film] = extra;
  const live = window.__mavrLive, calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0, last = performance.now(), phase = toPosition(control.s, control.value) / POSITIONS / 2, pace = 0;
  if (live) live.fades = !calm;
  control.seek = (position) => {
    const share = position / POSITIONS / 2;
    phase = phase < 0.5 ? share : 1 - share;
    last = performance.now();
  };
  control.playing = () => {
    cancelAnimationFrame(frame);
    control.playing = control.seek = null;
    if (live) live.fades = false;
    control.filmed?.();
    button.setAttribute("aria-pressed", "false");
    button.innerHTML = icon("play");
    control.row.classList.remove("playing");
    for (const b of extra) b.hidden = true;
    state.rest();
  };
  button.setAttribute("aria-pressed", "true");
  button.innerHTML = icon("pause");
  control.row.classList.add("playing");
  for (const b of extra) b.hidden = false;
  speed.onclick = () => { pace = (pace + 1) % SPEEDS.length; speed.textContent = `${SPEEDS[pace]}×`; };
  film.onclick = () => record(control, film, SWEEP / SPEEDS[pace]);
  const go = (now) => {
    if (!control.row.isConnected) { control.playing(); return; }
    // A frame's time may lie before a seek within it.
    phase = (phase + (Math.max(0, now - last) * SPEEDS[pace]) / SWEEP) % 1;
    last = Math.max(now, last);
    control.set(toValue(control.s, (phase < 0.5 ? 2 * phase : 2 - 2 * phase) * POSITIONS));
    frame = requestAnimationFrame(go);
  };
  frame = requestAnimationFrame(go);
}

// Titles of the panels and the setting in words are no part of the board's canvas: a film has them written in.
function filmSheet(board, control) {
  const source = board.canvas, ratio = window.devicePixelRatio || 1, strip = Math.round(32 * ratio), style = getComputedStyle(board.root);
  const colour = (name, other) => style.getPropertyValue(name).trim() || other, sheet = document.createElement("canvas"), g = sheet.getContext("2d");
  // Encoders want even sides.
  sheet.width = 2 * Math.ceil(source.width / 2);
  sheet.height = 2 * Math.ceil((source.height + strip) / 2);
  const draw = () => {
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.fillStyle = colour("--st-background-color", "#ffffff");
    g.fillRect(0, 0, sheet.width, sheet.height);
    g.drawImage(source, 0, strip);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colour("--st-text-color", "#222222");
    g.font = `600 16px ${style.fontFamily}`;
    g.fillText(`${control.s.label} = ${shortly(control.value)}`, 4, 22);
    g.font = `600 14px ${style.fontFamily}`;
    const titles = [board.data.first, ...(board.data.panels ?? []).map((p) => `${p.title}  ${p.big ?? ""}`)];
    board.panels.forEach((p, k) => g.fillText(titles[k] ?? "", p.x + 2, p.y + strip / ratio - 9));
  };
  return { sheet, draw };
}

// One sweep of the board's pictures, saved as a film.
function record(control, button, milliseconds) {
  const board = window.__mavrLive?.board;
  if (!board?.canvas || !board.panels || typeof MediaRecorder === "undefined" || control.filmed) return;
  const { sheet, draw } = filmSheet(board, control), recorder = new MediaRecorder(sheet.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 }), parts = [];
  let frame = 0;
  const go = () => { draw(); frame = requestAnimationFrame(go); };
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.onstop = () => {
    save(new Blob(parts, { type: "video/webm" }), `mavr-lab-${control.s.link}.webm`);
    button.setAttribute("aria-pressed", "false");
  };
  control.filmed = () => {
    control.filmed = null;
    clearTimeout(end);
    cancelAnimationFrame(frame);
    if (recorder.state !== "inactive") recorder.stop();
  };
  button.setAttribute("aria-pressed", "true");
  go();
  recorder.start();
  const end = setTimeout(() => control.filmed?.(), milliseconds);
}

// What was sent and not yet heard of, by page and place: a server that was started again is told once more.
const unheard = (window.__mavrUnheard ??= new Map());

function newState(host) {
  const state = { controls: new Map(), waiting: new Set(), timer: 0 };
  state.moved = (control) => {
    state.waiting.add(control.s.link);
    const asked = window.__mavrLive?.change(control.s.link, String(control.value));
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
  // A sweep that the channel does not answer goes on through the script, in steps.
  state.slowly = () => {
    if (performance.now() - (state.told ?? 0) < STEP) return;
    state.told = performance.now();
    state.rest();
  };
  host.__mavrSliders = state;
  return state;
}

export default function ({ data, parentElement, setStateValue }) {
  const host = parentElement.querySelector(".sliders"), state = host.__mavrSliders ?? newState(host);
  const place = data.name;
  state.send = (names) => {
    const changes = Object.fromEntries(names.map((name) => [name, String(state.controls.get(name).value)]));
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
    if (!state.waiting.has(s.link) && !control.playing) control.value = s.value;
    if (again && left.changes[s.link] != null) { control.value = Number(left.changes[s.link]); state.waiting.add(s.link); }
    control.show();
  }
  if (again) state.rest();
  const live = window.__mavrLive;
  if (live && !host.__mavrListens) {
    host.__mavrListens = true;
    live.listeners.add((answer) => {
      if (answer.wait && [...state.controls.values()].some((c) => c.playing)) state.slowly();
      if (!answer.problem) return;
      for (const name of state.waiting) state.controls.get(name).why.textContent = answer.problem;
    });
  }
}
