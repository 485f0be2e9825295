import { ask, drawing, recordings } from "./server.js";
import { capture, paint, placeOn } from "./ink.js";

const $ = (id) => document.getElementById(id);
const words = {
  tooSmall: "too small", unrecognised: "none of what it knows", ambiguous: "ambiguous",
};

export async function beginRecognizing() {
  const canvas = $("recognize-ink");
  let asked = 0;
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    done: recognize,
  });

  async function recognize() {
    $("recognize-kept").textContent = "";
    const turn = ++asked;
    const answer = await ask("/api/recognize", "POST", { drawing: drawing(ink.strokes) });
    // Ink that came meanwhile, or was cleared, has an answer of its own.
    if (turn !== asked) { return; }
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
    asked += 1;
    ink.take();
    $("recognize-answer").textContent = "Nothing drawn yet";
    $("recognize-ranked").replaceChildren();
    $("recognize-time").textContent = "";
    paint($("recognize-seen"), "", 28);
  }

  $("recognize-clear").addEventListener("click", clear);
  canvas.addEventListener("keydown", (event) => { if (event.key === "Escape") { clear(); } });

  async function keep(label) {
    const strokes = ink.take();
    if (!strokes.length) {
      $("recognize-kept").textContent = "Draw first.";
      return;
    }
    try {
      const state = await ask(recordings(), "POST", {
        word: label, writer: localStorage.getItem("writer") || undefined,
        device: localStorage.getItem("device") || undefined, drawing: drawing(strokes),
      });
      if (!ink.strokes.length) { clear(); }
      $("recognize-kept").textContent = `Kept as ${label}; ${state.total} recordings.`;
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
      button.addEventListener("click", () => keep(label));
      return button;
    }));
  }
  // What went wrong is said; the next look at the page tries again.
  await refresh().catch(() => {});
  return refresh;
}
