// The page Edit: wires the parts in the folder `edit`.

import { $ } from "./elements.js";
import { makeCanvas } from "./edit/canvas.js";
import { makeChanges } from "./edit/changes.js";
import { makeFiles } from "./edit/files.js";
import { makeGestures } from "./edit/gestures.js";
import { makeInspector } from "./edit/inspector.js";
import { beginKeyboard } from "./edit/keyboard.js";
import { makeReading } from "./edit/reading.js";
import { makeRunner } from "./edit/runner.js";

export async function beginEditing(constants) {
  /// What all parts share. Each part gets it, and becomes a member of it for the others.
  const editor = {
    constants,
    /// The document as the server sent it, or null before the first one.
    picture: null,
    /// Whether the document was deleted elsewhere.
    isGone: false,
    /// The id of the selected element.
    selected: null,
    /// The visible part of the paper: its top left corner, and screen points per canvas point.
    view: { x: 0, y: 0, zoom: 1 },
    /// The run of a word as the server sent it, and the step that is shown.
    run: null,
    step: 0,
    show,
  };
  editor.canvas = makeCanvas(editor);
  editor.changes = makeChanges(editor);
  editor.runner = makeRunner(editor);
  editor.inspector = makeInspector(editor);
  editor.gestures = makeGestures(editor);
  editor.reading = makeReading(editor);
  editor.files = makeFiles(editor);
  beginKeyboard(editor);

  /// Shows a document, or a newer version of it.
  function show(next) {
    const { canvas, gestures, inspector, run, runner } = editor;
    // The offer to convert a stroke ends with the next change.
    if (!next.decision && next.version !== editor.picture?.version) { inspector.forgetDecision(); }
    editor.picture = next;
    const isThere = (id) => [...next.states, ...next.transitions].some((e) => e.id === id);
    if (editor.selected && !isThere(editor.selected)) { editor.selected = null; }
    gestures.letGoOf(isThere);
    if (run && (run.version !== next.version || run.name !== next.name)) { runner.end(); }
    canvas.draw();
    if (next.decision) { inspector.showDecision(next.decision); }
    $("edit-undo").disabled = !next.canUndo;
    $("edit-redo").disabled = !next.canRedo;
    $("edit-empty").hidden = next.states.length + next.transitions.length + next.ink.length > 0;
    inspector.show();
    editor.reading.show();
  }

  $("edit-undo").addEventListener("click", () => editor.changes.change("undo"));
  $("edit-redo").addEventListener("click", () => editor.changes.change("redo"));
  $("edit-clear").addEventListener("click", () => editor.changes.command("clear", {}));
  await editor.files.openLast();
  return () => { if (!editor.picture) { editor.files.openLast(); } };
}
