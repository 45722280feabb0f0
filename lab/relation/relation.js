// P as a table that stays symmetric, and as a graph of the classes.

const POSITIVE = "#D55E00", NEGATIVE = "#0072B2";

function show(v) { return String(Math.round(v * 1000) / 1000); }

function parse(text) {
  const t = text.trim().replace(",", ".");
  const f = t.match(/^(-?[\d.]+)\s*\/\s*([\d.]+)$/);
  const v = f ? Number(f[1]) / Number(f[2]) : Number(t);
  return t !== "" && Number.isFinite(v) && Math.abs(v) <= 1e6 ? v : null;
}

function escapeText(text) { return String(text).replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`); }

function table(root, data, commit) {
  const P = data.P, host = root.querySelector(".matrix"), c = P.length;
  const state = JSON.stringify([P, data.names, data.ack]);
  if (host.dataset.state === state) return;
  host.dataset.state = state;
  const head = (j) => `<i style="background:${data.colors[j % data.colors.length]}"></i>${escapeText(data.names[j])}`;
  const cell = (j, k) => {
    const kind = j === k || P[j][k] === 0 ? "" : P[j][k] > 0 ? "up" : "down";
    return `<td class="${kind}"><input inputmode="decimal" data-j="${j}" data-k="${k}" value="${show(P[j][k])}" aria-label="P, ${escapeText(data.names[j])} and ${escapeText(data.names[k])}"></td>`;
  };
  const rows = P.map((row, j) => `<tr><th scope="row" style="text-align:right">${head(j)}</th>${row.map((_, k) => cell(j, k)).join("")}</tr>`);
  host.innerHTML = `<table><tr><th></th>${data.names.map((_, k) => `<th scope="col">${head(k)}</th>`).join("")}</tr>${rows.join("")}</table>`;
  host.querySelectorAll("input").forEach((input) => {
    input.onfocus = () => input.select();
    input.onkeydown = (e) => { e.stopPropagation(); if (e.key === "Enter") input.blur(); };
    input.onchange = () => {
      const j = Number(input.dataset.j), k = Number(input.dataset.k), v = parse(input.value);
      input.classList.toggle("bad", v === null);
      if (v === null) return;
      const next = P.map((row) => row.slice());
      next[j][k] = next[k][j] = v;
      host.querySelector(`input[data-j="${k}"][data-k="${j}"]`).value = show(v);
      commit(next);
    };
  });
}

function graph(root, data) {
  const P = data.P, c = P.length, svg = root.querySelector(".graph"), parts = [];
  const at = (j) => {
    if (c === 1) return [100, 100];
    const a = -Math.PI / 2 + (2 * Math.PI * j) / c;
    return [100 + 66 * Math.cos(a), 100 + 66 * Math.sin(a)];
  };
  const most = Math.max(...P.flatMap((row, j) => row.map((v, k) => (j === k ? 0 : Math.abs(v)))), 1e-9);
  for (let j = 0; j < c; j++) for (let k = j + 1; k < c; k++) {
    if (!P[j][k]) continue;
    const [x, y] = at(j), [u, v] = at(k), up = P[j][k] > 0;
    parts.push(`<line x1="${x}" y1="${y}" x2="${u}" y2="${v}" stroke="${up ? POSITIVE : NEGATIVE}" stroke-width="${1.5 + (3.5 * Math.abs(P[j][k])) / most}" ${up ? "" : 'stroke-dasharray="5 4"'}/>`);
  }
  for (let j = 0; j < c; j++) {
    const [x, y] = at(j), r = 9 + 4 * Math.min(Math.sqrt(Math.max(P[j][j], 0)), 3);
    const dx = x - 100, dy = y - 100, d = Math.hypot(dx, dy) || 1;
    parts.push(`<circle cx="${x}" cy="${y}" r="${r}" fill="${data.colors[j % data.colors.length]}"/>`);
    parts.push(`<text x="${x}" y="${y + 4.5}" text-anchor="middle" style="fill:#fff;font-weight:600">${j + 1}</text>`);
  }
  svg.innerHTML = parts.join("");
  svg.setAttribute("aria-label", data.spoken);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  table(parentElement, data, (P) => {
    const seq = Math.max(parentElement.__seq ?? 0, data.ack) + 1;
    parentElement.__seq = seq;
    setStateValue("edit", { seq, P });
  });
  parentElement.querySelector(".relation").toggleAttribute("data-many", data.names.length > 5);
  graph(parentElement, data);
  parentElement.querySelector(".relation").dataset.ack = data.ack;
}
