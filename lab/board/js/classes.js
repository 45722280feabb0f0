// The board of classes: tools, panels, what a point says. board.js has what all boards share.

const TOOLS = {
  label: "Label: click a point; drag a box around many",
  box: "Box: drag a rectangle to label what is inside",
  lasso: "Lasso: draw around points to label them",
  erase: "Erase labels (right-click does the same)",
  hand: "Move the view; the wheel or two fingers zoom",
  paint: "Paint: click empty space to add a point, drag a point to move it, right-click to delete it",
};

// Above how many points a mark has which radius.
const MARK_SIZES = [[12000, 1.5], [5000, 2], [1500, 2.6], [600, 3.3], [-1, 4.2]];

const CLASSES = {
  scene: classesScene, foresee: foreseeClasses, tooltip: classTip, up: labelUp, place: placed, resized: (board) => { measureClasses(board); classHeads(board); },
  key: (board, event) => keyDown(board, event, labelKey),
  render: (board, g) => {
    const s = board.scene;
    s.radius = board.base * grown(board) * Math.min(1, Math.max(0.68, board.panels[0].w / 330));
    paint(g, s);
  },
};

function makeClasses(root) {
  const board = newBoard(root, CLASSES, { tool: "label", current: 0, pictures: [] });
  board.choose = (j) => { board.current = j; toolbar(board); };
  board.root.querySelectorAll('[role="radiogroup"]').forEach(byArrows);
  return board;
}

// Show pending labels before Python answers.
function foreseeClasses(board) {
  const s = board.scene;
  s.labels = board.given.slice();
  for (const e of ahead(board)) {
    if (e.op !== "label" && e.op !== "erase") continue;
    for (const i of e.indices) {
      const k = drawnPlace(board, i);
      if (k >= 0) s.labels[k] = e.op === "label" ? e.class : -1;
    }
  }
}

