// The page Practise: a game that asks for digits and sums, and reads what is written.

import { $ } from "./elements.js";
import { ask, drawing } from "./server.js";
import { capture, placeOn } from "./ink.js";

/// How long a result is shown before the next task, in milliseconds.
const pause = { accepted: 1200, rejected: 2500 };

const isSum = (task) => task.text.includes("+");

export async function beginPractice({ adaptsEvery, levels, nameCharacters, nameLength }) {
  const invalid = new RegExp(`[^${nameCharacters}]`, "gu");
  /// The valid part of a learner's name.
  const plain = (name) => name.normalize("NFC").replace(invalid, "").trim().slice(0, nameLength);
  const canvas = $("practice-ink");
  let standing = null;
  // The last answer as it was read, while the page asks what was written.
  let read = null;
  // From an answer until the next task, nothing can be written.
  let isBusy = false;
  // Grows with each learner and level: answers for another one are dropped.
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
  $("practice-name").maxLength = nameLength;
  $("practice-level").replaceChildren(...levels.map(({ name, title }) => new Option(title, name)));
  $("practice-name").value =
    plain(localStorage.getItem("learner") ?? localStorage.getItem("writer") ?? "") || "me";
  $("practice-level").value = localStorage.getItem("level") ?? levels[0].name;
  const path = (rest = "") => `/api/practice/${encodeURIComponent($("practice-name").value)}${rest}`;

  function say(text, kind = "") {
    $("practice-result").textContent = text;
    $("practice-result").className = kind;
  }

  function clear() {
    ink.take();
    read = null;
    $("practice-ask").hidden = true;
    $("practice-empty").hidden = false;
    setBusy(false);
    say("");
  }

  function setBusy(value) {
    isBusy = value;
    for (const name of ["done", "clear"]) { $(`practice-${name}`).disabled = value; }
  }

  function showStanding(next) {
    standing = next;
    $("practice-verb").textContent = isSum(standing.task) ? "How much is" : "Write";
    $("practice-task").textContent = standing.task.text + (isSum(standing.task) ? "?" : "");
    $("practice-right").textContent = standing.answered
      ? `${standing.right} of ${standing.answered} right` : "No task answered yet.";
    $("practice-read").textContent = standing.readOf
      ? `${standing.readRight} of the last ${standing.readOf} digits recognised correctly`
      : "No digit recognised yet.";
    $("practice-bar").value = standing.readOf ? standing.readRight / standing.readOf : 0;
    $("practice-adapted").textContent = standing.isAdapting
      ? "Adapting to your handwriting …"
      : standing.adaptedTo ? `Adapted to ${standing.adaptedTo} of your digits.`
        : `Adapts to your handwriting after ${adaptsEvery - (standing.digits % adaptsEvery)} more digits.`;
  }

  async function refresh() {
    const now = turn;
    const names = await ask("/api/practice", "GET", undefined, { retry: refresh });
    $("practice-names").replaceChildren(...names.map((name) => new Option(name)));
    const query = new URLSearchParams({ level: $("practice-level").value });
    if (standing) { query.set("question", standing.task.id); }
    const next = await ask(
      path(`?${query}`), "GET", undefined, { place: $("practice-problem"), retry: refresh });
    if (now === turn && !isBusy) { showStanding(next); }
  }

  /// Ends what was asked when the server no longer knows it, and shows the task as it is now.
  async function begin(problem) {
    clear();
    await refresh();
    say(problem);
  }

  function goOn(next, text, kind) {
    const now = turn;
    $("practice-ask").hidden = true;
    say(text, kind);
    setTimeout(() => {
      if (now !== turn) { return; }
      showStanding(next);
      clear();
      document.activeElement?.blur();
    }, pause[kind]);
  }

  async function answer() {
    if (isBusy || !standing) { return; }
    if (!ink.strokes.length) { return say("Write the number first."); }
    const now = turn;
    const { task } = standing;
    setBusy(true);
    say("Reading …");
    try {
      const next = await ask(path(`/answer?question=${encodeURIComponent(task.id)}`), "POST",
        { drawing: drawing(ink.strokes) }, { retry: answer });
      if (now !== turn) { return; }
      if (next.isRight) {
        return goOn(next.standing, isSum(task)
          ? `Yes, ${task.text} = ${next.text}!` : `Yes, ${next.text}!`, "accepted");
      }
      askBack(next);
    } catch (failure) {
      if (now !== turn) { return; }
      // The ink stays, so that the answer can be sent again.
      setBusy(false);
      say("");
      if (failure.status === 409) { begin(failure.message); }
    }
  }

  /// Asks what was written. The expected answer is not among the choices.
  function askBack(next) {
    read = next;
    say(`I read ${read.text}. Is that what you wrote?`);
    $("practice-yes").textContent = `Yes, ${read.text}`;
    $("practice-written").value = "";
    $("practice-ask").hidden = false;
    $("practice-yes").focus();
  }

  async function confirm(text) {
    if (!read || $("practice-ask").hidden) { return; }
    const now = turn;
    const { task } = standing;
    const asked = read;
    $("practice-ask").hidden = true;
    let result;
    try {
      result = await ask(
        path("/confirm"), "POST", { answer: asked.id, text }, { retry: () => confirm(text) });
    } catch (failure) {
      if (now !== turn) { return; }
      $("practice-ask").hidden = false;
      if (failure.status === 409) { begin(failure.message); }
      return;
    }
    if (now !== turn) { return; }
    const solution = isSum(task) ? `${task.text} is ${result.solution}.` : `The task was ${result.solution}.`;
    if (result.isRight) {
      goOn(result.standing,
        `Yes, ${isSum(task) ? `${task.text} = ` : ""}${text}!${
          result.isLearnt ? " The model learns this from you." : ""}`, "accepted");
    } else if (result.isDoubted) {
      goOn(result.standing, `I read ${asked.text}, not ${text}. ${solution}`, "rejected");
    } else {
      goOn(result.standing, solution, "rejected");
    }
  }

  $("practice-done").addEventListener("click", answer);
  $("practice-clear").addEventListener("click", clear);
  $("practice-yes").addEventListener("click", () => confirm(read.text));
  $("practice-again").addEventListener("click", clear);
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
      clear();
      await refresh();
    });
  }
  // A problem is shown; the page tries again when it is shown again.
  await refresh().catch(() => {});
  return refresh;
}
