// The figure: panels that redraw in place, numbers under the pointer, a click that asks for a point's samplings.

function look(root) {
  const style = getComputedStyle(root);
  return { ink: style.color, paper: style.getPropertyValue("--st-background-color").trim() || "#fff" };
}

function makeFigure(parent) {
  const find = (s) => parent.querySelector(s);
  const figure = { root: find(".curves"), grid: find(".grid"), strip: find(".strip"), tip: find(".tip"), spoken: find(".spoken"), panels: [], seq: 0, hover: null };
  figure.observer = new ResizeObserver(() => { if (figure.data) redraw(figure); });
  figure.observer.observe(figure.root);
  return figure;
}

function redraw(figure) {
  const width = figure.root.clientWidth, data = figure.data;
  if (!width) return;
  const mid = width < 900 && width >= 560, narrow = width < 560, single = data.panels.length === 1;
  figure.root.classList.toggle("mid", mid);
  figure.root.classList.toggle("narrow", narrow);
  figure.grid.classList.toggle("one", single);
  figure.grid.classList.toggle("two", data.panels.length === 2);
  figure.grid.classList.toggle("still", !!data.still);
  while (figure.grid.children.length < data.panels.length) figure.grid.append(makePanel(figure, figure.grid.children.length));
  while (figure.grid.children.length > data.panels.length) figure.grid.lastChild.remove();
  const columns = single || narrow ? 1 : mid ? 2 : Math.min(3, data.panels.length), w = Math.floor((width - 22 * (columns - 1)) / columns);
  const h = single ? Math.min(430, Math.max(260, w * 0.5)) : Math.min(252, Math.max(215, w * 0.7));
  figure.size = [w, Math.round(h)];
  const colors = look(figure.root);
  data.panels.forEach((panel, k) => {
    const svg = figure.grid.children[k].firstChild;
    svg.setAttribute("viewBox", `0 0 ${figure.size[0]} ${figure.size[1]}`);
    svg.setAttribute("aria-label", describe(panel, data.still));
    const picked = data.picked && data.picked.panel === panel.id ? data.picked.value : null;
    svg.innerHTML = panelMarkup(panel, ...figure.size, colors, picked);
  });
  legend(figure);
  strip(figure, colors);
}

function describe(panel, still) {
  const last = panel.series.map((s) => { const k = s.y.findLastIndex((y) => y != null); return k < 0 ? `${s.name}: no value yet` : `${s.name}: ${short(s.y[k])} at ${short(panel.x[k])}`; });
  return `${panel.title}, ${panel.x.length} values from ${short(panel.x[0])} to ${short(panel.x[panel.x.length - 1])}. ${last.join("; ")}. Arrow keys move${still ? "" : ", Enter lists the repeats"}.`;
}

function makePanel(figure, k) {
  const box = document.createElement("div");
  box.className = "panel";
  box.dataset.panel = k;
  box.innerHTML = '<svg role="img" tabindex="0"></svg>';
  const svg = box.firstChild;
  svg.onmousedown = (e) => e.preventDefault(); // the focus ring is for the keyboard
  svg.onpointermove = (e) => hover(figure, k, nearest(figure, k, svg, e), e);
  svg.onpointerleave = () => hover(figure, k, null);
  svg.onclick = (e) => pick(figure, k, nearest(figure, k, svg, e));
  svg.onblur = () => hover(figure, k, null);
  svg.onkeydown = (e) => keys(figure, k, e);
  return box;
}

// The value whose line is nearest, and the curve nearest to the pointer there.
function nearest(figure, k, svg, event) {
  const panel = figure.data.panels[k], box = svg.getBoundingClientRect(), s = scales(panel, ...figure.size);
  const px = ((event.clientX - box.left) * figure.size[0]) / box.width, py = ((event.clientY - box.top) * figure.size[1]) / box.height;
  const known = panel.x.map((_, i) => i).filter((i) => panel.series.some((one) => one.y[i] != null));
  if (!known.length) return null;
  const i = known.reduce((a, b) => (Math.abs(s.px(panel.x[b]) - px) < Math.abs(s.px(panel.x[a]) - px) ? b : a));
  const here = panel.series.filter((one) => one.y[i] != null);
  const one = here.reduce((a, b) => (Math.abs(s.py(b.y[i]) - py) < Math.abs(s.py(a.y[i]) - py) ? b : a));
  return { i, id: one.id };
}

