// The board: keeps what the browser knows (camera, tool, pending events), shows what Python sends.

const TOOLS = {
  label: "Label: click a point; drag a box around many",
  box: "Box: drag a rectangle to label what is inside",
  lasso: "Lasso: draw around points to label them",
  erase: "Erase labels (right-click does the same)",
  hand: "Move the view; the wheel or two fingers zoom",
  paint: "Paint: click empty space to add a point, drag a point to move it, right-click to delete it",
};

function makeBoard(root) {
  const find = (s) => root.querySelector(s);
  const board = {
    root: find(".board"), stage: find(".stage"), canvas: find(".stage > canvas"), tip: find(".tip"), spoken: find(".spoken"),
    tool: "label", current: 0, cursor: -1, hover: -1, drag: null, fingers: new Map(), pending: [], seq: 0,
    camera: null, home: null, panels: [], scene: null, frame: 0, pid: null,
  };
  board.redraw = () => { if (!board.frame) board.frame = requestAnimationFrame(() => { board.frame = 0; render(board); }); };
  board.choose = (j) => { board.current = j; toolbar(board); };
  board.goHome = () => { board.camera = { ...board.home }; board.redraw(); };
  board.hoverAt = (i, px, py) => { if (i !== board.hover) { board.hover = i; board.redraw(); } tooltip(board, px, py); };
  board.send = (event) => {
    board.seq = Math.max(board.seq, board.ack ?? 0) + 1;
    keep(board, [...board.pending, { seq: board.seq, base: board.data.base, ...event }]);
    foresee(board);
    push(board);
  };
  board.stage.onpointerdown = (e) => pointerDown(board, e);
  board.stage.onpointermove = (e) => pointerMove(board, e);
  board.stage.onpointerup = (e) => pointerUp(board, e);
  board.stage.onpointercancel = (e) => pointerUp(board, e);
  board.stage.onpointerleave = () => { if (!board.drag) board.hoverAt(-1); };
  board.stage.oncontextmenu = (e) => e.preventDefault();
  board.stage.onkeydown = (e) => keyDown(board, e);
  board.stage.onwheel = (e) => {
    const box = board.canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    const k = panelAt(board, px, py);
    // Only over a panel: elsewhere the wheel scrolls the page.
    if (k >= 0) { e.preventDefault(); zoom(board, px, py, Math.exp(-e.deltaY * 0.0016), k); }
  };
  board.observer = new ResizeObserver(() => { measure(board); board.redraw(); });
  board.observer.observe(board.stage);
  // For tests and scripts: where a point is on the screen.
  board.canvas.mavr = {
    pixel: (i, k = 0) => {
      const box = board.canvas.getBoundingClientRect(), s = board.scene;
      const [x, y] = toPixel(board.camera, board.panels[k], s.X[2 * i], s.X[2 * i + 1]);
      return [box.left + x, box.top + y];
    },
    board,
  };
  return board;
}

// Events outlive the element: Streamlit may replace it while some wait for their answer.
const waiting = (window.__mavrWaiting ??= new Map());

function keep(board, events) {
  board.pending = events;
  waiting.set(window.location.pathname, events);
}

function push(board) {
  board.root.dataset.pending = board.pending.length;
  // A copy: the same array, grown, would look unchanged and not be sent.
  board.setStateValue("events", { have: board.pid, list: board.pending.slice() });
}

// Show pending labels before Python answers.
function foresee(board) {
  const s = board.scene;
  s.labels = board.given.slice();
  for (const e of board.pending.filter((p) => p.base === board.data.base)) {
    if (e.op === "label") for (const i of e.indices) s.labels[i] = e.class;
    if (e.op === "erase") for (const i of e.indices) s.labels[i] = -1;
  }
  board.redraw();
}

