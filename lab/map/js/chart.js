// Drawing the map: colours, contours, borders of regions, axes, legend; and over it the cross and the pointer.

function drawBase(map, g = cleared(map.base)) {
  const { s, box, ink } = map;
  g.save();
  g.beginPath();
  g.roundRect(box.x, box.y, box.w, box.h, 4);
  g.clip();
  g.fillStyle = ink.dark ? "rgb(255 255 255 / 6%)" : "rgb(0 0 0 / 5%)";
  g.fillRect(box.x, box.y, box.w, box.h);
  if (map.scale) {
    drawCells(g, map);
    if (map.regionsOn) drawBorders(g, map);
    if (map.contoursOn) drawContours(g, map);
  }
  g.restore();
  if (map.scale && coarse(s)) drawCoarse(g, map);
  if (!map.scale) {
    const why = s.codes ? `${map.legendTitle ?? "This"}: no value with these labels` : "The first settings are being computed …";
    wordAt(g, why, box.x + box.w / 2, box.y + box.h / 2, { fillStyle: ink.neutral, font: `13px ${ink.font}`, textAlign: "center", textBaseline: "middle" });
  }
  drawAxis(g, map, 0);
  drawAxis(g, map, 1);
  if (map.scale) drawLegend(g, map);
  g.strokeStyle = ink.line;
  g.beginPath();
  g.roundRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 4);
  g.stroke();
}

// A text with its looks.
function wordAt(g, text, x, y, looks) {
  Object.assign(g, looks);
  g.fillText(text, x, y);
}

