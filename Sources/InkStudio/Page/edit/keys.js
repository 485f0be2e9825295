// The symbols of the alphabet as buttons, so that words are composed with the pen.

import { $ } from "../elements.js";

/// How many symbols have a button.
const most = 16;

export function makeKeys(editor) {
  const input = $("run-word");
  let shown = "";

  function key(text, name, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "key";
    button.textContent = text;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    return button;
  }

  return {
    /// Shows the symbols of the automaton.
    show() {
      const { alphabet } = editor.picture;
      const content = JSON.stringify(alphabet);
      if (content === shown) { return; }
      shown = content;
      // Symbols of several letters are separated by spaces.
      const gap = alphabet.some((symbol) => symbol.length > 1) ? " " : "";
      $("run-keys").replaceChildren(...alphabet.slice(0, most).map((symbol) => key(
        symbol, `Add symbol ${symbol}`, () => { input.value += (input.value ? gap : "") + symbol; })),
      ...alphabet.length ? [key("⌫", "Delete symbol", () => {
        input.value = gap ? input.value.split(gap).slice(0, -1).join(gap) : [...input.value].slice(0, -1).join("");
      })] : []);
    },
  };
}
