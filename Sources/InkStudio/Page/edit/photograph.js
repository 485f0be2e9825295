// Shows the photograph of which a document was made under its drawing, with what the network sees in it, and adds a
// state that was missed where somebody taps on it.

import { isInRing, paintClasses } from "../classes.js";
import { $, shape } from "../elements.js";
import { ask } from "../server.js";

export function makePhotograph(editor) {
  const { svg } = editor.canvas;
  const image = shape("image", { class: "photograph" });
  const classes = shape("image", { class: "classes", preserveAspectRatio: "none" });
  svg.prepend(image, classes);
  /// The document of the photograph, its file and place, the address of its data in the browser, and what is seen in it.
  let id = null, file = null, place = null, url = null, seen = null;
  /// Whether the network is asked what it sees.
  let isLooking = false;
  /// The readings of missed states, one after the other: each knows the states of those before it.
  let readings = Promise.resolve();

  /// Keeps the photograph of the document that is open; `matrix` maps its pixels to the paper.
  function take(next, { width, height, matrix }) {
    if (url) { URL.revokeObjectURL(url); }
    [id, file, place, seen] = [editor.picture.id, next, { width, height, matrix }, null];
    url = URL.createObjectURL(file);
    image.setAttribute("href", url);
    for (const layer of [image, classes]) {
      layer.setAttribute("width", width);
      layer.setAttribute("height", height);
      layer.setAttribute("transform", `matrix(${matrix.join(" ")})`);
    }
    $("photograph").checked = true;
    $("photograph-classes").checked = false;
    show();
    look();
  }

  /// Asks what the network sees.
  async function look() {
    const asked = file;
    isLooking = true;
    // Without an answer, the photograph is shown, and the next tap asks again.
    const answer = await ask("/api/page", "POST", asked, { place: null }).catch(() => null);
    if (asked !== file) { return; }
    isLooking = false;
    seen = answer;
    if (!seen) { return; }
    const canvas = document.createElement("canvas");
    paintClasses(canvas, seen);
    classes.setAttribute("href", canvas.toDataURL());
    show();
  }

  const isThere = () => id !== null && editor.picture?.id === id;

  /// Shows the photograph if it belongs to the document that is open.
  function show() {
    $("photograph-label").hidden = !isThere();
    $("photograph-classes-label").hidden = !isThere() || !seen;
    image.style.display = isThere() && $("photograph").checked ? "" : "none";
    classes.style.display = isThere() && seen && $("photograph-classes").checked ? "" : "none";
  }

  /// Adds the state in whose ring a place of the paper is, with its name and arrows, or offers to add one where no ring
  /// is seen. Returns whether it did one of both.
  function addMissed({ x, y }) {
    if (!isThere() || !$("photograph").checked) { return false; }
    if (!seen) {
      if (!isLooking) { look(); }
      return false;
    }
    const [a, b, c, d, e, f] = place.matrix;
    const area = a * d - b * c;
    const [across, down] = [
      (d * (x - e) - c * (y - f)) / area / place.width, (a * (y - f) - b * (x - e)) / area / place.height];
    if (across < 0 || down < 0 || across > 1 || down > 1) { return false; }
    const asked = file;
    const add = () => { readings = readings.then(() => read(asked, x, y)); };
    if (isInRing(seen, across, down)) {
      add();
      return true;
    }
    // A tap beside everything ends the selection.
    if (editor.selection.ids.size || editor.canvas.inkAt({ x, y })) { return false; }
    editor.hint.show("No ring was seen here.", "Add a state", add);
    return true;
  }

  async function read(asked, x, y) {
    await editor.changes.settled();
    // Another document or photograph was opened meanwhile, or the state is there by now.
    if (asked !== file || !isThere() || editor.canvas.idAt({ x, y })) { return; }
    svg.setAttribute("aria-busy", "true");
    const form = file.name.slice(file.name.lastIndexOf(".") + 1);
    const query = new URLSearchParams({ form, x, y, matrix: place.matrix.join(","), change: crypto.randomUUID() });
    const known = new Set(editor.picture.states.map(({ id: state }) => state));
    try {
      const answer = await editor.changes.asking(`missed?${query}`, "POST", file);
      editor.changes.take(answer);
      editor.selection.set(answer.states.map(({ id: state }) => state).filter((state) => !known.has(state)));
    } catch {
      // It was said why.
    } finally {
      svg.removeAttribute("aria-busy");
    }
  }

  $("photograph").addEventListener("change", show);
  $("photograph-classes").addEventListener("change", show);
  show();
  return { take, show, addMissed };
}
