// Ink under the pen: all points between two frames, from one pointer at a time.

/// How long touches are ignored after the pen was lifted, and after it was last seen hovering, in
/// milliseconds. A pen that goes out of range says so; the second time is for those that do not.
const afterPen = 1000;
const afterHover = 5000;

/// Whether a pen is down or near, so that what touches the screen is a palm.
const pen = {
  isDown: false,
  nearUntil: 0,
  isNear(event) { return this.isDown || event.timeStamp < this.nearUntil; },
};
for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
  document.addEventListener(kind, (event) => {
    if (event.pointerType !== "pen") { return; }
    pen.isDown = event.buttons !== 0;
    const isLifted = kind === "pointerup" || kind === "pointercancel";
    pen.nearUntil = event.timeStamp + (isLifted ? afterPen : afterHover);
  }, { capture: true });
}
document.documentElement.addEventListener("pointerleave", (event) => {
  if (event.pointerType === "pen" && event.buttons === 0) { pen.nearUntil = event.timeStamp + afterPen; }
});

// The outline of the focused element is for those who use the keyboard.
for (const [kind, input] of [["pointerdown", "pointer"], ["keydown", "keys"]]) {
  document.addEventListener(kind, () => { document.documentElement.dataset.input = input; }, { capture: true });
}

/// Whether `event` is of a palm or a finger while a pen is down or near.
export const isPalm = (event) => event.pointerType === "touch" && pen.isNear(event);

/// Whether a pen touches the screen.
export const isPenDown = () => pen.isDown;

/// Forgets that a pen is near, so that fingers draw.
export function forgetPen() { pen.nearUntil = 0; }

/// Calls `come` with each event of a pen over `surface`, hovering or down.
export function whenPenComes(surface, come) {
  for (const kind of ["pointerdown", "pointermove"]) {
    surface.addEventListener(kind, (event) => { if (event.pointerType === "pen") { come(event); } });
  }
}

/// Where a pointer is on `surface`, in its pixels.
export function placeOn(surface) {
  return (event) => {
    const box = surface.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
}

/// Captures strokes drawn on `surface`, shows the one in progress on `canvas`, and passes each finished
/// one to `done`. `place` converts a pointer's place on the screen to one on the paper. A stroke begins
/// only if `begins` returns true. `moved` gets new points, and `cancelled` is called if a stroke is dropped.
/// With `keeps`, finished strokes stay on the canvas.
export function capture(
  surface, canvas, { place, done, begins = () => true, moved = () => {}, cancelled = () => {}, keeps = false }) {
  const context = canvas.getContext("2d");
  let stroke = null;
  let pointer = null;
  let pointerType = null;
  let drawn = [];

  function fit() {
    const scale = window.devicePixelRatio || 1;
    const box = canvas.getBoundingClientRect();
    if (box.width === 0) { return; }
    canvas.width = Math.round(box.width * scale);
    canvas.height = Math.round(box.height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    for (const line of drawn) { show(line, 0); }
  }

  function setStyle() {
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = Number(getComputedStyle(canvas).getPropertyValue("--line-width"));
    context.lineCap = context.lineJoin = "round";
  }

  function show(line, from) {
    setStyle();
    context.beginPath();
    const first = line[Math.max(0, from - 1)];
    context.moveTo(first.sx, first.sy);
    for (const p of line.slice(from)) { context.lineTo(p.sx, p.sy); }
    if (line.length === 1) { context.lineTo(first.sx + 0.1, first.sy); }
    context.stroke();
  }

  function add(event) {
    const box = canvas.getBoundingClientRect();
    const from = stroke.length;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const e of events.length ? events : [event]) {
      const at = place(e);
      stroke.push({
        // Unix milliseconds, so that strokes from several pages can be compared.
        x: at.x, y: at.y, time: performance.timeOrigin + e.timeStamp, pressure: Math.min(1, Math.max(0, e.pressure)),
        sx: e.clientX - box.left, sy: e.clientY - box.top,
      });
    }
    show(stroke, from);
    moved(stroke.slice(from));
  }

  // A palm that touched the screen before the pen draws nothing.
  whenPenComes(surface, () => { if (stroke && pointerType === "touch") { cancel(); } });
  surface.addEventListener("pointerdown", (event) => {
    const isSecondFinger = event.pointerType === "touch" && !event.isPrimary;
    if (stroke || isSecondFinger || event.button !== 0 || isPalm(event) || !begins(event)) { return; }
    event.preventDefault();
    // Keys act on the drawing from now on.
    surface.focus({ preventScroll: true });
    surface.setPointerCapture(event.pointerId);
    pointer = event.pointerId;
    pointerType = event.pointerType;
    if (canvas.width === 0 || canvas.width === 300) { fit(); }
    stroke = [];
    add(event);
    stroke.isAdding = event.shiftKey;
  });
  surface.addEventListener("pointermove", (event) => {
    if (stroke && event.pointerId === pointer) { add(event); }
  });
  function end(event, isWhole) {
    if (!stroke || event.pointerId !== pointer) { return; }
    const finished = stroke;
    stroke = null;
    if (isWhole && keeps) { drawn.push(finished); } else { redraw(); }
    if (isWhole) { done(finished); } else { cancelled(); }
  }
  surface.addEventListener("pointerup", (event) => end(event, true));
  for (const kind of ["pointercancel", "lostpointercapture"]) {
    surface.addEventListener(kind, (event) => end(event, false));
  }
  function redraw() {
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.restore();
    for (const line of drawn) { show(line, 0); }
  }
  /// Removes all finished strokes and returns them.
  function take() {
    const taken = drawn;
    restore([]);
    return taken;
  }
  function restore(strokes) {
    drawn = strokes;
    redraw();
  }
  /// Drops the stroke in progress.
  function cancel() {
    if (stroke) { cancelled(); }
    stroke = null;
    redraw();
  }
  new ResizeObserver(fit).observe(canvas);
  return { take, restore, cancel, get strokes() { return drawn; } };
}

/// Shows a square bitmap of grey values in base 64.
export function paint(canvas, bitmap, size) {
  canvas.width = canvas.height = size || 1;
  const context = canvas.getContext("2d");
  const image = context.createImageData(size || 1, size || 1);
  for (const [index, character] of [...atob(bitmap)].entries()) {
    const value = character.charCodeAt(0);
    image.data.set([value, value, value, 255], 4 * index);
  }
  context.putImageData(image, 0, 0);
}

/// Shows strokes, scaled to fit the canvas.
export function sketch(canvas, strokes) {
  canvas.width = canvas.height = 96;
  const xs = strokes.flatMap((s) => s[0]), ys = strokes.flatMap((s) => s[1]);
  if (!xs.length) { return; }
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const scale = 84 / Math.max(1, right - left, bottom - top);
  const context = canvas.getContext("2d");
  context.strokeStyle = getComputedStyle(canvas).color;
  context.lineWidth = 3;
  context.lineCap = context.lineJoin = "round";
  for (const [x, y] of strokes) {
    context.beginPath();
    x.forEach((_, i) => context.lineTo(
      48 + (x[i] - (left + right) / 2) * scale, 48 + (y[i] - (top + bottom) / 2) * scale));
    context.stroke();
  }
}
