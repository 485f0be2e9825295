// The page Recognise: shows the network's input and its answer for a drawing, and saves drawings as recordings.

import { $ } from "./elements.js";
import { ask, drawing, recordings } from "./server.js";
import { capture, paint, placeOn } from "./ink.js";
import { beginSeeing } from "./seen.js";

export async function beginRecognizing(constants) {
  beginSeeing(constants);
  const canvas = $("recognize-ink");
  let asked = 0;
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    done: recognize,
  });

  async function recognize() {
    const turn = ++asked;
    show("Recognising …");
    let answer;
    try {
      answer = await ask(
        "/api/recognize", "POST", { drawing: drawing(ink.strokes) }, { retry: recognize });
    } catch {
      // The problem is shown, and the ink stays.
      if (turn === asked) { show("Not recognised yet"); }
      return;
    }
    // The drawing has changed meanwhile.
    if (turn !== asked) { return; }
    paint($("recognize-seen"), answer.bitmap, answer.size);
    const top = answer.ranked[0];
    $("recognize-answer").textContent = answer.rejection
      ? `Rejected: ${answer.reason}` : `${top.label}, ${Math.round(100 * top.probability)} %`;
    $("recognize-ranked").replaceChildren(...answer.ranked.map(({ label, probability }) => {
      const item = document.createElement("li");
      const bar = document.createElement("progress");
      bar.value = probability;
      bar.setAttribute("aria-label", label);
      const number = document.createElement("span");
      number.textContent = `${(100 * probability).toFixed(1)} %`;
      item.append(label, bar, number);
      return item;
    }));
    $("recognize-time").textContent = `${answer.microseconds.toFixed(0)} µs`;
  }

  /// Shows a sentence in place of the previous answer.
  function show(text) {
    $("recognize-empty").hidden = ink.strokes.length > 0;
    $("recognize-kept").textContent = "";
    $("recognize-answer").textContent = text;
    $("recognize-ranked").replaceChildren();
    $("recognize-time").textContent = "";
    paint($("recognize-seen"), "", 0);
  }

  function clear() {
    asked += 1;
    ink.take();
    show("No drawing yet");
  }

  $("recognize-clear").addEventListener("click", clear);
  canvas.addEventListener("keydown", (event) => { if (event.key === "Escape") { clear(); } });

  async function save(label) {
    const strokes = ink.take();
    if (!strokes.length) {
      $("recognize-kept").textContent = "Draw a shape first.";
      return;
    }
    try {
      const state = await ask(recordings(), "POST", {
        word: label, writer: localStorage.getItem("writer") || undefined,
        device: localStorage.getItem("device") || undefined, drawing: drawing(strokes),
      });
      if (!ink.strokes.length) { clear(); }
      $("recognize-kept").textContent = `Saved as ${label}. ${state.total} recordings in total.`;
    } catch (error) {
      ink.restore(strokes);
      throw error;
    }
  }

  async function refresh() {
    const { classes } = await ask(recordings());
    $("recognize-labels").replaceChildren(...classes.map(({ label }) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.setAttribute("aria-label", `Save as ${label}`);
      button.addEventListener("click", () => save(label));
      return button;
    }));
  }
  // A problem is shown; the page tries again when it is shown again.
  await refresh().catch(() => {});
  return refresh;
}
