// Drawing of label sets: pies for what is predicted, rings for what is given, shades around T.

const STRIP = 22;
const BELOW = [110, 118, 130];
const HAS = 1, UNDECIDED = 2;

// The two panels of label sets first, then the labels, as many to a row as a finger can use.
function arrange(width, answers, labels, limit) {
  const across = width >= 400 ? answers : 1, panels = [];
  const w = (width - GAP * (across - 1)) / across, h = Math.round(Math.min(w * 0.86, limit));
  let y = HEAD;
  for (let k = 0; k < answers; k++) {
    panels.push({ kind: "sets", index: k, x: (k % across) * (w + GAP), y: y + Math.floor(k / across) * (h + HEAD + 6), w, h });
  }
  y += Math.ceil(answers / across) * (h + HEAD + 6) + 4;
  const most = Math.max(1, Math.min(labels, Math.floor((width + GAP) / (150 + GAP)))), rows = Math.ceil(labels / most);
  const per = Math.ceil(labels / rows), lw = (width - GAP * (per - 1)) / per, lh = Math.round(Math.min(lw * 0.84, 0.72 * limit) + STRIP);
  for (let j = 0; j < labels; j++) {
    panels.push({ kind: "label", index: j, x: (j % per) * (lw + GAP), y: y + Math.floor(j / per) * (lh + HEAD + 6), w: lw, h: lh - STRIP, strip: true });
  }
  return { panels, height: y + (rows - 1) * (lh + HEAD + 6) + lh + 2 };
}

function drawPanels(g, scene) {
  for (const panel of scene.panels) {
    const tall = panel.h + (panel.strip ? STRIP : 0);
    // Panels differ in size; each shows the same part of the plane.
    const camera = { ...scene.camera, scale: scene.camera.scale * panel.ratio };
    const r = Math.max(scene.radius * panel.ratio ** 0.6, 2.2);
    inPanel(g, { ...panel, h: tall }, scene.ink, () => {
      g.fillStyle = scene.ink.panel;
      g.fillRect(panel.x, panel.y, panel.w, tall);
      drawPoints(g, scene, panel, camera, r);
      for (const i of [scene.hover, scene.cursor, scene.open]) {
        if (i == null || i < 0 || i >= scene.n) continue;
        const [x, y] = toPixel(camera, panel, scene.X[2 * i], scene.X[2 * i + 1]);
        ring(g, x, y, r * 2 + 4, scene.ink.accent, 2);
      }
      if (panel.strip) scaleStrip(g, scene, panel);
    });
  }
}

function drawPoints(g, scene, panel, camera, r) {
  const { X, n } = scene;
  for (let pass = 0; pass < 2; pass++) {
    for (let i = 0; i < n; i++) {
      if (scene.labelled[i] !== pass) continue;
      const [x, y] = toPixel(camera, panel, X[2 * i], X[2 * i + 1]);
      if (x < panel.x - 20 || x > panel.x + panel.w + 20 || y < panel.y - 20 || y > panel.y + panel.h + 20) continue;
      if (panel.kind === "sets") setPoint(g, scene, scene.results[panel.index], i, x, y, r, pass);
      else shadePoint(g, scene, panel.index, i, x, y, r);
    }
  }
}

function setPoint(g, scene, result, i, x, y, r, labelled) {
  const { ink } = scene;
  if (!result) dot(g, x, y, r, ink.neutral);
  else predicted(g, scene, result, i, x, y, labelled ? r * 1.05 : r);
  if (labelled) givenRing(g, scene, i, x, y, r);
  if (result && scene.showErrors && result.wrong[i]) ring(g, x, y, r + (labelled ? 6.5 : 2.4), ink.text, 1.2);
}

function predicted(g, scene, result, i, x, y, r) {
  const { c, ink } = scene;
  if (result.unreached[i]) return ring(g, x, y, r * 0.8, ink.neutral, 1.2);
  const has = [];
  let open = 0;
  for (let j = 0; j < c; j++) {
    const state = result.state[i * c + j];
    if (state & UNDECIDED) open++;
    else if (state & HAS) has.push(j);
  }
  // Hatched shows through where a label is undecided, all of it where nothing else is there.
  if (open) hatched(g, scene, x, y, r);
  else if (!has.length) return noLabel(g, scene, x, y, r);
  pie(g, scene, has, x, y, r, open);
}

// The empty set is an answer, too: a cross, where a ring means that no answer could be given.
function noLabel(g, scene, x, y, r) {
  const s = r * 0.55;
  g.beginPath();
  g.moveTo(x - s, y - s); g.lineTo(x + s, y + s);
  g.moveTo(x + s, y - s); g.lineTo(x - s, y + s);
  g.strokeStyle = scene.ink.neutral;
  g.lineWidth = 1.3;
  g.stroke();
}

