// The page of the audience: shows the document and the step that the presenter shows.

import { $ } from "./elements.js";
import { ask, complain, listen } from "./server.js";
import { extent, makeRenderer } from "./edit/render.js";

/// The space around the drawing, in canvas points.
const margin = 30;
/// The smallest part of the paper that is shown, so that a single state does not fill the window.
const least = { width: 640, height: 420 };

const svg = $("watch-drawing");
let renderer = null;
const hear = listen($("watch"), (change) => follow(change).catch(() => {}), {}, () => complain(
  "The presentation cannot be followed any more. Ask the presenter for a new link.", $("problem"), begin));
/// What the server sent last: the slide with its run, and the number of the change.
let slide = { number: -1 };
/// The last answer wins, and not the last one that arrives.
let turn = 0;

function showStep(step) {
  const { run } = slide;
  $("watch-run").hidden = !run;
  if (!run) { return renderer.mark("lit", new Set()); }
  const { states, transitions } = run.steps[Math.min(step, run.steps.length - 1)];
  renderer.mark("lit", new Set([...states, ...transitions]));
  $("watch-tape").replaceChildren(...run.symbols.map((symbol, index) => {
    const cell = document.createElement("span");
    cell.textContent = symbol;
    cell.className = index < step ? "read" : index === step ? "now" : "";
    return cell;
  }));
  const isOver = step >= run.symbols.length;
  $("watch-step").textContent = `${step} of ${run.symbols.length} symbols read.${
    !isOver ? "" : run.isAccepted ? " Accepted." : ` Rejected: ${run.reason}`}`;
  $("watch-step").className = !isOver ? "" : run.isAccepted ? "accepted" : "rejected";
}

/// Shows what is presented; `change` is the number of the change and the step.
async function follow(change) {
  if (change.number === slide.number) { return showStep(change.step); }
  turn += 1;
  const mine = turn;
  const next = await ask("/api/presentation");
  const picture = next.name ? await ask("/api/presentation/document") : null;
  if (mine !== turn) { return; }
  slide = next;
  $("watch-title").textContent = next.name ?? "Presentation";
  svg.toggleAttribute("hidden", !picture);
  $("watch-none").hidden = Boolean(picture);
  if (picture) {
    renderer.show(picture);
    const whole = extent(picture, margin) ?? { x: 0, y: 0, ...least };
    const [width, height] = [Math.max(whole.width, least.width), Math.max(whole.height, least.height)];
    svg.setAttribute("viewBox",
      `${whole.x - (width - whole.width) / 2} ${whole.y - (height - whole.height) / 2} ${width} ${height}`);
  }
  showStep(next.step);
}

async function begin() {
  let constants;
  try { constants = await ask("/api/constants", "GET", undefined, { retry: begin }); } catch { return; }
  const { style } = document.documentElement;
  style.setProperty("--line-width", constants.lineWidth);
  style.setProperty("--halo-width", constants.haloWidth);
  style.setProperty("--dashes", constants.dashes.join(" "));
  renderer ??= makeRenderer(svg, constants);
  slide = { number: -1 };
  hear("/api/presentation/changes");
}

// The cookie replaces the key, which does not stay in the address.
history.replaceState(null, "", location.pathname);
begin();
