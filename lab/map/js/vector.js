// A canvas context that writes SVG: the map is drawn by the same code, as paths, rectangles and texts.

const places = (v) => Number(v.toFixed(2));

class VectorContext {
  constructor(measure) {
    Object.assign(this, { parts: [], defs: [], path: "", moves: [""], clips: [], depth: [], measure, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic" });
  }
  save() { this.depth.push({ move: this.moves[0], open: 0, fillStyle: this.fillStyle, strokeStyle: this.strokeStyle, lineWidth: this.lineWidth, font: this.font, textAlign: this.textAlign, textBaseline: this.textBaseline }); }
  restore() {
    const { move, open, ...kept } = this.depth.pop();
    Object.assign(this, kept);
    this.moves[0] = move;
    this.parts.push("</g>".repeat(open));
  }
  translate(x, y) { this.moves[0] += `translate(${places(x)} ${places(y)})`; }
  rotate(angle) { this.moves[0] += `rotate(${places((180 * angle) / Math.PI)})`; }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${places(x)} ${places(y)}`; }
  lineTo(x, y) { this.path += `L${places(x)} ${places(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, w, h) { this.path += `M${places(x)} ${places(y)}h${places(w)}v${places(h)}h${places(-w)}Z`; }
  roundRect(x, y, w, h) { this.rect(x, y, w, h); }
  get move() { return this.moves[0] ? ` transform="${this.moves[0]}"` : ""; }
  fill() { if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.paint(this.fillStyle)}"${this.move}/>`); }
  stroke() { if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.paint(this.strokeStyle)}" stroke-width="${this.lineWidth}"${this.move}/>`); }
  fillRect(x, y, w, h) { this.parts.push(`<rect x="${places(x)}" y="${places(y)}" width="${places(w)}" height="${places(h)}" fill="${this.paint(this.fillStyle)}"/>`); }
  clip() {
    const id = `clip${this.defs.length}`;
    this.defs.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
    this.depth.at(-1).open += 1;
  }
  measureText(text) { this.measure.font = this.font; return this.measure.measureText(text); }
  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign], size = /([\d.]+)px/.exec(this.font)[1], bold = this.font.startsWith("600") ? ' font-weight="600"' : "";
    const down = { top: 0.82, middle: 0.35, alphabetic: 0 }[this.textBaseline] * size;
    this.parts.push(`<text x="${places(x)}" y="${places(y + down)}" font-size="${size}"${bold} text-anchor="${anchor}" fill="${this.paint(this.fillStyle)}"${this.move}>${escape(text)}</text>`);
  }
  createLinearGradient(x0, y0, x1) {
    const gradient = { id: `shade${this.defs.length}`, stops: [], addColorStop: (at, color) => gradient.stops.push(`<stop offset="${at}" stop-color="${color}"/>`) };
    this.defs.push(gradient);
    gradient.text = () => `<linearGradient id="${gradient.id}" gradientUnits="userSpaceOnUse" x1="${x0}" x2="${x1}" y1="0" y2="0">${gradient.stops.join("")}</linearGradient>`;
    return gradient;
  }
  // A picture of few pixels, one for each cell: equal neighbours of a row are one rectangle.
  drawImage(image, x, y, w, h) {
    const { width, height } = image, data = image.getContext("2d").getImageData(0, 0, width, height).data, dx = w / width, dy = h / height;
    const color = (k) => (data[4 * k + 3] ? `rgb(${data[4 * k]},${data[4 * k + 1]},${data[4 * k + 2]})` : "");
    for (let row = 0; row < height; row++) {
      for (let from = 0, to = 0; from < width; from = to) {
        const now = color(row * width + from);
        for (to = from + 1; to < width && color(row * width + to) === now; to++);
        if (now) this.parts.push(`<rect x="${places(x + from * dx)}" y="${places(y + row * dy)}" width="${places((to - from) * dx)}" height="${places(dy)}" fill="${now}" shape-rendering="crispEdges"/>`);
      }
    }
  }
  paint(style) { return typeof style === "string" ? escape(style.replace(/rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)%\)/, (_, r, g, b, a) => `rgba(${r},${g},${b},${a / 100})`)) : `url(#${style.id})`; }
  toString(width, height, back, font) {
    const defs = this.defs.map((d) => (typeof d === "string" ? d : d.text())).join("");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escape(font)}"><defs>${defs}</defs><rect width="${width}" height="${height}" fill="${escape(back)}"/>${this.parts.join("")}</svg>`;
  }
}

// The map as SVG text: what `savePicture` saves as pixels.
function vectorPicture(map) {
  const g = new VectorContext(document.createElement("canvas").getContext("2d"));
  drawBase(map, g);
  unpointed(map, () => drawOver(map, g));
  return g.toString(map.width, map.height, map.ink.panel, map.ink.font);
}
