// Pen, finger and mouse on the drawing: strokes, taps, handles that are dragged, pinching, scrolling.

import { $ } from "../elements.js";
import { capture, isPalm, placeOn, whenPenComes } from "../ink.js";

/// How far a pointer may move in a tap, in pixels, and how soon a second tap follows, in milliseconds.
const tap = { length: 6, pause: 500 };
/// How many pixels of a wheel zoom by a factor of e.
const wheelReach = 300;

export function makeGestures(editor) {
  const { canvas, changes, inspector } = editor;
  const { svg } = canvas;
  let lastTap = { id: null, time: 0 };
  let dragged = null;
  let pinch = null;
  const fingers = new Map();

  // Touches that came before the pen were palms: they move nothing. This listener comes before
  // the one that draws, so that the first stroke of the pen begins.
  whenPenComes(svg, () => {
    const isMoving = pinch || dragged?.pointerType === "touch";
    fingers.clear();
    if (!isMoving) { return; }
    if (pinch) { editor.view = pinch.view; }
    pinch = null;
    if (dragged?.pointerType === "touch") { dragged = null; }
    canvas.draw();
  });

  // MARK: Drawing and tapping

  const ink = capture(svg, $("edit-ink"), {
    place: canvas.place,
    begins: (event) =>
      editor.picture && !editor.isGone && !event.target.dataset?.handle && !event.shiftKey && !pinch,
    done: (stroke) => {
      const length = stroke.slice(1).reduce(
        (sum, p, i) => sum + Math.hypot(p.sx - stroke[i].sx, p.sy - stroke[i].sy), 0);
      // A tap selects; drawing draws.
      if (length < tap.length) { return selectAt(stroke[0]); }
      inspector.forgetDecision();
      changes.send($("edit-erase").checked ? `erase?attached=${$("edit-attached").checked}` : "stroke", stroke);
    },
  });

  /// Selects what was tapped; a second tap on it edits its name or symbols.
  function selectAt(point) {
    const id = canvas.idAt(point);
    inspector.select(id);
    const isSecond = id && id === lastTap.id && point.time - lastTap.time < tap.pause;
    lastTap = isSecond ? { id: null, time: 0 } : { id, time: point.time };
    if (isSecond) { inspector.editText(); }
  }

  function toggleEraser(isOn) {
    $("edit-erase").checked = isOn;
    $("edit-attached-label").hidden = !isOn;
  }
  $("edit-erase").addEventListener("change", (event) => toggleEraser(event.target.checked));

  // MARK: Dragging

  svg.addEventListener("pointerdown", (event) => {
    const kind = event.target.dataset?.handle;
    if (dragged || editor.isGone || event.button !== 0 || isPalm(event)) { return; }
    if (!kind && !event.shiftKey) { return; }
    dragged = {
      kind: kind ?? "pan", id: editor.selected, pointer: event.pointerId, pointerType: event.pointerType,
      from: { x: event.clientX, y: event.clientY }, view: { ...editor.view },
    };
    event.preventDefault();
    // Keys act on the drawing from now on.
    canvas.focus();
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    if (dragged.kind === "pan") {
      const { view } = editor;
      view.x = dragged.view.x - (event.clientX - dragged.from.x) / view.zoom;
      view.y = dragged.view.y - (event.clientY - dragged.from.y) / view.zoom;
      return canvas.draw();
    }
    const place = canvas.place(event);
    if (dragged.kind === "moveState") {
      const { center } = editor.picture.states.find((s) => s.id === dragged.id);
      svg.querySelector(`g[data-id="${CSS.escape(dragged.id)}"]`)?.setAttribute(
        "transform", `translate(${place.x - center.x} ${place.y - center.y})`);
    }
    const handle = svg.querySelector(`[data-handle=${dragged.kind}]`);
    handle?.setAttribute("cx", place.x);
    handle?.setAttribute("cy", place.y);
  });
  for (const lost of ["pointercancel", "lostpointercapture"]) {
    svg.addEventListener(lost, (event) => {
      if (dragged?.pointer !== event.pointerId) { return; }
      dragged = null;
      canvas.draw();
    });
  }
  svg.addEventListener("pointerup", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    const { kind, id, from } = dragged;
    dragged = null;
    if (kind === "pan") { return; }
    const place = canvas.place(event);
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < tap.length) {
      // A tap on the middle of an element is one on the element.
      return selectAt({ ...place, time: performance.timeOrigin + event.timeStamp });
    }
    if (kind === "resizeState") {
      const { center } = editor.picture.states.find((s) => s.id === id);
      changes.command(kind, { id, radius: Math.hypot(place.x - center.x, place.y - center.y) });
    } else {
      changes.command(kind, { id, place });
    }
  });

  // MARK: Moving and zooming the paper

  // Two fingers move and enlarge the paper.
  const pinchNow = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  const fingerAt = placeOn(svg);
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || isPalm(event)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (fingers.size === 2) {
      ink.cancel();
      dragged = null;
      pinch = { ...pinchNow(), view: editor.view };
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (!pinch || fingers.size !== 2) { return; }
    const now = pinchNow();
    const zoom = canvas.limited(pinch.view.zoom * now.distance / pinch.distance);
    // What was between the fingers stays there.
    editor.view = {
      x: pinch.view.x + pinch.x / pinch.view.zoom - now.x / zoom,
      y: pinch.view.y + pinch.y / pinch.view.zoom - now.y / zoom, zoom,
    };
    canvas.draw();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    svg.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) { pinch = null; }
    });
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = fingerAt(event);
    if (event.ctrlKey || event.metaKey) {
      canvas.zoomBy(Math.exp(-event.deltaY / wheelReach), x, y);
    } else {
      const { view } = editor;
      view.x += event.deltaX / view.zoom;
      view.y += event.deltaY / view.zoom;
      canvas.draw();
    }
  }, { passive: false });

  return {
    toggleEraser,
    /// Lets go of an element that was deleted while it is dragged.
    letGoOf(isThere) { if (dragged && dragged.kind !== "pan" && !isThere(dragged.id)) { dragged = null; } },
  };
}
