// Compares the document with another one, and steps through the shortest word that only one accepts.

import { $ } from "../elements.js";
import { ask } from "../server.js";
import { address } from "./changes.js";
import { extent, makeRenderer } from "./render.js";

/// The space around the other drawing, in canvas points.
const margin = 30;

export function makeCompare(editor) {
  const renderer = makeRenderer($("compare-drawing"), editor.constants);
  let other = null;

  function end() {
    other = null;
    $("compare").hidden = true;
  }

  /// Shows the states of the other automaton after as many symbols.
  function show(step) {
    if (!other) { return; }
    const { states, transitions } = other.steps[Math.min(step, other.steps.length - 1)];
    renderer.mark("lit", new Set([...states, ...transitions]));
  }

  /// Compares with the document of that name.
  async function compare(name) {
    const { runs, missing } = await editor.changes.askingWhole(`compare?with=${encodeURIComponent(name)}`, "POST");
    const picture = await ask(address(name));
    const without = missing.length ? ` This is without what is missing: ${missing.join("; ")}.` : "";
    editor.runner.end();
    $("compare").hidden = false;
    $("compare-title").textContent = name;
    renderer.show(picture);
    const { x, y, width, height } = extent(picture, margin) ?? { x: 0, y: 0, width: 1, height: 1 };
    $("compare-drawing").setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    renderer.mark("lit", new Set());
    if (!runs.length) {
      $("compare-said").textContent = `Both automata accept the same words.${without}`;
      return;
    }
    const [mine, theirs] = runs;
    const word = mine.symbols.length ? `“${mine.symbols.join(mine.symbols.some((s) => s.length > 1) ? " " : "")}”`
      : "the empty word";
    $("compare-said").textContent = `The shortest difference is ${word}: only ${
      mine.isAccepted ? `“${editor.picture.name}”` : `“${name}”`} accepts it. Step through it.${without}`;
    other = theirs;
    editor.runner.setOpen(true);
    editor.runner.show(mine);
  }

  $("compare-close").addEventListener("click", () => {
    end();
    editor.canvas.look();
  });
  return { compare, end, show };
}
