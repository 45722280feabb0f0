// Drawing: panels of points, shading, marks. Knows nothing of events or Streamlit.

const GAP = 12;
const HEAD = 28;

const SHAPES = [
  (g, x, y, r) => { g.arc(x, y, r, 0, 2 * Math.PI); },
  (g, x, y, r) => { const s = r * 0.88; g.rect(x - s, y - s, 2 * s, 2 * s); },
  (g, x, y, r) => polygon(g, x, y, r * 1.22, 3, -Math.PI / 2),
  (g, x, y, r) => polygon(g, x, y, r * 1.22, 4, 0),
  (g, x, y, r) => polygon(g, x, y, r * 1.22, 3, Math.PI / 2),
  (g, x, y, r) => polygon(g, x, y, r * 1.12, 5, -Math.PI / 2),
  (g, x, y, r) => polygon(g, x, y, r * 1.1, 6, 0),
  (g, x, y, r) => star(g, x, y, r * 1.35),
];

function polygon(g, x, y, r, sides, turn) {
  for (let k = 0; k < sides; k++) {
    const a = turn + (2 * Math.PI * k) / sides;
    g[k ? "lineTo" : "moveTo"](x + r * Math.cos(a), y + r * Math.sin(a));
  }
  g.closePath();
}

function star(g, x, y, r) {
  for (let k = 0; k < 10; k++) {
    const a = -Math.PI / 2 + (Math.PI * k) / 5, q = k % 2 ? r * 0.5 : r;
    g[k ? "lineTo" : "moveTo"](x + q * Math.cos(a), y + q * Math.sin(a));
  }
  g.closePath();
}

function shape(g, kind, x, y, r) {
  g.beginPath();
  SHAPES[kind % SHAPES.length](g, x, y, r);
}

// Panels beside each other. Where they would be narrower than a thumb can use, the first one is as wide as the page and the
// answers stand below it in pairs: what is tapped and what it changes are seen together.
function layout(width, count, limit) {
  const narrow = width < 560, w = narrow ? width : (width - GAP * (count - 1)) / count, half = (width - GAP) / 2;
  const h = Math.round(Math.min(narrow ? w * 0.9 : w * 1.02, limit)), low = Math.round((h * half) / w), panels = [];
  for (let k = 0; k < count; k++) {
    if (!narrow || !k) panels.push({ x: k * (w + GAP), y: HEAD, w, h });
    else panels.push({ x: ((k - 1) % 2) * (half + GAP), y: HEAD + h + HEAD + 6 + ((k - 1) >> 1) * (low + HEAD + 6), w: half, h: low, ratio: half / w });
  }
  return { panels, height: panels[count - 1].y + panels[count - 1].h };
}

function toPixel(camera, panel, x, y) {
  return [panel.x + panel.w / 2 + (x - camera.x) * camera.scale, panel.y + panel.h / 2 - (y - camera.y) * camera.scale];
}

function toData(camera, panel, px, py) {
  return [camera.x + (px - panel.x - panel.w / 2) / camera.scale, camera.y - (py - panel.y - panel.h / 2) / camera.scale];
}

function fit(bounds, panel) {
  const [x0, x1, y0, y1] = bounds;
  const scale = 0.92 * Math.min(panel.w / Math.max(x1 - x0, 1e-9), panel.h / Math.max(y1 - y0, 1e-9));
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale };
}

function paint(g, whole) {
  const { panels, camera, ink } = whole;
  panels.forEach((panel, k) => {
    const { ratio } = panel;
    const scene = ratio ? { ...whole, camera: { ...camera, scale: camera.scale * ratio }, radius: whole.radius * Math.max(ratio, 0.62) } : whole;
    const result = k ? scene.results[k - 1] : null;
    inPanel(g, panel, ink, () => {
      points(g, scene, panel, k, result);
      marks(g, scene, panel, k);
    });
  });
}

// What is drawn in a panel is cut at its edge, and the edge drawn over it.
function inPanel(g, { x, y, w, h }, ink, drawn) {
  g.save();
  g.beginPath();
  g.roundRect(x, y, w, h, 8);
  g.clip();
  drawn();
  g.restore();
  g.strokeStyle = ink.line;
  g.lineWidth = 1;
  g.beginPath();
  g.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, 8);
  g.stroke();
}

// The points of panel k: those with an answer, then those whose label is given.
function points(g, scene, panel, k, result) {
  g.drawImage(picture(scene, panel, k, result), panel.x, panel.y, panel.w, panel.h);
  givenPoints(g, scene, panel, result);
}

