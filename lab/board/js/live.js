// The live channel: what moves under the hand is answered over a socket, and Streamlit hears of it when the hand rests.
// Without a socket nothing here answers, and every change takes Streamlit's own way.

const live = (window.__mavrLive ??= {
  socket: null, offer: null, board: null, changes: {}, changed: 0, seq: 0, busy: 0, stale: false, pictures: 0, asked: 0, about: null, tries: 0, notBefore: 0, listeners: new Set(),
  // The last change that a question and the picture on the screen know of; whether the last answer was to wait for the script.
  told: 0, shown: 0, heard: 0, waits: false, eyes: [],
  // Whether pictures of a sweep give way to each other, whether a film is made; when a lost socket is dialled.
  fades: false, filming: false, dialling: 0,
});

// Give up on an answer after so many milliseconds.
const PATIENCE = 4000;
// Why the server closes a socket whose page it does not know.
const REFUSED = 1008;
// Who waits for a picture gives up after so many milliseconds.
const FRAME_PATIENCE = 20000;

function connect(board, offer) {
  // Another page, or a server that was started again: what was moved on the one before is not its concern.
  if (live.offer?.token !== offer?.token) Object.assign(live, { changes: {}, waits: false });
  live.board = board;
  live.offer = offer;
  live.pictures++;
  dial();
}

function dial() {
  const state = live.socket?.readyState;
  if (!live.offer || !live.board?.root.isConnected || state === 0 || state === 1 || performance.now() < live.notBefore) return;
  const socket = opened(window.location.origin.replace(/^http/, "ws") + live.offer.path);
  if (!socket) return;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    live.board.root.dataset.live = "open";
    // What moved while nobody was there to answer.
    if (unanswered()) ask();
  };
  socket.onmessage = (event) => receive(unframed(event.data));
  socket.onclose = (event) => lost(socket, event.code === REFUSED);
  live.socket = socket;
}

// It is dialled again by itself, at first soon; a page that the server does not know waits for the script.
function lost(socket, refused) {
  if (live.socket !== socket) return;
  live.socket = null;
  live.busy = 0;
  const pause = Math.min(60000, 1000 * 2 ** live.tries++);
  live.notBefore = performance.now() + pause;
  clearTimeout(live.dialling);
  if (!refused) live.dialling = setTimeout(dial, pause + 1);
  if (live.board) live.board.root.dataset.live = "closed";
  // What was only said here must be said again there.
  if (live.board?.pending.length) push(live.board);
}

// A page may be forbidden to open sockets at all.
function opened(url) {
  try { return new WebSocket(url); } catch { live.notBefore = Infinity; return null; }
}

// A frame: length of the header, header, arrays.
function unframed(buffer) {
  const size = new DataView(buffer).getUint32(0, true), start = 4 + size;
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, size));
  return JSON.parse(text, (_, v) => (v && v.$ ? buffer.slice(start + v.$[0], start + v.$[0] + v.$[1]) : v));
}

// Whether something moves that Streamlit has not heard of.
const unanswered = () => Boolean(live.board?.pending.length || live.board?.preview || Object.keys(live.changes).length);

// Ask about the events and changes that Streamlit has not heard of. False if nobody is there to answer.
function ask() {
  const board = live.board;
  if (live.socket?.readyState !== 1 || !live.offer || !board?.root.isConnected) return false;
  if (live.busy) {
    if (performance.now() - live.busy > PATIENCE) { live.socket.close(); return false; }
    live.stale = true;
    return true;
  }
  live.busy = performance.now();
  live.stale = false;
  live.asked = live.pictures;
  live.told = live.changed;
  const changes = Object.fromEntries(Object.entries(live.changes).map(([name, c]) => [name, c.text]));
  live.about = board.preview || Object.keys(changes).length ? null : board.foretold;
  const next = board.preview ?? live.about?.event, events = next ? [...board.pending, next] : board.pending;
  live.socket.send(JSON.stringify({ token: live.offer.token, seq: ++live.seq, changes, events, have: board.pid }));
  return true;
}

function receive(answer) {
  live.busy = live.tries = 0;
  // The script has shown a picture since this was asked: the answer is about what was before.
  const late = live.asked !== live.pictures, { about, told } = live;
  const { pending } = live.board ?? {};
  // Where the script has heard of everything, its picture with the fine shading stays.
  if ((live.stale || late) && unanswered()) ask();
  if (late) return;
  // Of a press that is not released yet: shown when it is, or never.
  if (about && !about.released) { about.answer = answer.wait || answer.problem ? null : answer; return; }
  live.waits = Boolean(answer.wait);
  for (const tell of live.listeners) tell(answer);
  // The script has to answer it: the sooner it hears of it, the better.
  if (answer.wait && pending?.length) { clearTimeout(live.board.resting); push(live.board); }
  if (answer.problem) seen(told);
  if (answer.wait || answer.problem || !live.board?.data) return;
  live.board.take({ ...live.board.data, ...answer }, false);
  seen(told);
}

// The picture on the screen knows of the changes up to this one.
function seen(changed) {
  live.shown = Math.max(live.shown, changed ?? 0);
  live.eyes = live.eyes.filter(([wanted, done]) => wanted > live.shown || done());
}

// When the picture on the screen is that of the last change.
live.painted = () => new Promise((done) => {
  if (live.shown >= live.changed) return done();
  live.eyes.push([live.changed, done]);
  setTimeout(done, FRAME_PATIENCE);
});

// A point is pressed: what its release will ask for is asked now, so that the answer is there when the finger goes up.
function foretell(board, event) {
  board.foretold = { event: stamped(board, event), answer: null, released: false };
  ask();
}

// The event of a press that was foretold is sent: whether its answer is there or on its way.
function fulfilled(board, told) {
  if (told.answer && live.asked === live.pictures && !live.busy && !Object.keys(live.changes).length) { board.take({ ...board.data, ...told.answer }, false); return true; }
  told.released = live.busy > 0 && live.about === told && !live.stale;
  return told.released;
}

// A control moved. Its name is the one in the link.
live.change = (name, text) => {
  live.changes[name] = { text, seq: ++live.changed };
  return ask();
};

// What a control has sent to Streamlit, to be sent with its value.
live.sent = (names) => ({ seq: live.changed, changes: Object.fromEntries(names.map((name) => [name, live.changes[name]?.text]).filter(([, text]) => text != null)) });

// The script has taken changes up to this one.
function settle(changed) {
  live.changed = Math.max(live.changed, changed ?? 0);
  live.heard = changed ?? 0;
  for (const [name, c] of Object.entries(live.changes)) if (c.seq <= changed) delete live.changes[name];
}
