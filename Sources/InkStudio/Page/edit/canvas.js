// Draws the document: states, transitions, handles, and strokes that are not saved yet.

import { $, shape } from "../elements.js";

/// The smallest and the largest number of screen points per canvas point.
const zooms = { least: 0.1, most: 4 };
/// The space around the elements when the drawing is fitted, in canvas points, and the largest zoom then.
const fitted = { margin: 40, zoom: 1.5 };
/// The radius of handles, in pixels.
const handleRadius = { state: 18, other: 11 };

export function makeCanvas(editor) {
  const svg = $("edit-drawing");
  const waiting = shape("path", { class: "waiting" });

  /// Where a pointer is on the paper.
  function place(event) {
    const box = svg.getBoundingClientRect();
    return {
      x: editor.view.x + (event.clientX - box.left) / editor.view.zoom,
      y: editor.view.y + (event.clientY - box.top) / editor.view.zoom,
    };
  }

  function draw() {
    const { picture, view, selected, run } = editor;
    const box = svg.getBoundingClientRect();
    svg.setAttribute("viewBox",
      `${view.x} ${view.y} ${box.width / view.zoom} ${box.height / view.zoom}`);
    const lit = new Set();
    if (run) {
      run.steps[editor.step].states.forEach((id) => lit.add(id));
      run.steps[editor.step].transitions.forEach((id) => lit.add(id));
    }
    const group = (id) => shape("g", {
      "data-id": id, class: [selected === id ? "selected" : "", lit.has(id) ? "lit" : ""].join(" "),
    });
    const lines = picture.transitions.map((transition) => {
      const g = group(transition.id);
      g.append(
        shape("path", { class: "target", d: transition.line }),
        shape("path", { class: `line${transition.isDangling ? " dangling" : ""}`, d: transition.line }),
        shape("path", { class: "line", d: transition.head }));
      if (transition.text) {
        g.append(shape("text", transition.label, transition.text));
      }
      return g;
    });
    const circles = picture.states.map((state) => {
      const g = group(state.id);
      const at = { cx: state.center.x, cy: state.center.y };
      g.append(shape("circle", { class: "target", ...at, r: state.radius }));
      for (const r of state.rings) { g.append(shape("circle", { class: "line", fill: "none", ...at, r })); }
      const text = shape("text", { x: state.center.x, y: state.center.y }, state.name);
      text.style.fontSize = `${editor.constants.textSize * state.textScale}px`;
      g.append(text);
      return g;
    });
    const unsure = new Set(picture.uncertain.map(({ element }) => element));
    for (const g of [...lines, ...circles]) { g.classList.toggle("unsure", unsure.has(g.dataset.id)); }
    const ink = picture.ink.map((d) => shape("path", { class: "ink", d }));
    svg.replaceChildren(...ink, ...lines, ...circles, ...handles(), waiting);
  }

  /// The places at which the selected element can be dragged.
  function handles() {
    const { picture, view, selected } = editor;
    const state = picture.states.find((e) => e.id === selected);
    const transition = picture.transitions.find((e) => e.id === selected);
    const places = [];
    if (state) {
      // Behind the name, and clear of the inner ring that makes a state final.
      places.push(["moveState", state.center, Math.min(handleRadius.state / view.zoom, 0.55 * state.radius)]);
      places.push(["resizeState", { x: state.center.x + state.radius, y: state.center.y }]);
    }
    if (transition) {
      places.push([transition.isLoop ? "turnLoop" : "bend", transition.handle]);
      if (transition.ends.length) {
        places.push(["moveStart", transition.ends[0]], ["moveTip", transition.ends[1]]);
      }
    }
    return places.map(([kind, place, r = handleRadius.other / view.zoom]) => shape("circle", {
      class: "handle", "data-handle": kind, cx: place.x, cy: place.y, r,
    }));
  }

  /// The id of the element at a place on the paper.
  function idAt(point) {
    const under = editor.picture.states.find(
      (s) => Math.hypot(s.center.x - point.x, s.center.y - point.y) <= s.radius);
    if (under) { return under.id; }
    const probe = svg.createSVGPoint();
    [probe.x, probe.y] = [point.x, point.y];
    let id = null;
    for (const g of svg.querySelectorAll("g[data-id]")) {
      if (g.querySelector("path.target")?.isPointInStroke(probe)) { id = g.dataset.id; }
    }
    return id;
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
    draw();
  }

  /// Shows the whole drawing.
  function fit() {
    const { picture } = editor;
    const box = svg.getBoundingClientRect();
    if (!picture.states.length) {
      editor.view = { x: 0, y: 0, zoom: 1 };
      return draw();
    }
    const xs = picture.states.flatMap((s) => [s.center.x - s.radius, s.center.x + s.radius]);
    const ys = picture.states.flatMap((s) => [s.center.y - s.radius, s.center.y + s.radius]);
    for (const t of picture.transitions) {
      for (const p of [t.label, ...t.ends]) { xs.push(p.x); ys.push(p.y); }
    }
    const [left, top] = [Math.min(...xs) - fitted.margin, Math.min(...ys) - fitted.margin];
    const width = Math.max(...xs) + fitted.margin - left;
    const height = Math.max(...ys) + fitted.margin - top;
    const zoom = Math.min(fitted.zoom, box.width / width, box.height / height);
    editor.view = {
      zoom, x: left - (box.width / zoom - width) / 2, y: top - (box.height / zoom - height) / 2,
    };
    draw();
  }

  $("zoom-in").addEventListener("click", () => zoomBy(1.25));
  $("zoom-out").addEventListener("click", () => zoomBy(0.8));
  $("zoom-fit").addEventListener("click", fit);
  new ResizeObserver(() => { if (editor.picture) { draw(); } }).observe(svg);

  return {
    svg, place, draw, idAt, showWaiting, limited, zoomBy, fit,
    /// Makes keys act on the drawing.
    focus: () => svg.focus({ preventScroll: true }),
  };
}
