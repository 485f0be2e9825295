// Keys: selecting, moving and changing elements, and the page's shortcuts.

import { $ } from "../elements.js";

/// How far an arrow key moves an element, in canvas points; the second with Shift.
const steps = { usual: 20, small: 2 };
/// What browsers call the keys of letters that are composed of several keys.
const composed = ["Dead", "Process", "Unidentified"];

export function beginKeyboard(editor) {
  const { canvas, changes, label, selection, tools } = editor;
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

  function move(dx, dy) {
    const element = selection.element();
    if (!element) {
      const ids = [...selection.ids];
      return ids.length ? command("move", { ids, place: { x: dx, y: dy } }) : undefined;
    }
    const from = element.center ?? element.handle;
    const kind = element.center ? "moveState" : element.isLoop ? "turnLoop" : "bend";
    command(kind, { id: element.id, place: { x: from.x + dx, y: from.y + dy } });
  }

  function leave() {
    if (editor.presenter.isOn && !selection.ids.size) { return editor.presenter.end(); }
    selection.set([]);
  }

  const set = (kind, property) => {
    const element = selection.element();
    if (element?.center) { command(kind, { id: element.id, value: !element[property] }); }
  };
  const flip = () => {
    const element = selection.element();
    if (element && !element.center) { command("flip", { id: element.id }); }
  };
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  /// Keys that no text has.
  const named = {
    Delete: () => selection.ids.size && selection.remove(),
    Backspace: () => selection.ids.size && selection.remove(),
    Escape: leave,
    Enter: () => label.open(),
    F2: () => label.open(),
    PageDown: () => selection.next(1),
    PageUp: () => selection.next(-1),
  };
  const letters = {
    p: () => tools.choose("pen"), v: () => tools.choose("select"), e: () => tools.choose("erase"),
    h: () => tools.choose("hand"),
    n: (event) => selection.next(event.shiftKey ? -1 : 1),
    s: addState,
    f: () => set("setFinal", "isFinal"),
    i: () => set("setInitial", "isInitial"),
    r: flip,
    w: () => editor.runner.open(),
    "?": () => $("help").showModal(),
    ".": () => $("step-on").click(),
    ",": () => $("step-back").click(),
    "+": () => canvas.zoomBy(1.25),
    "-": () => canvas.zoomBy(0.8),
    0: () => canvas.fit(),
  };
  const withControl = {
    z: (event) => changes.change(event.shiftKey ? "redo" : "undo"),
    a: selection.selectAll, c: selection.copy, d: selection.duplicate,
    x: async () => {
      await selection.copy();
      selection.remove();
    },
  };

  function press(event) {
    const length = event.shiftKey ? steps.small : steps.usual;
    if (arrows[event.key] && !event.altKey) { return () => move(...arrows[event.key].map((way) => way * length)); }
    if (named[event.key]) { return named[event.key]; }
    // Letters are the text of the selected element; with Alt they are keys. The field takes the letter, also
    // one that is composed of several keys.
    if (event.key === " ") { return undefined; }
    if (!event.altKey && selection.element() && (event.key.length === 1 || composed.includes(event.key))) {
      label.open();
      return undefined;
    }
    if (event.key.length !== 1) { return undefined; }
    const key = event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3) : event.key;
    return letters[key.toLowerCase()];
  }

  $("edit-add").addEventListener("click", addState);
  document.addEventListener("keydown", (event) => {
    if ($("edit").hidden || !editor.picture || document.querySelector("dialog[open], .menu:popover-open")) { return; }
    const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
    const isOnDrawing = event.target === canvas.svg || event.target === document.body;
    if (isTyping && event.key === "Escape") { canvas.focus(); }
    if (isTyping || !isOnDrawing && ["Enter", "Escape", " "].includes(event.key)) { return; }
    const key = event.key.toLowerCase();
    const action = !(event.ctrlKey || event.metaKey) ? press(event)
      // Beside the drawing, the other keys are about text.
      : isOnDrawing || key === "z" ? withControl[key] : undefined;
    if (!action) { return; }
    event.preventDefault();
    action(event);
  });
}