function shading(g, scene, panel, result, canvas) {
  const [gx, gy] = scene.gridShape, [x0, x1, y0, y1] = scene.gridBounds;
  if (!result.image) {
    const image = new ImageData(gx, gy), words = new Uint32Array(image.data.buffer);
    const packed = scene.colors.map(([r, g, b]) => new Uint32Array(Uint8Array.of(r, g, b, 255).buffer)[0]);
    for (let i = 0; i < gx * gy; i++) {
      const j = result.grid[i];
      if (j < 0) continue;
      words[i] = packed[j % packed.length];
    }
    if (canvas.width !== gx || canvas.height !== gy) Object.assign(canvas, { width: gx, height: gy });
    canvas.getContext("2d").putImageData(image, 0, 0);
    result.image = canvas;
  }
  const [left, top] = toPixel(scene.camera, panel, x0, y1);
  const [right, bottom] = toPixel(scene.camera, panel, x1, y0);
  g.save();
  g.globalAlpha = scene.ink.dark ? 0.24 : 0.17;
  g.imageSmoothingEnabled = true;
  g.drawImage(result.image, left, top, right - left, bottom - top);
  g.restore();
}

// Shading and the points without label, kept until something about them changes: a hover repaints nothing of it.
function picture(scene, panel, k, result) {
  const { camera, ink, labels, alive, radius: r } = scene, ratio = window.devicePixelRatio || 1;
  const key = [scene.pid, camera.x, camera.y, camera.scale, panel.w, panel.h, ratio, r, ink.back, scene.moved ?? 0].join();
  const kept = scene.pictures[k];
  // A label given since is drawn over its point; one taken away shows a point that the picture lacks.
  const same = kept && kept.key === key && kept.result === result && kept.alive === alive;
  if (same && labels.every((j, i) => j >= 0 || kept.labels[i] < 0)) return kept.canvas;
  const layer = clearedLayer(panel.w, panel.h, ratio, kept?.layer), { w, h } = layer, shade = kept?.shade ?? new OffscreenCanvas(1, 1);
  if (result) layAnswers(layer, scene, panel, result);
  else {
    const plain = pen(layer, "mark", 0, r * 0.8), color = parseColor(ink.neutral);
    eachOpen(scene, panel, (i, x, y) => lay(layer, plain, color, x, y));
  }
  layer.context.putImageData(layer.image, 0, 0);
  const canvas = kept?.layer === layer ? kept.canvas : new OffscreenCanvas(w, h), g = canvas.getContext("2d");
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.fillStyle = ink.panel;
  g.fillRect(0, 0, w, h);
  if (result && result.grid && scene.shade) {
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    shading(g, scene, { x: 0, y: 0, w: panel.w, h: panel.h }, result, shade);
    g.setTransform(1, 0, 0, 1, 0, 0);
  }
  g.drawImage(layer.canvas, 0, 0);
  scene.pictures[k] = { key, labels, result, alive, layer, shade, canvas };
  return canvas;
}

// Points without label that are in sight, with their place in the panel.
function eachOpen(scene, panel, visit) {
  const { X, n, labels, alive, camera } = scene, corner = { x: 0, y: 0, w: panel.w, h: panel.h };
  for (let i = 0; i < n; i++) {
    if (labels[i] >= 0 || (alive && !alive[i])) continue;
    const [x, y] = toPixel(camera, corner, X[2 * i], X[2 * i + 1]);
    if (x > -20 && x < panel.w + 20 && y > -20 && y < panel.h + 20) visit(i, x, y);
  }
}

function layAnswers(layer, scene, panel, result) {
  const { ink, truth, radius: r, colors } = scene;
  const text = parseColor(ink.text), accent = parseColor(ink.accent), neutral = parseColor(ink.neutral);
  const classes = scene.names.map((_, j) => pen(layer, "mark", j % SHAPES.length, r));
  const shades = scene.names.map((_, j) => Array.from({ length: SHADES }, (_, level) => faded(colors[j % colors.length], ink.back, level)));
  const unreached = pen(layer, "ring", 1.2, r * 0.8), disc = pen(layer, "mark", 0, r * 1.05), hatch = pen(layer, "hatch", 0, r * 1.05);
  // Among many points rings are as fine as their marks.
  const fine = Math.min(1, r / 2.6);
  const wrong = pen(layer, "ring", 1.3 * fine, r + 2.6 * fine), differs = pen(layer, "ring", 1.6 * fine, r + 5 * fine);
  eachOpen(scene, panel, (i, x, y) => {
    const flags = result.flags[i], j = result.pred[i];
    if (flags & 2) lay(layer, unreached, neutral, x, y);
    else if (flags & 1) {
      lay(layer, disc, ink.back, x, y);
      lay(layer, hatch, text, x, y);
    } else lay(layer, classes[j], shades[j][Math.floor((result.conf[i] * SHADES) / 256)], x, y);
    if (scene.showErrors && truth && flags & 4) lay(layer, wrong, text, x, y);
    if (scene.showDisagree && flags & 8) lay(layer, differs, accent, x, y);
  });
}

