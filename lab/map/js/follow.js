// The points beside the map: what the methods answer at the cell under the pointer, from what is already here.

const PANEL_GAP = 12;

function makeScene(map) {
  const { data, known } = map, given = decodeClasses(data.labels, data);
  map.pictures ??= [];
  map.scene = {
    pid: data.pid, pictures: map.pictures, X: known.X, n: known.X.length / 2, truth: known.truth, alive: decode(data.alive, Uint8Array), labels: given,
    names: data.names, colors: data.colors.map(parseColor), bounds: data.bounds, suggest: [], shade: false, showErrors: data.show_errors, showDisagree: data.show_disagree,
  };
  // The answer at the very setting, which may lie between two cells.
  map.exact = data.panels.map((p) => ({ pred: decodeClasses(p.pred, data), conf: decode(p.conf, Uint8Array), flags: decode(p.flags, Uint8Array) }));
  map.own = { X: known.X, labels: given, pid: data.pid };
}

// Cells' answers as the board draws them.
function answersAt(map, cell) {
  const { s, scene, data } = map, n = s.n, tied = data.map.tied, from = s.source[cell];
  if (!s.codes || from < 0) return null;
  const of = s.scenes[s.scene[from]], labels = of?.given ? Int16Array.from(of.given) : map.own.labels;
  const results = [0, 1].map((side) => {
    const codes = s.codes[side].subarray(from * n, (from + 1) * n), pred = new Int16Array(n), flags = new Uint8Array(n), conf = new Uint8Array(n).fill(255);
    for (let i = 0; i < n; i++) {
      const c = codes[i], open = c >= tied;
      pred[i] = open ? c - tied : c;
      flags[i] = (open ? 1 : 0) | (c === -1 ? 2 : 0);
      if (!flags[i] && scene.truth && scene.truth[i] >= 0 && labels[i] < 0 && c !== scene.truth[i] && c !== -2) flags[i] |= 4;
    }
    return { pred, flags, conf };
  });
  const [a, b] = results, named = (r, i) => (r.flags[i] & 3 ? -1 : r.pred[i]);
  for (let i = 0; i < n; i++) if (named(a, i) !== named(b, i)) { a.flags[i] |= 8; b.flags[i] |= 8; }
  return { results, X: of?.X ?? map.own.X, labels, pid: of?.X ? `${s.id}/${s.scene[from]}` : map.own.pid };
}

function boardLayout(map) {
  const width = map.board.clientWidth, w = (width - PANEL_GAP) / 2, h = Math.round(Math.min(w * 1.02, 360));
  sized(map.board, width, h);
  map.panels = [0, 1].map((k) => ({ x: k * (w + PANEL_GAP), y: 0, w, h }));
}

function drawBoard(map) {
  const { scene, panels } = map;
  if (!scene || !panels) return;
  const cell = shownCell(map), free = map.hover < 0 && map.held == null;
  const at = free ? { results: map.exact, ...map.own } : answersAt(map, cell);
  if (!at) return;
  map.results = at.results;
  const base = scene.n > 600 ? 2.9 : 3.6;
  Object.assign(scene, { X: at.X, labels: at.labels, pid: at.pid, camera: fit(scene.bounds, panels[0]), ink: map.ink, radius: base * Math.min(1, Math.max(0.6, panels[0].w / 300)) });
  const g = cleared(map.board);
  panels.forEach((panel, k) => inPanel(g, panel, map.ink, () => points(g, scene, panel, k, at.results[k])));
  map.root.dataset.painted = String(Number(map.root.dataset.painted ?? 0) + 1);
}

const COLUMNS = [["tied", "tied", "share"], ["largest", "largest class", "share"], ["margin", "margin", "number"], ["effective", "equivalent γ", "number"], ["rho", "multiplier ρ", "number"], ["volume", "volume", "number"]];

// Titles and numbers of both methods at the cell that is shown.
function drawNumbers(map) {
  const { s, data } = map, free = map.hover < 0 && map.held == null, cell = shownCell(map), from = cell >= 0 ? s.source[cell] : -1;
  const value = (side, name) => (free ? data.map.exact[side]?.[name] : from >= 0 && s.numbers ? s.numbers[side][s.names.indexOf(name)][from] : NaN);
  const heads = data.panels.map((p, side) => {
    const error = free ? NaN : value(side, "error"), big = free ? p.big : Number.isFinite(error) ? `${(100 * error).toFixed(1)} %` : "";
    return `<div><b>${escape(p.title)}</b><span class="big">${escape(big)}</span><span>${big ? "wrong" : ""}</span></div>`;
  });
  revise(map.find(".heads"), heads.join(""));
  const titles = data.panels.map((p) => escape(p.title)), said = COLUMNS.map(([name, word, kind]) => [word, ...titles.map((_, side) => saidValue(kind, value(side, name)))]);
  // On a phone one line for each number, else one for each method: nothing is scrolled.
  const { upright } = map, head = upright ? ["", ...titles] : ["", ...said.map(([word]) => word)];
  const rows = upright ? said : titles.map((title, side) => [title, ...said.map((row) => row[side + 1])]);
  revise(map.find(".numbers"), `<table><tr>${head.map((t) => (t ? `<th>${t}</th>` : "<td></td>")).join("")}</tr>${rows.map((row) => `<tr>${row.map((t) => `<td>${t}</td>`).join("")}</tr>`).join("")}</table>`);
}
