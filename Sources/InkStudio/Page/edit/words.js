// Runs many words at once, and lists accepted words.

import { $ } from "../elements.js";
import { takeFiles } from "../server.js";

/// How many accepted words are listed.
const count = 20;

const shown = (word) => word || "ε";

export function makeWords(editor) {
  async function run() {
    await editor.changes.settled();
    const results = await editor.changes.asking("words", "POST", { lines: $("words-text").value });
    $("words-table").hidden = false;
    $("words-table").tBodies[0].replaceChildren(...results.map(({ word, expected, isAccepted, said }) => {
      const row = document.createElement("tr");
      const answer = (value) => (value ? "accepted" : "rejected");
      const isWrong = expected !== undefined && expected !== isAccepted;
      const cells = [shown(word), expected === undefined ? "" : answer(expected),
        `${said ?? answer(isAccepted)}${isWrong ? ": wrong" : ""}`];
      row.append(...cells.map((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        return cell;
      }));
      row.className = isWrong ? "wrong" : "";
      return row;
    }));
    const asked = results.filter(({ expected }) => expected !== undefined);
    const right = asked.filter(({ expected, isAccepted }) => expected === isAccepted);
    const accepted = results.filter(({ isAccepted }) => isAccepted);
    const done = editor.kind.now().isTransducer ? "answered" : "accepted";
    $("words-said").textContent = `${accepted.length} of ${results.length} ${done}.${
      asked.length ? ` ${right.length} of ${asked.length} as expected.` : ""}`;
  }

  /// Lists the first accepted words, while they are shown.
  async function list() {
    if (!$("accepted").open || editor.kind.now().refusal) { return; }
    const words = await editor.changes.asking(`accepted?count=${count}`);
    $("accepted-list").textContent = words.length
      ? `${words.map(shown).join(", ")}${words.length === count ? ", …" : ""}` : "No word is accepted.";
  }

  $("words-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  takeFiles(null, $("words-open"), async (file) => {
    $("words-text").value = await file.text();
    await run();
  });
  $("accepted").addEventListener("toggle", list);
  return {
    /// Forgets results that are about an older version of the document.
    forget() {
      $("words-table").hidden = true;
      $("words-said").textContent = "";
      list();
    },
  };
}
