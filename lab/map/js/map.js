// The component: takes what the script and the live channel send, and what pointer, finger and keys do.

// Milliseconds between questions while the map fills; before a setting moved by keys is taken.
const ASK = 350, SLOW = 1500, REST = 600;
// Milliseconds after which the numbers follow the picture.
const WORDS = 20;
// Pixels below which the table of numbers stands upright.
const UPRIGHT = 560;

function makeMap(host) {
  const find = (q) => host.querySelector(q), root = find(".map");
  const map = {
    root, host, find, frame: find(".frame"), base: find(".base"), over: find(".over"), board: find("canvas.board"), spoken: find(".spoken"), canvas: find("canvas.board"),
    hover: -1, held: null, pending: [], seq: Date.now(), contoursOn: true, regionsOn: true, preview: null,
    get pid() { return `${map.points ?? ""}|${map.s?.id ?? ""}:${map.s?.count ?? 0}`; },
  };
  map.take = (data) => takePicture(map, data);
  const f = map.frame;
  f.onpointerdown = (e) => { f.focus({ preventScroll: true }); f.setPointerCapture(e.pointerId); map.dragging = true; hoverAt(map, e); };
  f.onpointermove = (e) => hoverAt(map, e);
  f.onpointerup = (e) => { if (!map.dragging) return; map.dragging = false; hoverAt(map, e); if (map.hover >= 0 && !outdated(map)) takeCell(map, map.hover); if (e.pointerType !== "mouse") point(map, -1); };
  f.onpointercancel = () => { map.dragging = false; point(map, -1); };
  f.onpointerleave = () => { if (!map.dragging) point(map, -1); };
  f.onkeydown = (e) => keyOnMap(map, e);
  root.querySelectorAll(".bar button").forEach((b) => { b.onclick = () => pressed(map, b); });
  map.observer = new ResizeObserver(() => resized(map));
  map.observer.observe(root);
  // For tests and scripts.
  root.mavr = map;
  return map;
}

// The values of both axes at a cell, and in words.
const valuesAt = ({ s, data }, cell) => [data.map.axes[0].values[cell % s.w], data.map.axes[1].values[Math.floor(cell / s.w)]];
const wordsAt = (map, cell) => valuesAt(map, cell).map((v, k) => named(map.data.map.axes[k], v)).join(", ");

const shownCell = (map) => (map.hover >= 0 ? map.hover : map.held ?? cellOfSetting(map.s, map.data.map.axes));

function pressed(map, button) {
  const what = button.dataset.do;
  if (what === "png") return savePicture(map);
  if (what === "svg") return save(asSvg(vectorPicture(map)), "map.svg");
  if (what === "stop") return map.setStateValue("order", { seq: ++map.seq, do: map.data.progress.state === "running" ? "stop" : "resume", have: map.pid });
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", on);
  map[what === "regions" ? "regionsOn" : "contoursOn"] = on;
  drawBase(map);
}

// While a setting moves that makes another map, this one belongs to the setting before: it is dimmed and answers nothing.
const outdated = (map) => Boolean(map.data?.map.outdated);

function hoverAt(map, event) {
  if (!map.s || outdated(map)) return;
  const box = map.frame.getBoundingClientRect(), { cell, inside } = cellAt(map.box, map.s, event.clientX - box.left, event.clientY - box.top);
  point(map, inside || map.dragging ? cell : -1);
}

// Show the answers of a cell, in the next frame.
function point(map, cell) {
  if (cell === map.hover) return;
  map.hover = cell;
  repaint(map);
}

function repaint(map) {
  if (map.frameAsked) return;
  map.frameAsked = requestAnimationFrame(() => {
    map.frameAsked = 0;
    drawOver(map);
    drawBoard(map);
    // Words and numbers follow the picture: laying them out must not hold it up.
    map.words ??= setTimeout(() => { map.words = null; drawNumbers(map); drawSaid(map); }, WORDS);
  });
}

