// Ink under the pen: pointer events with everything between two frames, and only one pointer at a time.

/// Where a pointer is on `surface`, in its pixels.
export function placeOn(surface) {
  return (event) => {
    const box = surface.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
}

/// Takes strokes drawn on `surface`, shows the one in progress on `canvas`, and gives each finished one to
/// `done`. `place` turns a pointer's place on the screen into one on the paper; `begins` may say no.
export function capture(surface, canvas, { place, done, begins = () => true, keeps = false }) {
  const context = canvas.getContext("2d");
  let stroke = null;
  let pointer = null;
  let pointerType = null;
  let penUntil = 0;
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

  function pen() {
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 4;
    context.lineCap = context.lineJoin = "round";
  }

  function show(line, from) {
    pen();
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
        x: at.x, y: at.y, time: e.timeStamp, pressure: Math.min(1, Math.max(0, e.pressure)),
        sx: e.clientX - box.left, sy: e.clientY - box.top,
      });
    }
    show(stroke, from);
  }

  const isBesidePen = (event) => event.pointerType === "touch" && event.timeStamp < penUntil;

  surface.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "pen") {
      penUntil = event.timeStamp + 1000;
      // The palm came first.
      if (stroke && pointerType === "touch") { cancel(); }
    }
    // A palm beside the pen, or a second finger, draws nothing.
    const isPalm = isBesidePen(event);
    if (stroke || !event.isPrimary || event.button !== 0 || isPalm || !begins(event)) { return; }
    event.preventDefault();
    // What is typed from now on is meant for the drawing.
    document.activeElement?.blur();
    surface.setPointerCapture(event.pointerId);
    pointer = event.pointerId;
    pointerType = event.pointerType;
    if (canvas.width === 0 || canvas.width === 300) { fit(); }
    stroke = [];
    add(event);
    stroke[0].kind = event.pointerType;
  });
  surface.addEventListener("pointermove", (event) => {
    if (event.pointerType === "pen") { penUntil = event.timeStamp + 1000; }
    if (stroke && event.pointerId === pointer) { add(event); }
  });
  function end(event, isWhole) {
    if (!stroke || event.pointerId !== pointer) { return; }
    const finished = stroke;
    stroke = null;
    if (isWhole && keeps) { drawn.push(finished); } else { redraw(); }
    if (isWhole) { done(finished); }
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
  /// Takes all finished strokes away and returns them.
  function take() {
    const taken = drawn;
    restore([]);
    return taken;
  }
  function restore(strokes) {
    drawn = strokes;
    redraw();
  }
  /// Forgets the stroke in progress.
  function cancel() {
    stroke = null;
    redraw();
  }
  new ResizeObserver(fit).observe(canvas);
  return { take, restore, cancel, isBesidePen, get strokes() { return drawn; } };
}

/// Shows grey values, in base 64, as they are.
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

/// Shows strokes, framed.
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
