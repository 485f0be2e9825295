// Edits the name of a state, or the symbols of a transition, on the drawing.

import { $ } from "../elements.js";
import { describe } from "./names.js";

/// The least width of the field, in pixels.
const leastWidth = 72;

export function makeLabel(editor) {
  const [form, input, problem] = [$("label-form"), $("label-input"), $("label-problem")];
  let id = null;
  let before = "";

  const element = () => [...editor.picture.states, ...editor.picture.transitions].find((e) => e.id === id);

  /// Puts the field where the text is.
  function place() {
    if (id === null) { return; }
    const edited = element();
    if (!edited) { return close(); }
    const at = editor.canvas.onScreen(edited.center ?? edited.label);
    const box = editor.canvas.svg.getBoundingClientRect();
    const width = Math.max(leastWidth, 12 * (input.value.length + 2));
    input.style.width = `${Math.min(width, box.width - 16)}px`;
    const half = form.offsetWidth / 2;
    form.style.left = `${Math.min(Math.max(at.x - box.left, half + 8), box.width - half - 8)}px`;
    form.style.top = `${Math.min(Math.max(at.y - box.top, 24), box.height - 40)}px`;
  }

  /// Opens the field for the selected element. The old text is selected, so that typing replaces it.
  function open() {
    const edited = editor.selection.element();
    if (!edited || edited.isInitialMarker) { return; }
    ({ id } = edited);
    before = edited.center ? edited.name : edited.typed;
    form.hidden = false;
    problem.hidden = true;
    input.setAttribute("aria-label", `${edited.center ? "Name" : "Symbols"} of ${describe(editor.picture, edited)}`);
    const { label, state } = editor.kind.now();
    input.placeholder = edited.center ? state : label;
    input.value = before;
    editor.canvas.renderer.mark("edited", new Set([id]));
    editor.panel.place();
    place();
    input.focus({ preventScroll: true });
    input.select();
  }

  function close() {
    id = null;
    form.hidden = true;
    editor.canvas.renderer.mark("edited", new Set());
    editor.panel.place();
  }

  /// Sends the text. If it cannot be understood and `stays`, the field says why and stays open.
  async function commit(stays) {
    const [edited, text] = [element(), input.value];
    if (!edited || text === before) { return close(); }
    const kind = edited.center ? "rename" : "setSymbols";
    if (!stays) { close(); }
    const answer = await editor.changes.command(kind, { id: edited.id, text }, stays ? problem : undefined);
    if (stays && id === edited.id && (answer || problem.hidden)) {
      close();
      editor.canvas.focus();
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    commit(true);
  });
  input.addEventListener("input", place);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") { return; }
    event.stopPropagation();
    close();
    editor.canvas.focus();
  });
  input.addEventListener("blur", () => { if (id !== null) { commit(false); } });

  return { open, place, get isOpen() { return id !== null; } };
}
