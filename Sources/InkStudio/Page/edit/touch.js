// Explains why a finger does nothing while a pen is near.

import { $ } from "../elements.js";
import { forgetPen, isPalm, isPenDown } from "../ink.js";

/// How long after a touch the pen may come, which makes the touch a palm, in milliseconds.
const patience = 600;

export function beginTouch(editor) {
  const box = $("edit-hint");
  let last = 0;

  function explain() {
    if (isPenDown() || box.children.length) { return; }
    const said = document.createElement("span");
    said.textContent = "A pen is near, so a finger does nothing.";
    const button = document.createElement("button");
    button.textContent = "Draw with finger";
    button.addEventListener("click", () => {
      forgetPen();
      box.replaceChildren();
    });
    box.replaceChildren(said, button);
  }

  const { svg } = editor.canvas;
  svg.addEventListener("pointerdown", (event) => {
    box.replaceChildren();
    if (!isPalm(event) || isPenDown()) { return clearTimeout(last); }
    clearTimeout(last);
    last = setTimeout(explain, patience);
  });
}
