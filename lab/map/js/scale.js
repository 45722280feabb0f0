// Colours of values: viridis, even to the eye and to colour-blind ones; two hues from a light middle for signed values.

const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];
const SIGNED = ["#0b4f8a", "#3f7cb5", "#7fa9cf", "#bcd2e4", "#efefef", "#ecccb3", "#dd9f6f", "#c26f31", "#8f4508"];

const ramps = new Map();

// 256 colours, as words of an image.
function ramp(name) {
  if (!ramps.has(name)) {
    const stops = (name === "signed" ? SIGNED : VIRIDIS).map(parseColor), words = new Uint32Array(256), css = [];
    for (let i = 0; i < 256; i++) {
      const t = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2), f = t - k;
      const [r, g, b] = stops[k].map((v, m) => Math.round(v + (stops[k + 1][m] - v) * f));
      words[i] = (255 << 24) | (b << 16) | (g << 8) | r;
      css.push(`rgb(${r},${g},${b})`);
    }
    ramps.set(name, { words, css });
  }
  return ramps.get(name);
}

const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function shortValue(v) {
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e-3 && size < 1e4) return String(Number(v.toPrecision(3))).replace("-", "−");
  const [digits, power] = v.toExponential(1).split("e"), up = [...String(Number(power))].map((c) => SUPER[c]).join("");
  const front = String(Number(digits)).replace("-", "−");
  return front === "1" ? `10${up}` : `${front}·10${up}`;
}

// A value of the quantity in words.
function saidValue(kind, v) {
  if (v == null || Number.isNaN(v)) return "–";
  if (kind === "share") return `${(100 * v).toFixed(1)} %`;
  if (kind === "signed") return `${v > 0 ? "+" : ""}${(100 * v).toFixed(1)} points`.replace("-", "−");
  return shortValue(v);
}

// How values become places on the colour scale: {low, high, log, ramp, ticks}.
function scaleOf(quantity, values) {
  let low = Infinity, high = -Infinity;
  const log = quantity.kind === "logarithmic";
  for (const v of values) {
    if (!Number.isFinite(v) || (log && v <= 0)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (low > high) return null;
  if (quantity.kind === "signed") { high = Math.max(Math.abs(low), Math.abs(high), 1e-3); low = -high; }
  if (quantity.kind === "share" && quantity.best === "low") low = 0;
  if (high <= low) { high = log ? low * 1.01 : low + Math.max(Math.abs(low), 1) * 1e-3; }
  const t = log ? (v) => Math.log(v / low) / Math.log(high / low) : (v) => (v - low) / (high - low);
  const percent = quantity.kind === "share" || quantity.kind === "signed";
  const ticks = log ? powersOfTen(low, high, 6) : percent ? roundValues(100 * low, 100 * high, 6).map((v) => v / 100) : roundValues(low, high, 6);
  return { low, high, log, ramp: ramp(quantity.kind === "signed" ? "signed" : "viridis"), ticks, t: (v) => Math.min(Math.max(t(v), 0), 1) };
}
