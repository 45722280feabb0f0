// A chart of the page as SVG or PNG: what the browser draws, with the looks that its style gives.

const SCALE = 3;
const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "font-style", "text-anchor", "dominant-baseline", "visibility", "display"];

// Charts draw in several layers; components have a root of their own.
function layers(place) {
  const host = document.querySelector(`.${CSS.escape(place)}`), found = [];
  const look = (node) => {
    for (const e of node.querySelectorAll("*")) {
      if (e.shadowRoot) look(e.shadowRoot);
      if (e.tagName === "svg" && !e.parentElement?.closest("svg") && !e.closest(".modebar, button")) found.push(e);
    }
  };
  if (host) look(host);
  return found.filter((svg) => svg.getBoundingClientRect().width > 40);
}

function copied(svg) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((e, k) => {
    const look = getComputedStyle(e);
    for (const name of LOOKS) {
      const value = look.getPropertyValue(name);
      if (value && !(name === "display" && value !== "none")) to[k].style.setProperty(name, value);
    }
    // A picture does not have the page's font: its words keep their width all the same.
    if (e.tagName === "text" && !e.childElementCount && e.getComputedTextLength() > 0) {
      to[k].setAttribute("textLength", e.getComputedTextLength());
      to[k].setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  });
  copy.querySelectorAll(".drag, .draglayer, .hoverlayer").forEach((e) => e.remove());
  return copy;
}

function drawing(place) {
  const found = layers(place);
  if (!found.length) return null;
  const boxes = found.map((svg) => svg.getBoundingClientRect());
  const left = Math.min(...boxes.map((b) => b.left)), top = Math.min(...boxes.map((b) => b.top));
  const width = Math.max(...boxes.map((b) => b.right)) - left, height = Math.max(...boxes.map((b) => b.bottom)) - top;
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [k, v] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) whole.setAttribute(k, v);
  const ground = document.createElementNS(whole.namespaceURI, "rect");
  for (const [k, v] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.querySelector(".stApp")).backgroundColor })) ground.setAttribute(k, v);
  whole.append(ground);
  found.forEach((svg, k) => {
    const copy = copied(svg);
    for (const [name, v] of Object.entries({ x: boxes[k].left - left, y: boxes[k].top - top, width: boxes[k].width, height: boxes[k].height })) copy.setAttribute(name, v);
    whole.append(copy);
  });
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector("[aria-live]");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = async () => {
      const kind = button.dataset.kind, made = drawing(data.place);
      if (!made) { said.textContent = "The chart is not drawn yet."; return; }
      try {
        save(kind === "svg" ? asSvg(made.text) : await asPng(made.text, SCALE, made), `${data.name}.${kind}`);
        said.textContent = "The picture is downloaded.";
      } catch {
        said.textContent = "This browser could not draw the picture. Take the SVG.";
      }
    };
  }
}
