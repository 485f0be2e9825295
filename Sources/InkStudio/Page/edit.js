// The page Edit: wires the parts in the folder `edit`.

import { $ } from "./elements.js";
import { makeCanvas } from "./edit/canvas.js";
import { makeChanges } from "./edit/changes.js";
import { makeCompare } from "./edit/compare.js";
import { makeConsent } from "./edit/consent.js";
import { beginConvert } from "./edit/convert.js";
import { makeDecision } from "./edit/decision.js";
import { makeDragging } from "./edit/dragging.js";
import { makeFiles } from "./edit/files.js";
import { makeGestures } from "./edit/gestures.js";
import { makeHint } from "./edit/hint.js";
import { makeInspector } from "./edit/inspector.js";
import { makeIssues } from "./edit/issues.js";
import { beginKeyboard } from "./edit/keyboard.js";
import { makeKind } from "./edit/kind.js";
import { makeKeys } from "./edit/keys.js";
import { beginLinks } from "./edit/link.js";
import { makeLabel } from "./edit/label.js";
import { makePanel } from "./edit/panel.js";
import { makePaper } from "./edit/paper.js";
import { makePhotograph } from "./edit/photograph.js";
import { makePresenter } from "./edit/presenter.js";
import { makeReading } from "./edit/reading.js";
import { makeRunner } from "./edit/runner.js";
import { makeSelection } from "./edit/selection.js";
import { makeTaken } from "./edit/taken.js";
import { makeTools } from "./edit/tools.js";
import { beginTouch } from "./edit/touch.js";
import { makeWords } from "./edit/words.js";

export async function beginEditing(constants) {
  /// What all parts share. Each part gets it, and becomes a member of it for the others.
  const editor = {
    constants,
    /// The document as the server sent it, or null before the first one.
    picture: null,
    /// Whether the document was deleted elsewhere.
    isGone: false,
    /// What the pen does: `pen`, `select`, `erase` or `hand`.
    tool: "pen",
    /// The visible part of the paper: its top left corner, and screen points per canvas point.
    view: { x: 0, y: 0, zoom: 1 },
    /// The run of a word as the server sent it, and the step that is shown.
    run: null,
    step: 0,
    show,
  };
  editor.canvas = makeCanvas(editor);
  editor.hint = makeHint(editor);
  editor.photograph = makePhotograph(editor);
  editor.consent = makeConsent(editor);
  editor.changes = makeChanges(editor);
  editor.selection = makeSelection(editor);
  editor.tools = makeTools(editor);
  editor.compare = makeCompare(editor);
  editor.kind = makeKind(editor);
  editor.runner = makeRunner(editor);
  editor.keys = makeKeys(editor);
  editor.words = makeWords(editor);
  editor.inspector = makeInspector(editor);
  editor.issues = makeIssues(editor);
  editor.decision = makeDecision(editor);
  editor.taken = makeTaken(editor);
  editor.label = makeLabel(editor);
  editor.panel = makePanel(editor);
  editor.paper = makePaper(editor);
  editor.gestures = makeGestures(editor);
  editor.dragging = makeDragging(editor);
  editor.reading = makeReading(editor);
  editor.files = makeFiles(editor);
  editor.presenter = makePresenter(editor);
  beginConvert(editor);
  beginKeyboard(editor);
  beginTouch(editor);

  /// Shows a document, or a newer version of it. Returns the ids of the elements that are new.
  function show(next) {
    const { canvas, decision, dragging, run, runner, selection, words } = editor;
    const isNew = next.version !== editor.picture?.version || next.name !== editor.picture?.name;
    // The offer to convert a stroke ends with the next change.
    if (!next.decision && isNew) { decision.forget(); }
    editor.picture = next;
    const there = new Set([...next.states, ...next.transitions].map(({ id }) => id));
    selection.keep((id) => there.has(id));
    dragging.letGoOf((id) => there.has(id));
    if (run && (run.version !== next.version || run.name !== next.name)) { runner.end(); }
    if (isNew) {
      words.forget();
      editor.compare.end();
    }
    editor.inspector.show();
    const fresh = canvas.draw();
    if (next.decision) { decision.show(next.decision); }
    editor.changes.showWaiting();
    $("edit-empty").hidden = next.states.length + next.transitions.length + next.ink.length > 0;
    editor.photograph.show();
    editor.kind.show();
    editor.issues.show();
    editor.keys.show();
    editor.consent.passOver();
    editor.reading.show();
    editor.taken.show();
    editor.presenter.tell();
    return fresh;
  }

  $("edit-undo").addEventListener("click", () => editor.changes.change("undo"));
  $("edit-redo").addEventListener("click", () => editor.changes.change("redo"));
  $("edit-clear").addEventListener("click", () => editor.changes.command("clear", {}));
  $("help-open").addEventListener("click", () => $("help").showModal());
  await editor.files.openLast();
  const openLinked = beginLinks(editor);
  await openLinked().catch(() => {});
  return () => {
    if (!editor.picture) { editor.files.openLast(); }
    openLinked().catch(() => {});
  };
}
