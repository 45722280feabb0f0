// Where cells and settings are on the map: geometry without drawing.

const PAD = { left: 62, right: 12, top: 8, bottom: 92 };

// Room for the plane inside a canvas of this size.
function planeBox(width, height) {
  return { x: PAD.left, y: PAD.top, w: Math.max(60, width - PAD.left - PAD.right), h: Math.max(60, height - PAD.top - PAD.bottom) };
}

// A value's place along an axis in cells, the middle of the first one at 0.5; NaN where there is none.
function placeOf(axis, value) {
  const v = axis.values, last = v.length - 1;
  if (value == null) return NaN;
  if (last < 1) return 0.5;
  const f = axis.log ? Math.log : (t) => t;
  return ((f(value) - f(v[0])) / (f(v[last]) - f(v[0]))) * last + 0.5;
}

// Pixel of a place (in cells) and back.
const across = (box, s, place) => box.x + (place / s.w) * box.w;
const upwards = (box, s, place) => box.y + box.h - (place / s.h) * box.h;

function cellAt(box, s, px, py) {
  const i = Math.floor(((px - box.x) / box.w) * s.w), j = Math.floor(((box.y + box.h - py) / box.h) * s.h);
  const inside = px >= box.x && px <= box.x + box.w && py >= box.y && py <= box.y + box.h;
  return { cell: Math.min(Math.max(j, 0), s.h - 1) * s.w + Math.min(Math.max(i, 0), s.w - 1), inside };
}

// The nearest cell to the current setting, -1 where the setting is not on the map.
function cellOfSetting(s, axes) {
  const [i, j] = axes.map((axis) => Math.floor(placeOf(axis, axis.at)));
  return i >= 0 && j >= 0 && i < s.w && j < s.h ? j * s.w + i : -1;
}

const axisTicks = (axis, most) => {
  const v = axis.values, low = v[0], high = v[v.length - 1];
  return axis.log ? powersOfTen(low, high, most) : roundValues(low, high, most);
};

// Lines of equal value through the middles of the cells, by marching squares: segments in cells.
function contour(s, values, level) {
  const { w, h } = s, found = [];
  const cut = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < h; j++) {
    for (let i = 0; i + 1 < w; i++) {
      const k = j * w + i, a = values[k], b = values[k + 1], c = values[k + w + 1], d = values[k + w];
      if (!(Number.isFinite(a) && Number.isFinite(b) && Number.isFinite(c) && Number.isFinite(d))) continue;
      const ends = [], x = i + 0.5, y = j + 0.5;
      if (a < level !== b < level) ends.push([x + cut(a, b), y]);
      if (b < level !== c < level) ends.push([x + 1, y + cut(b, c)]);
      if (d < level !== c < level) ends.push([x + cut(d, c), y + 1]);
      if (a < level !== d < level) ends.push([x, y + cut(a, d)]);
      for (let e = 0; e + 1 < ends.length; e += 2) found.push([ends[e], ends[e + 1]]);
    }
  }
  return found;
}

// The cells where a quantity is best, and its value there.
function optimum(s, values, best) {
  let found = null, cells = [];
  for (let k = 0; k < values.length; k++) {
    const v = values[k];
    if (!s.known[k] || !Number.isFinite(v)) continue;
    const better = found === null || (best === "low" ? v < found - 1e-9 : v > found + 1e-9);
    if (better) { found = v; cells = [k]; } else if (Math.abs(v - found) <= 1e-9) cells.push(k);
  }
  return found === null ? null : { value: found, cells };
}
