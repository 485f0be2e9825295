// The kind of the document: finite automaton, Moore, Mealy, pushdown or Turing; and the steps of a machine.

import { $ } from "../elements.js";
import { closeMenu } from "../menus.js";

/// How many cells of a tape or symbols of a stack are shown.
const most = 41;

export function makeKind(editor) {
  const { kinds } = editor.constants;
  const select = $("edit-kind");
  select.append(...kinds.map(({ name, title }) => new Option(title, name)));
  select.addEventListener("change", () => {
    closeMenu("document-menu");
    editor.changes.command("setKind", { text: select.value });
  });

  const now = () => kinds.find(({ name }) => name === editor.picture.kind);

  return {
    now,
    /// Shows the kind of the document, and why it has no conversions.
    show() {
      const { name, refusal } = now();
      select.value = name;
      $("convert-refusal").hidden = !refusal;
      $("convert-refusal").textContent = refusal ?? "";
      const conversions = [...$("convert-one").children, ...$("convert-two").children,
        $("convert-compare"), $("expression-show")];
      for (const button of conversions) { button.disabled = Boolean(refusal); }
      $("alphabet-form").hidden = Boolean(refusal);
      $("accepted").hidden = Boolean(refusal);
    },
  };
}

/// The cells and the stack or output of a step; null for a finite automaton.
export function machineStep({ symbols, steps }, step) {
  const { output, position, stack, tape } = steps[step];
  if (position === undefined) { return null; }
  if (!tape) {
    const memory = stack === undefined ? `Output: ${output || "ε"}`
      : `Stack: ${stack ? stack.slice(0, most) : "empty"}${stack.length > most ? "…" : ""}`;
    return { cells: symbols.map((text, index) => [text, index < position ? "read" : index === position ? "now" : ""]), memory };
  }
  const half = Math.floor(most / 2);
  const [left, right] = [[...tape.left], [...tape.right]];
  const cells = [
    ...left.length > half ? [["…", ""]] : [], ...left.slice(-half).map((text) => [text, ""]), [tape.head, "now"],
    ...right.slice(0, half).map((text) => [text, ""]), ...right.length > half ? [["…", ""]] : []];
  return { cells, memory: "" };
}
