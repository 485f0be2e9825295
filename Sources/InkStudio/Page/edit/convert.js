// Conversions of the automaton, alone or with another document, and regular expressions.

import { $ } from "../elements.js";
import { ask } from "../server.js";
import { closeMenu } from "../menus.js";

export function beginConvert(editor) {
  const { combinations, conversions } = editor.constants;
  const { changes, files } = editor;

  /// Opens the document that a request makes.
  async function open(rest) {
    files.open(await changes.askingWhole(rest, "POST"));
  }

  const other = () => encodeURIComponent($("convert-other").value);

  function buttons(choices, rest) {
    return choices.map(({ name, title }) => {
      const button = document.createElement("button");
      button.id = `make-${name}`;
      button.textContent = title;
      button.addEventListener("click", () => open(rest(name)));
      return button;
    });
  }

  $("convert-one").append(...buttons(conversions, (name) => name));
  $("convert-two").append(...buttons(combinations, (name) => `${name}?with=${other()}`));
  $("convert-compare").addEventListener("click", () => editor.compare.compare($("convert-other").value));

  $("convert-menu").addEventListener("beforetoggle", async ({ newState }) => {
    if (newState !== "open") { return; }
    $("expression-problem").hidden = true;
    const names = (await ask("/api/documents")).filter((name) => name !== editor.picture.name);
    const chosen = $("convert-other").value;
    $("convert-other").replaceChildren(...names.map((name) => new Option(name)));
    if (names.includes(chosen)) { $("convert-other").value = chosen; }
    for (const button of [$("convert-compare"), ...$("convert-two").children]) {
      button.disabled = !names.length || Boolean(editor.kind.now().refusal);
    }
  });

  $("expression-show").addEventListener("click", async () => {
    $("expression").value = await changes.askingWhole("expression", "GET");
    $("expression").focus();
  });
  async function build(event) {
    event.stopPropagation();
    const name = await ask("/api/expression", "POST", { text: $("expression").value },
      { place: $("expression-problem") });
    closeMenu("convert-menu");
    files.open(name);
  }
  $("expression-make").addEventListener("click", build);
  $("expression").addEventListener("keydown", (event) => { if (event.key === "Enter") { build(event); } });
}
