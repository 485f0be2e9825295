import { ask, drawing } from "./server.js";
import { capture, placeOn } from "./ink.js";

const $ = (id) => document.getElementById(id);
/// How long a result is shown before the next task, in milliseconds.
const feast = 1200;

/// A learner's name is a folder's as well.
const plain = (name) => name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N} _-]/gu, "").trim().slice(0, 60);

export async function beginPractice() {
  const canvas = $("practice-ink");
  let standing = null;
  // From an answer until the next task: nothing else is taken.
  let isBusy = false;
  // Grows with each learner and level: what was asked for another comes too late.
  let turn = 0;
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    begins: () => !isBusy && standing !== null,
    done: () => {
      $("practice-empty").hidden = true;
      say("");
    },
  });
  $("practice-name").value =
    plain(localStorage.getItem("learner") ?? localStorage.getItem("writer") ?? "") || "me";
  $("practice-level").value = localStorage.getItem("level") ?? "digits";
  const path = (rest = "") => `/api/practice/${encodeURIComponent($("practice-name").value)}${rest}`;

  function say(text, kind = "") {
    $("practice-result").textContent = text;
    $("practice-result").className = kind;
  }

  function clear() {
    ink.take();
    $("practice-empty").hidden = false;
    say("");
  }

  function setBusy(value) {
    isBusy = value;
    for (const name of ["done", "clear"]) { $(`practice-${name}`).disabled = value; }
  }

  function showStanding(next) {
    standing = next;
    const isSum = standing.task.text.includes("+");
    $("practice-verb").textContent = isSum ? "How much is" : "Write";
    $("practice-task").textContent = standing.task.text + (isSum ? "?" : "");
    $("practice-right").textContent = standing.answered
      ? `${standing.right} of ${standing.answered} right` : "Nothing answered yet.";
    $("practice-read").textContent = standing.readOf
      ? `Of the last digits, read right: ${standing.readRight} of ${standing.readOf}`
      : "No digit was read yet.";
    $("practice-bar").value = standing.readOf ? standing.readRight / standing.readOf : 0;
    $("practice-adapted").textContent = standing.isAdapting
      ? "Getting used to this hand …"
      : standing.adaptedTo ? `Used to ${standing.adaptedTo} digits of this hand.`
        : `Gets used to this hand after ${10 - (standing.digits % 10)} more digits.`;
  }

  async function refresh() {
    const now = turn;
    const names = await ask("/api/practice");
    $("practice-names").replaceChildren(...names.map((name) => new Option(name)));
    const next = await ask(
      path(`?level=${$("practice-level").value}`), "GET", undefined, $("practice-problem"));
    if (now === turn && !isBusy) { showStanding(next); }
  }

  function goOn(next, text, kind) {
    const now = turn;
    $("practice-ask").hidden = true;
    say(text, kind);
    setTimeout(() => {
      if (now !== turn) { return; }
      showStanding(next);
      clear();
      setBusy(false);
      document.activeElement?.blur();
    }, feast);
  }

  async function answer() {
    if (isBusy || !standing) { return; }
    if (!ink.strokes.length) { return say("Write the number first."); }
    const now = turn;
    const { task } = standing;
    setBusy(true);
    try {
      const read = await ask(path("/answer"), "POST", { drawing: drawing(ink.strokes) });
      if (now !== turn) { return; }
      if (read.isRight) {
        return goOn(read.standing, task.text.includes("+")
          ? `Yes, ${task.text} = ${task.answer}!` : `Yes, ${task.answer}!`, "accepted");
      }
      askBack(read, task);
    } catch {
      // What went wrong is said.
      if (now === turn) { setBusy(false); }
    }
  }

  function askBack(read, task) {
    say(read.isSure ? `I read ${read.text}.` : `I am not sure: ${read.text}?`);
    const choices = [...new Set([read.text, String(task.answer)])];
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
  }

  async function confirm(text) {
    if ($("practice-ask").hidden) { return; }
    const now = turn;
    const { task } = standing;
    $("practice-ask").hidden = true;
    let next;
    try {
      next = await ask(path("/confirm"), "POST", { text });
    } catch {
      if (now === turn) { $("practice-ask").hidden = false; }
      return;
    }
    if (now !== turn) { return; }
    if (Number(text) === task.answer) {
      goOn(next, `Yes, ${text}! I will read it better.`, "accepted");
    } else {
      goOn(next, `${task.text} ${task.text.includes("+") ? "is" : "was asked, not"} ${
        task.text.includes("+") ? task.answer : text}.`, "rejected");
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
    if (event.key === "Escape" && !isBusy) { clear(); }
  });
  $("practice-about").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["name", "level"]) {
    $(`practice-${name}`).addEventListener("change", async () => {
      $("practice-name").value = plain($("practice-name").value) || "me";
      localStorage.setItem("learner", $("practice-name").value);
      localStorage.setItem("level", $("practice-level").value);
      turn += 1;
      standing = null;
      $("practice-ask").hidden = true;
      clear();
      setBusy(false);
      await refresh();
    });
  }
  // What went wrong is said; the next look at the page tries again.
  await refresh().catch(() => {});
  return refresh;
}