function keyOnMap(map, event) {
  const step = event.shiftKey ? 4 : 1, move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key], { s } = map;
  if (!s || outdated(map)) return;
  if (event.key === "Escape") { map.held = null; clearTimeout(map.resting); return point(map, -1); }
  if (event.key === "Enter" && map.held != null) { event.preventDefault(); clearTimeout(map.resting); return takeCell(map, map.held); }
  if (!move) return;
  event.preventDefault();
  let at = map.held ?? shownCell(map);
  if (at < 0) at = Math.floor(s.h / 2) * s.w + Math.floor(s.w / 2);
  const i = Math.min(Math.max((at % s.w) + step * move[0], 0), s.w - 1), j = Math.min(Math.max(Math.floor(at / s.w) + step * move[1], 0), s.h - 1);
  map.hover = -1;
  map.held = j * s.w + i;
  repaint(map);
  map.say = true;
  clearTimeout(map.resting);
  map.resting = setTimeout(() => map.held != null && takeCell(map, map.held), REST);
}

function takeCell(map, cell) {
  const [x, y] = valuesAt(map, cell);
  map.held = cell;
  map.setStateValue("taken", { seq: ++map.seq, x, y, have: map.pid });
}

function resized(map) {
  const width = map.root.clientWidth;
  if (!width || !map.data) return;
  const w = map.frame.clientWidth, h = Math.round(width < 760 ? Math.min(w * 0.95, 430) : Math.min(w * 0.98, 500));
  for (const canvas of [map.base, map.over]) sized(canvas, w, h);
  Object.assign(map, { width: w, height: h, upright: width < UPRIGHT, box: planeBox(w, h), ink: inks(map) });
  boardLayout(map);
  drawBase(map);
  drawOver(map);
  drawBoard(map);
}

function takePicture(map, data) {
  map.known = stored(data);
  if (!map.known) return false;
  // The same setting comes back from the script: the key's or finger's own place is no longer needed.
  const before = map.data?.map;
  map.data = data;
  map.points = data.pid;
  const s = storeOf(data), [x, y] = data.map.axes;
  if (before?.id !== data.map.id || outdated(map)) map.hover = -1;
  map.root.toggleAttribute("data-outdated", outdated(map));
  // A picture would show this map beside another setting's points.
  map.root.querySelectorAll('[data-do="png"], [data-do="svg"]').forEach((b) => { b.disabled = outdated(map); });
  if (map.held != null && (before?.id !== data.map.id || outdated(map) || (x.at === x.values[map.held % s.w] && y.at === y.values[Math.floor(map.held / s.w)]))) map.held = null;
  map.s = s;
  nearest(s);
  const look = [data.map.id, s.step, data.map.show, data.map.side].join();
  if (look !== map.look) {
    map.look = look;
    map.values = valuesOf(s, data.map);
    map.scale = scaleOf(data.map.quantity, map.values);
    map.best = data.map.quantity.best && map.scale ? optimum(s, map.values, data.map.quantity.best) : null;
    const method = data.map.quantity.number && data.panels.length ? `, ${data.panels[data.map.side].title}` : "";
    map.legendTitle = data.map.quantity.word + method;
  }
  makeScene(map);
  resized(map);
  drawNumbers(map);
  drawSaid(map);
  drawProgress(map);
  Object.assign(map.root.dataset, { state: data.progress.state, cells: s.cells, chunks: s.count });
  return true;
}

const named = (axis, v) => `${axis.symbol || axis.word} = ${shortValue(v)}`;

function drawSaid(map) {
  const { s, data } = map, [x, y] = data.map.axes, cell = shownCell(map), free = map.hover < 0 && map.held == null;
  const values = free ? [x.at, y.at] : valuesAt(map, cell);
  const place = [x, y].map((axis, k) => (values[k] == null ? "" : named(axis, values[k]))).filter(Boolean).join(", ");
  if (outdated(map)) { fill(map.find(".said"), `<b>${escape(place)}</b> <span>· the map follows when the hand rests</span>`); return; }
  const v = cell >= 0 && map.values ? map.values[cell] : NaN, found = regionsOf(s, data.map.side);
  // Between two cells the board is exact, a cell's value is not.
  const shown = !free && Number.isFinite(v) ? `, ${map.legendTitle.toLowerCase().split(",")[0]} ${saidValue(data.map.quantity.kind, v)}` : "";
  let region = "";
  if (found && cell >= 0 && found.region[cell] >= 0) {
    const size = found.sizes[found.region[cell]];
    region = ` <span>· one of ${found.sizes.length} region${found.sizes.length === 1 ? "" : "s"} of equal answers${coarse(s) ? " so far" : ""}, ${((100 * size) / (s.w * s.h)).toFixed(1)} % of the map</span>`;
  }
  const off = cell < 0 ? " <span>· this setting is not on the map</span>" : "";
  fill(map.find(".said"), `<b>${escape(place)}</b>${shown}${region}${off}${borrowed(map, cell, free)}`);
  if (map.say) { map.say = false; map.spoken.textContent = map.find(".said").textContent; }
  fill(map.find(".choice"), choiceLine(map));
}

