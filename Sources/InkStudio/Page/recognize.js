import { ask, drawing } from "./server.js";
import { capture, paint, placeOn } from "./ink.js";

const $ = (id) => document.getElementById(id);
const words = {
  tooSmall: "too small", unrecognised: "none of what it knows", ambiguous: "ambiguous",
};

export async function beginRecognizing() {
  const canvas = $("recognize-ink");
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    done: recognize,
  });

  async function recognize() {
    $("recognize-kept").textContent = "";
    const answer = await ask("/api/recognize", "POST", { drawing: drawing(ink.strokes) });
    paint($("recognize-seen"), answer.bitmap, answer.size);
    const top = answer.ranked[0];
    $("recognize-answer").textContent = answer.rejection
      ? `Refused: ${words[answer.rejection]}` : `${top.label}, ${Math.round(100 * top.probability)} %`;
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

  function clear() {
    ink.clear();
    $("recognize-answer").textContent = "Nothing drawn yet";
    $("recognize-ranked").replaceChildren();
    $("recognize-time").textContent = "";
    paint($("recognize-seen"), "", 28);
  }

  $("recognize-clear").addEventListener("click", clear);
  canvas.addEventListener("keydown", (event) => { if (event.key === "Escape") { clear(); } });
  const { classes } = await ask("/api/recordings");
  $("recognize-labels").replaceChildren(...classes.map(({ label }) => {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", async () => {
      if (!ink.strokes.length) {
        $("recognize-kept").textContent = "Draw first.";
        return;
      }
      const state = await ask("/api/recordings", "POST", {
        word: label, writer: localStorage.getItem("writer") || undefined,
        device: localStorage.getItem("device") || undefined, drawing: drawing(ink.strokes),
      });
      clear();
      $("recognize-kept").textContent = `Kept as ${label}; ${state.total} recordings.`;
    });
    return button;
  }));
}
