// What every canvas of the app needs: icons, arrays from Python, colours of the theme, numbers.

const ICONS = {
  label: "M4 12a6 6 0 1 0 12 0 6 6 0 1 0-12 0M10 2v4M10 18v4",
  box: "M3 4h14v12H3z",
  lasso: "M10 3c5 0 8 2 8 5s-3 5-8 5-8-2-8-5 3-5 8-5M6 13c-2 3 0 5 3 5",
  erase: "M8 17h9M3 12l7-8 7 6-7 7H6z",
  hand: "M10 2v16M2 10h16M7 5l3-3 3 3M7 15l3 3 3-3M5 7l-3 3 3 3M15 7l3 3-3 3",
  paint: "M10 4v12M4 10h12",
  undo: "M7 4L3 8l4 4M3 8h9a5 5 0 0 1 0 10H8",
  redo: "M13 4l4 4-4 4M17 8H8a5 5 0 0 0 0 10h4",
  link: "M8 12a4 4 0 0 1 0-5l3-3a3.5 3.5 0 0 1 5 5l-2 2M12 9a4 4 0 0 1 0 5l-3 3a3.5 3.5 0 0 1-5-5l2-2",
  home: "M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5",
};

function icon(name) {
  return `<svg width="16" height="16" viewBox="0 0 20 22" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

// An array from Python: base64 with a run of the script, bytes through the live channel.
function decode(sent, Type) {
  if (sent == null) return null;
  if (sent instanceof ArrayBuffer) return new Type(sent);
  const bytes = atob(sent), raw = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) raw[i] = bytes.charCodeAt(i);
  return new Type(raw.buffer);
}

// Classes fit into a byte unless there are very many.
function decodeClasses(sent, data) {
  return decode(sent, data.wide ? Int16Array : Int8Array);
}

// The same content is not laid out again.
const filled = new WeakMap();

function fill(host, html) {
  if (filled.get(host) === html) return false;
  filled.set(host, html);
  host.innerHTML = html;
  return true;
}

// The same for what changes with every picture: where the elements stay, only their text is written.
function revise(host, html) {
  if (filled.get(host) === html) return;
  const sheet = document.createElement("template");
  sheet.innerHTML = html;
  if (!filled.has(host) || !alike(host, sheet.content)) host.replaceChildren(sheet.content);
  else rewrite(host, sheet.content);
  filled.set(host, html);
}

function alike(a, b) {
  return a.childNodes.length === b.childNodes.length && [...a.childNodes].every((node, k) => node.nodeName === b.childNodes[k].nodeName && alike(node, b.childNodes[k]));
}

function rewrite(a, b) {
  a.childNodes.forEach((node, k) => {
    const other = b.childNodes[k];
    if (node.nodeType !== Node.ELEMENT_NODE) { if (node.data !== other.data) node.data = other.data; return; }
    for (const { name, value } of other.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    for (const { name } of [...node.attributes]) if (!other.hasAttribute(name)) node.removeAttribute(name);
    rewrite(node, other);
  });
}

// Points stay with the window: Python sends them once and then only names them.
function stored(data) {
  const cache = (window.__mavrPoints ??= new Map());
  if (data.points != null) {
    const index = decode(data.index, Int32Array);
    // Of very many points only some are here: which, and where each of them stands.
    const at = index && new Map(Array.from(index, (i, k) => [i, k]));
    cache.set(data.pid, { X: decode(data.points, Float32Array), truth: decodeClasses(data.truth, data), index, at });
    if (cache.size > 8) cache.delete(cache.keys().next().value);
  }
  return cache.get(data.pid);
}

// The number of a point in the data set, and the place of a numbered point here; -1 where it is not drawn.
const numbered = (board, i) => (board.known?.index ? board.known.index[i] : i);
const drawnPlace = (board, i) => (board.known?.at ? board.known.at.get(i) ?? -1 : i);

// A radio group is one stop of the Tab key; arrow keys choose within it.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function byArrows(group) {
  group.onkeydown = (event) => {
    const radios = () => [...group.querySelectorAll('[role="radio"]')], all = radios(), at = all.indexOf(event.target), step = STEPS[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    const next = (at + step + all.length) % all.length;
    all[next].click();
    radios()[next].focus();
  };
}

// Marks with their words; `drawn` draws each by its kind, around (10, 10).
const marksHtml = (marks) => marks.map(([kind, word]) => `<span><canvas width="40" height="40" data-kind="${kind}"></canvas>${word}</span>`).join("");

function drawMarks(host, drawn) {
  host.querySelectorAll("canvas").forEach((chip) => {
    const g = chip.getContext("2d");
    g.setTransform(2, 0, 0, 2, 0, 0);
    g.clearRect(0, 0, 20, 20);
    drawn[chip.dataset.kind](g);
  });
}

function escape(text) {
  return String(text).replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`);
}

function inks(board) {
  const style = getComputedStyle(board.root), get = (n, d) => style.getPropertyValue(n).trim() || d;
  const back = parseColor(get("--st-background-color", "#ffffff"));
  const dark = back[0] + back[1] + back[2] < 384;
  return {
    dark, back, panel: `rgb(${back.join(",")})`, text: get("--st-text-color", "#222"), accent: get("--st-primary-color", "#3b6ea5"),
    line: dark ? "rgb(255 255 255 / 18%)" : "rgb(0 0 0 / 14%)", neutral: dark ? "#8f96a3" : "#9aa1ad", font: style.fontFamily || "sans-serif",
  };
}

// A canvas of so many pixels of the page. What has its size keeps its picture.
function sized(canvas, w, h) {
  const ratio = window.devicePixelRatio || 1, width = Math.round(w * ratio), height = Math.round(h * ratio);
  if (canvas.width === width && canvas.height === height) return;
  Object.assign(canvas, { width, height });
  canvas.style.height = `${h}px`;
}

// A context that draws in pixels of the page, on nothing.
function cleared(canvas) {
  const ratio = window.devicePixelRatio || 1, g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, canvas.width, canvas.height);
  return g;
}

function number(v) {
  if (v === 0) return "0";
  return Math.abs(v) >= 0.001 && Math.abs(v) < 1000 ? v.toPrecision(3) : v.toExponential(1);
}

// What needs no answer from Python.
const LOCAL = {
  home: (board) => board.goHome(),
  link: async (board, button) => {
    await navigator.clipboard?.writeText(window.location.href);
    button.lastChild.textContent = "copied";
    board.spoken.textContent = "Link copied";
    setTimeout(() => { button.lastChild.textContent = ""; }, 1500);
  },
};

function mix(color, back, t) {
  return `rgb(${color.map((v, k) => Math.round(back[k] + (v - back[k]) * t)).join(",")})`;
}

const parsed = new Map();
let probe = null;

function parseColor(text) {
  if (!parsed.has(text)) {
    probe ??= document.createElement("canvas").getContext("2d");
    probe.fillStyle = "#ffffff";
    probe.fillStyle = text;
    const s = probe.fillStyle;
    parsed.set(text, s[0] === "#" ? [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16)) : s.match(/[\d.]+/g).slice(0, 3).map(Number));
  }
  return parsed.get(text);
}