function toolbar(board) {
  const d = board.data, host = board.root;
  const classes = d.names.map((name, j) => {
    const [r, g, b] = board.scene.colors[j % board.scene.colors.length];
    return `<button role="radio" data-class="${j}" title="Label with ${escape(name)} (key ${j + 1})"><canvas class="chip" width="28" height="28" style="width:14px;height:14px" data-rgb="${r},${g},${b}"></canvas>${escape(name)}</button>`;
  });
  if (board.tool === "paint") classes.push(`<button role="radio" data-class="-1" title="Paint points of unknown class">unknown</button>`);
  if (d.can_add_class) classes.push('<button data-op="add_class" title="Add a class without labels">+ class</button>');
  const bar = host.querySelector(".classes");
  if (fill(bar, classes.join(""))) {
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
  const chosen = (host, name, value) => host.querySelectorAll(`[data-${name}]`).forEach((b) => {
    const on = b.dataset[name] === String(value);
    b.setAttribute("aria-checked", on);
    b.tabIndex = on ? 0 : -1;
  });
  chosen(bar, "class", board.current);
  const tools = host.querySelector(".tools");
  const offered = Object.keys(TOOLS).filter((t) => t !== "paint" || d.paintable);
  const choices = offered.map((t) => `<button role="radio" data-tool="${t}" aria-label="${TOOLS[t]}" title="${TOOLS[t]}">${icon(t)}</button>`);
  if (fill(tools, choices.join(""))) tools.querySelectorAll("button").forEach((b) => { b.onclick = () => { board.tool = b.dataset.tool; if (board.tool !== "paint" && board.current < 0) board.current = 0; board.stage.dataset.tool = board.tool; toolbar(board); }; });
  chosen(tools, "tool", board.tool);
  edits(board);
}

function classHeads(board) {
  const d = board.data;
  if (!board.panels.length || board.panels.length <= d.panels.length) return;
  const titles = [{ title: d.first, big: "", sub: d.first_sub }, ...d.panels];
  const host = board.root.querySelector(".heads");
  revise(host, titles.map((t, k) => {
    const p = board.panels[k];
    return `<div class="head" style="left:${p.x}px;top:${p.y - HEAD}px;width:${p.w}px"><b>${escape(t.title)}</b><span class="big">${escape(t.big ?? "")}</span><span>${escape(t.sub ?? "")}</span></div>`;
  }).join(""));
}

// What the marks mean, drawn as the board draws them; only those that can be seen now.
function markLegend(board) {
  const s = board.scene, any = (flag) => s.results.some((r) => r.flags.some((f) => f & flag));
  const shown = [["labelled", "labelled"], ["open", "not labelled"]];
  if (s.results.length) shown.push(["sure", "sure"], ["unsure", "unsure"]);
  if (s.showErrors && s.truth && any(4)) shown.push(["wrong", "wrong"]);
  if (any(1)) shown.push(["tied", "tied: no class claimed"]);
  if (any(2)) shown.push(["unreached", "no label connected"]);
  if (s.showDisagree && any(8)) shown.push(["differs", "the two differ"]);
  const host = board.root.querySelector(".marks"), { ink } = board;
  if (!fill(host, `${marksHtml(shown)}<span class="spelled">${escape(board.data.spelled)}</span>`) && host.dataset.dark === String(ink.dark)) return;
  host.dataset.dark = ink.dark;
  const sample = { ...s, ink, radius: 4 }, color = s.colors[0], tone = (level) => `rgb(${faded(color, ink.back, level).join(",")})`;
  const point = (g, level) => { g.fillStyle = tone(level); shape(g, 0, 10, 10, 4.2); g.fill(); };
  drawMarks(host, {
    labelled: (g) => labelled(g, { ...sample, radius: 3 }, 10, 10, 0), open: (g) => dot(g, 10, 10, 4.2, ink.neutral), sure: (g) => point(g, SHADES - 1),
    unsure: (g) => point(g, 0), wrong: (g) => { point(g, SHADES - 1); ring(g, 10, 10, 6.8, ink.text, 1.3); }, tied: (g) => hatched(g, sample, 10, 10, 4.4),
    unreached: (g) => ring(g, 10, 10, 3.6, ink.neutral, 1.2), differs: (g) => { point(g, SHADES - 1); ring(g, 10, 10, 8.5, ink.accent, 1.6); },
  });
}

function measureClasses(board) {
  const { width } = board;
  if (!board.scene || !width) return;
  frame(board, layout(width, 1 + board.data.panels.length, board.data.max_height ?? 420), board.data.base);
}

const answered = (r, i, name) => (r.flags[i] & 2 ? "no label connected" : r.flags[i] & 1 ? "tied" : name(r.pred[i]));

function classTip(board, px, py) {
  const i = board.hover, s = board.scene;
  if (i < 0 || !s) { board.tip.hidden = true; return; }
  const name = (j) => (j >= 0 ? escape(s.names[j] ?? j) : "unknown");
  let text = `<b>Point ${numbered(board, i)}</b>`;
  if (s.labels[i] >= 0) text += ` · labelled ${name(s.labels[i])}`;
  if (s.truth) text += ` · true class ${name(s.truth[i])}`;
  const rows = s.results.map((r) => {
    const what = answered(r, i, name);
    const cells = r.H ? Array.from({ length: s.c }, (_, j) => `<td>${number(r.H[i * s.c + j])}</td>`).join("") : "";
    return `<tr><td>${escape(r.title)}: ${what}</td>${s.c <= 6 ? cells : ""}</tr>`;
  });
  const header = s.c <= 6 && s.results.some((r) => r.H) ? `<tr><th>response to</th>${s.names.map((n) => `<th>${escape(n)}</th>`).join("")}</tr>` : "";
  showTip(board, `${text}<table>${header}${rows.join("")}</table>`, px == null ? placed(board, i, 0) : [px, py]);
  // Spoken where keys led to it, without the responses.
  if (px == null) board.spoken.textContent = [...board.tip.childNodes].filter((node) => node.nodeName !== "TABLE").map((node) => node.textContent).join("") + s.results.map((r) => `; ${r.title}: ${answered(r, i, name)}`).join("");
}

function classesScene(board) {
  const { data, known } = board;
  board.given = decodeClasses(data.labels, data);
  if (board.current >= data.names.length) board.current = 0;
  // Points of more than two features have no place in the plane to be put at.
  if (board.tool === "paint" && !data.paintable) board.tool = "label";
  const results = data.panels.map((p) => ({
    title: p.title, pred: decodeClasses(p.pred, data), conf: decode(p.conf, Uint8Array), flags: decode(p.flags, Uint8Array),
    H: decode(p.H, Float32Array), grid: decodeClasses(p.grid, data),
  }));
  board.scene = {
    pid: data.pid, pictures: board.pictures, X: known.X.slice(), n: known.X.length / 2, truth: known.truth, alive: decode(data.alive, Uint8Array), labels: board.given, c: data.names.length, names: data.names,
    colors: data.colors.map(parseColor), results, bounds: data.bounds, gridShape: data.grid_shape, gridBounds: data.grid_bounds,
    shade: data.shade, showErrors: data.show_errors, showDisagree: data.show_disagree, suggest: data.suggest.map((one) => ({ ...one, index: drawnPlace(board, one.index) })),
  };
  board.base = MARK_SIZES.find(([least]) => board.scene.n > least)[1];
  board.stage.dataset.tool = board.tool;
  const { names, can_add_class, paintable, can_undo, can_redo } = data, told = JSON.stringify([names, can_add_class, paintable, can_undo, can_redo, board.tool, board.current]);
  if (board.told !== told) toolbar(board);
  board.told = told;
  markLegend(board);
  measureClasses(board);
  numbersOf(board, classHeads);
}
