// From places on a slider to values and back, and values in words.

const POSITIONS = 600;
// A slider with a logarithmic scale has 0, where it is allowed, in its first places.
const ZERO = 18;

function toValue(s, position) {
  if (s.zero && s.log && position < ZERO) return 0;
  const start = s.zero && s.log ? ZERO : 0, t = (position - start) / (POSITIONS - start);
  const v = s.log ? s.low * (s.high / s.low) ** t : s.low + (s.high - s.low) * t;
  return s.whole ? Math.round(v) : Number(v.toPrecision(3));
}

function toPosition(s, value) {
  if (s.zero && s.log && value <= 0) return 0;
  const start = s.zero && s.log ? ZERO : 0;
  const t = s.log ? Math.log(Math.max(value, 1e-300) / s.low) / Math.log(s.high / s.low) : (value - s.low) / (s.high - s.low);
  return start + Math.min(Math.max(t, 0), 1) * (POSITIONS - start);
}

function shortly(v) {
  if (v === null) return "none";
  if (v === 0) return "0";
  return Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5 ? String(Number(v.toPrecision(4))) : v.toExponential(1).replace("e+", "e");
}

// All digits of a value, as it is typed.
const exactly = (v) => (v === null ? "none" : String(v).replace("e+", "e"));

const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
// A comma before three digits may part thousands, or the whole from its fraction.
const TWO_WAYS = /^[+-]?[1-9]\d{0,2}(,\d{3})+$/;

// What was typed: { value }, or { why }, a sentence.
function read(s, typed) {
  const text = typed.trim().replace("−", "-");
  if (TWO_WAYS.test(text)) return { why: `${text} can be read in two ways: write ${text.replaceAll(",", "")} or ${text.replace(",", ".")}.` };
  if (s.none && text.toLowerCase() === "none") return { value: null };
  const plain = text.replace(",", "."), value = Number(plain);
  const inside = (value >= s.least && value <= s.most) || (s.zero && value === 0);
  if (!NUMERAL.test(plain) || !Number.isFinite(value) || !inside) return { why: `${s.label} must be ${s.range}.` };
  return { value: s.whole ? Math.round(value) : value };
}
