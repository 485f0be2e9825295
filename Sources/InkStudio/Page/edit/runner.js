// Runs a word through the automaton and steps through the run.

import { $ } from "../elements.js";
import { stateName } from "./names.js";

export function makeRunner(editor) {
  function end() {
    editor.run = null;
    $("run-tape").replaceChildren();
    $("run-step").textContent = "";
    $("run-result").textContent = "No word run yet.";
    $("run-result").className = "";
    $("step-back").disabled = $("step-on").disabled = true;
  }

  function showStep() {
    const { picture, run, step } = editor;
    $("run-tape").replaceChildren(...run.symbols.map((symbol, index) => {
      const cell = document.createElement("span");
      cell.textContent = symbol;
      cell.className = index < step ? "read" : index === step ? "now" : "";
      return cell;
    }));
    $("step-back").disabled = step === 0;
    $("step-on").disabled = step >= run.steps.length - 1;
    const names = run.steps[step].states.map((id) => stateName(picture, id));
    $("run-step").textContent =
      `${step} of ${run.symbols.length} symbols read. ${
        names.length ? `Current ${names.length > 1 ? "states" : "state"}: ${names.join(", ")}.` : "No state is active."}`;
    editor.canvas.draw();
  }

  function moveBy(count) {
    editor.step += count;
    showStep();
  }

  $("run-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await editor.changes.settled();
    end();
    editor.canvas.draw();
    $("run-result").textContent = "";
    const { name, version } = editor.picture;
    const answer = await editor.changes.asking("run", "POST", { word: $("run-word").value });
    if (name !== editor.picture.name || version !== editor.picture.version) { return; }
    const result = $("run-result");
    result.textContent = answer.isAccepted ? "Accepted" : `Rejected: ${answer.reason}`;
    result.className = answer.isAccepted ? "accepted" : "rejected";
    editor.run = { ...answer, name, version };
    editor.step = 0;
    showStep();
  });
  $("step-on").addEventListener("click", () => moveBy(1));
  $("step-back").addEventListener("click", () => moveBy(-1));

  return { end };
}
