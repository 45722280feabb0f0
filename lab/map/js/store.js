// What came of a map so far: classes and numbers of its cells. It stays with the window: who comes back finds it.

const stores = (window.__mavrMaps ??= new Map());

function storeOf(data) {
  const { id, axes, numbers } = data.map;
  let s = stores.get(id);
  if (!s) {
    const w = axes[0].values.length, h = axes[1].values.length;
    s = { id, w, h, n: 0, count: 0, cells: 0, step: 0, known: new Uint8Array(w * h), codes: null, numbers: null, scene: new Int32Array(w * h).fill(-1), scenes: [], source: new Int32Array(w * h).fill(-1), names: numbers, regions: [null, null] };
    stores.set(id, s);
    if (stores.size > 4) stores.delete(stores.keys().next().value);
  }
  if (data.first_chunk <= s.count) data.chunks.slice(s.count - data.first_chunk).forEach((chunk) => takeChunk(s, chunk, data));
  return s;
}

function takeChunk(s, chunk, data) {
  const cells = decode(chunk.cells, Uint16Array), codes = decode(chunk.codes, data.map.tied > 127 ? Int16Array : Int8Array), numbers = decode(chunk.numbers, Float32Array), m = cells.length;
  const n = codes.length / m / 2, q = s.names.length;
  if (!s.codes) {
    s.n = n;
    s.codes = [0, 1].map(() => new codes.constructor(s.w * s.h * n));
    s.numbers = [0, 1].map(() => s.names.map(() => new Float32Array(s.w * s.h).fill(NaN)));
  }
  const scene = decode(chunk.scene, Uint16Array), places = decode(chunk.places, Float32Array), given = decode(chunk.given, Int16Array), first = s.scenes.length;
  if (places || given) {
    const count = 1 + Math.max(...scene);
    for (let k = 0; k < count; k++) s.scenes.push({ X: places?.slice(2 * n * k, 2 * n * (k + 1)), given: given?.slice(n * k, n * (k + 1)) });
  }
  for (let k = 0; k < m; k++) {
    const cell = cells[k];
    s.cells += 1 - s.known[cell];
    s.known[cell] = 1;
    if (places || given) s.scene[cell] = first + scene[k];
    for (const side of [0, 1]) {
      s.codes[side].set(codes.subarray((side * m + k) * n, (side * m + k + 1) * n), cell * n);
      for (let j = 0; j < q; j++) s.numbers[side][j][cell] = numbers[(side * q + j) * m + k];
    }
  }
  s.count += 1;
  s.step += 1;
  s.stale = true;
}

// For each cell the nearest one that is known: itself, when everything is there.
function nearest(s) {
  if (!s.stale) return s.source;
  s.stale = false;
  s.regions = [null, null];
  const { w, h, known, source } = s, queue = [];
  source.fill(-1);
  for (let k = 0; k < w * h; k++) if (known[k]) { source[k] = k; queue.push(k); }
  for (let at = 0; at < queue.length; at++) {
    const k = queue[at], x = k % w, y = (k - x) / w;
    for (const [i, j] of [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]]) {
      const other = j * w + i;
      if (i < 0 || j < 0 || i >= w || j >= h || source[other] >= 0) continue;
      source[other] = source[k];
      queue.push(other);
    }
  }
  return source;
}

// Whether some cells still show the answer of a neighbour.
const coarse = (s) => s.cells < s.w * s.h;

// Values of the quantity shown, per cell.
function valuesOf(s, map) {
  const found = new Float32Array(s.w * s.h).fill(NaN), place = s.names.indexOf(map.quantity.number), error = s.names.indexOf("error");
  if (!s.codes) return found;
  const source = nearest(s);
  for (let k = 0; k < found.length; k++) {
    const from = source[k];
    if (from < 0) continue;
    if (place >= 0) found[k] = s.numbers[map.side][place][from];
    else if (map.show === "difference") found[k] = s.numbers[0][error][from] - s.numbers[1][error][from];
    else found[k] = apart(s, from, map.tied);
  }
  return found;
}

// A tied point claims no class, as one that no label is connected with.
function apart(s, cell, tied) {
  const [a, b] = s.codes, start = cell * s.n, named = (code) => (code >= tied ? -1 : code);
  let count = 0, all = 0;
  for (let i = start; i < start + s.n; i++) {
    if (a[i] === -2) continue;
    all++;
    if (named(a[i]) !== named(b[i])) count++;
  }
  return all ? count / all : NaN;
}

// Neighbouring cells with the same prediction are one region: its number per cell, and the sizes.
function regionsOf(s, side) {
  if (!s.codes) return null;
  const source = nearest(s);
  if (s.regions[side]) return s.regions[side];
  const { w, h, n } = s, codes = s.codes[side], hashes = new Float64Array(w * h), region = new Int32Array(w * h).fill(-1), sizes = [];
  for (let k = 0; k < w * h; k++) {
    if (source[k] < 0) { hashes[k] = -1; continue; }
    let a = 2166136261, b = 40503;
    for (let i = source[k] * n; i < (source[k] + 1) * n; i++) { a = Math.imul(a ^ codes[i], 16777619); b = (Math.imul(b, 31) + codes[i]) | 0; }
    hashes[k] = (a >>> 0) * 2097152 + (b & 2097151);
  }
  for (let start = 0; start < w * h; start++) {
    if (region[start] >= 0 || hashes[start] < 0) continue;
    const stack = [start], id = sizes.length;
    region[start] = id;
    let size = 0;
    while (stack.length) {
      const k = stack.pop(), x = k % w;
      size++;
      for (const other of [x + 1 < w ? k + 1 : -1, x ? k - 1 : -1, k + w, k - w]) {
        if (other < 0 || other >= w * h || region[other] >= 0 || hashes[other] !== hashes[k]) continue;
        region[other] = id;
        stack.push(other);
      }
    }
    sizes.push(size);
  }
  return (s.regions[side] = { region, sizes });
}