function toolbar(board) {
  const d = board.data, host = board.root;
  const classes = d.names.map((name, j) => {
    const [r, g, b] = board.scene.colors[j % board.scene.colors.length];
    return `<button role="radio" data-class="${j}" aria-checked="${board.current === j}" title="Label with ${escape(name)} (key ${j + 1})"><canvas class="chip" width="28" height="28" style="width:14px;height:14px" data-rgb="${r},${g},${b}"></canvas>${escape(name)}</button>`;
  });
  if (board.tool === "paint") classes.push(`<button role="radio" data-class="-1" aria-checked="${board.current < 0}" title="Paint points of unknown class">unknown</button>`);
  if (d.can_add_class) classes.push('<button data-op="add_class" title="Add a class without labels">+ class</button>');
  const bar = host.querySelector(".classes"), state = classes.join("");
  if (bar.dataset.state !== state) {
    bar.dataset.state = state;
    bar.innerHTML = state;
    bar.querySelectorAll("button").forEach((b) => {
      b.onclick = () => (b.dataset.op ? board.send({ op: b.dataset.op, indices: [] }) : board.choose(Number(b.dataset.class)));
      const chip = b.querySelector("canvas");
      if (!chip) return;
      const g = chip.getContext("2d");
      g.fillStyle = `rgb(${chip.dataset.rgb})`;
      shape(g, Number(b.dataset.class), 14, 14, 10);
      g.fill();
    });
  }
  const tools = host.querySelector(".tools");
  tools.innerHTML = Object.keys(TOOLS).filter((t) => t !== "paint" || d.paintable).map((t) => `<button role="radio" data-tool="${t}" aria-checked="${board.tool === t}" aria-label="${TOOLS[t]}" title="${TOOLS[t]}">${icon(t)}</button>`).join("");
  tools.querySelectorAll("button").forEach((b) => { b.onclick = () => { board.tool = b.dataset.tool; if (board.tool !== "paint" && board.current < 0) board.current = 0; board.stage.dataset.tool = board.tool; toolbar(board); }; });
  const edits = host.querySelector(".edits");
  edits.innerHTML = `<button data-do="undo" title="Undo (Ctrl-Z)" aria-label="Undo" ${d.can_undo ? "" : "disabled"}>${icon("undo")}</button><button data-do="redo" title="Redo (Ctrl-Shift-Z)" aria-label="Redo" ${d.can_redo ? "" : "disabled"}>${icon("redo")}</button><button data-do="home" title="Show all points (key 0)" aria-label="Show all points">${icon("home")}</button><button data-do="link" title="Copy the link to this very picture" aria-label="Copy link">${icon("link")}<span></span></button>`;
  edits.querySelectorAll("button").forEach((b) => { b.onclick = () => (LOCAL[b.dataset.do] ?? ((of) => of.send({ op: b.dataset.do, indices: [] })))(board, b); });
}

function heads(board) {
  const d = board.data;
  const titles = [{ title: d.first, big: "", sub: d.first_sub }, ...d.panels];
  const host = board.root.querySelector(".heads");
  host.innerHTML = titles.map((t, k) => {
    const p = board.panels[k];
    return `<div class="head" style="left:${p.x}px;top:${p.y - HEAD}px;width:${p.w}px"><b>${escape(t.title)}</b><span class="big">${escape(t.big ?? "")}</span><span>${escape(t.sub ?? "")}</span></div>`;
  }).join("");
}

function measure(board) {
  if (!board.scene) return;
  const width = board.stage.clientWidth;
  if (!width) return;
  const laid = layout(width, 1 + board.data.panels.length, board.data.max_height ?? 420);
  board.panels = laid.panels;
  const ratio = window.devicePixelRatio || 1;
  if (board.canvas.width !== Math.round(width * ratio) || board.canvas.height !== Math.round(laid.height * ratio)) {
    board.canvas.width = Math.round(width * ratio);
    board.canvas.height = Math.round(laid.height * ratio);
    board.canvas.style.height = `${laid.height}px`;
  }
  const home = fit(board.scene.bounds, board.panels[0]);
  // Keep what the user looks at when only the size of the panels changed.
  if (board.camera && board.home && board.shown === board.data.base) {
    board.camera.scale *= home.scale / board.home.scale;
  } else board.camera = { ...home };
  board.home = home;
  board.shown = board.data.base;
  heads(board);
}

function render(board) {
  if (!board.scene || !board.panels.length) return;
  const ratio = window.devicePixelRatio || 1, g = board.canvas.getContext("2d"), s = board.scene;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, board.canvas.width, board.canvas.height);
  const grown = Math.min(Math.sqrt(board.camera.scale / board.home.scale), 2.2);
  Object.assign(s, { panels: board.panels, camera: board.camera, hover: board.hover, cursor: board.cursor, drag: board.drag, radius: board.base * Math.max(grown, 0.8) * Math.min(1, Math.max(0.68, board.panels[0].w / 330)) });
  s.ink = inks(board);
  paint(g, s);
  board.root.dataset.painted = board.root.dataset.step;
}

