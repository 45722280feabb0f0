// The picture as PNG: the SVG that Python wrote, three times as large.

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button"), said = parentElement.querySelector("[aria-live]");
  button.onclick = async () => {
    button.disabled = true;
    try {
      save(await asPng(data.svg, 3), `${data.name}.png`);
      said.textContent = "The picture is downloaded.";
    } catch {
      said.textContent = "This browser could not draw the picture. Take the SVG.";
    } finally {
      button.disabled = false;
    }
  };
}