function pie(g, scene, has, x, y, r, open = 0) {
  const parts = has.length + open, turn = (2 * Math.PI) / parts;
  has.forEach((j, k) => {
    const from = -Math.PI / 2 + turn * k;
    g.beginPath();
    if (parts > 1) g.moveTo(x, y);
    g.arc(x, y, r, from, from + turn);
    g.closePath();
    g.fillStyle = mix(scene.colors[j % scene.colors.length], scene.ink.back, 0.92);
    g.fill();
  });
}

// What is given, a sector for each label in a fixed place: coloured has it, thin has it not, gap unknown.
function givenRing(g, scene, i, x, y, r) {
  const { c, given, ink } = scene, turn = (2 * Math.PI) / c, gap = c > 1 ? 0.12 : 0;
  const heavy = scene.heavy;
  ring(g, x, y, r + 2.6 * heavy, ink.panel, 5 * heavy);
  for (let j = 0; j < c; j++) {
    const sign = given[i * c + j];
    if (!sign) continue;
    const from = -Math.PI / 2 + turn * j + gap;
    g.beginPath();
    g.arc(x, y, r + 3.4 * heavy, from, from + turn - 2 * gap);
    g.strokeStyle = sign > 0 ? mix(scene.colors[j % scene.colors.length], [0, 0, 0], 1) : ink.text;
    g.lineWidth = sign > 0 ? 4 * heavy : 0.3 + 0.8 * heavy;
    g.stroke();
  }
}

function shadePoint(g, scene, j, i, x, y, r) {
  const { c, ink } = scene, result = scene.results[scene.shown], sign = scene.given[i * c + j];
  if (!result) return dot(g, x, y, r, ink.neutral);
  const v = (result.H[i * c + j] - result.T[j]) / result.scale[j], faint = result.unreached[i] || Math.abs(v) < 0.15;
  if (sign) r *= 1 + 0.5 * scene.heavy;
  if (result.unreached[i]) ring(g, x, y, r * 0.8, ink.neutral, 1.2);
  else if (result.state[i * c + j] & UNDECIDED) hatched(g, scene, x, y, r);
  else {
    shape(g, 0, x, y, r);
    g.fillStyle = shadeColor(scene, j, v);
    g.fill();
    g.strokeStyle = ink.dark ? "rgb(255 255 255 / 30%)" : "rgb(0 0 0 / 24%)";
    g.lineWidth = 0.7;
    g.stroke();
  }
  if (sign) {
    ring(g, x, y, r + 0.6 + 0.6 * scene.heavy, ink.text, 0.5 + 1.2 * scene.heavy);
    if (sign < 0) {
      g.beginPath();
      g.moveTo(x - r * 0.62, y);
      g.lineTo(x + r * 0.62, y);
      g.strokeStyle = faint ? ink.text : ink.panel;
      g.lineWidth = 1 + scene.heavy;
      g.stroke();
    }
  }
}

// The colour of the label above the threshold, grey below, pale near it. The root lets small differences show.
function shadeColor(scene, j, v) {
  const t = Math.sqrt(Math.min(Math.abs(v), 1));
  return mix(v >= 0 ? scene.colors[j % scene.colors.length] : scene.ink.dark ? [150, 158, 170] : BELOW, scene.ink.back, 0.06 + 0.94 * t);
}

function scaleStrip(g, scene, panel) {
  const result = scene.results[scene.shown], j = panel.index, { ink } = scene;
  if (!result) return;
  const y = panel.y + panel.h, x0 = panel.x + 10, w = panel.w - 20, steps = Math.round(w / 2);
  g.fillStyle = ink.panel;
  g.fillRect(panel.x, y, panel.w, STRIP);
  for (let k = 0; k < steps; k++) {
    g.fillStyle = shadeColor(scene, j, (2 * (k + 0.5)) / steps - 1);
    g.fillRect(x0 + (w * k) / steps, y + 2, w / steps + 0.5, 5);
  }
  g.fillStyle = ink.text;
  g.fillRect(x0 + w / 2 - 0.75, y, 1.5, 9);
  g.font = `10.5px ${ink.font}`;
  g.globalAlpha = 0.75;
  const t = result.T[j], s = result.scale[j];
  const words = result.fixed[j] ? ["", result.fixed[j], ""] : [brief(t - s), `T ${brief(t)}`, brief(t + s)];
  ["left", "center", "right"].forEach((align, k) => {
    g.textAlign = align;
    g.fillText(words[k], x0 + (w * k) / 2, y + 18);
  });
  g.globalAlpha = 1;
}

// Two digits, no zeros at the end, a true minus sign.
function brief(v) {
  return (Math.abs(v) >= 1e-4 || v === 0 ? String(Number(v.toPrecision(2))) : v.toExponential(1)).replace("-", "−");
}
