// Pictures of one size as one animated PNG that loops: the chunks of each, renamed and numbered.

const CRCS = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = CRCS[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

// The data of the chunks of a PNG that have a name.
function chunksOf(png, wanted) {
  const view = new DataView(png), found = [];
  for (let at = 8; at < png.byteLength; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...new Uint8Array(png, at + 4, 4));
    if (name === wanted) found.push(new Uint8Array(png, at + 8, view.getUint32(at)));
  }
  return found;
}

// A chunk: whole numbers of some bytes each, then data.
function pngChunk(name, numbers, data = new Uint8Array()) {
  const head = numbers.reduce((sum, [, size]) => sum + size, 0), bytes = new Uint8Array(12 + head + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, head + data.length);
  bytes.set([...name].map((letter) => letter.charCodeAt(0)), 4);
  let at = 8;
  for (const [value, size] of numbers) {
    view[`setUint${8 * size}`](at, value);
    at += size;
  }
  bytes.set(data, at);
  view.setUint32(bytes.length - 4, crc(bytes.subarray(4, bytes.length - 4)));
  return bytes;
}

async function animatedPng(pictures, delay) {
  const parts = [Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)];
  let order = 0;
  for (const [k, picture] of pictures.entries()) {
    const png = await picture.arrayBuffer(), [header] = chunksOf(png, "IHDR"), size = new DataView(png);
    // How many pictures there are, and that they loop without end.
    if (!k) parts.push(pngChunk("IHDR", [], header), pngChunk("acTL", [[pictures.length, 4], [0, 4]]));
    // Width, height and place, how long it is shown, and that it takes the place of the one before.
    parts.push(pngChunk("fcTL", [[order++, 4], [size.getUint32(16), 4], [size.getUint32(20), 4], [0, 4], [0, 4], [Math.round(delay), 2], [1000, 2], [0, 1], [0, 1]]));
    for (const data of chunksOf(png, "IDAT")) parts.push(k ? pngChunk("fdAT", [[order++, 4]], data) : pngChunk("IDAT", [], data));
  }
  return new Blob([...parts, pngChunk("IEND", [])], { type: "image/png" });
}
