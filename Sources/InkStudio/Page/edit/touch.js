// Explains why a finger does nothing while a pen is near.

import { forgetPen, isPalm, isPenDown } from "../ink.js";

/// How long after a touch the pen may come, which makes the touch a palm, in milliseconds.
const patience = 600;

export function beginTouch(editor) {
  const { hint } = editor;
  let last = 0;

  function explain() {
    if (isPenDown() || hint.isShown) { return; }
    hint.show("A pen is near, so a finger does nothing.", "Draw with finger", forgetPen);
  }

  const { svg } = editor.canvas;
  svg.addEventListener("pointerdown", (event) => {
    hint.forget();
    if (!isPalm(event) || isPenDown()) { return clearTimeout(last); }
    clearTimeout(last);
    last = setTimeout(explain, patience);
  });
}
