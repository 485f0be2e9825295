// Whether corrections are kept as recordings: asked once, off by default, changed in the menu of documents.

import { $ } from "../elements.js";

const key = "keepsCorrections";

export function makeConsent(editor) {
  const [box, check] = [$("edit-consent"), $("consent")];
  /// The version of the document that the question is about; null before the correction was made.
  let asked = null;
  const keeps = () => localStorage.getItem(key) === "true";

  function set(value) {
    localStorage.setItem(key, value);
    check.checked = value;
    box.replaceChildren();
  }

  function button(text, value) {
    const element = document.createElement("button");
    element.textContent = text;
    element.addEventListener("click", () => {
      set(value);
      editor.canvas.focus();
    });
    return element;
  }

  check.checked = keeps();
  check.addEventListener("change", () => set(check.checked));

  return {
    /// The end of the address of a request that may be a correction.
    get query() { return keeps() ? "keep=true" : "keep=false"; },
    /// A question that is not answered before the next change means no.
    passOver() {
      if (!box.childElementCount) { return; }
      asked ??= editor.picture.version;
      if (asked !== editor.picture.version) { set(false); }
    },
    /// Asks after the first correction whether later ones are kept.
    ask() {
      if (localStorage.getItem(key) !== null || box.childElementCount) { return; }
      const text = document.createElement("span");
      text.textContent = "Keep your corrections as recordings from now on, to train a better model? "
        + "The menu of documents says what is stored.";
      asked = null;
      box.replaceChildren(text, button("Keep corrections", true), button("Keep nothing", false));
    },
  };
}
