// The board of label sets: panels, popover, pending events. Python decides, the browser shows.

const SIGNS = [[1, "has"], [-1, "has not"], [0, "unknown"]];

function makeBoard(root) {
  const find = (s) => root.querySelector(s);
  const board = {
    root: find(".board"), stage: find(".stage"), canvas: find(".stage > canvas"), tip: find(".tip"), pop: find(".pop"), spoken: find(".spoken"),
    cursor: -1, hover: -1, open: -1, drag: null, fingers: new Map(), pending: [], seq: 0,
    camera: null, home: null, panels: [], scene: null, frame: 0, pid: null,
  };
  board.redraw = () => { if (!board.frame) board.frame = requestAnimationFrame(() => { board.frame = 0; render(board); }); };
  board.goHome = () => { board.camera = { ...board.home }; board.redraw(); popover(board); };
  board.hoverAt = (i, px, py) => { if (i !== board.hover) { board.hover = i; board.redraw(); } tooltip(board, px, py); };
  board.send = (event) => {
    board.seq = Math.max(board.seq, board.ack ?? 0) + 1;
    board.pending.push({ seq: board.seq, base: board.data.base, ...event });
    foresee(board);
    push(board);
  };
  board.stage.onpointerdown = (e) => down(board, e);
  board.stage.onpointermove = (e) => move(board, e);
  board.stage.onpointerup = board.stage.onpointercancel = (e) => up(board, e);
  board.stage.onpointerleave = () => { if (!board.drag) board.hoverAt(-1); };
  board.stage.oncontextmenu = (e) => e.preventDefault();
  board.stage.onkeydown = (e) => keys(board, e);
  board.stage.onwheel = (e) => {
    if (board.pop.contains(e.target)) return;
    const [px, py] = local(board, e), k = panelAt(board, px, py);
    // Only over a panel: elsewhere the wheel scrolls the page.
    if (k >= 0) { e.preventDefault(); zoomAt(board, px, py, Math.exp(-e.deltaY * 0.0016), k); }
  };
  board.observer = new ResizeObserver(() => { measure(board); board.redraw(); popover(board); });
  board.observer.observe(board.stage);
  // For tests and scripts: where a point is on the screen.
  board.canvas.mavr = {
    pixel: (i, k = 0) => {
      const box = board.canvas.getBoundingClientRect(), [x, y] = placed(board, i, k);
      return [box.left + x, box.top + y];
    },
    board,
  };
  return board;
}

function push(board) {
  board.root.dataset.pending = board.pending.length;
  board.setStateValue("events", { have: board.pid, list: board.pending });
}

// Show pending labels before Python answers.
function foresee(board) {
  const s = board.scene, c = s.c;
  s.given = board.given.slice();
  for (const e of board.pending.filter((p) => p.base === board.data.base && p.index != null)) {
    for (let j = 0; j < c; j++) {
      const at = e.index * c + j;
      if (e.op === "clear") s.given[at] = 0;
      if (e.op === "truth") s.given[at] = s.truth[at];
      if (e.op === "set" && e.label === j) s.given[at] = e.value;
    }
  }
  s.labelled = new Uint8Array(s.n);
  for (let k = 0; k < s.given.length; k++) if (s.given[k]) s.labelled[Math.floor(k / c)] = 1;
  // Many given labels are drawn lightly: they must not hide the answers.
  s.heavy = Math.min(Math.max(Math.sqrt(50 / s.labelled.reduce((a, b) => a + b, 1)), 0.4), 1);
  board.redraw();
  popover(board);
}

function cameraOf(board, k) {
  return { ...board.camera, scale: board.camera.scale * board.panels[k].ratio };
}

function placed(board, i, k) {
  const s = board.scene;
  return toPixel(cameraOf(board, k), board.panels[k], s.X[2 * i], s.X[2 * i + 1]);
}

// As on the playground, but panels have scales of their own.
function within(board, k, work) {
  const whole = board.camera;
  board.camera = cameraOf(board, k);
  const found = work();
  board.camera = whole;
  return found;
}

function pointNear(board, px, py, k, reach) {
  return within(board, k, () => nearest(board, px, py, k, reach));
}

