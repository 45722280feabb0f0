// What every board of points shares: its elements, the queue of events, the size of its canvas.

// Events outlive the element: Streamlit may replace it while some wait for their answer.
const waiting = (window.__mavrWaiting ??= new Map());

// Milliseconds without a new event before the rest of the page follows the board.
const QUIET = 250;
// Milliseconds within which the socket mostly answers.
const SOON = 40;

// `on` has: scene, foresee, render, resized, tap, key, tooltip, place; each is given the board first.
function newBoard(root, on, own) {
  const find = (s) => root.querySelector(s);
  const board = {
    take: (data, settled) => showPicture(board, data, settled), root: find(".board"), stage: find(".stage"), canvas: find(".stage > canvas"), tip: find(".tip"), spoken: find(".spoken"), pop: find(".pop"),
    cursor: -1, hover: -1, drag: null, fingers: new Map(), pending: [], seq: 0, camera: null, home: null, panels: [], scene: null,
    frame: 0, sending: false, pid: null, on, ...own,
  };
  board.redraw = () => {
    if (!board.frame && !board.sending) board.frame = requestAnimationFrame(() => { board.frame = 0; draw(board); });
  };
  board.hoverAt = (i, px, py) => {
    if (i !== board.hover) { board.hover = i; board.redraw(); }
    on.tooltip(board, px, py);
  };
  board.send = (event) => {
    const sent = stamped(board, event), told = board.foretold;
    board.foretold = null;
    board.seq = sent.seq;
    keep(board, [...board.pending, sent]);
    on.foresee(board);
    clearTimeout(board.resting);
    const answered = told && JSON.stringify(told.event) === JSON.stringify(sent) && fulfilled(board, told);
    if (answered || ask()) {
      // Answered over the socket; the script hears of it when the hand rests.
      board.root.dataset.pending = board.pending.length;
      board.resting = setTimeout(() => push(board), QUIET);
      // Painting what is foreseen would only keep the answer waiting, unless that takes long.
      clearTimeout(board.foreseen);
      if (ahead(board).length) board.foreseen = setTimeout(board.redraw, SOON);
      return;
    }
    push(board);
    // Streamlit sends in a task of its own, which should not wait for a painting.
    board.sending = true;
    cancelAnimationFrame(board.frame);
    board.frame = 0;
    setTimeout(() => { board.sending = false; board.redraw(); }, 0);
  };
  board.goHome = () => { board.camera = { ...board.home }; moved(board); };
  stageEvents(board);
  board.observer = new ResizeObserver(() => { board.width = board.stage.clientWidth; on.resized(board); board.redraw(); });
  // For tests and scripts: where a point is on the screen.
  board.canvas.mavr = {
    pixel: (i, k = 0) => {
      const box = board.canvas.getBoundingClientRect(), [x, y] = on.place(board, i, k);
      return [box.left + x, box.top + y];
    },
    board,
  };
  return board;
}

function stageEvents(board) {
  const { stage, on } = board;
  stage.onpointerdown = (e) => pointerDown(board, e);
  stage.onpointermove = (e) => pointerMove(board, e);
  stage.onpointerup = stage.onpointercancel = (e) => pointerUp(board, e);
  stage.onpointerleave = () => { if (!board.drag) board.hoverAt(-1); };
  // The keyboard went on to something else.
  stage.addEventListener("focusout", (e) => { if (!stage.contains(e.relatedTarget)) { board.cursor = -1; board.hoverAt(-1); } });
  stage.oncontextmenu = (e) => e.preventDefault();
  stage.onkeydown = (e) => on.key(board, e);
  stage.onwheel = (e) => {
    const [px, py] = local(board, e), k = panelAt(board, px, py);
    // The wheel scrolls the page, unless the board has the focus or Ctrl is held over a panel.
    const wanted = e.ctrlKey || board.stage.getRootNode().activeElement === board.stage;
    if (k >= 0 && wanted && !board.pop.contains(e.target)) { e.preventDefault(); zoom(board, px, py, Math.exp(-e.deltaY * 0.0016), k); }
  };
}

