// Says why the tool in use did not draw what was drawn with it, and offers the pen.

import { $ } from "../elements.js";

/// The smallest extent of a line that was meant as a drawing, in pixels.
const leastExtent = 30;
/// How far apart the ends of a ring are at most, and how long it is at least, as shares of its extent.
const ring = { gap: 0.4, length: 2 };

export function makeHint(editor) {
  const box = $("edit-hint");

  /// Shows a sentence and a button until something else is done.
  function show(text, label, act) {
    const said = document.createElement("span");
    said.textContent = text;
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", () => {
      box.replaceChildren();
      editor.canvas.focus();
      act();
    });
    box.replaceChildren(said, button);
  }

  const span = (values) => values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  const extent = (points) => Math.max(span(points.map(({ x }) => x)), span(points.map(({ y }) => y)));
  const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

  /// Whether points in pixels are a ring.
  function isRing(points) {
    const size = extent(points);
    const length = points.slice(1).reduce((sum, point, index) => sum + distance(point, points[index]), 0);
    return size >= leastExtent && length >= ring.length * size && distance(points[0], points.at(-1)) <= ring.gap * size;
  }

  /// Offers to draw a line with the pen. On the paper, `stroke` has it with times.
  function offerPen(text, stroke = undefined) {
    show(text, stroke ? "Draw it with pen" : "Draw with pen", () => {
      editor.tools.choose("pen");
      if (stroke) { editor.changes.send("stroke", stroke); }
    });
  }

  return {
    show,
    get isShown() { return box.children.length > 0; },
    forget() { box.replaceChildren(); },
    /// After a line with the tool Select that has nothing inside.
    afterSelecting(stroke) {
      if (extent(stroke) * editor.view.zoom < leastExtent) { return; }
      offerPen("The tool is Select, and nothing is inside this line.", stroke);
    },
    /// After a line with the eraser that crossed nothing.
    afterErasing(stroke) {
      if (isRing(stroke.map(({ sx, sy }) => ({ x: sx, y: sy })))) {
        offerPen("The tool is Erase, and this crossed nothing.", stroke);
      }
    },
    /// After the paper was moved along points in pixels.
    afterMoving(points) {
      if (isRing(points)) { offerPen("The tool is Move paper. The pen draws."); }
    },
  };
}
