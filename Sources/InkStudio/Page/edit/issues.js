// The issues of the automaton, and its alphabet.

import { $ } from "../elements.js";

/// A finding as a sentence.
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/// How many issues are listed.
const most = 50;

function entry([kind, text]) {
  const item = document.createElement("li");
  item.className = kind;
  item.textContent = text;
  return item;
}

export function makeIssues(editor) {
  let shown = "";

  function show() {
    const { picture } = editor;
    const warnings = picture.warnings.map((text) => ["", sentence(text)]);
    const errors = picture.errors.map((text) => ["error", sentence(text)]);
    // An empty drawing has no mistakes yet.
    const items = picture.states.length ? [
      ...errors, ...warnings,
      picture.isDeterministic ? ["good", "The automaton is deterministic."]
        : ["", "The automaton is not deterministic."],
    ] : [["", "No states yet. Draw a circle to add one."], ...warnings];
    const content = JSON.stringify(items);
    if (content !== shown) {
      shown = content;
      const rest = items.length - most;
      $("edit-findings").replaceChildren(
        ...items.slice(0, most).map(entry), ...rest > 0 ? [entry(["", `${rest} more issues.`])] : []);
    }
    const count = picture.states.length ? errors.length + warnings.length : warnings.length;
    $("issues-count").textContent = count || "";
    $("issues-button").setAttribute("aria-label", count ? `Show ${count} issues` : "Show issues");
    showAlphabet();
  }

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
    $("issues-button").focus();
    editor.changes.command("setAlphabet", { text: $("alphabet-symbols").value });
  });

  return { show };
}
