// Says what a reading changed of what was accepted before, and takes it back on request.

import { $ } from "../elements.js";

/// How many changes are listed.
const most = 3;

export function makeTaken(editor) {
  const box = $("edit-taken");
  const undo = document.createElement("button");
  undo.textContent = "Undo";
  undo.addEventListener("click", () => {
    hide();
    editor.changes.change("restore");
  });
  const leave = document.createElement("button");
  leave.textContent = "Leave it so";
  leave.addEventListener("click", hide);
  // The document, and the number of its reading that was shown last.
  let seen = { id: null, number: 0 };

  function hide() {
    box.replaceChildren();
    editor.canvas.focus();
  }

  return {
    /// Shows what the last reading changed, until that is undone or left so.
    show() {
      const { id, takenBack } = editor.picture;
      if (id !== seen.id) {
        box.replaceChildren();
        // What was changed long ago is no news to whoever opens the document.
        seen = { id, number: takenBack?.canRestore ? 0 : takenBack?.number ?? 0 };
      }
      undo.hidden = !takenBack?.canRestore;
      if (!takenBack || takenBack.number === seen.number) { return; }
      seen.number = takenBack.number;
      const said = document.createElement("span");
      const { changes } = takenBack;
      const rest = changes.length - most;
      said.textContent = `I changed this: ${changes.slice(0, most).join("; ")}${rest > 0 ? `; ${rest} more` : ""}.`;
      box.replaceChildren(said, undo, leave);
    },
  };
}