function zoomAt(board, px, py, factor, k) {
  const before = toData(cameraOf(board, k), board.panels[k], px, py);
  board.camera.scale = Math.min(Math.max(board.camera.scale * factor, board.home.scale / 2), board.home.scale * 100);
  const after = toData(cameraOf(board, k), board.panels[k], px, py);
  board.camera.x += before[0] - after[0];
  board.camera.y += before[1] - after[1];
  board.stage.classList.toggle("zoomed", board.camera.scale > 1.05 * board.home.scale);
  board.redraw();
  popover(board);
}

function down(board, event) {
  if (board.pop.contains(event.target)) return;
  const [px, py] = local(board, event), k = panelAt(board, px, py);
  if (k < 0) return;
  board.stage.focus({ preventScroll: true });
  board.fingers.set(event.pointerId, [px, py]);
  if (board.fingers.size === 2) { board.drag = { kind: "pinch", panel: k, span: span(board) }; return; }
  const touch = event.pointerType === "touch";
  board.drag = { kind: "tap", panel: k, start: [px, py], i: pointNear(board, px, py, k, touch ? 26 : 14), touch, right: event.button === 2 };
  board.stage.setPointerCapture(event.pointerId);
}

function move(board, event) {
  if (board.pop.contains(event.target) && !board.drag) return board.hoverAt(-1);
  const [px, py] = local(board, event), drag = board.drag;
  if (board.fingers.has(event.pointerId)) board.fingers.set(event.pointerId, [px, py]);
  if (!drag) {
    const k = panelAt(board, px, py);
    return board.hoverAt(k < 0 ? -1 : pointNear(board, px, py, k, 14), px, py);
  }
  if (drag.kind === "pinch" && board.fingers.size === 2) {
    const now = span(board), scale = cameraOf(board, drag.panel).scale;
    board.camera.x -= (now.x - drag.span.x) / scale;
    board.camera.y += (now.y - drag.span.y) / scale;
    zoomAt(board, now.x, now.y, now.d / Math.max(drag.span.d, 1), drag.panel);
    drag.span = now;
    return;
  }
  if (!drag.start) return;
  const [dx, dy] = [px - drag.start[0], py - drag.start[1]];
  if (drag.kind === "tap" && Math.hypot(dx, dy) < (drag.touch ? 10 : 4)) return;
  drag.kind = "hand";
  const scale = cameraOf(board, drag.panel).scale;
  board.camera.x -= dx / scale;
  board.camera.y += dy / scale;
  drag.start = [px, py];
  board.redraw();
  popover(board);
}

function up(board, event) {
  const drag = board.drag;
  board.fingers.delete(event.pointerId);
  if (!drag) return;
  if (drag.kind === "pinch") { if (board.fingers.size === 0) board.drag = null; return; }
  board.drag = null;
  if (event.type === "pointercancel" || drag.kind !== "tap") return;
  if (drag.right) { if (drag.i >= 0) board.send({ op: "clear", index: drag.i }); return; }
  openAt(board, drag.i === board.open ? -1 : drag.i, drag.panel);
}

