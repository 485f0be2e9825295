// Runs a word through the automaton and steps through the run; opens the panel for words.

import { $ } from "../elements.js";
import { machineStep } from "./kind.js";
import { stateName } from "./names.js";
import { isSmall } from "./panel.js";

/// The width of windows in which the panel is open from the start, in pixels.
const leastWidth = 1200;

export function makeRunner(editor) {
  const panel = $("run-panel");

  function setOpen(isOpen) {
    panel.hidden = !isOpen;
    $("run-open").setAttribute("aria-expanded", isOpen);
    // A small window shows the whole drawing beside the panel.
    if (editor.picture && isOpen && isSmall()) { editor.canvas.fit(); }
    if (editor.picture) { editor.canvas.look(); }
  }

  function end() {
    editor.run = null;
    $("run-tape").replaceChildren();
    $("run-memory").hidden = true;
    $("run-step").textContent = "";
    $("run-result").textContent = "No word run yet.";
    $("run-result").className = "";
    $("step-back").disabled = $("step-on").disabled = true;
    editor.compare.end();
    editor.presenter?.tell();
  }

  function showStep() {
    const { picture, run, step } = editor;
    const machine = machineStep(run, step);
    const cells = machine?.cells
      ?? run.symbols.map((symbol, index) => [symbol, index < step ? "read" : index === step ? "now" : ""]);
    $("run-tape").replaceChildren(...cells.map(([text, name]) => {
      const cell = document.createElement("span");
      cell.textContent = text;
      cell.className = name;
      return cell;
    }));
    $("run-tape").setAttribute("aria-label", machine && !machine.memory ? "The tape" : "The word");
    $("run-memory").hidden = !machine?.memory;
    $("run-memory").textContent = machine?.memory ?? "";
    $("step-back").disabled = step === 0;
    $("step-on").disabled = step >= run.steps.length - 1;
    const names = run.steps[step].states.map((id) => stateName(picture, id));
    const progress = machine ? `Step ${step} of ${run.steps.length - 1}.` : `${step} of ${run.symbols.length} symbols read.`;
    $("run-step").textContent =
      `${progress} ${
        names.length ? `Current ${names.length > 1 ? "states" : "state"}: ${names.join(", ")}.` : "No state is active."}`;
    editor.canvas.mark();
    editor.compare.show(step);
    editor.presenter.tell();
  }

  function moveBy(count) {
    editor.step += count;
    showStep();
  }

  /// Shows a run from its start.
  function show(run) {
    const { name, version } = editor.picture;
    const result = $("run-result");
    result.textContent = run.said ?? (run.isAccepted ? "Accepted" : `Rejected: ${run.reason}`);
    result.className = run.isAccepted ? "accepted" : "rejected";
    editor.run = { ...run, name, version };
    editor.step = 0;
    showStep();
  }

  $("run-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await editor.changes.settled();
    end();
    editor.canvas.mark();
    $("run-result").textContent = "";
    const { name, version } = editor.picture;
    const answer = await editor.changes.asking("run", "POST", { word: $("run-word").value });
    if (name !== editor.picture.name || version !== editor.picture.version) { return; }
    show(answer);
  });
  $("step-on").addEventListener("click", () => moveBy(1));
  $("step-back").addEventListener("click", () => moveBy(-1));

  /// Opens the panel, for typing a word.
  function open() {
    setOpen(true);
    $("run-word").focus();
    $("run-word").select();
  }
  $("run-open").addEventListener("click", () => (panel.hidden ? open() : setOpen(false)));
  $("run-close").addEventListener("click", () => {
    setOpen(false);
    $("run-open").focus();
  });
  setOpen(!isSmall() && innerWidth >= leastWidth);

  return { end, open, setOpen, show };
}
