// P as a table that stays symmetric, and as a graph of the classes.

const POSITIVE = "#D55E00", NEGATIVE = "#0072B2";

function show(v) { return String(Math.round(v * 1000) / 1000); }

const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function parse(text) {
  const parts = text.replace("−", "-").split("/").map((part) => part.trim().replace(",", "."));
  if (parts.length > 2 || !parts.every((part) => NUMERAL.test(part))) return null;
  const v = parts.length > 1 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
  return Number.isFinite(v) && Math.abs(v) <= 1e6 ? v : null;
}

// A number is dragged sideways by so much for each pixel; it stops at hundredths.
const PER_PIXEL = 0.01;
// Milliseconds after which a reason is gone (relation.css).
const FADING = 5000;

const asText = (P) => P.map((row) => row.map((v) => String(v)).join("~")).join("_");

// Built once for its classes, then only written: who types or tabs through the cells is not disturbed.
function table(root, data, state) {
  const P = data.P, host = root.querySelector(".matrix"), key = JSON.stringify([data.names, data.colors]);
  if (state.held) return;
  if (host.dataset.state !== key) {
    host.dataset.state = key;
    const head = (j) => `<i style="background:${data.colors[j % data.colors.length]}"></i>${escapeText(data.names[j])}`;
    const cell = (j, k) => `<td><input inputmode="decimal" data-j="${j}" data-k="${k}" aria-label="P, ${escapeText(data.names[j])} and ${escapeText(data.names[k])}"></td>`;
    const rows = P.map((row, j) => `<tr><th scope="row" style="text-align:right">${head(j)}</th>${row.map((_, k) => cell(j, k)).join("")}</tr>`);
    host.innerHTML = `<table><tr><td></td>${data.names.map((_, k) => `<th scope="col">${head(k)}</th>`).join("")}</tr>${rows.join("")}</table>`;
    host.querySelectorAll("input").forEach((input) => cellEvents(root, state, input));
  }
  write(root, data, state);
}

function sign(P, j, k) {
  return j === k || P[j][k] === 0 ? "" : P[j][k] > 0 ? "up" : "down";
}

function cellEvents(root, state, input) {
  const j = Number(input.dataset.j), k = Number(input.dataset.k), held = () => state.held?.input === input;
  input.onfocus = () => { if (!input.classList.contains("bad")) input.value = String(state.data.P[j][k]); input.select(); };
  input.onblur = () => write(root, state.data, state);
  input.onkeydown = (e) => {
    e.stopPropagation();
    if (e.key === "Escape") { input.value = String(state.data.P[j][k]); accept(input, true); say(root, state, ""); }
    if (e.key === "Enter" || e.key === "Escape") input.blur();
  };
  input.onchange = () => {
    const v = parse(input.value);
    accept(input, v !== null);
    if (v === null) return say(root, state, `“${input.value.slice(0, 20)}” is no number from −1000000 to 1000000.`);
    say(root, state, "");
    if (v !== state.data.P[j][k]) state.commit(edited(state.data.P, j, k, v));
  };
  // The number is dragged, not its text: a browser that drags the text cancels the pointer.
  input.ondragstart = (e) => e.preventDefault();
  input.onmousedown = (e) => { if (input.getRootNode().activeElement !== input) e.preventDefault(); };
  input.onpointerdown = (e) => {
    if (e.button !== 0) return;
    const { P } = state.data;
    state.held = { input, j, k, x: e.clientX, from: P[j][k], moved: false, good: definite(P) ? P : null, P };
    input.setPointerCapture(e.pointerId);
  };
  input.onpointermove = (e) => { if (held()) dragged(root, state, e.clientX); };
  input.onpointercancel = () => { if (held()) release(root, state); };
  input.onpointerup = () => { if (held() && !release(root, state)) input.focus(); };
}

function accept(input, good) {
  input.classList.toggle("bad", !good);
  input.setAttribute("aria-invalid", String(!good));
}

// The number goes with the hand, as far as P stays positive definite.
function dragged(root, state, x) {
  const { held, data } = state, { input, j, k } = held, dx = x - held.x;
  if (!held.moved && Math.abs(dx) < 4) return;
  held.moved = true;
  accept(input, true);
  input.blur();
  const target = Math.round((held.from + dx * PER_PIXEL) * 100), at = (hundredths) => edited(held.P, j, k, hundredths / 100);
  const asked = at(target), free = definite(asked), P = free || !held.good ? asked : at(bound(held.good[j][k], target, at));
  // From a matrix that cannot be used the hand leads to one that can.
  if (free || held.good) held.good = P;
  held.P = P;
  say(root, state, free ? "" : held.good ? "P must stay positive definite: further is not possible." : "P is not positive definite yet.");
  write(root, { ...data, P }, state);
  if (held.good) window.__mavrLive?.change("P", asText(P));
}

