// Shows what the network for whole pages sees in a photograph, as colours over it.

import { paintClasses } from "./classes.js";
import { $ } from "./elements.js";
import { ask, complain, isSmallEnough, takeFiles } from "./server.js";

/// A line of the legend.
function entry({ name, color, share }) {
  const item = document.createElement("li");
  const [patch, number] = [document.createElement("span"), document.createElement("span")];
  patch.className = "color";
  patch.style.background = color;
  number.textContent = `${(100 * share).toFixed(1)} %`;
  item.append(patch, name, number);
  return item;
}

export function beginSeeing({ maximumFileBytes, photographEndings }) {
  const canvas = $("seen-classes");
  let asked = 0, url = null;

  /// Shows the photograph at `next`, without an answer, or none.
  function take(next) {
    asked += 1;
    if (url) { URL.revokeObjectURL(url); }
    url = next;
    if (url) { $("seen-photograph").src = url; } else { $("seen-photograph").removeAttribute("src"); }
    $("seen").hidden = $("seen-close").hidden = !url;
    canvas.hidden = $("seen-answer").hidden = true;
    $("seen-said").textContent = url ? "Looking at the photograph …" : "";
    complain("", $("seen-problem"));
    return asked;
  }

  async function look(file) {
    if (!isSmallEnough(file, maximumFileBytes)) { return; }
    const turn = take(URL.createObjectURL(file));
    let answer;
    try {
      answer = await ask("/api/page", "POST", file, { place: null });
    } catch (problem) {
      if (turn !== asked) { return; }
      take(null);
      complain(problem.message, $("seen-problem"), problem.isTemporary ? () => look(file) : undefined);
      return;
    }
    // Another photograph was opened meanwhile, or this one was closed.
    if (turn !== asked) { return; }
    paintClasses(canvas, answer);
    const drawn = answer.classes.slice(1);
    canvas.setAttribute("aria-label", `What was seen: ${drawn.map(({ name }) => name).join(", ")}`);
    $("seen-legend").replaceChildren(...drawn.map(entry));
    $("seen-said").textContent = "";
    $("seen-answer").hidden = false;
    $("seen-shown").checked = true;
    canvas.hidden = false;
  }

  $("seen-open").accept = photographEndings.map((ending) => `.${ending}`).join(",");
  takeFiles($("recognize"), $("seen-open"), look);
  $("seen-shown").addEventListener("change", () => { canvas.hidden = !$("seen-shown").checked; });
  $("seen-close").addEventListener("click", () => {
    take(null);
    $("recognize-ink").focus();
  });
}
