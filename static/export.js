// Gives files to the person: loaded when one is asked for (static/boot.js). The texts come from the wasm.

/** Saves a text as a file. */
export function save(name, type, text) {
  give(name, new Blob([text], { type }));
}

/** Draws an SVG text and saves it as a PNG of so many pixels for one of its own. */
export async function png(name, svg, scale) {
  const image = new Image();
  // A blob's address would do, but the page's policy allows pictures from `data:` alone.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  // Browsers refuse larger canvases.
  const most = Math.min(scale, 8192 / image.naturalWidth, 8192 / image.naturalHeight);
  canvas.width = Math.round(image.naturalWidth * most);
  canvas.height = Math.round(image.naturalHeight * most);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the browser cannot draw it");
  give(name, blob);
}

function give(name, blob) {
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