function keys(board, event) {
  const ctrl = event.ctrlKey || event.metaKey, key = event.key;
  const inside = board.pop.contains(event.composedPath()[0]);
  if (ctrl && key.toLowerCase() === "z") board.send({ op: event.shiftKey ? "redo" : "undo" });
  else if (ctrl && key.toLowerCase() === "y") board.send({ op: "redo" });
  else if (ctrl || event.altKey) return;
  else if (key === "Escape") {
    if (board.open >= 0) openAt(board, -1); else { board.cursor = -1; board.hoverAt(-1); }
    board.stage.focus({ preventScroll: true });
  } else if (inside) return walk(board, event);
  else if (ARROWS[key]) { board.cursor = step(board, ARROWS[key]); board.hoverAt(board.cursor); }
  else if ((key === "Enter" || key === " ") && board.cursor >= 0) {
    openAt(board, board.cursor, 0);
    board.pop.querySelector('.three button[aria-checked="true"]')?.focus();
  } else if ((key === "Delete" || key === "Backspace") && board.cursor >= 0) board.send({ op: "clear", index: board.cursor });
  else if (key === "+" || key === "=" || key === "-") {
    const p = board.panels[0];
    zoomAt(board, p.x + p.w / 2, p.y + p.h / 2, key === "-" ? 0.8 : 1.25, 0);
  } else if (key === "0") board.goHome();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// Arrow keys go through the buttons of the popover, up and down between the labels.
function walk(board, event) {
  const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  event.stopPropagation();
  const now = event.composedPath()[0];
  if (!by || now.dataset.label == null) return;
  event.preventDefault();
  const rows = [...board.pop.querySelectorAll(".three")], j = Number(now.dataset.label) + by[0];
  const k = [...now.parentElement.children].indexOf(now) + by[1];
  rows[j]?.children[k]?.focus();
}

function openAt(board, i, panel = 0) {
  board.open = i;
  board.openPanel = panel;
  popover(board);
  board.hoverAt(-1);
  board.redraw();
}

function popover(board) {
  const s = board.scene, pop = board.pop, i = board.open;
  if (!s || i < 0 || i >= s.n || !board.panels.length) { pop.hidden = true; pop.dataset.state = ""; return; }
  const result = s.results[s.shown], c = s.c, row = Array.from(s.given.slice(i * c, i * c + c));
  const known = s.truth && Array.from({ length: c }, (_, j) => s.truth[i * c + j]).some((v) => v);
  const lines = s.names.map((name, j) => {
    const [r, g, b] = s.colors[j % s.colors.length];
    const buttons = SIGNS.map(([v, word]) => `<button role="radio" data-label="${j}" data-value="${v}" aria-checked="${row[j] === v}" aria-label="${escape(name)}: ${word}">${word}</button>`).join("");
    const h = result && !result.unreached[i] ? `<small title="response">${signed(result.H[i * c + j])}</small>` : "<small></small>";
    return `<div class="row"><i style="background:rgb(${r},${g},${b})"></i><span title="${escape(name)}">${escape(name)}</span><div class="three" role="radiogroup" aria-label="${escape(name)}">${buttons}</div>${h}</div>`;
  });
  const html = `<header><b>Point ${i}</b>${known ? '<button data-op="truth" title="Give this point all labels of the data set">true labels</button>' : ""}<button data-op="clear" title="All labels unknown (right-click does the same)">clear</button><button data-op="close" aria-label="Close" title="Close (Escape)">✕</button></header><div class="scroll">${lines.join("")}</div>`;
  if (pop.dataset.state !== html) {
    const active = pop.getRootNode().activeElement, at = active && pop.contains(active) ? [active.dataset.label, active.dataset.value] : null;
    pop.dataset.state = html;
    pop.innerHTML = html;
    pop.querySelectorAll(".three button").forEach((b) => {
      b.onclick = () => board.send({ op: "set", index: i, label: Number(b.dataset.label), value: Number(b.dataset.value) });
    });
    pop.querySelectorAll("header button").forEach((b) => {
      b.onclick = () => (b.dataset.op === "close" ? openAt(board, -1) : board.send({ op: b.dataset.op, index: i }));
    });
    if (at) pop.querySelector(`button[data-label="${at[0]}"][data-value="${at[1]}"]`)?.focus();
  }
  pop.hidden = false;
  const panel = Math.min(board.openPanel, board.panels.length - 1), [x, y] = placed(board, i, panel);
  const width = board.stage.clientWidth, height = board.canvas.clientHeight, w = pop.offsetWidth, h = pop.offsetHeight;
  const left = x + 16 + w <= width ? x + 16 : x - 16 - w >= 0 ? x - 16 - w : Math.max(0, (width - w) / 2);
  const covers = left < x + 14 && left + w > x - 14;
  const top = covers ? (y + 16 + h <= height ? y + 16 : y - 16 - h) : Math.min(Math.max(y - h / 2, 0), Math.max(height - h, 0));
  pop.style.left = `${left}px`;
  pop.style.top = `${Math.max(top, 0)}px`;
}

function signed(v) { return number(v).replace("-", "−"); }

function legend(board) {
  const s = board.scene, host = board.root.querySelector(".legend");
  // Many labels are told by the heads of their panels.
  const chips = (s.c > 4 ? [] : s.names).map((name, j) => `<span><i style="background:rgb(${s.colors[j % s.colors.length].join(",")})"></i>${escape(name)}</span>`);
  const marks = [["given", "given: has / has not"], ["none", "no label"]];
  if (board.data.undecided) marks.push(["undecided", "undecided"]);
  if (board.data.unreached) marks.push(["unreached", "unreached"]);
  const html = chips.join("") + marks.map(([kind, word]) => `<span><canvas width="40" height="40" data-kind="${kind}"></canvas>${word}</span>`).join("");
  if (host.dataset.state !== html) { host.dataset.state = html; host.innerHTML = html; }
  const ink = inks(board);
  host.querySelectorAll("canvas").forEach((chip) => {
    const g = chip.getContext("2d"), sample = { ...s, ink, heavy: 1, c: 3, given: [1, -1, 1], colors: s.colors };
    g.setTransform(2, 0, 0, 2, 0, 0);
    g.clearRect(0, 0, 20, 20);
    ({
      given: () => { givenRing(g, sample, 0, 10, 10, 4.4); pie(g, sample, [0, 2].filter((j) => j < s.names.length), 10, 10, 4.4); },
      none: () => noLabel(g, sample, 10, 10, 5.5), undecided: () => hatched(g, sample, 10, 10, 5.5), unreached: () => ring(g, 10, 10, 4.4, ink.neutral, 1.2),
    })[chip.dataset.kind]();
  });
}

function edits(board) {
  const d = board.data, host = board.root.querySelector(".edits");
  host.innerHTML = `<button data-do="undo" title="Undo (Ctrl-Z)" aria-label="Undo" ${d.can_undo ? "" : "disabled"}>${icon("undo")}</button><button data-do="redo" title="Redo (Ctrl-Shift-Z)" aria-label="Redo" ${d.can_redo ? "" : "disabled"}>${icon("redo")}</button><button data-do="home" title="Show all points (key 0)" aria-label="Show all points">${icon("home")}</button><button data-do="link" title="Copy the link to this very picture" aria-label="Copy link">${icon("link")}<span></span></button>`;
  host.querySelectorAll("button").forEach((b) => { b.onclick = () => (LOCAL[b.dataset.do] ?? ((of) => of.send({ op: b.dataset.do })))(board, b); });
}

function heads(board) {
  const d = board.data, s = board.scene;
  board.root.querySelector(".heads").innerHTML = board.panels.map((p) => {
    const place = `left:${p.x}px;top:${p.y - HEAD}px;width:${p.w}px`;
    if (p.kind === "sets") {
      const a = d.panels[p.index] ?? { title: "Your labels", big: "", sub: "" };
      return `<div class="head" style="${place}"><b>${escape(a.title)}</b><span class="big">${escape(a.big)}</span><span>${escape(a.sub)}</span></div>`;
    }
    const color = s.colors[p.index % s.colors.length].join(","), count = d.panels[s.shown]?.counts[p.index];
    return `<div class="head" style="${place}"><i style="background:rgb(${color})"></i><b>${escape(s.names[p.index])}</b><span>${count == null ? "" : `${count} points`}</span></div>`;
  }).join("");
}

function measure(board) {
  const s = board.scene, width = board.stage.clientWidth;
  if (!s || !width) return;
  const laid = arrange(width, Math.max(board.data.panels.length, 1), s.c, board.data.max_height);
  board.panels = laid.panels;
  const ratio = window.devicePixelRatio || 1;
  if (board.canvas.width !== Math.round(width * ratio) || board.canvas.height !== Math.round(laid.height * ratio)) {
    board.canvas.width = Math.round(width * ratio);
    board.canvas.height = Math.round(laid.height * ratio);
    board.canvas.style.height = `${laid.height}px`;
  }
  const home = fit(s.bounds, board.panels[0]);
  // A third of the distance between neighbours if the points filled their panel, as far as an eye can use it.
  board.base = Math.min(Math.max(0.36 * Math.sqrt((0.6 * board.panels[0].w * board.panels[0].h) / s.n), 2.4), 6);
  for (const p of board.panels) p.ratio = fit(s.bounds, p).scale / home.scale;
  // Keep what the user looks at when only the size of the panels changed.
  if (board.camera && board.home && board.shown === board.data.pid) board.camera.scale *= home.scale / board.home.scale;
  else { board.camera = { ...home }; board.open = -1; board.cursor = -1; }
  board.home = home;
  board.shown = board.data.pid;
  heads(board);
}

function render(board) {
  if (!board.scene || !board.panels.length) return;
  const ratio = window.devicePixelRatio || 1, g = board.canvas.getContext("2d"), s = board.scene;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, board.canvas.width, board.canvas.height);
  const grown = Math.min(Math.sqrt(board.camera.scale / board.home.scale), 2.2);
  Object.assign(s, { panels: board.panels, camera: board.camera, hover: board.hover, cursor: board.cursor, open: board.open, radius: board.base * Math.max(grown, 0.8) });
  s.ink = inks(board);
  drawPanels(g, s);
  board.root.dataset.painted = board.root.dataset.step;
}