function keys(figure, k, event) {
  const panel = figure.data.panels[k], last = panel.x.length - 1;
  const at = figure.hover && figure.hover.k === k ? figure.hover.at : { i: 0, id: panel.series[0] && panel.series[0].id };
  const order = panel.series.map((s) => s.id), turn = (d) => order[(order.indexOf(at.id) + d + order.length) % order.length];
  const moved = { ArrowRight: { i: Math.min(at.i + 1, last), id: at.id }, ArrowLeft: { i: Math.max(at.i - 1, 0), id: at.id }, ArrowUp: { i: at.i, id: turn(1) }, ArrowDown: { i: at.i, id: turn(-1) } }[event.key];
  if (moved) { event.preventDefault(); hover(figure, k, moved); figure.spoken.textContent = figure.tip.textContent; }
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(figure, k, at); }
}

function hover(figure, k, at) {
  figure.hover = at ? { k, at } : null;
  figure.grid.querySelectorAll(".cursor").forEach((c) => c.remove());
  figure.tip.hidden = !at;
  if (!at) return;
  const panel = figure.data.panels[k], s = scales(panel, ...figure.size), x = panel.x[at.i], svg = figure.grid.children[k].firstChild;
  const one = panel.series.find((q) => q.id === at.id);
  if (!one || one.y[at.i] == null) { figure.tip.hidden = true; return; }
  svg.insertAdjacentHTML("beforeend", `<g class="cursor" pointer-events="none"><line x1="${s.px(x)}" x2="${s.px(x)}" y1="${s.top}" y2="${s.bottom}" stroke="${one.color}" stroke-opacity=".5"/><circle cx="${s.px(x)}" cy="${s.py(one.y[at.i])}" r="6" fill="none" stroke="${one.color}" stroke-width="2"/></g>`);
  const printed = (id) => { const p = panel.printed.find((c) => c.id === id), j = p ? p.x.findIndex((v) => Math.abs(v / x - 1) < 1e-3) : -1; return j < 0 ? "" : `<td class="faint">${p.y[j].toFixed(1).replace("-", "−")} printed</td>`; };
  const rows = panel.series.filter((q) => q.y[at.i] != null).map((q) => `<tr><td style="${q.id === at.id ? "font-weight:600" : ""}">${escapeText(q.name)}</td><td>${escapeText(q.said[at.i])}</td>${printed(q.id)}</tr>`);
  figure.tip.innerHTML = `<b>${plainSymbol(panel.symbol)} = ${short(x)}</b> <span class="faint">${one.n[at.i]} repeats</span><table>${rows.join("")}</table>`;
  place(figure, svg, s.px(x), s.py(one.y[at.i]));
}

function place(figure, svg, x, y) {
  const box = svg.getBoundingClientRect(), base = figure.root.getBoundingClientRect(), view = svg.viewBox.baseVal;
  const left = box.left - base.left + (x * box.width) / view.width, top = box.top - base.top + (y * box.height) / view.height;
  const w = figure.tip.offsetWidth, h = figure.tip.offsetHeight;
  figure.tip.style.left = `${Math.max(0, left + 14 + w > base.width ? left - 14 - w : left + 14)}px`;
  figure.tip.style.top = `${Math.max(0, top - h - 10)}px`;
}

function pick(figure, k, at) {
  if (!at || figure.data.still) return;
  const panel = figure.data.panels[k];
  figure.seq += 1;
  figure.setStateValue("pick", { seq: Date.now() + figure.seq, panel: panel.id, value: panel.x[at.i], method: at.id });
}

function legend(figure) {
  const entry = (e) => `<span><svg width="26" height="12" aria-hidden="true">${sampleMarkup(e, 0, 26, 6)}</svg>${escapeText(e.name)}</span>`;
  figure.root.querySelector(".legend").innerHTML = figure.data.legend.map(entry).join("");
  const tools = figure.root.querySelector(".tools");
  if (tools.children.length) return;
  for (const kind of ["SVG", "PNG"]) {
    const button = document.createElement("button");
    button.textContent = kind;
    button.title = `Download the figure as ${kind}`;
    button.setAttribute("aria-label", button.title);
    button.onclick = () => download(figure, kind);
    tools.append(button);
  }
}

async function download(figure, kind) {
  const { text } = wholeFigure(figure.data, look(figure.root)), name = figure.data.file ?? "error-curves";
  save(kind === "SVG" ? asSvg(text) : await asPng(text, 2), `${name}.${kind.toLowerCase()}`);
}

const DOT = 6.4, LANES = 5;