// An event as it is sent: numbered, with the data set and the points that it is about.
function stamped(board, event) {
  const own = event.indices && { indices: event.indices.map((i) => numbered(board, i)) };
  return { seq: Math.max(board.seq, board.ack ?? 0) + 1, base: board.data.base, ...event, ...own };
}

function keep(board, events) {
  board.pending = events;
  waiting.set(window.location.pathname, events);
}

// Events that the picture on the screen does not show yet.
function ahead(board) {
  return board.pending.filter((e) => e.base === board.data.base && e.seq > (board.data.applied ?? 0));
}

function push(board) {
  board.root.dataset.pending = board.pending.length;
  // A copy: the same array, grown, would look unchanged and not be sent.
  board.setStateValue("events", { have: board.pid, list: board.pending.slice() });
}

// Take what the script sent. The same element may be given up and taken again: then the board goes on as it was.
function takeUp({ data, parentElement, setStateValue }, make) {
  const earlier = parentElement.__mavrBoard;
  const fresh = !earlier || !parentElement.contains(earlier.root);
  const board = fresh ? make(parentElement) : earlier;
  parentElement.__mavrBoard = board;
  board.observer.observe(board.stage);
  if (fresh) board.pending = waiting.get(window.location.pathname) ?? [];
  board.setStateValue = setStateValue;
  if (!stored(data)) {
    // This window lost the points (or never had them): ask for them.
    setStateValue("events", { have: null, list: board.pending, asked: data.step });
    return null;
  }
  board.ack = data.ack;
  board.seq = Math.max(board.seq, data.ack, ...board.pending.map((e) => e.seq));
  keep(board, board.pending.filter((e) => e.seq > data.ack));
  // A server that was started again has not heard of what this window waits for.
  const unheard = fresh || live.offer?.token !== data.live?.token;
  settle(data.changed);
  connect(board, data.live);
  // Something moved on while the script was running: its answer is old, the live one is on its way. Where that only says
  // to wait, the script's is the newest there is.
  const moving = (board.pending.length || Object.keys(live.changes).length) && board.data?.base === data.base && live.socket?.readyState === 1;
  if (moving && !live.waits && ask()) board.data = { ...data, ...picked(board.data) };
  else {
    board.take(data, true);
    seen(data.changed);
    if (moving) ask();
  }
  Object.assign(board.root.dataset, { step: data.step, ack: data.ack, pending: board.pending.length, painted: data.step });
  if (unheard && board.pending.length) push(board);
  notice(board, data.notice);
  speak(board);
  return board;
}

// P is being edited and cannot be used: said above the pictures, with the way to P, which may be out of sight.
function notice(board, why) {
  const host = board.root.querySelector(".notice"), said = why ? escape(why) : "";
  if (!fill(host, said && `<button title="${said}" aria-label="${said} Go to P.">⚠ Last valid P shown</button>`) || !said) return;
  host.firstChild.onclick = () => document.querySelector(".st-key-P_head")?.scrollIntoView({ block: "start", behavior: "smooth" });
}

// What the picture on the screen consists of, of all that a board was sent.
function picked(data) {
  const kept = { ...data };
  for (const name of ["step", "ack", "changed", "live", "link"]) delete kept[name];
  return kept;
}

// A new picture, shown at once, not a frame later: an answer should not wait for one.
function showPicture(board, data, settled = true) {
  board.known = stored(data);
  if (!board.known) return false;
  board.data = data;
  board.pid = data.pid;
  // Colours and width are read before anything is written, and colours not while a hand moves: the browser would lay out the page in between.
  if (settled || !board.ink) board.ink = inks(board);
  board.width ||= board.stage.clientWidth;
  board.on.scene(board);
  board.on.foresee(board);
  cancelAnimationFrame(board.frame);
  clearTimeout(board.foreseen);
  board.frame = 0;
  if (live.fades) crossFade(board);
  else draw(board, board.ink);
  board.root.dataset.shown = String(Number(board.root.dataset.shown ?? 0) + 1);
  board.root.dataset.applied = data.applied;
  if (board.hover >= 0) requestAnimationFrame(() => board.on.tooltip(board));
  return true;
}

