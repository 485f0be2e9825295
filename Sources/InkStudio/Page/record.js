// The page Record: saves labelled drawings, imports files and lists the newest recordings.

import { $, shape } from "./elements.js";
import { ask, drawing, isSmallEnough, keptClasses, recordings, takeFiles } from "./server.js";
import { capture, paint, placeOn, sketch } from "./ink.js";


export async function beginRecording({ meanings, maximumFileBytes, recordingEndings, shownRecordings }) {
  $("record-open").accept = recordingEndings.map((ending) => `.${ending}`).join(",");
  let next = "";
  let isSaving = false;
  // The file that was imported last.
  let imported = null;
  const canvas = $("record-ink");
  for (const name of ["writer", "device"]) {
    $(`record-${name}`).value = localStorage.getItem(name) ?? "";
    $(`record-${name}`).addEventListener("change", (event) => {
      localStorage.setItem(name, event.target.value.trim());
    });
  }
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: placeOn(canvas),
    begins: () => !isSaving,
    done: () => { $("record-status").textContent = ""; },
  });

  function thumbnail(entry) {
    const item = document.createElement("li");
    const pair = document.createElement("div");
    pair.className = "pair";
    const [drawn, seen] = [document.createElement("canvas"), document.createElement("canvas")];
    pair.append(drawn, seen);
    const remove = document.createElement("button");
    remove.textContent = "Delete recording";
    remove.setAttribute("aria-label", `Delete recording of ${entry.label}`);
    remove.addEventListener("click", async () => {
      show(await ask(recordings(`/${encodeURIComponent(entry.id)}`), "DELETE"));
      ($("record-items").querySelector("button") ?? canvas).focus();
    });
    item.append(pair, `${entry.label} `, remove);
    // Its colours are known once it is in the page.
    requestAnimationFrame(() => {
      sketch(drawn, entry.strokes);
      paint(seen, entry.bitmap, entry.size);
    });
    return item;
  }

  function showCounts(state) {
    const focused = document.activeElement?.dataset?.label;
    // A drawing keeps the class that it was drawn for.
    if (!ink.strokes.length || !next) {
      next = state.next;
      $("record-label").textContent = next;
      $("record-meaning").textContent = meanings[next] ? `(${meanings[next]})` : "";
      $("record-example").setAttribute("hidden", "");
    }
    $("record-counts").replaceChildren(...state.classes.map(({ label, count }) => {
      const item = document.createElement("li");
      const name = document.createElement("label");
      const asks = document.createElement("input");
      const number = document.createElement("span");
      name.className = "toggle";
      asks.type = "checkbox";
      asks.checked = !keptClasses.has("skipped", label);
      asks.title = "Ask for this class";
      asks.dataset.label = label;
      asks.addEventListener("change", async () => {
        if (asks.checked) { keptClasses.remove("skipped", label); } else { keptClasses.add("skipped", label); }
        showCounts(await ask(recordings()));
      });
      name.append(asks, label);
      number.textContent = count;
      if (count === 0 && keptClasses.has("classes", label)) {
        const remove = document.createElement("button");
        remove.className = "small";
        remove.textContent = "×";
        remove.setAttribute("aria-label", `Remove the class ${label}`);
        remove.addEventListener("click", async () => {
          keptClasses.remove("classes", label);
          showCounts(await ask(recordings()));
        });
        number.append(" ", remove);
      }
      item.append(name, number);
      return item;
    }));
    // The checkbox keeps the focus.
    const box = [...$("record-counts").querySelectorAll("input")].find((b) => b.dataset.label === focused);
    box?.focus();
    $("record-none").hidden = state.total > 0;
  }

  function show(state) {
    showCounts(state);
    $("record-items").replaceChildren(...state.items.map(thumbnail));
  }

  async function refresh() { show(await ask(recordings())); }

  async function save() {
    if (isSaving) { return; }
    const strokes = ink.take();
    if (!strokes.length) {
      $("record-status").textContent = "Draw the shape first, then save it.";
      return;
    }
    isSaving = true;
    let state;
    try {
      state = await ask(recordings(), "POST", {
        word: next, writer: $("record-writer").value.trim() || undefined,
        device: $("record-device").value.trim() || undefined, drawing: drawing(strokes),
      }, { place: null });
    } catch (failure) {
      ink.restore(strokes);
      $("record-status").textContent = `Not saved. ${failure.message}`;
      return;
    } finally {
      isSaving = false;
    }
    $("record-status").textContent = `Saved. ${state.total} ${state.total === 1 ? "recording" : "recordings"} in total.`;
    showCounts(state);
    $("record-items").prepend(...state.items.map(thumbnail));
    while ($("record-items").children.length > shownRecordings) { $("record-items").lastChild.remove(); }
  }

  async function showExample() {
    const strokes = await ask(`/api/example?label=${encodeURIComponent(next)}`);
    const xs = strokes.flatMap((s) => s[0]), ys = strokes.flatMap((s) => s[1]);
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - left || 1, Math.max(...ys) - top || 1];
    const svg = $("record-example");
    svg.setAttribute("viewBox", `${left - width / 2} ${top - height / 2} ${2 * width} ${2 * height}`);
    svg.replaceChildren(...strokes.map(([x, y]) => {
      return shape("polyline", { points: x.map((value, i) => `${value},${y[i]}`).join(" ") });
    }));
    svg.removeAttribute("hidden");
  }

  function again() {
    ink.take();
    $("record-status").textContent = "";
  }
  $("record-save").addEventListener("click", save);
  $("record-redraw").addEventListener("click", again);
  $("record-skip").addEventListener("click", async () => {
    again();
    showCounts(await ask(recordings()));
  });
  $("record-show").addEventListener("click", showExample);
  document.addEventListener("keydown", (event) => {
    if ($("record").hidden || event.target.matches("input, button, a")) { return; }
    if (event.key === "Enter") { save(); }
    if (event.key === "Escape") { again(); }
  });
  $("record-about").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = $("record-class").value.trim();
    if (!name) { return; }
    keptClasses.add("classes", name);
    $("record-class").value = "";
    refresh();
  });
  takeFiles($("record"), $("record-open"), async (file) => {
    if (!isSmallEnough(file, maximumFileBytes)) { return; }
    const { added, id, refused, firstProblem } = await ask(
      `/api/recordings/file?name=${encodeURIComponent(file.name)}`, "POST", file);
    $("record-imported").textContent = `${added} recordings added from ${file.name}.`
      + (refused ? ` ${refused} not read. The first: ${firstProblem}` : "");
    imported = { id, name: file.name };
    $("record-undo").hidden = !id;
    refresh();
  });
  $("record-undo").addEventListener("click", async () => {
    show(await ask(recordings(`/file/${imported.id}`), "DELETE"));
    $("record-undo").hidden = true;
    $("record-imported").textContent = `The recordings from ${imported.name} are deleted again.`;
    canvas.focus();
  });
  // A problem is shown; the page tries again when it is shown again.
  await refresh().catch(() => {});
  return refresh;
}
