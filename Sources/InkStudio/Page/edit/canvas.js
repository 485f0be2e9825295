// The visible part of the paper: the drawing, the handles of the selection, zoom, and where things are.

import { $, shape } from "../elements.js";
import { extent, makeRenderer, pointsOf } from "./render.js";

/// The smallest and the largest number of screen points per canvas point.
const zooms = { least: 0.1, most: 4 };
/// The space around the elements when the drawing is fitted, in canvas points, and the largest zoom then.
const fitted = { margin: 40, zoom: 1.5 };
/// The radius of handles, and how far the handles of a state are outside of it, in pixels.
const handle = { radius: 11, distance: 16 };
/// How near a tap has to be to ink, in pixels.
const inkReach = 14;

export function makeCanvas(editor) {
  const svg = $("edit-drawing");
  const renderer = makeRenderer(svg, editor.constants);
  const waiting = shape("path", { class: "waiting" });
  const handleLayer = shape("g", { class: "handles" });
  svg.append(waiting, handleLayer);
  let size = svg.getBoundingClientRect();

  /// Where a pointer is on the paper.
  function place(event) {
    const box = svg.getBoundingClientRect();
    return {
      x: editor.view.x + (event.clientX - box.left) / editor.view.zoom,
      y: editor.view.y + (event.clientY - box.top) / editor.view.zoom,
    };
  }

  /// Where a place on the paper is in the window.
  function onScreen({ x, y }) {
    const box = svg.getBoundingClientRect();
    const { view } = editor;
    return { x: box.left + (x - view.x) * view.zoom, y: box.top + (y - view.y) * view.zoom };
  }

  /// Draws the document as it is now, and returns the ids of the elements that are new.
  function draw() {
    const fresh = renderer.show(editor.picture);
    mark();
    look();
    return fresh;
  }

  /// Marks what is selected, unsure, or part of the step of a run.
  function mark() {
    const { picture, run, selection } = editor;
    const step = run?.steps[editor.step];
    renderer.mark("selected", selection.ids);
    renderer.mark("lit", new Set(step ? [...step.states, ...step.transitions] : []));
    renderer.mark("unsure", new Set(picture.uncertain.map(({ element }) => element)));
    const known = picture.isUnread ? picture.ink.length - picture.refusedCount : 0;
    [...renderer.layers.ink.children].forEach((path, index) => path.classList.toggle("refused", index >= known));
  }

  /// Shows the part of the paper that `editor.view` says.
  function look() {
    const { view } = editor;
    const viewBox = `${view.x} ${view.y} ${size.width / view.zoom} ${size.height / view.zoom}`;
    // The same value would lay out the whole drawing again.
    if (svg.getAttribute("viewBox") !== viewBox) { svg.setAttribute("viewBox", viewBox); }
    handleLayer.replaceChildren(...handles());
    editor.panel?.place();
    editor.label?.place();
  }

  /// The places at which the selected element can be dragged.
  function handles() {
    const { selection, tool, view } = editor;
    const element = selection.isFresh || editor.presenter?.isOn || ["erase", "hand"].includes(tool) ? null : selection.element();
    if (!element) { return []; }
    const places = [];
    if (element.center) {
      // Outside of the ring, so that names are written and arrows begin where they should.
      const far = (element.radius + handle.distance / view.zoom) * Math.SQRT1_2;
      const at = (dx, dy) => ({ x: element.center.x + dx * far, y: element.center.y + dy * far });
      places.push(["moveState", at(-1, 1)], ["resizeState", at(1, 1)]);
    } else {
      places.push([element.isLoop ? "turnLoop" : "bend", element.handle]);
      if (element.ends.length) { places.push(["moveStart", element.ends[0]], ["moveTip", element.ends[1]]); }
    }
    return places.map(([kind, { x, y }]) => shape("circle", {
      class: "handle", "data-handle": kind, cx: x, cy: y, r: handle.radius / view.zoom,
    }));
  }

  /// The id of the element at a place on the paper.
  function idAt(point) {
    const under = editor.picture.states.findLast(
      (s) => Math.hypot(s.center.x - point.x, s.center.y - point.y) <= s.radius);
    if (under) { return under.id; }
    const probe = svg.createSVGPoint();
    [probe.x, probe.y] = [point.x, point.y];
    return editor.picture.transitions.findLast(({ id }) => {
      const [target] = renderer.group(id).children;
      return target.isPointInStroke(probe) || isOnText(id, point);
    })?.id ?? null;
  }

  function isOnText(id, { x, y }) {
    const box = renderer.group(id).querySelector("text")?.getBBox();
    return box && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  }

  /// The path of the ink at a place on the paper.
  function inkAt(point) {
    const reach = inkReach / editor.view.zoom;
    return editor.picture.ink.findLast((line) => pointsOf(line).some(
      (p) => Math.hypot(p.x - point.x, p.y - point.y) <= reach));
  }

  /// Shows strokes that the server has not confirmed; `isLate` marks those that it did not take.
  function showWaiting(strokes, isLate) {
    waiting.setAttribute("d", strokes.map(
      ({ points }) => `M${points.map((p) => p.join(" ")).join("L")}`).join(""));
    waiting.classList.toggle("late", isLate);
  }

  const limited = (zoom) => Math.min(zooms.most, Math.max(zooms.least, zoom));

  /// Zooms around a place in pixels, by default the middle.
  function zoomBy(factor, x, y) {
    const { view } = editor;
    const box = svg.getBoundingClientRect();
    const [sx, sy] = [x ?? box.width / 2, y ?? box.height / 2];
    const next = limited(view.zoom * factor);
    editor.view = {
      x: view.x + sx / view.zoom - sx / next, y: view.y + sy / view.zoom - sy / next, zoom: next,
    };
    look();
  }

  /// Shows the whole drawing, between the menus, the tools and the panels.
  function fit() {
    const whole = extent(editor.picture, fitted.margin);
    const box = svg.getBoundingClientRect();
    if (!whole) {
      editor.view = { x: 0, y: 0, zoom: 1 };
      return look();
    }
    const { left, right, top, bottom } = editor.panel.free();
    const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
    const zoom = limited(Math.min(fitted.zoom, width / whole.width, height / whole.height));
    editor.view = {
      zoom, x: whole.x - (left - box.left) / zoom - (width / zoom - whole.width) / 2,
      y: whole.y - (top - box.top) / zoom - (height / zoom - whole.height) / 2,
    };
    look();
  }

  /// Moves the paper if elements are outside of the window.
  function reveal(elements) {
    const whole = extent({
      states: elements.filter(({ center }) => center), transitions: elements.filter(({ center }) => !center), ink: [],
    }, 0);
    const { view } = editor;
    const [width, height] = [size.width / view.zoom, size.height / view.zoom];
    if (!whole || whole.x >= view.x && whole.y >= view.y && whole.x + whole.width <= view.x + width
      && whole.y + whole.height <= view.y + height) { return; }
    view.x = whole.x + (whole.width - width) / 2;
    view.y = whole.y + (whole.height - height) / 2;
    look();
  }

  $("zoom-in").addEventListener("click", () => zoomBy(1.25));
  $("zoom-out").addEventListener("click", () => zoomBy(0.8));
  $("zoom-fit").addEventListener("click", fit);
  new ResizeObserver(([{ contentRect }]) => {
    size = contentRect;
    if (editor.picture) { look(); }
  }).observe(svg);

  return {
    svg, renderer, place, onScreen, draw, mark, look, idAt, inkAt, showWaiting, limited, zoomBy, fit, reveal,
    handleDistance: handle.distance,
    /// Makes keys act on the drawing.
    focus: () => svg.focus({ preventScroll: true }),
  };
}
