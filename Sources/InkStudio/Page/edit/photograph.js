// Shows the photograph of which a document was made under its drawing, to compare them.

import { $, shape } from "../elements.js";

export function makePhotograph(editor) {
  const image = shape("image", { class: "photograph" });
  editor.canvas.svg.prepend(image);
  /// The document of the photograph and the address of its data in the browser.
  let id = null, url = null;

  /// Keeps the photograph of the document that is open; `matrix` maps its pixels to the paper.
  function take(file, { width, height, matrix }) {
    if (url) { URL.revokeObjectURL(url); }
    url = URL.createObjectURL(file);
    id = editor.picture.id;
    image.setAttribute("href", url);
    image.setAttribute("width", width);
    image.setAttribute("height", height);
    image.setAttribute("transform", `matrix(${matrix.join(" ")})`);
    $("photograph").checked = true;
    show();
  }

  /// Shows the photograph if it belongs to the document that is open.
  function show() {
    const isThere = id !== null && editor.picture?.id === id;
    $("photograph-label").hidden = !isThere;
    image.style.display = isThere && $("photograph").checked ? "" : "none";
  }

  $("photograph").addEventListener("change", show);
  show();
  return { take, show };
}
