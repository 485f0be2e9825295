// Handles and elements that are dragged, and lines around several elements.

import { shape } from "../elements.js";
import { isPalm } from "../ink.js";
import { tap } from "./gestures.js";
import { previewMoves } from "./preview.js";

export function makeDragging(editor) {
  const { canvas, changes, selection } = editor;
  const { svg } = canvas;
  const lasso = shape("path", { class: "lasso" });
  let dragged = null;
  let frame = 0;

  /// Where a pointer is on the paper, as a point of a stroke.
  const timed = (event) => ({
    ...canvas.place(event), time: performance.timeOrigin + event.timeStamp, pressure: event.pressure,
  });

  svg.addEventListener("pointerdown", (event) => {
    const handle = event.target.dataset?.handle;
    if (dragged || !editor.picture || editor.isGone || event.button !== 0 || isPalm(event)) { return; }
    if (editor.paper.isMoving(event) || !handle && editor.tool !== "select") { return; }
    const place = timed(event);
    const id = canvas.idAt(place);
    let kind = handle;
    if (!handle) {
      if (id && !event.shiftKey && !selection.ids.has(id)) { selection.set([id]); }
      kind = id ? "move" : "lasso";
    }
    dragged = {
      kind, pointer: event.pointerId, pointerType: event.pointerType, ids: new Set(selection.ids), last: event,
      isAdding: event.shiftKey, from: { x: event.clientX, y: event.clientY }, place, points: [place], isDrag: false,
    };
    event.preventDefault();
    // Keys act on the drawing from now on.
    canvas.focus();
    svg.setPointerCapture(event.pointerId);
  });

  svg.addEventListener("pointermove", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    dragged.last = event;
    dragged.isDrag ||= Math.hypot(event.clientX - dragged.from.x, event.clientY - dragged.from.y) >= tap.length;
    if (dragged.kind === "lasso") { dragged.points.push(timed(event)); }
    // Once for each frame, however many events there are.
    if (dragged.isDrag) { frame ||= requestAnimationFrame(show); }
  });

  function show() {
    frame = 0;
    if (!dragged) { return; }
    const place = canvas.place(dragged.last);
    const way = { x: place.x - dragged.place.x, y: place.y - dragged.place.y };
    if (dragged.kind === "lasso") {
      if (!lasso.isConnected) { svg.append(lasso); }
      return lasso.setAttribute("d", `M${dragged.points.map(({ x, y }) => `${x} ${y}`).join("L")}Z`);
    }
    if (["move", "moveState"].includes(dragged.kind)) {
      if (!dragged.preview) {
        dragged.preview = previewMoves(editor, dragged.ids);
        editor.panel.setMoving(true);
      }
      dragged.preview.show(way);
    }
    const [handle] = svg.querySelectorAll(`[data-handle=${dragged.kind}]`);
    handle?.setAttribute("cx", place.x);
    handle?.setAttribute("cy", place.y);
  }

  /// Ends dragging, and draws everything where the document has it.
  function end() {
    const { preview } = dragged;
    dragged = null;
    lasso.remove();
    preview?.end();
    editor.panel.setMoving(false);
    canvas.draw();
  }

  for (const lost of ["pointercancel", "lostpointercapture"]) {
    svg.addEventListener(lost, (event) => { if (dragged?.pointer === event.pointerId) { end(); } });
  }
  svg.addEventListener("pointerup", async (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    const { kind, ids, isAdding, isDrag, place: from, points, preview } = dragged;
    const place = canvas.place(event);
    if (!isDrag) {
      end();
      return editor.gestures.selectAt({ ...place, time: performance.timeOrigin + event.timeStamp }, isAdding);
    }
    if (kind === "lasso") {
      end();
      const found = inside(points);
      if (!found.length) { editor.hint.afterSelecting(points); }
      return selection.set([...isAdding ? ids : [], ...found]);
    }
    const way = { x: place.x - from.x, y: place.y - from.y };
    const [element] = selection.elements();
    // It stays where it was dropped until the server has moved it.
    [dragged, frame] = [null, 0];
    await changes.command(...commandOf(kind, element, ids, place, way));
    preview?.end();
    editor.panel.setMoving(false);
    canvas.draw();
  });

  /// The command that does what a drag shows, and its values.
  function commandOf(kind, element, ids, place, way) {
    const { center, id, isLoop } = element;
    if (kind === "resizeState") {
      const far = Math.hypot(place.x - center.x, place.y - center.y);
      return [kind, { id, radius: Math.max(1, far - canvas.handleDistance / editor.view.zoom) }];
    }
    if (kind === "move" && ids.size > 1) { return [kind, { ids: [...ids], place: way }]; }
    if (kind === "moveState" || kind === "move" && center) {
      return ["moveState", { id, place: { x: center.x + way.x, y: center.y + way.y } }];
    }
    return [kind === "move" ? (isLoop ? "turnLoop" : "bend") : kind, { id, place }];
  }

  /// The ids of the elements inside a line around them.
  function inside(points) {
    const isIn = ({ x, y }) => points.reduce((odd, a, index) => {
      const b = points[(index + 1) % points.length];
      const crosses = (a.y > y) !== (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
      return crosses ? !odd : odd;
    }, false);
    const { states, transitions } = editor.picture;
    return [
      ...states.filter(({ center }) => isIn(center)), ...transitions.filter(({ handle }) => isIn(handle)),
    ].map(({ id }) => id);
  }

  return {
    /// Lets go of elements that were deleted while they are dragged.
    letGoOf(isThere) { if (dragged && dragged.kind !== "lasso" && ![...dragged.ids].every(isThere)) { end(); } },
    /// Drops what a finger drags, because a pen came or a second finger.
    cancel(pointerType = undefined) {
      if (dragged && (!pointerType || dragged.pointerType === pointerType)) { end(); }
    },
  };
}
