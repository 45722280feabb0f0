// Pictures as files: for everything that can be taken away.

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const asSvg = (text) => new Blob([text], { type: "image/svg+xml" });

// The SVG drawn on a canvas, so many times as large; size : its width and height where they are no whole numbers.
async function asPng(text, scale, size) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = URL.createObjectURL(asSvg(text));
  await image.decode();
  const { width, height } = size ?? image;
  canvas.width = Math.round(scale * width);
  canvas.height = Math.round(scale * height);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
