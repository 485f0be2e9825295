// Keys: selecting, moving and changing elements, and the page's shortcuts.

import { $ } from "../elements.js";

/// How far an arrow key moves an element, in canvas points; the second with Shift.
const steps = { usual: 20, small: 2 };

export function beginKeyboard(editor) {
  const { canvas, changes, gestures, inspector } = editor;
  const { command } = changes;

  /// Adds a state in the middle, beside the existing states.
  function addState() {
    const { view, constants } = editor;
    const box = canvas.svg.getBoundingClientRect();
    const radius = constants.stateRadius;
    let x = view.x + box.width / view.zoom / 2;
    const y = view.y + box.height / view.zoom / 2;
    const { states } = editor.picture;
    while (states.some((s) => Math.hypot(s.center.x - x, s.center.y - y) < s.radius + radius)) {
      x += 3 * radius;
    }
    command("addState", { place: { x, y } });
  }

  function selectNext(step) {
    const all = [...editor.picture.states, ...editor.picture.transitions];
    if (!all.length) { return; }
    const at = all.findIndex((element) => element.id === editor.selected);
    inspector.select(all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length].id);
  }

  function move(element, dx, dy) {
    if (!element) { return; }
    const from = element.center ?? element.handle;
    const kind = element.center ? "moveState" : element.isLoop ? "turnLoop" : "bend";
    command(kind, { id: element.id, place: { x: from.x + dx, y: from.y + dy } });
  }

  function press(event) {
    const element = inspector.selectedElement();
    const length = event.shiftKey ? steps.small : steps.usual;
    const remove = () => element && command("delete", { id: element.id });
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const keys = {
      Delete: remove,
      Backspace: remove,
      Escape: () => inspector.select(null),
      Enter: inspector.editText,
      F2: inspector.editText,
      e: () => gestures.toggleEraser(!$("edit-erase").checked),
      n: () => selectNext(event.shiftKey ? -1 : 1),
      s: addState,
      f: () => element?.center && command("setFinal", { id: element.id, value: !element.isFinal }),
      i: () => element?.center && command("setInitial", { id: element.id, value: !element.isInitial }),
      r: () => element && !element.center && command("flip", { id: element.id }),
      w: () => $("run-word").focus(),
      ".": () => $("step-on").click(),
      ",": () => $("step-back").click(),
      "+": () => $("zoom-in").click(),
      "-": () => $("zoom-out").click(),
      0: () => $("zoom-fit").click(),
    };
    const action = arrows[event.key]
      ? () => move(element, arrows[event.key][0] * length, arrows[event.key][1] * length)
      : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) { return; }
    event.preventDefault();
    action();
  }

  $("edit-add").addEventListener("click", addState);
  document.addEventListener("keydown", (event) => {
    if ($("edit").hidden || !editor.picture) { return; }
    const isTyping = event.target.matches("input:not([type=checkbox]), select");
    if (isTyping && event.key === "Escape") { canvas.svg.focus(); }
    if (isTyping || event.altKey) { return; }
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "z") {
        event.preventDefault();
        changes.change(event.shiftKey ? "redo" : "undo");
      }
    } else if (event.key !== "Enter" || event.target === canvas.svg || event.target === document.body) {
      press(event);
    }
  });
}
