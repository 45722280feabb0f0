// The ellipse h'Qh <= 1: drag h, or the end of an axis to change its eigenvalue and the angle.
// While a finger is down the browser draws alone; Python gets every state it has time for.

const SIZE = 480, HALF = 2.25, SCALE = SIZE / 2 / HALF, STEPS = 48;
// Milliseconds after a slider's move in which the script's answers are older than the picture.
const SLID = 400;
const SIGNS = ["+ +", "− +", "− −", "+ −"];

const px = (x) => SIZE / 2 + x * SCALE;
const py = (y) => SIZE / 2 - y * SCALE;
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

function border(s, a) {
  // Distance from 0 to the ellipse in the direction a: 1 / sqrt(V).
  const c = Math.cos(a - s.angle), d = Math.sin(a - s.angle);
  return 1 / Math.sqrt(s.lam1 * c * c + s.lam2 * d * d);
}

function piece(s, q) {
  let d = `M${px(0)} ${py(0)}`;
  for (let k = 0; k <= STEPS; k++) {
    const a = ((q + k / STEPS) * Math.PI) / 2, r = border(s, a);
    d += `L${px(r * Math.cos(a)).toFixed(1)} ${py(r * Math.sin(a)).toFixed(1)}`;
  }
  return d + "Z";
}

// As the numbers beside the picture: an area is half an angle over sqrt(det Q).
function areas(s) {
  const c = Math.cos(s.angle), d = Math.sin(s.angle);
  const q11 = s.lam1 * c * c + s.lam2 * d * d, q22 = s.lam1 * d * d + s.lam2 * c * c, q12 = (s.lam1 - s.lam2) * c * d;
  const same = Math.acos(clamp(q12 / Math.sqrt(q11 * q22), -1, 1)), root = 2 * Math.sqrt(s.lam1 * s.lam2);
  return [same / root, (Math.PI - same) / root, same / root, (Math.PI - same) / root];
}

// Where the two axes end.
function ends(s) {
  const c = Math.cos(s.angle), d = Math.sin(s.angle), [one, two] = [s.lam1, s.lam2].map((lam) => 1 / Math.sqrt(lam));
  return { one: [one * c, one * d], two: [-two * d, two * c] };
}

// A handle is a slider of its angle; what it is besides is said with it.
function handle(name, x, y, label, more) {
  const right = x < HALF - 0.5, degrees = Math.round((Math.atan2(y, x) * 180) / Math.PI), length = Math.hypot(x, y).toFixed(2);
  const value = `aria-valuemin="-180" aria-valuemax="180" aria-valuenow="${degrees}" aria-valuetext="angle ${degrees}°, length ${length}${more}"`;
  return `<g class="handle ${name}" data-handle="${name}" tabindex="0" role="slider" aria-label="${label}" ${value}>
    <circle class="reach" cx="${px(x)}" cy="${py(y)}" r="24"/><circle class="knob" cx="${px(x)}" cy="${py(y)}" r="${name === "h" ? 9 : 7}"/>
    <text x="${px(x) + (right ? 13 : -13)}" y="${py(y) - 9}" text-anchor="${right ? "start" : "end"}" style="font-style:italic;font-weight:600">${name === "h" ? "h" : name === "one" ? "v₁" : "v₂"}</text></g>`;
}

function draw(view) {
  const s = view.state, data = view.data, size = areas(s), chosen = s.hx >= 0 ? (s.hy >= 0 ? 0 : 3) : s.hy >= 0 ? 1 : 2;
  const parts = [`<path class="axis" d="M0 ${py(0)}H${SIZE}M${px(0)} 0V${SIZE}"/>`];
  for (let q = 0; q < 4; q++) parts.push(`<path class="piece ${q === chosen ? "chosen" : ""}" d="${piece(s, q)}" fill="${data.colors[q]}"/>`);
  const { one, two } = ends(s);
  parts.push(`<path class="outline" d="${[0, 1, 2, 3].map((q) => piece(s, q).replace(/^M[^L]+L/, q ? "L" : "M").replace("Z", "")).join("")}Z"/>`);
  for (const [x, y] of [one, two]) parts.push(`<path class="principal" d="M${px(-x)} ${py(-y)}L${px(x)} ${py(y)}"/>`);
  const a = Math.atan2(s.hy, s.hx), r = border(s, a);
  parts.push(`<path class="beyond" d="M${px(0)} ${py(0)}L${px(s.hx)} ${py(s.hy)}"/>`);
  parts.push(`<path class="ray" d="M${px(0)} ${py(0)}L${px(r * Math.cos(a))} ${py(r * Math.sin(a))}"/>`);
  for (let q = 0; q < 4; q++) {
    const x = q === 0 || q === 3 ? SIZE - 52 : 52, y = q < 2 ? 30 : SIZE - 34;
    parts.push(`<text class="area" x="${x}" y="${y}"><tspan class="signs" fill="${data.colors[q]}">${SIGNS[q]}</tspan><tspan x="${x}" dy="20">area ${size[q].toFixed(2)}</tspan></text>`);
  }
  parts.push(`<text class="quiet" x="${SIZE - 6}" y="${py(0) - 6}" text-anchor="end">h₁</text><text class="quiet" x="${px(0) + 7}" y="14">h₂</text>`);
  parts.push(handle("one", one[0], one[1], "End of the first axis, v₁", `, eigenvalue ${s.lam1.toFixed(2)}`));
  parts.push(handle("two", two[0], two[1], "End of the second axis, v₂", `, eigenvalue ${s.lam2.toFixed(2)}`));
  parts.push(handle("h", s.hx, s.hy, "Hypothesis h", ""));
  const focused = view.svg.getRootNode().activeElement?.dataset?.handle;
  view.svg.innerHTML = parts.join("");
  if (view.held) view.svg.querySelector(`.${view.held}`).classList.add("held");
  if (focused) view.svg.querySelector(`.${focused}`).focus();
}

