import { ask, drawing } from "./server.js";
import { capture, paint, sketch } from "./ink.js";

const $ = (id) => document.getElementById(id);

export async function beginRecording() {
  let next = "";
  const canvas = $("record-ink");
  const extra = JSON.parse(localStorage.getItem("classes") ?? "[]");
  for (const name of ["writer", "device"]) {
    $(`record-${name}`).value = localStorage.getItem(name) ?? "";
    $(`record-${name}`).addEventListener("change", (event) => {
      localStorage.setItem(name, event.target.value.trim());
    });
  }
  const ink = capture(canvas, canvas, {
    keeps: true,
    place: (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    },
    done: () => { $("record-status").textContent = ""; },
  });

  function show(state) {
    next = state.next;
    $("record-label").textContent = next;
    $("record-counts").replaceChildren(...state.classes.map(({ label, count }) => {
      const item = document.createElement("li");
      const [name, number] = [document.createElement("span"), document.createElement("span")];
      name.textContent = label;
      number.textContent = count;
      item.append(name, number);
      return item;
    }));
    $("record-none").hidden = state.items.length > 0;
    $("record-items").replaceChildren(...state.items.map((entry) => {
      const item = document.createElement("li");
      const pair = document.createElement("div");
      pair.className = "pair";
      const [drawn, seen] = [document.createElement("canvas"), document.createElement("canvas")];
      pair.append(drawn, seen);
      const remove = document.createElement("button");
      remove.textContent = "Delete";
      remove.setAttribute("aria-label", `Delete this ${entry.label}`);
      remove.addEventListener("click", async () => show(
        await ask(`/api/recordings/${encodeURIComponent(entry.id)}`, "DELETE")));
      item.append(pair, `${entry.label} `, remove);
      sketch(drawn, entry.strokes);
      paint(seen, entry.bitmap, entry.size);
      return item;
    }));
  }

  async function refresh() {
    show(await ask(`/api/recordings?classes=${encodeURIComponent(extra.join(","))}`));
  }

  async function save() {
    if (!ink.strokes.length) {
      $("record-status").textContent = "Draw first, then save.";
      return;
    }
    const strokes = ink.strokes;
    const state = await ask("/api/recordings", "POST", {
      word: next, writer: $("record-writer").value.trim() || undefined,
      device: $("record-device").value.trim() || undefined, drawing: drawing(strokes),
    });
    ink.clear();
    $("record-status").textContent = `Saved, ${state.total} in all.`;
    show(state);
  }

  function again() { ink.clear(); }
  $("record-save").addEventListener("click", save);
  $("record-redraw").addEventListener("click", again);
  $("record-skip").addEventListener("click", () => { again(); refresh(); });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { save(); }
    if (event.key === "Escape") { again(); }
  });
  $("record-about").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = $("record-class").value.trim();
    if (!name) { return; }
    extra.push(name);
    localStorage.setItem("classes", JSON.stringify(extra));
    $("record-class").value = "";
    refresh();
  });
  await refresh();
}
