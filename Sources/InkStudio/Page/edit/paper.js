// Moves and zooms the paper: two fingers, the hand, the space bar, the middle button and the wheel.

import { isPalm, placeOn, whenPenComes } from "../ink.js";

/// How many pixels of a wheel zoom by a factor of e.
const wheelReach = 300;

export function makePaper(editor) {
  const { canvas } = editor;
  const { svg } = canvas;
  const fingers = new Map();
  const fingerAt = placeOn(svg);
  let isSpace = false;
  let pinch = null;
  let pan = null;

  /// Whether a pointer that comes down moves the paper.
  const isMoving = (event) => pinch || editor.tool === "hand" || isSpace || event.button === 1;

  function dropFingers() {
    fingers.clear();
    if (pinch) { editor.view = pinch.view; }
    if (pan?.pointerType === "touch") { editor.view = pan.view; }
    const wasMoving = pinch || pan?.pointerType === "touch";
    pinch = null;
    if (pan?.pointerType === "touch") { pan = null; }
    editor.dragging.cancel("touch");
    if (wasMoving) { canvas.look(); }
  }

  // Touches that came before the pen were palms: they move nothing.
  whenPenComes(svg, () => { if (fingers.size) { dropFingers(); } });

  const pinchNow = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };

  svg.addEventListener("pointerdown", (event) => {
    if (isPalm(event)) { return; }
    if (isMoving(event) && !pan && (event.button === 0 || event.button === 1)) {
      event.preventDefault();
      canvas.focus();
      svg.setPointerCapture(event.pointerId);
      pan = {
        pointer: event.pointerId, pointerType: event.pointerType, view: { ...editor.view },
        from: { x: event.clientX, y: event.clientY }, points: [fingerAt(event)],
      };
    }
    if (event.pointerType !== "touch") { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (fingers.size === 2) {
      editor.gestures.cancel();
      editor.dragging.cancel();
      pan = null;
      pinch = { ...pinchNow(), view: { ...editor.view } };
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (pan?.pointer === event.pointerId) {
      const { view } = editor;
      pan.points.push(fingerAt(event));
      view.x = pan.view.x - (event.clientX - pan.from.x) / view.zoom;
      view.y = pan.view.y - (event.clientY - pan.from.y) / view.zoom;
      return canvas.look();
    }
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
    canvas.look();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    svg.addEventListener(kind, (event) => {
      if (pan?.pointer === event.pointerId) {
        if (editor.tool === "hand") { editor.hint.afterMoving(pan.points); }
        pan = null;
      }
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
      canvas.look();
    }
  }, { passive: false });

  for (const kind of ["keydown", "keyup"]) {
    document.addEventListener(kind, (event) => {
      if (event.key !== " " || event.target !== svg) { return; }
      isSpace = kind === "keydown";
      svg.classList.toggle("moving", isSpace);
      event.preventDefault();
    });
  }
  addEventListener("blur", () => { isSpace = false; });

  return { isMoving };
}
