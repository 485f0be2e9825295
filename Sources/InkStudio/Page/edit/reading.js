// Has the server read what was written once the pen rests, and offers other readings where it is unsure.

import { $ } from "../elements.js";
import { describe } from "./names.js";

/// How long the pen rests before the strokes are read, in milliseconds.
const rest = 900;

export function makeReading(editor) {
  const { svg } = editor.canvas;
  let timer = 0;
  let isDown = false;

  // While the pen writes, nothing changes below it.
  svg.addEventListener("pointerdown", () => {
    isDown = true;
    clearTimeout(timer);
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    window.addEventListener(kind, () => {
      isDown = false;
      begin();
    });
  }

  function begin() {
    clearTimeout(timer);
    if (!editor.picture?.isUnread || isDown || editor.changes.isWaiting) { return; }
    timer = setTimeout(() => editor.changes.change("read"), rest);
  }

  /// Shows the first of the readings that are unsure.
  function showUncertain() {
    const { picture } = editor;
    const [one] = picture.uncertain;
    const box = $("edit-uncertain");
    const content = JSON.stringify([one, picture.uncertain.length]);
    // A question that is read aloud or has the focus stays.
    if (box.dataset.content === content) { return; }
    box.dataset.content = content;
    if (!one) { return box.replaceChildren(); }
    const element = [...picture.states, ...picture.transitions].find(({ id }) => id === one.element);
    const question = document.createElement("span");
    const count = picture.uncertain.length;
    // Of what could not be read, there is nothing to choose from.
    const [asked, empty] = one.text ? ["which is right?", "nothing"]
      : [`${element.center ? "no name" : "no symbols"} could be read.`, "Leave it so"];
    question.textContent = `${describe(picture, element)}: ${asked}${count > 1 ? ` (1 of ${count})` : ""}`;
    const write = document.createElement("button");
    write.textContent = "Type it";
    write.addEventListener("click", () => {
      editor.selection.set([element.id]);
      editor.label.open();
    });
    box.replaceChildren(question, ...(one.text ? [] : [write]), ...[one.text, ...one.others].map((text) => {
      const button = document.createElement("button");
      button.textContent = text || empty;
      button.addEventListener("click", () => {
        editor.canvas.focus();
        editor.changes.change(
          `choose?element=${encodeURIComponent(one.element)}&text=${encodeURIComponent(text)}&${editor.consent.query}`);
        editor.consent.ask();
      });
      return button;
    }));
  }

  return {
    /// Shows what is unsure in a new version of the document, and waits for the pen to rest.
    show() {
      showUncertain();
      begin();
    },
  };
}
