// Where an axis or a scale is marked.

// Round values between two ends, `most` at the most.
function roundValues(low, high, most) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= most), found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * span; v += step) found.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return found;
}

function powersOfTen(low, high, most) {
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((to - from + 1) / most)), found = [];
  for (let k = from; k <= to; k++) if (k % step === 0) found.push(10 ** k);
  if (found.length > 2 || (found.length > 1 && most < 4)) return found;
  // Few decades: 1, 2 and 5 of each.
  const all = [];
  for (let k = from - 1; k <= to + 1; k++) for (const m of [1, 2, 5]) all.push(m * 10 ** k);
  return all.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
}
