// Gestures: pointer, wheel and keys become operations. `board` is the state kept on the element.

function panelAt(board, px, py) {
  return board.panels.findIndex((p) => px >= p.x && px <= p.x + p.w && py >= p.y && py <= p.y + p.h);
}

// Panels may differ in size; each shows the same part of the plane.
function cameraOf(board, k) {
  return { ...board.camera, scale: board.camera.scale * (board.panels[k].ratio ?? 1) };
}

function placed(board, i, k) {
  const X = board.scene.X;
  return toPixel(cameraOf(board, k), board.panels[k], X[2 * i], X[2 * i + 1]);
}

function nearest(board, px, py, k, reach) {
  const panel = board.panels[k], camera = cameraOf(board, k), s = board.scene;
  let best = -1, least = reach * reach;
  for (let i = 0; i < s.n; i++) {
    if (s.alive && !s.alive[i]) continue;
    const [x, y] = toPixel(camera, panel, s.X[2 * i], s.X[2 * i + 1]);
    const d = (x - px) ** 2 + (y - py) ** 2;
    if (d < least) { least = d; best = i; }
  }
  return best;
}

function inside(path, x, y) {
  let odd = false;
  for (let a = 0, b = path.length - 1; a < path.length; b = a++) {
    const [xa, ya] = path[a], [xb, yb] = path[b];
    if (ya > y !== yb > y && x < ((xb - xa) * (y - ya)) / (yb - ya) + xa) odd = !odd;
  }
  return odd;
}

function enclosed(board, drag) {
  const panel = board.panels[drag.panel], camera = cameraOf(board, drag.panel), s = board.scene, found = [];
  const [a, b] = [drag.path[0], drag.path[drag.path.length - 1]];
  for (let i = 0; i < s.n; i++) {
    if (s.alive && !s.alive[i]) continue;
    const [x, y] = toPixel(camera, panel, s.X[2 * i], s.X[2 * i + 1]);
    const hit = drag.kind === "box"
      ? x >= Math.min(a[0], b[0]) && x <= Math.max(a[0], b[0]) && y >= Math.min(a[1], b[1]) && y <= Math.max(a[1], b[1])
      : inside(drag.path, x, y);
    if (hit) found.push(i);
  }
  return found;
}

function zoom(board, px, py, factor, k) {
  const panel = board.panels[k], before = toData(cameraOf(board, k), panel, px, py);
  const least = board.home.scale / 4, most = board.home.scale * 200;
  board.camera.scale = Math.min(Math.max(board.camera.scale * factor, least), most);
  const after = toData(cameraOf(board, k), panel, px, py);
  board.camera.x += before[0] - after[0];
  board.camera.y += before[1] - after[1];
  moved(board);
}

function pan(board, dx, dy, k) {
  const scale = cameraOf(board, k).scale;
  board.camera.x -= dx / scale;
  board.camera.y += dy / scale;
  moved(board);
}

// The camera moved.
function moved(board) {
  board.stage.classList.toggle("zoomed", board.camera.scale > 1.05 * board.home.scale);
  board.on.moved?.(board);
  board.redraw();
}

// What a tap on a point asks for. A second tap on the label that it has takes it away.
function tapped(board, i, erase = false) {
  const same = board.scene.labels[i] === board.current;
  return erase || same || board.current < 0 ? { op: "erase", indices: [i] } : { op: "label", indices: [i], class: board.current };
}