// Nobody reads numbers that change more often: the rest of a frame belongs to the picture.
const READABLE = 100;

// Heads and table say the same: they are written together.
function numbersOf(board, heads) {
  const write = () => {
    board.numbered = performance.now();
    board.reading = 0;
    revise(board.root.querySelector(".below"), board.data.below);
    heads(board);
  };
  const left = live.filming ? 0 : (board.numbered ?? 0) + READABLE - performance.now();
  if (left <= 0) write();
  else board.reading ||= setTimeout(write, left);
}

// Milliseconds in which a picture of a sweep gives way to the next.
const FADE = 90;

// While a sweep plays: from what is on the screen to the new picture.
function crossFade(board) {
  const { canvas } = board, before = (board.before ??= new OffscreenCanvas(1, 1)), began = performance.now();
  Object.assign(before, { width: canvas.width, height: canvas.height });
  before.getContext("2d").drawImage(canvas, 0, 0);
  cancelAnimationFrame(board.fading);
  const step = (now) => {
    draw(board);
    const left = 1 - (now - began) / FADE;
    if (left <= 0 || !live.fades) return;
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    // The new picture leads from the start.
    g.globalAlpha = 0.5 * Math.min(left, 1);
    g.drawImage(before, 0, 0);
    g.globalAlpha = 1;
    board.fading = requestAnimationFrame(step);
  };
  step(began);
}

// Who cannot see the board is told when it is at rest.
function speak(board) {
  clearTimeout(board.later);
  board.later = setTimeout(() => {
    if (board.pending.length) return;
    if (board.data.spoken) board.spoken.textContent = board.data.spoken;
  }, QUIET);
}

function draw(board, ink = inks(board)) {
  if (!board.scene || !board.panels.length) return;
  const { panels, camera, hover, cursor, drag } = board;
  Object.assign(board.scene, { panels, camera, hover, cursor, drag, ink });
  board.on.render(board, cleared(board.canvas));
}

// Give the canvas its size and the camera its place; what the user looks at is kept while `what` stays the same.
function frame(board, laid, what) {
  sized(board.canvas, board.width, laid.height);
  board.panels = laid.panels;
  const home = fit(board.scene.bounds, board.panels[0]), same = board.camera && board.home && board.shown === what;
  if (same) board.camera.scale *= home.scale / board.home.scale;
  else board.camera = { ...home };
  board.home = home;
  board.shown = what;
  return same;
}

function grown(board) {
  return Math.max(Math.min(Math.sqrt(board.camera.scale / board.home.scale), 2.2), 0.8);
}

const button = (what, title, drawn) => `<button data-do="${what}" title="${title}" aria-label="${title.replace(/ \(.*/, "")}">${icon(drawn)}${what === "link" ? "<span></span>" : ""}</button>`;

// Undo, redo, the whole view, the link. Buttons stay while answers come in: a press may be under way on one.
function edits(board) {
  const host = board.root.querySelector(".edits"), d = board.data;
  const html = [
    button("undo", "Undo (Ctrl-Z)", "undo"), button("redo", "Redo (Ctrl-Shift-Z)", "redo"),
    button("home", "Show all points (key 0)", "home"), button("link", "Copy link (to this very picture)", "link"),
  ];
  if (fill(host, html.join(""))) host.querySelectorAll("button").forEach((b) => { b.onclick = () => (LOCAL[b.dataset.do] ?? ((of) => of.send({ op: b.dataset.do, indices: [] })))(board, b); });
  host.querySelector('[data-do="undo"]').disabled = !d.can_undo;
  host.querySelector('[data-do="redo"]').disabled = !d.can_redo;
}

function showTip(board, html, at) {
  const { tip, stage } = board;
  tip.innerHTML = html;
  tip.hidden = false;
  const left = at[0] + 18 + tip.offsetWidth > stage.clientWidth ? at[0] - tip.offsetWidth - 14 : at[0] + 18;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${at[1] + 16}px`;
}
