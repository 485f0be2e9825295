// Shows the selected element, the issues, the alphabet and the result of the last stroke, beside the drawing.

import { $ } from "../elements.js";
import { describe, nameless } from "./names.js";

const emptyWord = "ε (the empty word)";

/// A finding as a sentence.
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

export function makeInspector(editor) {
  const { focus } = editor.canvas;
  const { change, command } = editor.changes;

  function show() {
    const { picture } = editor;
    const warnings = picture.warnings.map((text) => ["", sentence(text)]);
    // An empty drawing has no mistakes yet.
    const items = picture.states.length ? [
      ...picture.errors.map((text) => ["error", sentence(text)]), ...warnings,
      picture.isDeterministic ? ["good", "The automaton is deterministic."]
        : ["", "The automaton is not deterministic."],
    ] : [["", "No states yet. Draw a circle to add one."], ...warnings];
    $("edit-findings").replaceChildren(...items.map(([kind, text]) => {
      const item = document.createElement("li");
      item.className = kind;
      item.textContent = text;
      return item;
    }));
    showAlphabet();
    showSelection();
  }

  // MARK: The last stroke

  /// Shows what the last stroke became, and offers what it could become instead.
  function showDecision(decision) {
    const box = $("edit-decision");
    box.className = `decision${decision.isRefused ? " refused" : ""}`;
    const text = document.createElement("span");
    text.textContent = decision.text;
    box.replaceChildren(text, ...decision.instead.map((label) => {
      const button = document.createElement("button");
      button.textContent = `Make it a ${label}`;
      button.addEventListener("click", () => {
        forgetDecision();
        focus();
        change(`instead?label=${label}`);
      });
      return button;
    }));
  }

  function forgetDecision() { $("edit-decision").replaceChildren(); }

  // MARK: The alphabet

  /// The symbols that were given; those that only transitions have are shown beside the field, so that they go
  /// with their transitions.
  function showAlphabet() {
    const { otherSymbols, typedAlphabet } = editor.picture;
    const others = $("alphabet-others");
    others.textContent = `Symbols of the transitions: ${otherSymbols}`;
    others.hidden = !otherSymbols;
    // What is being typed stays.
    if (document.activeElement === $("alphabet-symbols")) { return; }
    $("alphabet-symbols").value = typedAlphabet;
  }

  $("alphabet-form").addEventListener("submit", (event) => {
    event.preventDefault();
    focus();
    command("setAlphabet", { text: $("alphabet-symbols").value });
  });

  // MARK: The selected element

  const selectedElement = () => {
    const { picture, selected } = editor;
    return [...picture.states, ...picture.transitions].find((element) => element.id === selected);
  };

  function select(id) {
    editor.selected = id;
    editor.canvas.draw();
    showSelection();
    $("edit-said").textContent = describe(editor.picture, selectedElement());
  }

  function showSelection() {
    const { picture, selected } = editor;
    const element = selectedElement();
    const form = $("edit-selection");
    const fields = $("selection-fields");
    if (form.dataset.id !== (selected ?? "")) { $("selection-said").textContent = ""; }
    $("selection-none").hidden = element !== undefined;
    if (!element) {
      form.dataset.id = form.dataset.content = "";
      $("selection-title").textContent = "No element selected";
      const hadFocus = fields.contains(document.activeElement);
      fields.replaceChildren();
      if (hadFocus) { focus(); }
      return;
    }
    const focused = fields.contains(document.activeElement) ? document.activeElement.id : null;
    // What is being typed stays.
    const isSame = form.dataset.id === selected && focused !== null;
    if (isSame && document.activeElement.matches("input:not([type])")) { return; }
    // Fields stay as long as they show what is there.
    const content = JSON.stringify([element, picture.states.map(({ id, name }) => [id, name])]);
    if (form.dataset.content === content) { return; }
    Object.assign(form.dataset, { id: selected, content });
    if (element.center) {
      $("selection-title").textContent = element.name ? `State ${element.name}` : "State without a name";
      fields.replaceChildren(...stateFields(element));
    } else {
      $("selection-title").textContent =
        element.isInitialMarker ? "Initial arrow" : element.isLoop ? "Self-loop" : "Transition";
      fields.replaceChildren(...transitionFields(element));
    }
    if (focused) { document.getElementById(focused)?.focus(); }
  }

  function stateFields(state) {
    const { id } = state;
    const targets = choice("target", "New transition to", [
      ...editor.picture.states.filter((to) => to.id !== id).map((to) => new Option(to.name || nameless, to.id)),
      new Option("itself (self-loop)", id),
    ]);
    const row = document.createElement("span");
    row.className = "row wrap";
    row.append(targets, button("connect", "Add transition", () => command("connect", { id, to: targets.value })));
    const add = document.createElement("div");
    add.className = "field";
    add.append("New transition to", row);
    const radius = Math.round(state.radius);
    return [
      field("name", "Name", state.name, (input) => replace(
        input, state.name, command("rename", { id, text: input.value }))),
      field("radius", "Radius", radius, (input) => replace(
        input, radius, command("resizeState", { id, radius: Number(input.value) }))),
      check("final", "Final", state.isFinal, (value) => command("setFinal", { id, value })),
      check("initial", "Initial", state.isInitial, (value) => command("setInitial", { id, value })),
      add,
      button("delete", "Delete state", () => command("delete", { id })),
      button("delete-all", "Delete state and transitions", () => command("delete", { id, value: true })),
    ];
  }

  function transitionFields(transition) {
    const { id, isInitialMarker, isLoop } = transition;
    const fields = [];
    if (!isInitialMarker) {
      const symbols = document.createElement("p");
      symbols.className = "row wrap";
      symbols.append(...transition.symbols.map((text) => {
        const remove = button(`remove-${text}`, `${text} ×`, () => command("removeSymbol", { id, text }));
        remove.setAttribute("aria-label", `Remove ${text}`);
        return remove;
      }));
      fields.push(
        symbols,
        field("symbol", "Add symbols", "", (input) => addSymbols(id, input), "a, b or ε"),
        check("ε", emptyWord, transition.includesEpsilon, (value) => command("setEpsilon", { id, value })));
    }
    if (!isLoop) {
      if (!isInitialMarker) { fields.push(end(id, "From", "moveStart", transition.start, transition.end)); }
      fields.push(end(id, "To", "moveTip", transition.end, transition.start));
    }
    fields.push(
      button("reverse", "Reverse direction", () => command("flip", { id })),
      button("delete", "Delete transition", () => command("delete", { id })));
    return fields;
  }

  // Enter and leaving a field set its value; Escape restores it.
  function field(id, name, value, done, hint = "") {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.value = value;
    input.id = `field-${id}`;
    input.autocomplete = "off";
    input.spellcheck = false;
    input.placeholder = hint;
    label.append(name, input);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { input.value = value; }
      if (event.key === "Enter") {
        event.preventDefault();
        event.stopPropagation();
        focus();
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
    input.addEventListener("change", async () => { if (!await done(input.checked)) { input.checked = value; } });
    label.append(input, name);
    return label;
  }

  function button(id, name, done) {
    const element = document.createElement("button");
    element.type = "button";
    element.id = `field-${id}`;
    element.textContent = name;
    element.addEventListener("click", done);
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

  /// Sends what was typed to the server's parser, and shows what was understood.
  async function addSymbols(id, input) {
    const before = editor.picture.transitions.find((transition) => transition.id === id);
    const text = input.value;
    input.value = "";
    if (!before || !text.trim()) { return; }
    const said = $("selection-said");
    said.textContent = "";
    const answer = await command("addSymbol", { id, text });
    if (editor.selected !== id) { return; }
    const now = answer?.transitions.find((transition) => transition.id === id);
    if (!now) {
      // It can be corrected.
      const typed = $("field-symbol");
      if (typed) { typed.value = text; }
      return;
    }
    const added = now.symbols.filter((symbol) => !before.symbols.includes(symbol));
    if (now.includesEpsilon && !before.includesEpsilon) { added.push(emptyWord); }
    said.textContent = added.length ? `Added: ${added.join(", ")}.`
      : "Nothing added: the transition has these symbols already.";
  }

  /// Moves the keyboard to the selected element's name or symbols.
  function editText() {
    const input = $("selection-fields").querySelector("#field-name, #field-symbol");
    input?.focus();
    input?.select();
  }

  return { show, showDecision, forgetDecision, select, selectedElement, editText };
}
