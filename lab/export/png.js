// The picture as PNG: the SVG that Python wrote, drawn on a canvas three times as large.

const SCALE = 3;

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button"), said = parentElement.querySelector("[aria-live]");
  button.onclick = async () => {
    button.disabled = true;
    try {
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([data.svg], { type: "image/svg+xml" }));
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = SCALE * image.width;
      canvas.height = SCALE * image.height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(image.src);
      const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${data.name}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      said.textContent = "The picture is downloaded.";
    } catch {
      said.textContent = "This browser could not draw the picture. Take the SVG.";
    } finally {
      button.disabled = false;
    }
  };
}
