// Charts as SVG text, for the screen and for download alike. Knows nothing of events or Streamlit.

const PAD = { left: 40, right: 10, top: 26, bottom: 36 };
const FONT = "font-family=\"system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif\"";
const MARKS = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (x, y, r) => `M${x - r * 0.88} ${y - r * 0.88}h${1.76 * r}v${1.76 * r}h${-1.76 * r}z`,
  (x, y, r) => `M${x} ${y - 1.25 * r}L${x + 1.1 * r} ${y + 0.8 * r}H${x - 1.1 * r}z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`,
];

// "σ_ε" with the index below the line.
function symbol(text) {
  const [base, index] = String(text).split("_");
  return escapeText(base) + (index ? `<tspan dy="3" font-size="75%">${escapeText(index)}</tspan>` : "");
}

function plainSymbol(text) { return escapeText(String(text).replace("_", "")); }

function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace("e+", "e").replace(".0e", "e");
  return String(+value.toPrecision(4)).replace("-", "−");
}

function tickName(value, log) {
  if (log && (value >= 1e4 || value <= 1e-3)) return `10<tspan dy="-4" font-size="8">${Math.round(Math.log10(value)).toString().replace("-", "−")}</tspan>`;
  return short(value);
}

// Scales of a panel: functions from data to pixels.
function scales(panel, width, height) {
  const xs = panel.x, low = Math.min(...xs), high = Math.max(...xs);
  const left = PAD.left + 6, right = width - PAD.right - 6, top = PAD.top + 4, bottom = height - PAD.bottom;
  const share = (x) => (high === low ? 0.5 : panel.log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  let least = 0, most = 0;
  for (const s of [...panel.series, ...panel.printed])
    s.y.forEach((y, k) => { if (y == null) return; most = Math.max(most, (s.high ? s.high[k] : y) ?? y); least = Math.min(least, (s.low ? s.low[k] : y) ?? y); });
  if (!panel.signed) least = 0;
  if (most - least < 1) { most += 0.5; if (panel.signed) least -= 0.5; }
  const span = (most - least) * 1.04;
  return {
    low, high, least, most, top, bottom, left: PAD.left, right: width - PAD.right,
    px: (x) => left + (right - left) * share(x),
    py: (y) => bottom - ((bottom - top) * (y - least)) / span,
  };
}

function panelMarkup(panel, width, height, look, active) {
  const s = scales(panel, width, height), parts = [];
  const text = (x, y, body, more = "", size = 11.5) => `<text x="${x}" y="${y}" fill="${look.ink}" font-size="${size}" ${look.font ?? ""} ${more}>${body}</text>`;
  parts.push(text(0, 14, escapeText(panel.title), 'font-weight="600"', 13));
  if (panel.note) parts.push(text(width - PAD.right, 14, escapeText(panel.note), `text-anchor="end" fill-opacity=".65"`));
  // Without a value there is no scale of errors.
  const empty = ![...panel.series, ...panel.printed].some((one) => one.y.some((y) => y != null));
  if (empty) {
    parts.push(`<line x1="${s.left}" x2="${s.right}" y1="${s.bottom}" y2="${s.bottom}" stroke="${look.ink}" stroke-opacity=".13"/>`);
    parts.push(text((s.left + s.right) / 2, (s.top + s.bottom) / 2, "no results yet", 'text-anchor="middle" fill-opacity=".7"', 12.5));
  }
  for (const y of empty ? [] : roundValues(s.least, s.most, 4)) {
    const zero = panel.signed && y === 0;
    parts.push(`<line x1="${s.left}" x2="${s.right}" y1="${s.py(y).toFixed(1)}" y2="${s.py(y).toFixed(1)}" stroke="${look.ink}" stroke-opacity="${zero ? 0.55 : 0.13}"/>`);
    parts.push(text(s.left - 6, (s.py(y) + 4).toFixed(1), short(y), 'text-anchor="end" fill-opacity=".7"'));
  }
  for (const x of panel.log ? powersOfTen(s.low, s.high, 6) : roundValues(s.low, s.high, 5)) {
    parts.push(`<line x1="${s.px(x).toFixed(1)}" x2="${s.px(x).toFixed(1)}" y1="${s.bottom}" y2="${s.bottom + 4}" stroke="${look.ink}" stroke-opacity=".4"/>`);
    parts.push(text(s.px(x).toFixed(1), s.bottom + 16, tickName(x, panel.log), 'text-anchor="middle" fill-opacity=".7"'));
  }
  parts.push(text((s.left + s.right) / 2, s.bottom + 32, symbol(panel.symbol), 'text-anchor="middle"', 12.5));
  if (active != null) parts.push(`<line x1="${s.px(active)}" x2="${s.px(active)}" y1="${s.top}" y2="${s.bottom}" stroke="${look.ink}" stroke-opacity=".35" stroke-dasharray="2 3"/>`);
  for (const p of panel.printed) parts.push(`<path d="${path(p, p.x, s)}" fill="none" stroke="${p.color}" stroke-opacity=".6" stroke-width="1.4" stroke-dasharray="5 4"/>`);
  panel.series.forEach((one) => parts.push(...seriesMarkup(one, panel.x, s)));
  return parts.join("");
}

function path(one, xs, s) {
  let d = "", open = false;
  xs.forEach((x, k) => {
    if (one.y[k] == null) { open = false; return; }
    d += `${open ? "L" : "M"}${s.px(x).toFixed(1)} ${s.py(one.y[k]).toFixed(1)}`;
    open = true;
  });
  return d;
}

function seriesMarkup(one, xs, s) {
  const parts = [], known = xs.map((_, k) => k).filter((k) => one.y[k] != null);
  if (one.band && known.length > 1) {
    const up = known.map((k) => `${s.px(xs[k]).toFixed(1)},${s.py(one.high[k]).toFixed(1)}`);
    const down = known.map((k) => `${s.px(xs[k]).toFixed(1)},${s.py(one.low[k]).toFixed(1)}`).reverse();
    parts.push(`<polygon points="${[...up, ...down].join(" ")}" fill="${one.color}" fill-opacity=".22"/>`);
  }
  parts.push(`<path d="${path(one, xs, s)}" fill="none" stroke="${one.color}" stroke-width="1.8" stroke-linejoin="round"/>`);
  let marks = "", bars = "";
  for (const k of known) {
    const x = +s.px(xs[k]).toFixed(1);
    if (!one.band) bars += `M${x} ${s.py(one.low[k]).toFixed(1)}V${s.py(one.high[k]).toFixed(1)}`;
    marks += MARKS[one.mark % MARKS.length](x, +s.py(one.y[k]).toFixed(1), 2.7);
  }
  if (bars) parts.push(`<path d="${bars}" stroke="${one.color}" stroke-width="1.1" stroke-opacity=".8"/>`);
  parts.push(`<path d="${marks}" fill="${one.color}"/>`);
  return parts;
}

// A piece of a curve, for a legend.
function sampleMarkup({ color, dash, mark }, from, to, y) {
  const line = `<line x1="${from}" x2="${to}" y1="${y}" y2="${y}" stroke="${color}" stroke-width="2.2" ${dash ? 'stroke-dasharray="5 4"' : ""}/>`;
  return line + (mark == null ? "" : `<path d="${MARKS[mark % MARKS.length]((from + to) / 2, y, 3.4)}" fill="${color}"/>`);
}

// The whole figure in one file, three panels to a row.
function wholeFigure(data, screen) {
  const look = { ...screen, font: FONT };
  const columns = Math.min(3, data.panels.length), w = data.panels.length > 1 ? 380 : 720, h = data.panels.length > 1 ? 270 : 400, gap = 24, top = 36;
  const rows = Math.ceil(data.panels.length / columns), width = columns * (w + gap), height = top + rows * (h + 14);
  let x = gap / 2, legend = "";
  for (const entry of data.legend) {
    legend += `${sampleMarkup(entry, x, x + 24, 18)}<text x="${x + 31}" y="22" font-size="12.5" fill="${look.ink}" ${FONT}>${escapeText(entry.name)}</text>`;
    x += 58 + 7.2 * entry.name.length;
  }
  const body = data.panels.map((p, k) => `<g transform="translate(${gap / 2 + (k % columns) * (w + gap)},${top + Math.floor(k / columns) * (h + 14)})">${panelMarkup(p, w, h, look, null)}</g>`).join("");
  return { width, height, text: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${look.paper}"/>${legend}${body}</svg>` };
}