function tooltip(board, px, py) {
  const i = board.hover, s = board.scene, tip = board.tip;
  if (i < 0 || !s || board.open >= 0) { tip.hidden = true; return; }
  const c = s.c, words = (row) => s.names.filter((_, j) => row(j)).map(escape).join(", ") || "none";
  const said = (v) => (v > 0 ? "has" : v < 0 ? "has not" : "–");
  let text = `<b>Point ${i}</b>`;
  if (s.truth) text += ` · truth: ${words((j) => s.truth[i * c + j] > 0)}`;
  const rows = s.results.map((r) => {
    if (r.unreached[i]) return `<tr><td>${escape(r.title)}</td><td>unreached: no label can get here</td></tr>`;
    const open = s.names.filter((_, j) => r.state[i * c + j] & UNDECIDED);
    const sure = words((j) => r.state[i * c + j] & HAS && !(r.state[i * c + j] & UNDECIDED));
    return `<tr><td>${escape(r.title)}</td><td style="text-align:left">${sure}${open.length ? `; undecided: ${open.map(escape).join(", ")}` : ""}</td></tr>`;
  });
  if (s.labelled[i]) rows.unshift(`<tr><td>given</td><td style="text-align:left">${s.names.map((n, j) => `${escape(n)} ${said(s.given[i * c + j])}`).join(" · ")}</td></tr>`);
  tip.innerHTML = `${text}<table>${rows.join("")}</table><div style="opacity:.62;margin-top:4px">Click to set its labels</div>`;
  tip.hidden = false;
  board.spoken.textContent = tip.textContent;
  const at = px == null ? placed(board, i, 0) : [px, py], w = board.stage.clientWidth;
  const left = at[0] + 18 + tip.offsetWidth > w ? at[0] - tip.offsetWidth - 14 : at[0] + 18;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${at[1] + 16}px`;
}

function unpacked(p) {
  return {
    title: p.title, state: decode(p.state, Uint8Array), H: decode(p.H, Float32Array), unreached: decode(p.unreached, Uint8Array),
    wrong: decode(p.wrong, Uint8Array), T: p.T, scale: p.scale, fixed: p.fixed,
  };
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  // The same element may be given up and taken again: then the board goes on as it was.
  const earlier = parentElement.__mavrBoard;
  const board = earlier && parentElement.contains(earlier.root) ? earlier : makeBoard(parentElement);
  parentElement.__mavrBoard = board;
  board.observer.observe(board.stage);
  board.setStateValue = setStateValue;
  const known = stored(data);
  if (!known) {
    // This window lost the points (or never had them): ask for them.
    board.setStateValue("events", { have: null, list: board.pending, asked: data.step });
    return;
  }
  board.data = data;
  board.ack = data.ack;
  board.seq = Math.max(board.seq, data.ack);
  board.pending = board.pending.filter((e) => e.seq > data.ack);
  board.pid = data.pid;
  board.given = decode(data.given, Int8Array);
  const n = known.X.length / 2;
  board.scene = {
    X: known.X, n, truth: data.has_truth ? known.truth : null, c: data.names.length, names: data.names, colors: data.colors.map(parseColor),
    results: data.panels.map(unpacked), shown: data.shown, bounds: data.bounds, showErrors: data.show_errors,
  };
  measure(board);
  legend(board);
  edits(board);
  board.root.dataset.step = data.step;
  board.root.dataset.ack = data.ack;
  board.root.dataset.pending = board.pending.length;
  foresee(board);
  // Painted at once, not a frame later: the answer to a click should not wait for one.
  render(board);
  if (board.hover >= 0) tooltip(board);
  return () => board.observer.disconnect();
}
