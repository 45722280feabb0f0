// The board of label sets: panels, popover, pending events. Python decides, the browser shows.

const SIGNS = [[1, "has"], [-1, "has not"], [0, "unknown"]];

const SETS = {
  scene: setsScene, foresee: foreseeSets, tooltip: setTip, place: placed, up: setUp, moved: popover,
  key: (board, event) => keyDown(board, event, setKey),
  resized: (board) => { measureSets(board); popover(board); },
  render: (board, g) => {
    Object.assign(board.scene, { open: board.open, radius: board.base * grown(board) });
    drawPanels(g, board.scene);
  },
};

function makeSets(root) {
  return newBoard(root, SETS, { tool: null, open: -1 });
}

// Show pending labels before Python answers.
function foreseeSets(board) {
  const s = board.scene, c = s.c;
  s.given = board.given.slice();
  for (const e of ahead(board).filter((p) => p.index != null)) {
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
  popover(board);
}

function setUp(board, drag) {
  if (drag.erase) { if (drag.i >= 0) board.send({ op: "clear", index: drag.i }); return; }
  openAt(board, drag.i === board.open ? -1 : drag.i, drag.panel);
}

function setKey(board, event) {
  const { key } = event;
  if (key === "Escape" && board.open >= 0) {
    openAt(board, -1);
    board.stage.focus({ preventScroll: true });
  } else if (board.pop.contains(event.composedPath()[0])) return walk(board, event);
  else if ((key === "Enter" || key === " ") && board.cursor >= 0) {
    openAt(board, board.cursor, 0);
    board.pop.querySelector('.three button[aria-checked="true"]')?.focus();
  } else if ((key === "Delete" || key === "Backspace") && board.cursor >= 0) board.send({ op: "clear", index: board.cursor });
  else return false;
  return true;
}

// Arrow keys go through the buttons of the popover, up and down between the labels.
function walk(board, event) {
  const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const now = event.composedPath()[0];
  if (!by || now.dataset.label == null) return false;
  const rows = [...board.pop.querySelectorAll(".three")], j = Number(now.dataset.label) + by[0];
  const k = [...now.parentElement.children].indexOf(now) + by[1];
  rows[j]?.children[k]?.focus();
  return true;
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

function setLegend(board) {
  const s = board.scene, host = board.root.querySelector(".legend");
  // Many labels are told by the heads of their panels.
  const chips = (s.c > 4 ? [] : s.names).map((name, j) => `<span><i style="background:rgb(${s.colors[j % s.colors.length].join(",")})"></i>${escape(name)}</span>`);
  const marks = [["given", "given: has / has not"], ["none", "no label"]];
  if (board.data.undecided) marks.push(["undecided", "undecided"]);
  if (board.data.unreached) marks.push(["unreached", "no label connected"]);
  fill(host, chips.join("") + marksHtml(marks));
  const { ink } = board, sample = { ...s, ink, heavy: 1, c: 3, given: [1, -1, 1] };
  drawMarks(host, {
    given: (g) => { givenRing(g, sample, 0, 10, 10, 4.4); pie(g, sample, [0, 2].filter((j) => j < s.names.length), 10, 10, 4.4); },
    none: (g) => noLabel(g, sample, 10, 10, 5.5), undecided: (g) => hatched(g, sample, 10, 10, 5.5), unreached: (g) => ring(g, 10, 10, 4.4, ink.neutral, 1.2),
  });
}

function setHeads(board) {
  const d = board.data, s = board.scene;
  fill(board.root.querySelector(".heads"), board.panels.map((p) => {
    const place = `left:${p.x}px;top:${p.y - HEAD}px;width:${p.w}px`;
    if (p.kind === "sets") {
      const a = d.panels[p.index] ?? { title: "Your labels", big: "", sub: "" };
      return `<div class="head" style="${place}"><b>${escape(a.title)}</b><span class="big">${escape(a.big)}</span><span>${escape(a.sub)}</span></div>`;
    }
    const color = s.colors[p.index % s.colors.length].join(","), count = d.panels[s.shown]?.counts[p.index];
    return `<div class="head" style="${place}"><i style="background:rgb(${color})"></i><b>${escape(s.names[p.index])}</b><span>${count == null ? "" : `${count} points`}</span></div>`;
  }).join(""));
}

function measureSets(board) {
  const { scene: s, width } = board;
  if (!s || !width) return;
  const same = frame(board, arrange(width, Math.max(board.data.panels.length, 1), s.c, board.data.max_height), board.data.pid);
  if (!same) board.open = board.cursor = -1;
  // A third of the distance between neighbours if the points filled their panel, as far as an eye can use it.
  board.base = Math.min(Math.max(0.36 * Math.sqrt((0.6 * board.panels[0].w * board.panels[0].h) / s.n), 2.4), 6);
  for (const p of board.panels) p.ratio = fit(s.bounds, p).scale / board.home.scale;
  setHeads(board);
}

function setTip(board, px, py) {
  const i = board.hover, s = board.scene;
  if (i < 0 || !s || board.open >= 0) { board.tip.hidden = true; return; }
  const c = s.c, words = (row) => s.names.filter((_, j) => row(j)).map(escape).join(", ") || "none";
  const said = (v) => (v > 0 ? "has" : v < 0 ? "has not" : "–");
  let text = `<b>Point ${i}</b>`;
  if (s.truth) text += ` · truth: ${words((j) => s.truth[i * c + j] > 0)}`;
  const rows = s.results.map((r) => {
    if (r.unreached[i]) return `<tr><td>${escape(r.title)}</td><td>no label connected</td></tr>`;
    const open = s.names.filter((_, j) => r.state[i * c + j] & UNDECIDED);
    const sure = words((j) => r.state[i * c + j] & HAS && !(r.state[i * c + j] & UNDECIDED));
    return `<tr><td>${escape(r.title)}</td><td style="text-align:left">${sure}${open.length ? `; undecided: ${open.map(escape).join(", ")}` : ""}</td></tr>`;
  });
  if (s.labelled[i]) rows.unshift(`<tr><td>given</td><td style="text-align:left">${s.names.map((n, j) => `${escape(n)} ${said(s.given[i * c + j])}`).join(" · ")}</td></tr>`);
  const more = '<div style="opacity:.74;margin-top:4px">Click to set its labels</div>';
  showTip(board, `${text}<table>${rows.join("")}</table>${more}`, px == null ? placed(board, i, 0) : [px, py]);
  if (px == null) board.spoken.textContent = board.tip.textContent;
}

function unpacked(p) {
  return {
    title: p.title, state: decode(p.state, Uint8Array), H: decode(p.H, Float32Array), unreached: decode(p.unreached, Uint8Array),
    wrong: decode(p.wrong, Uint8Array), T: p.T, scale: p.scale, fixed: p.fixed,
  };
}

function setsScene(board) {
  const { data, known } = board;
  board.given = decode(data.given, Int8Array);
  board.scene = {
    X: known.X, n: known.X.length / 2, truth: data.has_truth ? known.truth : null, c: data.names.length, names: data.names, colors: data.colors.map(parseColor),
    results: data.panels.map(unpacked), shown: data.shown, bounds: data.bounds, showErrors: data.show_errors,
  };
  fill(board.root.querySelector(".below"), data.below ?? "");
  measureSets(board);
  setLegend(board);
  edits(board);
}
