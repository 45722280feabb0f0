// P as a table that stays symmetric, and as a graph of the classes.

const POSITIVE = "#D55E00", NEGATIVE = "#0072B2";

function show(v) { return String(Math.round(v * 1000) / 1000); }

function parse(text) {
  const t = text.trim().replace(",", ".");
  const f = t.match(/^(-?[\d.]+)\s*\/\s*([\d.]+)$/);
  const v = f ? Number(f[1]) / Number(f[2]) : Number(t);
  return t !== "" && Number.isFinite(v) && Math.abs(v) <= 1e6 ? v : null;
}

// A number is dragged sideways by so much for each pixel; it stops at hundredths.
const PER_PIXEL = 0.01;

const asText = (P) => P.map((row) => row.map((v) => String(v)).join("~")).join("_");

function table(root, data, state) {
  const P = data.P, host = root.querySelector(".matrix");
  const key = JSON.stringify([P, data.names, data.changed]);
  if (host.dataset.state === key || state.held) return;
  host.dataset.state = key;
  const head = (j) => `<i style="background:${data.colors[j % data.colors.length]}"></i>${escapeText(data.names[j])}`;
  const cell = (j, k) => `<td class="${sign(P, j, k)}"><input inputmode="decimal" data-j="${j}" data-k="${k}" value="${show(P[j][k])}" aria-label="P, ${escapeText(data.names[j])} and ${escapeText(data.names[k])}"></td>`;
  const rows = P.map((row, j) => `<tr><th scope="row" style="text-align:right">${head(j)}</th>${row.map((_, k) => cell(j, k)).join("")}</tr>`);
  host.innerHTML = `<table><tr><td></td>${data.names.map((_, k) => `<th scope="col">${head(k)}</th>`).join("")}</tr>${rows.join("")}</table>`;
  host.querySelectorAll("input").forEach((input) => cellEvents(root, data, state, input));
}

function sign(P, j, k) {
  return j === k || P[j][k] === 0 ? "" : P[j][k] > 0 ? "up" : "down";
}

function cellEvents(root, data, state, input) {
  const j = Number(input.dataset.j), k = Number(input.dataset.k);
  input.onfocus = () => input.select();
  input.onkeydown = (e) => { e.stopPropagation(); if (e.key === "Enter") input.blur(); };
  input.onchange = () => {
    const v = parse(input.value);
    input.classList.toggle("bad", v === null);
    if (v === null) return say(root, `“${input.value.slice(0, 20)}” is no number from −1000000 to 1000000.`);
    state.commit(edited(data.P, j, k, v));
  };
  // The number is dragged, not its text: a browser that drags the text cancels the pointer.
  input.ondragstart = (e) => e.preventDefault();
  input.onmousedown = (e) => { if (input.getRootNode().activeElement !== input) e.preventDefault(); };
  input.onpointerdown = (e) => { state.held = { input, j, k, x: e.clientX, from: data.P[j][k], moved: false }; state.good = null; input.setPointerCapture(e.pointerId); };
  input.onpointermove = (e) => {
    const held = state.held;
    if (held?.input !== input) return;
    const dx = e.clientX - held.x;
    if (!held.moved && Math.abs(dx) < 4) return;
    held.moved = true;
    input.blur();
    const v = Math.round((held.from + dx * PER_PIXEL) * 100) / 100;
    put(root, data, state, edited(data.P, j, k, v));
  };
  const release = () => {
    const held = state.held;
    state.held = null;
    if (held?.moved && state.good) state.commit(state.good);
    return held;
  };
  input.onpointercancel = release;
  input.onpointerup = () => { if (!release()?.moved) input.focus(); };
}

function edited(P, j, k, v) {
  const next = P.map((row) => row.slice());
  next[j][k] = next[k][j] = v;
  return next;
}

// Show a matrix while it is dragged. The number stops where P would no longer be positive definite.
function put(root, data, state, P) {
  const good = definite(P);
  say(root, good ? "" : "P must stay positive definite: further is not possible.");
  if (!good) return;
  state.good = P;
  write(root, { ...data, P });
  window.__mavrLive?.change("P", asText(P));
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

function write(root, data) {
  root.querySelectorAll(".matrix input").forEach((input) => {
    const j = Number(input.dataset.j), k = Number(input.dataset.k);
    input.value = show(data.P[j][k]);
    input.parentElement.className = sign(data.P, j, k);
  });
  graph(root, data);
}

function say(root, sentence) {
  root.querySelector(".why").textContent = sentence;
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
  for (let j = 0; j < c; j++) {
    const [x, y] = at(j), r = 9 + 4 * Math.min(Math.sqrt(Math.max(P[j][j], 0)), 3);
    parts.push(`<circle cx="${x}" cy="${y}" r="${r}" fill="${data.colors[j % data.colors.length]}"/>`);
    parts.push(`<text x="${x}" y="${y + 4.5}" text-anchor="middle" style="fill:#fff;font-weight:600">${j + 1}</text>`);
  }
  svg.innerHTML = parts.join("");
  svg.setAttribute("aria-label", data.spoken);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component, root = parentElement;
  const state = (root.__mavrRelation ??= { held: null, good: null });
  state.commit = (P) => {
    const seq = Math.max(window.__mavrLive?.changed ?? 0, state.last ?? 0, data.changed) + 1;
    state.last = seq;
    if (window.__mavrLive) window.__mavrLive.changed = seq;
    setStateValue("sent", { seq, changes: { P: asText(P) } });
  };
  if (!state.held) say(root, "");
  table(root, data, state);
  root.querySelector(".relation").toggleAttribute("data-many", data.names.length > 5);
  if (!state.held) graph(root, data);
  root.querySelector(".relation").dataset.ack = data.changed;
}
