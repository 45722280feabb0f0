// The figure's panels as small pictures that open themselves.

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".gallery");
  if (host.dataset.state !== data.key) {
    host.dataset.state = data.key;
    host.innerHTML = data.panels.map((p) => `<button data-name="${escapeText(p.name)}" title="${escapeText(p.lesson)}">${p.svg}<span>${escapeText(p.title)}</span></button>`).join("");
    host.querySelectorAll("button").forEach((b) => { b.onclick = () => setTriggerValue("open", b.dataset.name); });
  }
  host.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.name === data.shown)));
}