function local(board, event) {
  const box = board.canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// What a drag with each tool does; boards without tools are moved.
const KINDS = { label: "tap", erase: "tap", box: "box", lasso: "lasso", hand: "hand", paint: "paint" };

function pointerDown(board, event) {
  if (board.pop.contains(event.target)) return;
  const [px, py] = local(board, event), k = panelAt(board, px, py);
  if (k < 0) return;
  board.stage.focus({ preventScroll: true });
  board.fingers.set(event.pointerId, [px, py]);
  if (board.fingers.size === 2) { board.drag = { kind: "pinch", panel: k, span: span(board) }; board.foretold = null; return; }
  const touch = event.pointerType === "touch";
  const kind = event.button === 1 ? "hand" : event.button === 2 ? "tap" : KINDS[board.tool] ?? "tap";
  board.drag = {
    kind, panel: k, start: [px, py], path: kind === "box" || kind === "lasso" ? [[px, py]] : null, i: nearest(board, px, py, k, touch ? 26 : 13),
    erase: event.button === 2 || board.tool === "erase", touch, moved: false,
  };
  board.stage.setPointerCapture(event.pointerId);
  if (board.on.up === labelUp && kind === "tap" && board.drag.i >= 0 && board.tool !== "paint") foretell(board, tapped(board, board.drag.i, board.drag.erase));
}

function span(board) {
  const [a, b] = [...board.fingers.values()];
  return { d: Math.hypot(a[0] - b[0], a[1] - b[1]), x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2 };
}

function pointerMove(board, event) {
  if (board.pop.contains(event.target) && !board.drag) return board.hoverAt(-1);
  const [px, py] = local(board, event);
  if (board.fingers.has(event.pointerId)) board.fingers.set(event.pointerId, [px, py]);
  const drag = board.drag;
  if (!drag) {
    const k = panelAt(board, px, py);
    return board.hoverAt(k < 0 ? -1 : nearest(board, px, py, k, 14), px, py);
  }
  if (drag.kind === "pinch" && board.fingers.size === 2) {
    const now = span(board);
    pan(board, now.x - drag.span.x, now.y - drag.span.y, drag.panel);
    zoom(board, now.x, now.y, now.d / Math.max(drag.span.d, 1), drag.panel);
    drag.span = now;
    return;
  }
  if (!drag.start) return;
  const [dx, dy] = [px - drag.start[0], py - drag.start[1]];
  if (!drag.moved && Math.hypot(dx, dy) < (drag.touch ? 10 : 4)) return;
  drag.moved = true;
  board.foretold = null;
  if (drag.kind === "tap" && !board.tool) drag.kind = "hand";
  // Dragging with the label tool draws a box: the quickest way to many labels.
  else if (drag.kind === "tap" && !drag.touch) { drag.kind = "box"; drag.path = [drag.start]; }
  if (drag.kind === "hand") {
    pan(board, dx, dy, drag.panel);
    drag.start = [px, py];
  } else if (drag.kind === "paint" && drag.i >= 0) dragPoint(board, drag, px, py);
  else if (drag.path) drag.path.push([px, py]);
  board.redraw();
}

// The colours follow a point under the hand, if they are quick enough.
function dragPoint(board, drag, px, py) {
  const [x, y] = toData(cameraOf(board, drag.panel), board.panels[drag.panel], px, py);
  drag.at = [x, y];
  drag.before ??= board.data;
  board.preview = { seq: board.seq + 1, base: board.data.base, op: "move", indices: [numbered(board, drag.i)], x, y };
  if (ask()) return;
  board.scene.X[2 * drag.i] = x;
  board.scene.X[2 * drag.i + 1] = y;
  board.scene.moved = (board.scene.moved ?? 0) + 1;
}

// A drag that is not wanted any more changes nothing: a point goes back to where it was.
function giveUp(board) {
  const { before } = board.drag;
  board.drag = board.preview = board.foretold = null;
  // An answer on its way is about what was given up.
  live.pictures++;
  if (before) board.take(before, false);
  board.redraw();
}

function pointerUp(board, event) {
  const [px, py] = local(board, event), drag = board.drag;
  board.fingers.delete(event.pointerId);
  if (!drag) return;
  if (drag.kind === "pinch") { if (board.fingers.size === 0) board.drag = null; return; }
  board.drag = null;
  board.preview = null;
  if (event.type !== "pointercancel" && drag.kind !== "hand") board.on.up(board, drag, px, py);
  board.foretold = null;
  board.redraw();
}

// What the end of a gesture on the board of classes means.
function labelUp(board, drag, px, py) {
  // A finger that moved was on its way to scroll the page.
  if (drag.kind === "tap" && drag.i >= 0 && !drag.moved) {
    if (board.tool === "paint") board.send({ op: "delete", indices: [drag.i] });
    else board.send(tapped(board, drag.i, drag.erase));
  } else if (drag.path && drag.moved) {
    const found = enclosed(board, drag);
    if (found.length && (drag.erase || board.current < 0)) board.send({ op: "erase", indices: found });
    else if (found.length) board.send({ op: "label", indices: found, class: board.current });
  } else if (drag.path && drag.i >= 0) board.send(tapped(board, drag.i));
  else if (drag.kind === "paint") {
    const [x, y] = toData(cameraOf(board, drag.panel), board.panels[drag.panel], px, py);
    if (drag.i >= 0 && drag.moved) board.send({ op: "move", indices: [drag.i], x, y });
    else if (drag.i < 0) board.send({ op: "add", indices: [], x, y, class: board.current });
  }
}

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// The next point in a direction: near, and not far off to the side.
function step(board, [dx, dy]) {
  const s = board.scene, from = board.cursor;
  if (from < 0 || from >= s.n) {
    for (let i = 0; i < s.n; i++) if (!s.alive || s.alive[i]) return i;
    return -1;
  }
  let best = from, least = Infinity;
  for (let i = 0; i < s.n; i++) {
    if (i === from || (s.alive && !s.alive[i])) continue;
    const x = s.X[2 * i] - s.X[2 * from], y = s.X[2 * i + 1] - s.X[2 * from + 1];
    const along = x * dx + y * dy, across = Math.abs(x * dy - y * dx);
    if (along <= 0) continue;
    const cost = along + 3 * across;
    if (cost < least) { least = cost; best = i; }
  }
  return best;
}

// Keys of every board; `own` is asked first and says whether it knew the key.
function keyDown(board, event, own) {
  const ctrl = event.ctrlKey || event.metaKey, key = event.key;
  if (ctrl && key.toLowerCase() === "z") board.send({ op: event.shiftKey ? "redo" : "undo", indices: [] });
  else if (ctrl && key.toLowerCase() === "y") board.send({ op: "redo", indices: [] });
  else if (ctrl || event.altKey) return;
  else if (own(board, event)) { /* done */ }
  else if (board.pop.contains(event.composedPath()[0])) return;
  else if (ARROWS[key]) { board.cursor = step(board, ARROWS[key]); board.hoverAt(board.cursor); }
  else if (key === "+" || key === "=" || key === "-") {
    const p = board.panels[0];
    zoom(board, p.x + p.w / 2, p.y + p.h / 2, key === "-" ? 0.8 : 1.25, 0);
  } else if (key === "0") board.goHome();
  else if (key === "Escape" && board.drag) giveUp(board);
  else if (key === "Escape") { board.cursor = -1; board.hoverAt(-1); }
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function labelKey(board, { key }) {
  if ((key === "Enter" || key === " ") && board.cursor >= 0) board.send(tapped(board, board.cursor));
  else if ((key === "Delete" || key === "Backspace") && board.cursor >= 0) {
    board.send({ op: board.tool === "paint" ? "delete" : "erase", indices: [board.cursor] });
  } else if (/^[1-9]$/.test(key) && Number(key) <= board.scene.c) board.choose(Number(key) - 1);
  else return false;
  return true;
}