// The last hundredth from a good value on towards a bad one: what is good between them has no gap.
function bound(good, bad, at) {
  let near = bad > 100 * good ? Math.ceil(100 * good - 1e-9) : Math.floor(100 * good + 1e-9), far = bad;
  if (!definite(at(near))) return 100 * good;
  while (Math.abs(far - near) > 1) {
    const middle = Math.trunc((near + far) / 2);
    if (definite(at(middle))) near = middle;
    else far = middle;
  }
  return near;
}

// Whether the hand had moved the number.
function release(root, state) {
  const { held } = state;
  state.held = null;
  if (held.moved) state.commit(held.P);
  fade(root, state);
  return held.moved;
}

function edited(P, j, k, v) {
  const next = P.map((row) => row.slice());
  next[j][k] = next[k][j] = v;
  return next;
}

// By its Cholesky factor, a little stricter than Python's own check (mavr.relations.check).
function definite(P) {
  const L = P.map((row) => row.map(() => 0)), least = 1e-9 * P.reduce((sum, row, j) => sum + row[j], 0);
  for (let j = 0; j < P.length; j++) for (let k = 0; k <= j; k++) {
    let rest = P[j][k] - (j === k ? least : 0);
    for (let m = 0; m < k; m++) rest -= L[j][m] * L[k][m];
    if (j === k && !(rest > 0)) return false;
    L[j][k] = j === k ? Math.sqrt(rest) : rest / L[k][k];
  }
  return true;
}

// The cell in which one types keeps what is typed, one that cannot be read too.
function write(root, data, state) {
  const matrix = root.querySelector(".matrix"), typing = !state.held && matrix.getRootNode().activeElement;
  matrix.querySelectorAll("input").forEach((input) => {
    const j = Number(input.dataset.j), k = Number(input.dataset.k);
    input.parentElement.className = sign(data.P, j, k);
    if (input === typing || input.classList.contains("bad")) return;
    input.value = show(data.P[j][k]);
    input.classList.toggle("long", input.value.length > 4);
  });
  graph(root, data);
}

// Why something is not possible: said as long as the hand holds, and some seconds more.
function say(root, state, sentence) {
  const why = root.querySelector(".why");
  clearTimeout(state.fading);
  state.fading = 0;
  why.classList.remove("fading");
  why.textContent = sentence;
}

function fade(root, state) {
  const why = root.querySelector(".why");
  if (!why.textContent) return;
  why.classList.add("fading");
  state.fading = setTimeout(() => say(root, state, ""), FADING);
}

function graph(root, data) {
  const P = data.P, c = P.length, svg = root.querySelector(".graph"), parts = [];
  const at = (j) => {
    if (c === 1) return [100, 100];
    const a = -Math.PI / 2 + (2 * Math.PI * j) / c;
    return [100 + 66 * Math.cos(a), 100 + 66 * Math.sin(a)];
  };
  const most = Math.max(...P.flatMap((row, j) => row.map((v, k) => (j === k ? 0 : Math.abs(v)))), 1e-9);
  for (let j = 0; j < c; j++) for (let k = j + 1; k < c; k++) {
    if (!P[j][k]) continue;
    const [x, y] = at(j), [u, v] = at(k), up = P[j][k] > 0;
    parts.push(`<line x1="${x}" y1="${y}" x2="${u}" y2="${v}" stroke="${up ? POSITIVE : NEGATIVE}" stroke-width="${1.5 + (3.5 * Math.abs(P[j][k])) / most}" ${up ? "" : 'stroke-dasharray="5 4"'}/>`);
  }
  // Short names stand in the nodes, else numbers do.
  const called = data.names.every((name) => name.length < 3) ? data.names : data.names.map((_, j) => j + 1);
  for (let j = 0; j < c; j++) {
    const [x, y] = at(j), r = 9 + 4 * Math.min(Math.sqrt(Math.max(P[j][j], 0)), 3);
    parts.push(`<circle cx="${x}" cy="${y}" r="${r}" fill="${data.colors[j % data.colors.length]}"/>`);
    parts.push(`<text x="${x}" y="${y + 4.5}" text-anchor="middle" style="fill:#fff;font-weight:600">${escapeText(called[j])}</text>`);
  }
  svg.innerHTML = parts.join("");
  svg.setAttribute("aria-label", data.spoken);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component, root = parentElement;
  const state = (root.__mavrRelation ??= { held: null, fading: 0 });
  // What comes in place of what was shown takes the place of what could not be read, too.
  if (state.data && asText(state.data.P) !== asText(data.P)) root.querySelectorAll("input.bad").forEach((input) => accept(input, true));
  state.data = data;
  state.commit = (P) => {
    state.data = { ...state.data, P };
    const seq = Math.max(window.__mavrLive?.changed ?? 0, state.last ?? 0, data.changed) + 1;
    state.last = seq;
    if (window.__mavrLive) window.__mavrLive.changed = seq;
    setStateValue("sent", { seq, changes: { P: asText(P) } });
  };
  if (!state.held && !state.fading && !root.querySelector("input.bad")) say(root, state, "");
  table(root, data, state);
  root.querySelector(".relation").toggleAttribute("data-many", data.names.length > 5);
  root.querySelector(".relation").dataset.ack = data.changed;
}