function drawCells(g, map) {
  const { s, values, scale, box } = map, image = new ImageData(s.w, s.h), words = new Uint32Array(image.data.buffer);
  for (let k = 0; k < values.length; k++) {
    if (!Number.isFinite(values[k])) continue;
    const x = k % s.w, y = s.h - 1 - (k - x) / s.w;
    words[y * s.w + x] = scale.ramp.words[Math.round(255 * scale.t(values[k]))];
  }
  map.image ??= document.createElement("canvas");
  map.image.width = s.w;
  map.image.height = s.h;
  map.image.getContext("2d").putImageData(image, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(map.image, box.x, box.y, box.w, box.h);
}

// A quiet word in the corner while cells that are not computed show their neighbours' colours.
function drawCoarse(g, map) {
  const { s, box, ink } = map, text = `coarse: ${s.cells.toLocaleString("en")} of ${(s.w * s.h).toLocaleString("en")} settings`;
  g.font = `12px ${ink.font}`;
  const w = g.measureText(text).width + 14;
  g.fillStyle = ink.panel;
  g.beginPath();
  g.roundRect(box.x + box.w - w - 6, box.y + 6, w, 20, 4);
  g.fill();
  wordAt(g, text, box.x + box.w - 13, box.y + 16, { fillStyle: ink.text, textAlign: "right", textBaseline: "middle" });
}

function drawBorders(g, map) {
  const { s, box, data } = map, found = regionsOf(s, data.map.side);
  if (!found) return;
  const { region } = found;
  g.beginPath();
  for (let k = 0; k < region.length; k++) {
    const i = k % s.w, j = (k - i) / s.w;
    if (i + 1 < s.w && region[k] !== region[k + 1]) { g.moveTo(across(box, s, i + 1), upwards(box, s, j)); g.lineTo(across(box, s, i + 1), upwards(box, s, j + 1)); }
    if (j + 1 < s.h && region[k] !== region[k + s.w]) { g.moveTo(across(box, s, i), upwards(box, s, j + 1)); g.lineTo(across(box, s, i + 1), upwards(box, s, j + 1)); }
  }
  g.lineWidth = 1;
  // Where nearly every cell is a region of its own, strong borders would hide the colours.
  const crowded = Math.min(1, (250 / found.sizes.length) ** 0.7);
  g.strokeStyle = `rgb(255 255 255 / ${Math.round(8 + 42 * crowded)}%)`;
  g.stroke();
}

function drawContours(g, map) {
  const { s, box, values, scale } = map;
  for (const level of scale.ticks) {
    g.beginPath();
    for (const [a, b] of contour(s, values, level)) {
      g.moveTo(across(box, s, a[0]), upwards(box, s, a[1]));
      g.lineTo(across(box, s, b[0]), upwards(box, s, b[1]));
    }
    // Dark below light: seen on every colour of the scale.
    g.lineWidth = 2.6;
    g.strokeStyle = "rgb(0 0 0 / 35%)";
    g.stroke();
    g.lineWidth = 1.1;
    g.strokeStyle = "rgb(255 255 255 / 90%)";
    g.stroke();
  }
}

function drawAxis(g, map, which) {
  const { s, box, data, ink } = map, axis = data.map.axes[which], most = which ? Math.max(2, Math.floor(box.h / 44)) : Math.max(2, Math.floor(box.w / 58));
  g.fillStyle = ink.text;
  g.strokeStyle = ink.line;
  g.font = `12px ${ink.font}`;
  for (const v of axisTicks(axis, most)) {
    const place = placeOf(axis, v);
    if (place < 0 || place > (which ? s.h : s.w)) continue;
    g.beginPath();
    if (which) {
      const y = upwards(box, s, place);
      g.moveTo(box.x - 4, y); g.lineTo(box.x, y);
      wordAt(g, shortValue(v), box.x - 7, y, { textAlign: "right", textBaseline: "middle" });
    } else {
      const x = across(box, s, place);
      g.moveTo(x, box.y + box.h); g.lineTo(x, box.y + box.h + 4);
      wordAt(g, shortValue(v), x, box.y + box.h + 6, { textAlign: "center", textBaseline: "top" });
    }
    g.stroke();
  }
  g.save();
  if (which) { g.translate(13, box.y + box.h / 2); g.rotate(-Math.PI / 2); }
  else g.translate(box.x + box.w / 2, box.y + box.h + 23);
  wordAt(g, `${axis.word} ${axis.symbol}`.trim(), 0, 0, { font: `600 13px ${ink.font}`, textAlign: "center", textBaseline: which ? "middle" : "top" });
  g.restore();
}

function legendBox(map) {
  const { box } = map, title = Math.min(190, box.w * 0.42);
  return { x: box.x + title, y: box.y + box.h + 52, w: box.w - title, h: 12, title };
}

function drawLegend(g, map) {
  const { scale, data, ink } = map, q = data.map.quantity, at = legendBox(map);
  const shade = g.createLinearGradient(at.x, 0, at.x + at.w, 0);
  for (let i = 0; i <= 16; i++) shade.addColorStop(i / 16, scale.ramp.css[Math.round((255 * i) / 16)]);
  g.fillStyle = shade;
  g.beginPath();
  g.roundRect(at.x, at.y, at.w, at.h, 3);
  g.fill();
  Object.assign(g, { fillStyle: ink.text, font: `12px ${ink.font}`, textAlign: "center", textBaseline: "top" });
  const percent = q.kind === "share" || q.kind === "signed";
  let free = -Infinity;
  for (const v of scale.ticks) {
    const x = at.x + scale.t(v) * at.w, text = percent ? `${shortValue(Number((100 * v).toPrecision(6)))} %` : shortValue(v), half = g.measureText(text).width / 2;
    if (x - half < free || x + half > at.x + at.w + 12) continue;
    free = x + half + 6;
    g.fillText(text, x, at.y + at.h + 5);
  }
  Object.assign(g, { font: `13px ${ink.font}`, textAlign: "left", textBaseline: "middle" });
  wrapped(g, map.legendTitle, map.box.x, at.y + at.h / 2, at.title - 12);
}

// A text in one line or two.
function wrapped(g, text, x, y, width) {
  if (g.measureText(text).width <= width) { g.fillText(text, x, y); return; }
  const words = text.split(" ");
  let first = "";
  while (words.length && g.measureText(`${first} ${words[0]}`).width <= width) first = `${first} ${words.shift()}`.trim();
  g.fillText(first || words.shift(), x, y - 8);
  g.fillText(words.join(" "), x, y + 8);
}

// The cross of the current setting, the cell under the pointer, the best cell, the cursor of the legend.
function drawOver(map, g = cleared(map.over)) {
  const { s, box, data, ink } = map;
  if (map.best) {
    const k = map.best.cells[Math.floor(map.best.cells.length / 2)], x = across(box, s, (k % s.w) + 0.5), y = upwards(box, s, Math.floor(k / s.w) + 0.5);
    twice(g, () => { g.beginPath(); polygon(g, x, y, 6, 4, 0); });
  }
  const [ax, ay] = data.map.axes, px = placeOf(ax, ax.at), py = placeOf(ay, ay.at);
  const at = map.held != null ? [(map.held % s.w) + 0.5, Math.floor(map.held / s.w) + 0.5] : [px, py];
  if (at.every((v, k) => v >= 0 && v <= (k ? s.h : s.w))) {
    const x = across(box, s, at[0]), y = upwards(box, s, at[1]);
    twice(g, () => { g.beginPath(); for (const [a, b] of [[-1, 0], [1, 0], [0, -1], [0, 1]]) { g.moveTo(x + 4 * a, y + 4 * b); g.lineTo(x + 13 * a, y + 13 * b); } });
  }
  if (map.hover >= 0) {
    const i = map.hover % s.w, j = Math.floor(map.hover / s.w), x = across(box, s, i), y = upwards(box, s, j + 1);
    twice(g, () => { g.beginPath(); g.rect(x - 0.5, y - 0.5, box.w / s.w + 1, box.h / s.h + 1); });
  }
  // The numbers beside the cross are exact: a neighbour's value would be another one.
  const shown = shownCell(map), own = shown >= 0 && (map.hover >= 0 || map.held != null || s.known[shown]), v = own && map.scale ? map.values[shown] : NaN;
  if (Number.isFinite(v)) {
    const bar = legendBox(map), x = bar.x + map.scale.t(v) * bar.w;
    g.fillStyle = ink.text;
    g.beginPath();
    g.moveTo(x, bar.y - 1); g.lineTo(x - 5, bar.y - 9); g.lineTo(x + 5, bar.y - 9);
    g.fill();
  }
}

// A line that is seen on dark and light: white over black.
function twice(g, path) {
  for (const [width, color] of [[4, "rgb(0 0 0 / 70%)"], [2, "#fff"]]) {
    path();
    g.lineWidth = width;
    g.strokeStyle = color;
    g.stroke();
  }
}

// What a picture that is saved shows is not what the pointer happens to be over.
function unpointed(map, drawn) {
  const { hover } = map;
  map.hover = -1;
  drawn();
  map.hover = hover;
}

function savePicture(map) {
  const sheet = document.createElement("canvas"), g = sheet.getContext("2d");
  sheet.width = map.base.width;
  sheet.height = map.base.height;
  g.fillStyle = map.ink.panel;
  g.fillRect(0, 0, sheet.width, sheet.height);
  g.drawImage(map.base, 0, 0);
  unpointed(map, () => { drawOver(map); g.drawImage(map.over, 0, 0); });
  drawOver(map);
  sheet.toBlob((blob) => save(blob, "map.png"), "image/png");
}