// More than an eye tells apart.
const SHADES = 32;

// Mixed with the background, not made transparent: overlapping points would add up.
function faded(color, back, level) {
  // On a dark ground the same share of a colour is seen less.
  const least = back[0] + back[1] + back[2] < 384 ? 0.56 : 0.38, t = least + ((1 - least) * level) / (SHADES - 1);
  return color.map((v, k) => Math.round(back[k] + (v - back[k]) * t));
}

function givenPoints(g, scene, panel, result) {
  const { X, labels, alive, camera, ink, truth, radius: r } = scene;
  for (let i = 0; i < scene.n; i++) {
    if (labels[i] < 0 || (alive && !alive[i])) continue;
    const [x, y] = toPixel(camera, panel, X[2 * i], X[2 * i + 1]);
    if (x < panel.x - 20 || x > panel.x + panel.w + 20 || y < panel.y - 20 || y > panel.y + panel.h + 20) continue;
    labelled(g, scene, x, y, labels[i]);
    if (result && scene.showErrors && truth && result.flags[i] & 4) ring(g, x, y, 1.7 * r + 2.6, ink.text, 1.3);
    if (result && scene.showDisagree && result.flags[i] & 8) ring(g, x, y, r + 5, ink.accent, 1.6);
  }
}

function dot(g, x, y, r, color) {
  g.fillStyle = color;
  shape(g, 0, x, y, r * 0.8);
  g.fill();
}

function hatched(g, scene, x, y, r) {
  const { ink } = scene;
  g.save();
  shape(g, 0, x, y, r * 1.05);
  g.fillStyle = ink.panel;
  g.fill();
  g.strokeStyle = ink.text;
  g.lineWidth = 0.9;
  g.stroke();
  g.clip();
  g.beginPath();
  for (let k = -1; k <= 1; k++) {
    g.moveTo(x - 2 * r + k * r * 0.8, y + r);
    g.lineTo(x + k * r * 0.8 + r, y - 2 * r);
  }
  g.stroke();
  g.restore();
}

function labelled(g, scene, x, y, j) {
  const r = Math.max(scene.radius * 1.7, 4.4);
  shape(g, j, x, y, r);
  g.fillStyle = mix(scene.colors[j % scene.colors.length], [0, 0, 0], 1);
  g.fill();
  g.lineWidth = 3.4;
  g.strokeStyle = scene.ink.panel;
  g.stroke();
  g.lineWidth = 1.6;
  g.strokeStyle = scene.ink.text;
  g.stroke();
}

function ring(g, x, y, r, color, width) {
  g.beginPath();
  g.arc(x, y, r, 0, 2 * Math.PI);
  g.strokeStyle = color;
  g.lineWidth = width;
  g.stroke();
}

function marks(g, scene, panel, k) {
  const { X, camera, ink } = scene, named = [];
  for (const s of scene.suggest) {
    const [x, y] = toPixel(camera, panel, X[2 * s.index], X[2 * s.index + 1]);
    g.setLineDash([4, 3]);
    ring(g, x, y, scene.radius + 8, ink.accent, 2);
    g.setLineDash([]);
    if (k === 0) {
      g.fillStyle = ink.text;
      g.font = `12px ${ink.font}`;
      const wide = g.measureText(s.kind).width + 16;
      const flip = x + wide > panel.x + panel.w, at = [s.kind, x + (flip ? -14 : 14), y - 9];
      // Names of neighbours stand below each other.
      if (named.some(([, u, v]) => Math.abs(u - at[1]) < 2 * wide && Math.abs(v - at[2]) < 14)) at[2] += 26;
      named.push(at);
      Object.assign(g, { textAlign: flip ? "right" : "left", lineWidth: 3, strokeStyle: ink.panel });
      g.strokeText(...at);
      g.fillText(...at);
    }
  }
  for (const i of [scene.hover, scene.cursor]) {
    if (i == null || i < 0 || i >= scene.n) continue;
    const [x, y] = toPixel(camera, panel, X[2 * i], X[2 * i + 1]);
    ring(g, x, y, scene.radius + 4.5, ink.accent, 2);
  }
  const drag = scene.drag;
  if (drag && drag.panel === k && drag.path) {
    g.beginPath();
    if (drag.kind === "box") {
      const [a, b] = [drag.path[0], drag.path[drag.path.length - 1]];
      g.rect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
    } else {
      drag.path.forEach(([x, y], m) => g[m ? "lineTo" : "moveTo"](x, y));
      g.closePath();
    }
    g.fillStyle = `color-mix(in srgb, ${ink.accent} 14%, transparent)`;
    g.fill();
    g.strokeStyle = ink.accent;
    g.lineWidth = 1.4;
    g.stroke();
  }
}
