// Says what the last stroke became, and offers what a stroke or rejected ink could become instead.

import { $ } from "../elements.js";

export function makeDecision(editor) {
  const box = $("edit-decision");

  function offer(text, isRefused, choices) {
    box.className = `decision${isRefused ? " refused" : ""}`;
    const said = document.createElement("span");
    said.textContent = text;
    box.replaceChildren(said, ...choices.map(([name, act]) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.addEventListener("click", () => {
        forget();
        editor.canvas.focus();
        act();
      });
      return button;
    }));
  }

  function forget() { box.replaceChildren(); }

  return {
    forget,
    /// Shows what the last stroke became.
    show(decision) {
      offer(decision.text, decision.isRefused, decision.instead.map(
        (label) => [`Make it a ${label}`, () => {
          editor.changes.change(`instead?label=${label}&${editor.consent.query}`);
          editor.consent.ask();
        }]));
    },
    /// Shows what ink can become that was tapped.
    async showInk(line) {
      if (editor.picture.isUnread) { await editor.changes.change("read"); }
      const number = editor.picture.ink.indexOf(line);
      if (number < 0) { return; }
      const { labels } = editor.constants;
      offer("This was not recognised.", true, [
        ...labels.map((label) => [
          `Make it a ${label}`, () => {
            editor.changes.command("convertInk", { number, text: label });
            editor.consent.ask();
          }]),
        ["Delete stroke", () => editor.changes.command("deleteInk", { number })],
      ]);
    },
  };
}
