// Draws a document in an SVG. Only what has changed is drawn again.

import { shape } from "../elements.js";

/// Makes the drawing of documents in `svg`, in front of what it has.
export function makeRenderer(svg, { textSize, lineHeight, indexDrop, indexScale }) {
  const layers = { ink: shape("g", {}), transitions: shape("g", {}), states: shape("g", {}) };
  svg.append(...Object.values(layers));
  /// The group of each element, by its id, and what it shows.
  const groups = new Map();
  let inkShown = "";

  /// The lines of a label below each other, centred at a point.
  const label = ({ x, y }, lines) => lines.map((parts, number) => text(
    { x, y: y + (number - (lines.length - 1) / 2) * lineHeight }, parts));

  /// Text with indices, centred at a point; `parts` are text on the line and indices in turn.
  function text({ x, y }, parts, scale = 1) {
    const size = textSize * scale;
    const element = shape("text", { x, y });
    element.style.fontSize = `${size}px`;
    element.append(...parts.map((part, number) => {
      const span = shape("tspan", {}, part);
      const isIndex = number % 2 === 1;
      if (number) { span.setAttribute("dy", (isIndex ? 1 : -1) * indexDrop * size); }
      if (isIndex) { span.style.fontSize = `${indexScale * size}px`; }
      return span;
    }));
    return element;
  }

  function transitionShapes(transition) {
    const shapes = [
      shape("path", { class: "target", d: transition.line }),
      shape("path", { class: `line${transition.isDangling ? " dangling" : ""}`, d: transition.line }),
      shape("path", { class: "line head", d: transition.head }),
    ];
    return [...shapes, ...label(transition.label, transition.lines)];
  }

  function stateShapes({ center, name, radius, rings, shown, textScale }) {
    const at = { cx: center.x, cy: center.y };
    const circles = rings.map((r) => shape("circle", { class: "line", ...at, r }));
    const label = name ? [text(center, shown, textScale)] : [];
    return [shape("circle", { class: "target", ...at, r: radius }), ...circles, ...label];
  }

  /// Shows the elements of one kind, and returns the ids of those that are new.
  function showAll(elements, layer, shapes) {
    const fresh = [];
    for (const element of elements) {
      const content = JSON.stringify(element);
      let group = groups.get(element.id);
      if (!group) {
        group = { g: shape("g", { "data-id": element.id }), layer };
        groups.set(element.id, group);
        layer.append(group.g);
        fresh.push(element.id);
      }
      if (group.content !== content) {
        group.content = content;
        group.g.removeAttribute("transform");
        group.g.replaceChildren(...shapes(element));
      }
    }
    return fresh;
  }

  return {
    layers,
    /// The group of an element.
    group: (id) => groups.get(id)?.g,
    /// Shows a document, and returns the ids of the elements that are new.
    show(picture) {
      const there = new Set([...picture.states, ...picture.transitions].map(({ id }) => id));
      for (const [id, { g }] of groups) {
        if (!there.has(id)) {
          g.remove();
          groups.delete(id);
        }
      }
      const ink = picture.ink.join();
      if (ink !== inkShown) {
        inkShown = ink;
        layers.ink.replaceChildren(...picture.ink.map((d) => shape("path", { class: "ink", d })));
      }
      return [
        ...showAll(picture.transitions, layers.transitions, transitionShapes),
        ...showAll(picture.states, layers.states, stateShapes),
      ];
    },
    /// Draws elements again as the document has them, after they were moved on the page.
    restore(ids) {
      for (const id of ids) { if (groups.has(id)) { groups.get(id).content = null; } }
    },
    /// Marks the groups of the elements in a set with a class.
    mark(name, ids) {
      for (const g of svg.querySelectorAll(`g.${name}`)) {
        if (!ids.has(g.dataset.id)) { g.classList.remove(name); }
      }
      for (const id of ids) { groups.get(id)?.g.classList.add(name); }
    },
  };
}

/// The part of the paper that has all elements of a document: left, top, width and height.
export function extent(picture, margin) {
  const points = [
    ...picture.states.flatMap(({ center: { x, y }, radius: r }) => [{ x: x - r, y: y - r }, { x: x + r, y: y + r }]),
    ...picture.transitions.flatMap(({ label, handle, ends }) => [label, handle, ...ends]),
    ...picture.ink.flatMap(pointsOf),
  ];
  if (!points.length) { return null; }
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  // Ink can have more points than a call can have arguments.
  const least = (values) => values.reduce((a, b) => Math.min(a, b));
  const most = (values) => values.reduce((a, b) => Math.max(a, b));
  const [x, y] = [least(xs) - margin, least(ys) - margin];
  return { x, y, width: most(xs) + margin - x, height: most(ys) + margin - y };
}

/// The points of a path with straight lines.
export const pointsOf = (line) => [...line.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(
  ([, x, y]) => ({ x: Number(x), y: Number(y) }));