// While the map fills: whose answer a cell shows that is not computed yet. The cross has its own, which is exact.
function borrowed(map, cell, free) {
  const { s } = map, from = cell < 0 ? -1 : s.source[cell];
  if (from < 0 || s.known[cell]) return "";
  return ` <span>· ${free ? "exact here, the map is still coarse" : escape(`not computed yet: the answer at ${wordsAt(map, from)}`)}</span>`;
}

// How good the best setting by this quantity is, beside the best one and the usual one.
function choiceLine(map) {
  const { s, data, best } = map, q = data.map.quantity, side = data.map.side;
  if (!best || !s.numbers) return "";
  const errors = s.numbers[side][s.names.indexOf("error")], where = wordsAt(map, best.cells[Math.floor(best.cells.length / 2)]), usual = data.map.usual[side];
  const beside = usual == null ? "" : `; at the usual setting ${saidValue("share", usual)}`;
  const yet = coarse(s) ? " so far" : "";
  if (!q.blind) return `Best on this map${yet}: ${saidValue(q.kind, best.value)} (◇, ${where})${beside}.`;
  const there = best.cells.reduce((sum, c) => sum + errors[c], 0) / best.cells.length, many = best.cells.length > 1 ? `, mean of the ${best.cells.length} settings that share it` : "";
  const word = q.best === "low" ? "Lowest" : "Highest", name = q.word.toLowerCase(), said = `${word} ${name}${yet}: ${saidValue(q.kind, best.value)} (◇, ${where})`;
  if (!data.map.knows_truth || !Number.isFinite(there)) return `${said}. No true classes are known here.`;
  const oracle = optimum(s, errors, "low");
  return `${said}. Error there ${saidValue("share", there)}${many}; best on this map${yet} ${saidValue("share", oracle?.value)}${beside}.`;
}

function drawProgress(map) {
  const { state, share, left, problem } = map.data.progress, host = map.find(".progress"), stop = map.find('[data-do="stop"]');
  host.dataset.state = state;
  host.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
  const said = { running: `filling, ${Math.round(100 * share)} %${left}`, stopped: `stopped at ${Math.round(100 * share)} %`, failed: problem, done: `${map.s.w} × ${map.s.h} settings` }[state];
  if (host.lastChild.textContent !== said) host.lastChild.textContent = said;
  stop.hidden = state === "done";
  stop.textContent = state === "running" ? "Stop" : "Resume";
}

// Ask for what is new until everything is there; then let the script know that it is.
function keepAsking(map) {
  clearTimeout(map.asking);
  if (!map.root.isConnected || !map.data) return;
  const { progress, all_chunks } = map.data, missing = map.s.count < all_chunks, running = progress.state === "running";
  if (!running && !missing) {
    if (map.told !== map.pid) map.setStateValue("have", { seq: ++map.seq, have: map.pid });
    map.told = map.pid;
    return;
  }
  const asked = ask();
  if (!asked && live.socket?.readyState !== 0) map.setStateValue("have", { seq: ++map.seq, have: map.pid });
  map.asking = setTimeout(() => keepAsking(map), asked ? (missing ? 60 : ASK) : live.socket?.readyState === 0 ? ASK : SLOW);
}

function show(component) {
  const { data, parentElement, setStateValue } = component;
  const earlier = parentElement.__mavrMap, fresh = !earlier || !parentElement.contains(earlier.root);
  const map = fresh ? makeMap(parentElement) : earlier;
  parentElement.__mavrMap = map;
  map.setStateValue = setStateValue;
  map.observer.observe(map.root);
  if (!stored(data) || data.first_chunk > (stores.get(data.map.id)?.count ?? 0)) {
    // This window lost the points or a part of the map (or never had them): ask for them.
    setStateValue("have", { seq: ++map.seq, have: "", asked: data.step });
    if (!stored(data)) return;
  }
  settle(data.changed);
  connect(map, data.live);
  takePicture(map, data);
  seen(data.changed);
  map.root.dataset.step = data.step;
  keepAsking(map);
  return () => { map.observer.disconnect(); clearTimeout(map.asking); };
}
