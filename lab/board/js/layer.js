// Points by the thousand: a mark is outlined once, then its pixels are laid into a layer of its panel.
// Outlining every point with the canvas takes ten times as long where no graphics card helps.

const masks = new Map();

// How much of each pixel a mark covers, 0 to 255. Its middle stands on a quarter of a pixel: (turn & 1, turn >> 1).
function mask(kind, detail, r, turn, ratio) {
  const key = `${kind}|${detail}|${r}|${turn}|${ratio}`;
  let found = masks.get(key);
  if (!found) {
    if (masks.size > 600) masks.clear();
    const middle = Math.ceil((1.4 * r + 2) * ratio), side = 2 * middle + 1;
    const g = new OffscreenCanvas(side, side).getContext("2d", { willReadFrequently: true });
    g.translate(middle + 0.25 + 0.5 * (turn & 1), middle + 0.25 + 0.5 * (turn >> 1));
    g.scale(ratio, ratio);
    OUTLINES[kind](g, r, detail);
    const data = g.getImageData(0, 0, side, side).data, alpha = new Uint8Array(side * side);
    // Of each row only what lies between the first and the last covered pixel is visited.
    const first = new Int16Array(side).fill(side), end = new Int16Array(side);
    for (let i = 0; i < alpha.length; i++) {
      alpha[i] = data[4 * i + 3];
      if (!alpha[i]) continue;
      const row = Math.floor(i / side), column = i % side;
      first[row] = Math.min(first[row], column);
      end[row] = column + 1;
    }
    masks.set(key, (found = { middle, side, alpha, first, end }));
  }
  return found;
}

const OUTLINES = {
  mark: (g, r, kind) => { shape(g, kind, 0, 0, r); g.fill(); },
  ring: (g, r, width) => { g.lineWidth = width; g.beginPath(); g.arc(0, 0, r, 0, 2 * Math.PI); g.stroke(); },
  hatch: (g, r) => {
    g.lineWidth = 0.9;
    shape(g, 0, 0, 0, r);
    g.stroke();
    g.clip();
    g.beginPath();
    for (let k = -1; k <= 1; k++) { g.moveTo(k * r * 0.8 - 2 * r, r); g.lineTo(k * r * 0.8 + r, -2 * r); }
    g.stroke();
  },
};

// A mark of one kind and size, ready to be laid.
function pen(layer, kind, detail, size) {
  const r = Math.round(8 * size) / 8;
  return [0, 1, 2, 3].map((turn) => mask(kind, detail, r, turn, layer.ratio));
}

// A cleared layer; the pixels and the canvas of an earlier one are taken over.
function clearedLayer(width, height, ratio, earlier) {
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (earlier?.w === w && earlier.h === h && earlier.ratio === ratio) {
    earlier.words.fill(0);
    return earlier;
  }
  const image = new ImageData(w, h), canvas = new OffscreenCanvas(w, h);
  return { w, h, ratio, image, words: new Uint32Array(image.data.buffer), canvas, context: canvas.getContext("2d") };
}

// Lay a mark of one colour at (x, y), in units of the page from the layer's corner.
function lay(layer, marks, [red, green, blue], x, y) {
  const { w, h, ratio, words, image } = layer, data = image.data, X = x * ratio, Y = y * ratio;
  const ix = Math.floor(X), iy = Math.floor(Y), turn = (X - ix >= 0.5 ? 1 : 0) + (Y - iy >= 0.5 ? 2 : 0);
  const { middle, side, alpha, first, end } = marks[turn];
  const whole = (255 << 24) | (blue << 16) | (green << 8) | red;
  const left = ix - middle, top = iy - middle;
  const last = Math.min(side, h - top);
  for (let row = Math.max(0, -top); row < last; row++) {
    const from = Math.max(first[row], -left), to = Math.min(end[row], w - left);
    let m = row * side + from, p = (top + row) * w + left + from;
    for (let column = from; column < to; column++, m++, p++) {
      const a = alpha[m];
      if (a === 0) continue;
      if (a === 255) { words[p] = whole; continue; }
      const q = 4 * p, below = data[q + 3] * (255 - a), sum = 255 * a + below;
      data[q] = (255 * a * red + below * data[q]) / sum;
      data[q + 1] = (255 * a * green + below * data[q + 1]) / sum;
      data[q + 2] = (255 * a * blue + below * data[q + 2]) / sum;
      data[q + 3] = sum / 255;
    }
  }
}