function tooltip(board, px, py) {
  const i = board.hover, s = board.scene, tip = board.tip;
  if (i < 0 || !s) { tip.hidden = true; return; }
  const name = (j) => (j >= 0 ? escape(s.names[j] ?? j) : "unknown");
  let text = `<b>Point ${i}</b>`;
  if (s.labels[i] >= 0) text += ` · labelled ${name(s.labels[i])}`;
  if (s.truth) text += ` · true class ${name(s.truth[i])}`;
  const rows = s.results.map((r) => {
    const what = r.flags[i] & 2 ? "unreached" : r.flags[i] & 1 ? "tied" : name(r.pred[i]);
    const cells = r.H ? Array.from({ length: s.c }, (_, j) => `<td>${number(r.H[i * s.c + j])}</td>`).join("") : "";
    return `<tr><td>${escape(r.title)}: ${what}</td>${s.c <= 6 ? cells : ""}</tr>`;
  });
  const header = s.c <= 6 && s.results.some((r) => r.H) ? `<tr><th>response to</th>${s.names.map((n) => `<th>${escape(n)}</th>`).join("")}</tr>` : "";
  tip.innerHTML = `${text}<table>${header}${rows.join("")}</table>`;
  tip.hidden = false;
  board.spoken.textContent = tip.textContent;
  const at = px == null ? toPixel(board.camera, board.panels[0], s.X[2 * i], s.X[2 * i + 1]) : [px, py];
  const w = board.stage.clientWidth, left = at[0] + 18 + tip.offsetWidth > w ? at[0] - tip.offsetWidth - 14 : at[0] + 18;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${at[1] + 16}px`;
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  // The same element may be given up and taken again: then the board goes on as it was.
  const inherits = !parentElement.__mavrBoard || !parentElement.contains(parentElement.__mavrBoard.root);
  if (inherits) parentElement.__mavrBoard = makeBoard(parentElement);
  const board = parentElement.__mavrBoard;
  board.observer.observe(board.stage);
  if (inherits) board.pending = waiting.get(window.location.pathname) ?? [];
  board.setStateValue = setStateValue;
  const known = stored(data);
  if (!known) {
    // This window lost the points (or never had them): ask for them.
    board.setStateValue("events", { have: null, list: board.pending, asked: data.step });
    return;
  }
  board.data = data;
  board.ack = data.ack;
  board.seq = Math.max(board.seq, data.ack, ...board.pending.map((e) => e.seq));
  keep(board, board.pending.filter((e) => e.seq > data.ack));
  board.pid = data.pid;
  board.given = decode(data.labels, Int8Array);
  if (board.current >= data.names.length) board.current = 0;
  // Points of more than two features have no place in the plane to be put at.
  if (board.tool === "paint" && !data.paintable) board.tool = "label";
  const results = data.panels.map((p) => ({
    title: p.title, pred: decode(p.pred, Int8Array), conf: decode(p.conf, Uint8Array), flags: decode(p.flags, Uint8Array),
    H: decode(p.H, Float32Array), grid: decode(p.grid, Int8Array),
  }));
  board.scene = {
    X: known.X.slice(), n: known.X.length / 2, truth: known.truth, alive: decode(data.alive, Uint8Array), labels: board.given, c: data.names.length, names: data.names,
    colors: data.colors.map(parseColor), results, bounds: data.bounds, gridShape: data.grid_shape, gridBounds: data.grid_bounds,
    shade: data.shade, showErrors: data.show_errors, showDisagree: data.show_disagree, suggest: data.suggest,
  };
  board.base = board.scene.n > 1500 ? 2.6 : board.scene.n > 600 ? 3.3 : 4.2;
  board.stage.dataset.tool = board.tool;
  toolbar(board);
  measure(board);
  board.root.dataset.step = data.step;
  board.root.dataset.ack = data.ack;
  board.root.dataset.pending = board.pending.length;
  foresee(board);
  // Painted at once, not a frame later: the answer to a click should not wait for one.
  render(board);
  if (inherits && board.pending.length) push(board);
  if (board.hover >= 0) tooltip(board);
  return () => board.observer.disconnect();
}
