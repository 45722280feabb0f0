// A film of the board: picture after picture is waited for, then all are played into a file at the film's own pace.

// Pictures of a second, fewer where each is kept whole; milliseconds of silence after which an encoder has finished.
const FILM_RATE = 12, WHOLE_RATE = 8, ENCODED = 600;

// at(share) : sets the slider, waits for its picture and says what it is; told(share) : hears how far the film is, false to give it up.
live.film = (wanted) => filmed(wanted).finally(() => { live.filming = false; });

async function filmed({ at, told, milliseconds, animated }) {
  const { board } = live, plain = animated || typeof MediaRecorder === "undefined" || !MediaRecorder.isTypeSupported("video/webm");
  if (!board?.canvas || !board.panels) return null;
  live.filming = true;
  const delay = 1000 / (plain ? WHOLE_RATE : FILM_RATE), half = Math.max(2, Math.round(milliseconds / delay / 2)), sheet = filmSheet(board), there = [];
  for (let k = 0; k <= half; k++) {
    const title = await at(k / half);
    if (!told((plain ? 1 : 0.5) * (k / half)) || !board.root.isConnected) return null;
    drawSheet(sheet, board, title);
    there.push(await new Promise((done) => sheet.toBlob(done, "image/png")));
  }
  // The way back has the same pictures; the film ends before the one that it begins with.
  const pictures = [...there, ...there.slice(1, -1).reverse()];
  if (plain) return { blob: await animatedPng(pictures, delay), ending: "png" };
  const blob = await webm(sheet, pictures, delay, (share) => told(0.5 + 0.5 * share));
  return blob && { blob, ending: "webm" };
}

const FILM_STRIP = 32;

function filmSheet(board) {
  const ratio = window.devicePixelRatio || 1, sheet = document.createElement("canvas");
  // Encoders want even sides.
  sheet.width = 2 * Math.ceil(board.canvas.width / 2);
  sheet.height = 2 * Math.ceil((board.canvas.height + FILM_STRIP * ratio) / 2);
  return sheet;
}

// The setting and the heads of the panels are no part of the board's canvas: a film has them written in.
function drawSheet(sheet, board, title) {
  const g = sheet.getContext("2d", { alpha: false }), ratio = window.devicePixelRatio || 1, ink = inks(board);
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.fillStyle = ink.panel;
  g.fillRect(0, 0, sheet.width, sheet.height);
  g.drawImage(board.canvas, 0, Math.round(FILM_STRIP * ratio));
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.fillStyle = ink.text;
  g.font = `600 16px ${ink.font}`;
  g.fillText(title, 4, 22);
  g.font = `600 14px ${ink.font}`;
  const heads = [...board.root.querySelectorAll(".heads > div")], said = (head, what) => head?.querySelector(what)?.textContent ?? "";
  board.panels.forEach((p, k) => g.fillText(`${said(heads[k], "b")}  ${said(heads[k], ".big")}`.trim(), p.x + 2, p.y + FILM_STRIP - 9, p.w - 4));
}

const soon = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Pictures played in real time into an encoder, which stops when it has written the last of them; null where it was given up.
async function webm(sheet, pictures, delay, told) {
  const stream = sheet.captureStream(0), [track] = stream.getVideoTracks(), g = sheet.getContext("2d"), parts = [];
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  let written = 0, whole = true;
  recorder.ondataavailable = (e) => { if (e.data.size) { parts.push(e.data); written = performance.now(); } };
  const ended = new Promise((done) => { recorder.onstop = done; });
  recorder.start(100);
  const start = performance.now();
  g.setTransform(1, 0, 0, 1, 0, 0);
  // The last picture twice: its second time says how long it is shown.
  for (let k = 0; k <= pictures.length && whole; k++) {
    const bitmap = await createImageBitmap(pictures[Math.min(k, pictures.length - 1)]);
    await soon(start + k * delay - performance.now());
    g.drawImage(bitmap, 0, 0);
    track.requestFrame();
    bitmap.close();
    whole = told(k / pictures.length);
  }
  written = performance.now();
  while (whole && performance.now() - written < ENCODED) await soon(50);
  recorder.stop();
  await ended;
  track.stop();
  return whole ? new Blob(parts, { type: "video/webm" }) : null;
}
