// Lets a stroke turn into the element that it became.

import { shape } from "../elements.js";

/// How long it takes, in milliseconds, and how many points of the stroke and of the element are compared.
const duration = 160;
const points = 60;

const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/// Moves the points of a stroke to the nearest points of a new element, and fades it out.
export function morph(editor, stroke, id) {
  const { svg, renderer } = editor.canvas;
  const outline = renderer.group(id)?.querySelector(".target");
  if (isStill.matches || !outline || outline.getTotalLength === undefined) { return; }
  const length = outline.getTotalLength();
  const targets = Array.from({ length: points }, (_, i) => outline.getPointAtLength(length * i / (points - 1)));
  const step = Math.max(1, Math.floor(stroke.length / points));
  const pairs = stroke.filter((_, index) => index % step === 0).map(([x, y]) => {
    let nearest = targets[0];
    for (const t of targets) {
      if (Math.hypot(t.x - x, t.y - y) < Math.hypot(nearest.x - x, nearest.y - y)) { nearest = t; }
    }
    return [x, y, nearest.x, nearest.y];
  });
  const ghost = shape("path", { class: "ghost" });
  svg.append(ghost);
  const start = performance.now();
  function frame(now) {
    const t = Math.min(1, Math.max(0, (now - start) / duration));
    const share = 1 - (1 - t) ** 3;
    ghost.setAttribute("d", `M${pairs.map(
      ([x, y, tx, ty]) => `${x + (tx - x) * share} ${y + (ty - y) * share}`).join("L")}`);
    ghost.style.opacity = 1 - t;
    if (t < 1) { requestAnimationFrame(frame); } else { ghost.remove(); }
  }
  frame(start);
}
