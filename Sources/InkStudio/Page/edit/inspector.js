// The properties of the selected elements, as fields and buttons.

import { $ } from "../elements.js";
import { nameless } from "./names.js";

/// What can be done with several states, and what the buttons say.
const arrangements = {
  row: "Align in row", column: "Align in column", spreadAcross: "Spread across", spreadDown: "Spread down",
  equalRadii: "Equal radii", layers: "Tidy up",
};

export function makeInspector(editor) {
  const { command } = editor.changes;
  const fields = $("selection-fields");
  let shown = "";

  /// Shows the selected elements. Fields stay as long as they show what is there.
  function show() {
    const { picture, selection } = editor;
    const elements = selection.elements();
    const content = JSON.stringify(elements.length > 1 ? elements.map(({ id }) => id)
      : [elements, picture.states.map(({ id, name }) => [id, name])]);
    if (content === shown) { return; }
    const isTyping = fields.contains(document.activeElement) && document.activeElement.matches("input:not([type])");
    const isSame = elements[0]?.id === fields.dataset.id;
    // What is being typed stays.
    if (isTyping && isSame) { return; }
    const focused = fields.contains(document.activeElement) ? document.activeElement.id : null;
    shown = content;
    fields.dataset.id = elements[0]?.id ?? "";
    const [element] = elements;
    $("selection-title").textContent = !element ? "No element selected"
      : elements.length > 1 ? `${elements.length} elements selected` : title(element);
    fields.replaceChildren(...!element ? [] : elements.length > 1 ? several(elements)
      : element.center ? stateFields(element) : transitionFields(element));
    if (focused && element) { $(focused)?.focus(); }
    if (focused && !fields.contains(document.activeElement)) { editor.canvas.focus(); }
  }

  const title = (element) => (element.center
    ? (element.name ? `State ${element.name}` : "State without a name")
    : element.isInitialMarker ? "Initial arrow" : element.isLoop ? "Self-loop" : "Transition");

  function row(...content) {
    const element = document.createElement("div");
    element.className = "row wrap";
    element.append(...content);
    return element;
  }

  function more(...content) {
    const element = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "More";
    element.append(summary, ...content);
    element.addEventListener("toggle", () => editor.panel.place());
    return element;
  }

  const edit = (name) => button("edit", name, () => editor.label.open());

  function stateFields(state) {
    const { id } = state;
    const targets = choice("target", "New transition to", [
      ...editor.picture.states.filter((to) => to.id !== id).map((to) => new Option(to.name || nameless, to.id)),
      new Option("itself (self-loop)", id),
    ]);
    const radius = Math.round(state.radius);
    return [
      row(check("final", "Final", state.isFinal, (value) => command("setFinal", { id, value })),
        check("initial", "Initial", state.isInitial, (value) => command("setInitial", { id, value }))),
      row(edit("Edit name"), button("delete", "Delete state", () => command("delete", { id }))),
      more(
        row(targets, button("connect", "Add transition", () => command("connect", { id, to: targets.value }))),
        field("radius", "Radius", radius, (input) => replace(
          input, radius, command("resizeState", { id, radius: Number(input.value) }))),
        row(button("delete-all", "Delete state and transitions", () => command("delete", { id, value: true })))),
    ];
  }

  function transitionFields(transition) {
    const { id, isInitialMarker, isLoop } = transition;
    const buttons = row(
      ...isInitialMarker ? [] : [edit("Edit symbols")],
      button("flip", "Reverse direction", () => command("flip", { id })),
      button("delete", "Delete transition", () => command("delete", { id })));
    if (isLoop) { return [buttons]; }
    return [buttons, more(
      ...isInitialMarker ? [] : [end(id, "From", "moveStart", transition.start, transition.end)],
      end(id, "To", "moveTip", transition.end, transition.start))];
  }

  function several(elements) {
    const { selection } = editor;
    const states = elements.filter(({ center }) => center);
    return [
      row(button("duplicate", "Duplicate elements", selection.duplicate),
        button("copy", "Copy elements", selection.copy),
        button("delete", "Delete elements", () => selection.remove())),
      ...states.length < 2 ? [] : [row(...Object.entries(arrangements).map(
        ([kind, name]) => button(kind, name, () => selection.arrange(kind))))],
    ];
  }

  // Enter and leaving a field set its value; Escape restores it.
  function field(id, name, value, done) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.value = value;
    input.id = `field-${id}`;
    input.autocomplete = "off";
    label.append(name, input);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { input.value = value; }
      if (event.key === "Enter") {
        event.preventDefault();
        event.stopPropagation();
        editor.canvas.focus();
      }
    });
    input.addEventListener("blur", () => { if (input.value !== String(value)) { done(input); } });
    return label;
  }

  // A field whose change was rejected shows the old value again.
  async function replace(input, value, changed) {
    await changed;
    if (document.activeElement !== input) { input.value = value; }
  }

  function check(id, name, value, done) {
    const label = document.createElement("label");
    label.className = "check";
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = value;
    input.id = `field-${id}`;
    input.addEventListener("change", async () => { if (await done(input.checked) === null) { input.checked = value; } });
    label.append(input, name);
    return label;
  }

  function button(id, name, done) {
    const element = document.createElement("button");
    element.type = "button";
    element.id = `field-${id}`;
    element.textContent = name;
    element.addEventListener("click", () => done());
    return element;
  }

  function choice(id, name, options) {
    const select = document.createElement("select");
    select.id = `field-${id}`;
    select.setAttribute("aria-label", name);
    select.append(...options);
    return select;
  }

  // The state at one end of a transition, for those who do not drag it. The state at the other end is not
  // among the choices: a self-loop has a shape of its own and is added at its state.
  function end(id, name, kind, chosen, other) {
    const label = document.createElement("label");
    const states = editor.picture.states.filter((to) => to.id !== other);
    const select = choice(name.toLowerCase(), name, states.map(
      (to) => new Option(to.name || nameless, to.id, false, to.id === chosen)));
    if (!chosen) { select.prepend(new Option("no state", "", true, true)); }
    select.addEventListener("change", () => {
      const to = editor.picture.states.find((s) => s.id === select.value);
      if (to) { command(kind, { id, place: to.center }); }
    });
    label.append(name, select);
    return label;
  }

  $("edit-selection").addEventListener("submit", (event) => event.preventDefault());
  return { show };
}
