// Pen, finger and mouse that draw, erase and tap on the drawing.

import { $ } from "../elements.js";
import { capture } from "../ink.js";
import { closeMenu } from "../menus.js";

/// How far a pointer may move in a tap, in pixels, and how soon a second tap follows, in milliseconds.
export const tap = { length: 6, pause: 500 };

export function makeGestures(editor) {
  const { canvas, changes, decision, selection } = editor;
  const { svg } = canvas;
  let lastTap = { id: null, time: 0 };
  // The elements that the eraser has crossed.
  let erased = new Set();

  const isErasing = () => editor.tool === "erase";

  const ink = capture(svg, $("edit-ink"), {
    place: canvas.place,
    begins: (event) => {
      const begins = editor.picture && !editor.isGone && !event.target.dataset?.handle
        && ["pen", "erase"].includes(editor.tool) && !editor.paper.isMoving(event);
      if (begins) {
        erased = new Set();
        $("edit-empty").hidden = true;
        closeMenu("document-menu");
      }
      return begins;
    },
    moved: (points) => { if (isErasing()) { markErased(points); } },
    cancelled: () => canvas.renderer.mark("erased", new Set()),
    done: (stroke) => {
      const length = stroke.slice(1).reduce(
        (sum, p, i) => sum + Math.hypot(p.sx - stroke[i].sx, p.sy - stroke[i].sy), 0);
      canvas.renderer.mark("erased", new Set());
      // A tap selects; drawing draws.
      if (length < tap.length && !isErasing()) { return selectAt(stroke[0], stroke.isAdding); }
      decision.forget();
      // Nothing covers what is drawn next. A new arrow still waits for its symbols, because its head may follow.
      if (!selection.isFresh) { selection.set([]); }
      if (isErasing() && !erased.size) { editor.hint.afterErasing(stroke); }
      changes.send(isErasing() ? `erase?attached=${$("edit-attached").checked}` : "stroke", stroke);
    },
  });

  /// Fades what the eraser crosses.
  function markErased(points) {
    const reach = editor.constants.eraserReach / editor.view.zoom;
    for (const { x, y } of points) {
      for (const { id, center, radius } of editor.picture.states) {
        const far = Math.hypot(center.x - x, center.y - y);
        if (Math.abs(far - radius) <= reach || far <= reach) { erased.add(id); }
      }
      const probe = svg.createSVGPoint();
      [probe.x, probe.y] = [x, y];
      for (const { id } of editor.picture.transitions) {
        if (!erased.has(id) && canvas.renderer.group(id)?.firstChild.isPointInStroke(probe)) { erased.add(id); }
      }
    }
    canvas.renderer.mark("erased", erased);
  }

  /// Selects what was tapped, or adds a state that was missed in the photograph; a second tap on an element edits its
  /// name or symbols.
  function selectAt(point, isAdding) {
    const id = canvas.idAt(point);
    if (!id && !isAdding && editor.photograph.addMissed(point)) { return; }
    const line = id ? undefined : canvas.inkAt(point);
    if (line) { return decision.showInk(line); }
    if (isAdding) {
      if (id) { selection.toggle(id); }
      return;
    }
    const isSecond = id && id === lastTap.id && point.time - lastTap.time < tap.pause;
    lastTap = isSecond ? { id: null, time: 0 } : { id, time: point.time };
    selection.set(id ? [id] : []);
    editor.panel.uncover();
    if (isSecond) { editor.label.open(); }
  }

  return { selectAt, cancel: ink.cancel };
}