// Dots that would cover each other go to a lane above or below, or a little to the right.
function swarm(xs) {
  const last = Array(LANES).fill(-Infinity), order = [0, -1, 1, -2, 2], places = [];
  for (const i of xs.map((_, k) => k).sort((a, b) => xs[a] - xs[b])) {
    const free = order.find((lane) => last[lane + 2] + DOT <= xs[i]);
    const lane = free ?? order.reduce((a, b) => (last[b + 2] < last[a + 2] ? b : a));
    const x = free == null ? last[lane + 2] + DOT : xs[i];
    last[lane + 2] = x;
    places[i] = [x, lane];
  }
  return places;
}

// All samplings of the picked point, one row per method; a click opens one.
function strip(figure, colors) {
  const s = figure.data.strip;
  figure.strip.hidden = !s;
  if (!s) { figure.strip.replaceChildren(); return; }
  const width = figure.strip.clientWidth || figure.root.clientWidth, name = Math.min(150, width * 0.28), row = LANES * DOT + 8, high = s.rows.length * row + 20;
  const most = Math.max(1, ...s.rows.flatMap((r) => r.errors)), px = (e) => name + ((width - name - 14) * e) / most;
  let body = "";
  for (const e of roundValues(0, most, 6)) body += `<line x1="${px(e)}" x2="${px(e)}" y1="0" y2="${high - 18}" stroke="${colors.ink}" stroke-opacity=".12"/><text x="${px(e)}" y="${high - 4}" text-anchor="middle" font-size="11" fill="${colors.ink}" fill-opacity=".7">${short(e)}${e === 0 ? " %" : ""}</text>`;
  s.rows.forEach((r, j) => {
    const y = j * row + row / 2;
    body += `<text x="0" y="${y + 4}" font-size="12" fill="${colors.ink}">${escapeText(r.name)}</text>`;
    swarm(r.errors.map(px)).forEach(([x, lane], i) => {
      const k = s.samplings[i], own = k === s.typical;
      body += `<circle cx="${x.toFixed(1)}" cy="${(y + lane * DOT).toFixed(1)}" r="${DOT / 2}" fill="${r.color}" fill-opacity="${own ? 1 : 0.45}" stroke="${own ? colors.ink : "none"}" data-sampling="${k}"/>`;
    });
  });
  figure.strip.innerHTML = `<div class="head"><b>${escapeText(s.title)}</b><span>${escapeText(s.note)}</span><button class="main" data-open="${s.typical}">Open repeat ${s.typical} in the Playground</button><button aria-label="Close">✕</button></div><svg viewBox="0 0 ${width} ${high}" height="${high}" role="img" aria-label="${escapeText(s.title)}: error of each repeat">${body}</svg>`;
  const open = (k) => figure.setTriggerValue("open", { sampling: +k });
  const [main, close] = figure.strip.querySelectorAll("button");
  main.onclick = () => open(main.dataset.open);
  close.onclick = () => figure.setStateValue("pick", { seq: Date.now(), panel: null });
  const svg = figure.strip.querySelector("svg");
  svg.onclick = (e) => { if (e.target.dataset.sampling) open(e.target.dataset.sampling); };
  svg.onpointermove = (e) => {
    const k = e.target.dataset && e.target.dataset.sampling;
    figure.tip.hidden = k == null;
    svg.querySelectorAll("circle").forEach((c) => c.setAttribute("r", k != null && c.dataset.sampling === k ? DOT * 0.75 : DOT / 2));
    if (k == null) return;
    const i = s.samplings.indexOf(+k);
    figure.tip.innerHTML = `<b>Repeat ${k}</b> <span class="faint">click to open</span><table>${s.rows.map((r) => `<tr><td>${escapeText(r.name)}</td><td>${r.errors[i].toFixed(1)} %</td></tr>`).join("")}</table>`;
    place(figure, svg, +e.target.getAttribute("cx"), +e.target.getAttribute("cy"));
  };
  svg.onpointerleave = () => { figure.tip.hidden = true; };
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const figure = (parentElement.__mavrCurves ??= makeFigure(parentElement));
  Object.assign(figure, { data, setStateValue, setTriggerValue });
  redraw(figure);
  if (figure.hover && figure.hover.k < data.panels.length) hover(figure, figure.hover.k, figure.hover.at);
  figure.root.dataset.rows = data.rows;
  return () => { figure.observer.disconnect(); delete parentElement.__mavrCurves; };
}
