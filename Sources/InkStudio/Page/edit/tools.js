// The tools: what the pen, a finger or the mouse does on the drawing.

import { $ } from "../elements.js";

export function makeTools(editor) {
  const buttons = [...$("edit-tools").querySelectorAll("[data-tool]")];

  /// Chooses a tool.
  function choose(tool) {
    editor.tool = tool;
    editor.canvas.svg.dataset.tool = tool;
    for (const button of buttons) { button.setAttribute("aria-pressed", button.dataset.tool === tool); }
    $("edit-attached-label").hidden = tool !== "erase";
    if (editor.picture) { editor.canvas.look(); }
  }

  for (const button of buttons) { button.addEventListener("click", () => choose(button.dataset.tool)); }
  choose("pen");
  return { choose };
}
