import { ask, drawing } from "./server.js";
import { capture, placeOn } from "./ink.js";

const $ = (id) => document.getElementById(id);
const feast = 1200;

export async function beginPractice() {
  const canvas = $("practice-ink");
  let standing = null;
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    begins: () => $("practice-ask").hidden,
    done: () => {
      $("practice-empty").hidden = true;
      say("");
    },
  });
  $("practice-name").value = localStorage.getItem("learner") ?? localStorage.getItem("writer") ?? "me";
  $("practice-level").value = localStorage.getItem("level") ?? "digits";
  const path = (rest = "") =>
    `/api/practice/${encodeURIComponent($("practice-name").value.trim() || "me")}${rest}`;

  function say(text, kind = "") {
    $("practice-result").textContent = text;
    $("practice-result").className = kind;
  }

  function clear() {
    if (!$("practice-ask").hidden) { return; }
    ink.clear();
    $("practice-empty").hidden = false;
    say("");
  }

  function showStanding(next) {
    standing = next;
    const isSum = standing.task.text.includes("+");
    $("practice-verb").textContent = isSum ? "How much is" : "Write";
    $("practice-task").textContent = standing.task.text + (isSum ? "?" : "");
    $("practice-right").textContent = standing.answered
      ? `${standing.right} of ${standing.answered} right` : "Nothing answered yet.";
    $("practice-read").textContent = standing.readOf
      ? `${standing.readRight} of the last ${standing.readOf} digits were read right`
      : "No digit was read yet.";
    $("practice-bar").value = standing.readOf ? standing.readRight / standing.readOf : 0;
    $("practice-adapted").textContent = standing.isAdapting
      ? "Getting used to this hand …"
      : standing.adaptedTo ? `Used to ${standing.adaptedTo} digits of this hand.`
        : `Gets used to this hand after ${10 - (standing.digits % 10)} more digits.`;
  }

  async function refresh() {
    const names = await ask("/api/practice");
    $("practice-names").replaceChildren(...names.map((name) => new Option(name)));
    showStanding(await ask(path(`?level=${$("practice-level").value}`)));
  }

  function goOn(next, text, kind) {
    const { task } = standing;
    say(text(task), kind);
    setTimeout(() => {
      showStanding(next);
      clear();
    }, feast);
  }

  async function answer() {
    if (!$("practice-ask").hidden || $("practice-done").disabled) { return; }
    if (!ink.strokes.length) { return say("Write the number first."); }
    $("practice-done").disabled = true;
    try {
      const read = await ask(path("/answer"), "POST", { drawing: drawing(ink.strokes) });
      if (read.isRight) {
        goOn(read.standing, ({ text, answer: right }) =>
          text === String(right) ? `Yes, ${right}!` : `Yes, ${text} = ${right}!`, "accepted");
        return;
      }
      say(read.isSure ? `I read ${read.text}.` : `I am not sure: ${read.text}?`);
      const choices = [...new Set([read.text, String(standing.task.answer)])];
      $("practice-choices").replaceChildren(...choices.map((text) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.addEventListener("click", () => confirm(text));
        return button;
      }));
      $("practice-written").value = "";
      $("practice-ask").hidden = false;
      $("practice-choices").firstChild.focus();
    } finally {
      $("practice-done").disabled = false;
    }
  }

  async function confirm(text) {
    const next = await ask(path("/confirm"), "POST", { text });
    $("practice-ask").hidden = true;
    if (Number(text) === standing.task.answer) {
      goOn(next, () => `Yes, ${text}! I will read it better.`, "accepted");
    } else {
      goOn(next, (task) => `${task.text} is ${task.answer}.`, "rejected");
    }
  }

  $("practice-done").addEventListener("click", answer);
  $("practice-clear").addEventListener("click", clear);
  $("practice-ask").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("practice-written").value.trim();
    if (text) { confirm(text); }
  });
  document.addEventListener("keydown", (event) => {
    if ($("practice").hidden || event.target.matches("input, select, button")) { return; }
    if (event.key === "Enter") { answer(); }
    if (event.key === "Escape") { clear(); }
  });
  $("practice-about").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["name", "level"]) {
    $(`practice-${name}`).addEventListener("change", async (event) => {
      localStorage.setItem(name === "name" ? "learner" : "level", event.target.value.trim());
      $("practice-ask").hidden = true;
      await refresh();
      clear();
    });
  }
  await refresh();
  return refresh;
}
