// The selected elements, and what is done with several of them: copies, and arranging.

import { $ } from "../elements.js";
import { ask } from "../server.js";
import { describe } from "./names.js";

/// How far a copy is from its original, in canvas points.
const offset = 40;
/// How a state moves to its place in an arrangement.
const motion = { duration: 300, easing: "ease-in-out" };
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

export function makeSelection(editor) {
  const { changes } = editor;
  const selection = {
    ids: new Set(),
    /// Whether the only element was just drawn: it has no handles then, and waits for its text.
    isFresh: false,
  };
  const all = () => [...editor.picture.states, ...editor.picture.transitions];

  /// The selected element, if it is one.
  selection.element = () => (selection.ids.size === 1
    ? all().find(({ id }) => selection.ids.has(id)) : undefined);
  selection.elements = () => all().filter(({ id }) => selection.ids.has(id));

  /// Selects elements.
  selection.set = (ids, isFresh = false) => {
    if (!ids.length && !selection.ids.size) { return; }
    selection.ids = new Set(ids);
    selection.isFresh = isFresh && selection.ids.size > 0;
    editor.canvas.mark();
    editor.inspector.show();
    editor.canvas.look();
    const { size } = selection.ids;
    $("edit-said").textContent = size > 1 ? `${size} elements selected`
      : `${describe(editor.picture, selection.element())}${isFresh ? "; type to change its text" : ""}`;
  };
  /// Adds an element to the selection, or removes it.
  selection.toggle = (id) => {
    const ids = new Set(selection.ids);
    if (!ids.delete(id)) { ids.add(id); }
    selection.set([...ids]);
  };
  /// Forgets elements that are gone.
  selection.keep = (isThere) => {
    const ids = [...selection.ids].filter(isThere);
    if (ids.length === selection.ids.size) { return; }
    selection.ids = new Set(ids);
    selection.isFresh = false;
  };
  selection.selectAll = () => selection.set(all().map(({ id }) => id));
  selection.next = (step) => {
    const elements = all();
    if (!elements.length) { return; }
    const at = elements.findIndex(({ id }) => selection.ids.has(id));
    selection.set([
      elements[(at < 0 ? (step > 0 ? 0 : elements.length - 1) : at + step + elements.length) % elements.length].id]);
  };

  selection.remove = (value = false) => changes.command("delete", { ids: [...selection.ids], value });

  /// Arranges the selected states, or all of them, and lets them move to their places.
  selection.arrange = async (kind) => {
    const chosen = editor.picture.states.filter(({ id }) => selection.ids.has(id));
    const states = chosen.length > 1 ? chosen : editor.picture.states;
    const before = new Map(editor.picture.states.map(({ id, center }) => [id, center]));
    const answer = await changes.command("arrange", { ids: states.map(({ id }) => id), text: kind });
    if (chosen.length < 2) { editor.canvas.fit(); }
    if (!answer || isStill.matches) { return; }
    const group = (id) => editor.canvas.renderer.group(id);
    for (const { id, center } of editor.picture.states) {
      const { x, y } = before.get(id) ?? center;
      group(id)?.animate(
        [{ transform: `translate(${x - center.x}px, ${y - center.y}px)` }, { transform: "none" }], motion);
    }
    for (const { id } of editor.picture.transitions) { group(id)?.animate([{ opacity: 0 }, { opacity: 1 }], motion); }
  };

  /// The selected elements as text for the clipboard.
  const copied = () => ask(changes.path("copy"), "POST", { ids: [...selection.ids] });

  /// Adds what the clipboard has, and selects and shows it.
  async function insert(text) {
    const before = new Set(all().map(({ id }) => id));
    const answer = await changes.command("insert", { text, place: { x: offset, y: offset } });
    if (!answer) { return; }
    selection.set(all().map(({ id }) => id).filter((id) => !before.has(id)));
    editor.canvas.reveal(selection.elements());
  }

  selection.duplicate = async () => {
    if (selection.ids.size) { insert(JSON.stringify(await copied())); }
  };

  /// Copies the selection to the clipboard.
  selection.copy = async () => {
    if (!selection.ids.size) { return; }
    const text = JSON.stringify(await copied());
    // Kept for browsers that do not share the clipboard.
    sessionStorage.setItem("clipboard", text);
    await navigator.clipboard?.writeText(text).catch(() => {});
    $("edit-said").textContent = "Copied";
  };

  /// Adds the elements in a text, by default those that were copied in this tab.
  const paste = (text) => insert(text || sessionStorage.getItem("clipboard") || "");

  document.addEventListener("paste", (event) => {
    if ($("edit").hidden || !editor.picture || event.target.matches("input, textarea")) { return; }
    event.preventDefault();
    paste(event.clipboardData.getData("text/plain"));
  });

  $("edit-paste").addEventListener("click", () => paste(""));
  $("edit-tidy").addEventListener("click", () => selection.arrange("layers"));
  return selection;
}