function move(view, name, x, y) {
  const s = view.state;
  if (name === "h") {
    const r = Math.hypot(x, y) || 1, k = Math.max(r, 0.2) / r;
    s.hx = clamp(x * k, -2.1, 2.1);
    s.hy = clamp(y * k, -2.1, 2.1);
  } else {
    // An axis from 0.5 to 2: an eigenvalue from 4 to 0.25.
    const r = clamp(Math.hypot(x, y), 0.5, 2), turn = Math.atan2(y, x) - (name === "two" ? Math.PI / 2 : 0);
    s[name === "one" ? "lam1" : "lam2"] = 1 / (r * r);
    // An axis has no direction: angles differ by half turns.
    s.angle = Math.atan2(Math.sin(turn), Math.cos(turn));
    if (s.angle > Math.PI / 2) s.angle -= Math.PI;
    if (s.angle <= -Math.PI / 2) s.angle += Math.PI;
  }
  draw(view);
  send(view);
}

// A slider beside the picture moves: its value is drawn at once, the script is told by the slider.
function slid(view, { name, value }) {
  if (!["lam1", "lam2", "angle"].includes(name) || view.held || !view.svg.isConnected) return;
  view.slid = performance.now();
  view.state[name] = name === "angle" ? (value * Math.PI) / 180 : value;
  draw(view);
}

// One state is on its way at a time; the last one is always sent.
function send(view) {
  if (view.seq > view.data.ack) { view.waiting = true; return; }
  view.waiting = false;
  view.seq = Math.max(view.seq, view.data.ack) + 1;
  view.setStateValue("edit", { seq: view.seq, ...view.state });
}

function place(view, e) {
  const box = view.svg.getBoundingClientRect();
  return [((e.clientX - box.left) / box.width - 0.5) * 2 * HALF, (0.5 - (e.clientY - box.top) / box.height) * 2 * HALF];
}

function keyDown(view, e) {
  const name = e.target.dataset?.handle, steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (!name || !steps) return;
  e.preventDefault();
  e.stopPropagation();
  const s = view.state, k = e.shiftKey ? 0.25 : 0.05, from = name === "h" ? [s.hx, s.hy] : ends(s)[name];
  move(view, name, from[0] + k * steps[0], from[1] + k * steps[1]);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const view = (parentElement.__view ??= { svg: parentElement.querySelector("svg"), held: null, seq: 0, waiting: false });
  view.data = data;
  view.setStateValue = setStateValue;
  // A preset or a slider speaks only when no finger is down and nothing newer is on its way.
  const sliding = performance.now() - (view.slid ?? -Infinity) < SLID;
  if (!view.state || (!view.held && !view.waiting && !sliding && data.ack >= view.seq)) view.state = { ...data.state };
  if (!view.listens) {
    view.listens = true;
    window.addEventListener("mavr-slide", ({ detail }) => slid(view, detail));
  }
  if (view.waiting && data.ack >= view.seq) send(view);
  const svg = view.svg;
  const handle = (e) => e.target.closest?.("[data-handle]")?.dataset.handle;
  // A finger beside the handles scrolls the page, and a tap there moves h.
  svg.ontouchstart = (e) => { if (handle(e)) e.preventDefault(); };
  svg.onclick = (e) => { if (e.pointerType === "touch" && !handle(e)) { move(view, "h", ...place(view, e)); send(view); } };
  svg.onpointerdown = (e) => {
    const name = handle(e) ?? "h";
    if (e.pointerType === "touch" && !handle(e)) return;
    view.held = name;
    svg.setPointerCapture(e.pointerId);
    e.preventDefault();
    move(view, name, ...place(view, e));
  };
  svg.onpointermove = (e) => { if (view.held) move(view, view.held, ...place(view, e)); };
  svg.onpointerup = svg.onpointercancel = () => { if (view.held) { view.held = null; draw(view); send(view); } };
  svg.onkeydown = (e) => keyDown(view, e);
  draw(view);
  parentElement.querySelector(".spoken").textContent = data.spoken;
  const root = parentElement.querySelector(".ellipse");
  root.dataset.ack = data.ack;
  // For tests: where a place of the plane is on the screen.
  svg.mavr = { pixel: (x, y) => { const b = svg.getBoundingClientRect(); return [b.left + (px(x) / SIZE) * b.width, b.top + (py(y) / SIZE) * b.height]; }, view };
}
