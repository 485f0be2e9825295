// Opens, adds, renames and deletes documents, and opens and saves files.

import { $ } from "../elements.js";
import { closeMenu } from "../menus.js";
import { ask, complain, isSmallEnough, listen, save, takeFiles } from "../server.js";
import { address } from "./changes.js";

export function makeFiles(editor) {
  const { documentEndings, examples, savedForms } = editor.constants;
  const { changes } = editor;
  let opening = 0;

  // Another window may change the document as well, rename it or delete it.
  const hear = listen($("edit"), async (event) => {
    await changes.settled();
    if (event.name === editor.picture.name && event.version !== editor.picture.version) { changes.refresh(); }
  }, {
    renamed: (name) => open(name),
    deleted: () => changes.leaveDeleted(),
  }, () => { if (!changes.isLate) { changes.refresh(); } });
  const listenToIt = () => hear(changes.path("versions"));
  const stopListening = () => hear(null);

  /// Opens the document that was open last. A problem is shown; the page tries again when it is shown again.
  const openLast = () => open(localStorage.getItem("document")).catch(() => {});

  /// Shows a document; without a name, the first one, or a new one if there is none.
  async function open(wish) {
    opening += 1;
    const turn = opening;
    await changes.settled();
    const names = await ask("/api/documents", "GET", undefined, { retry: openLast });
    if (wish && !names.includes(wish)) {
      const renamedTo = await ask(address(wish), "GET", undefined, { place: null })
        .catch((failure) => failure.answer.renamedTo);
      if (typeof renamedTo === "string") { return open(renamedTo); }
    }
    const name = names.includes(wish) ? wish : names[0];
    const next = name === undefined ? await ask("/api/documents", "POST", undefined, { retry: openLast })
      : await ask(address(name), "GET", undefined, { retry: openLast });
    // Another one was chosen meanwhile.
    if (turn !== opening) { return; }
    const isSame = next.id === editor.picture?.id;
    editor.isGone = false;
    if (!isSame) {
      editor.runner.end();
      editor.selection.keep(() => false);
      editor.decision.forget();
    }
    const all = [...new Set([...names, next.name])];
    $("edit-name").replaceChildren(...all.map((text) => new Option(text, text, false, text === next.name)));
    $("document-name").textContent = next.name;
    editor.show(next);
    changes.begin();
    localStorage.setItem("document", next.name);
    if (!isSame) { editor.canvas.fit(); }
    $("edit-files").replaceChildren(...savedForms.map(fileLink));
    listenToIt();
  }

  /// Saves a picture with pixels in the chosen scale, or says why it cannot have it.
  async function savePicture(ending) {
    const [scale, isTransparent] = [$("png-scale").value, $("png-transparent").checked];
    await save(changes.path(`file?form=${ending}&scale=${scale}&transparent=${isTransparent}`)).catch(() => {});
  }

  function fileLink({ ending, hasScale, title }) {
    const link = document.createElement("a");
    link.href = changes.path(`file?form=${ending}`);
    if (hasScale) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        if ($("png-scale").reportValidity()) { savePicture(ending); }
      });
    }
    link.download = "";
    link.textContent = `${ending} (${title})`;
    link.setAttribute("aria-label", `Save as ${ending} (${title})`);
    return link;
  }

  /// Adds a file as a new document; `form` says its format. Asks for another name if that cannot be its name;
  /// null if there is none.
  async function add(name, form, data) {
    try {
      return await ask(address(name, `/open?${form}`), "POST", data,
        { isTold: ({ answer }) => answer.freeName });
    } catch (failure) {
      const { freeName } = failure.answer;
      if (!freeName) { throw failure; }
      const wish = window.prompt(failure.message, freeName)?.trim();
      return wish ? add(wish, form, data) : null;
    }
  }

  $("png-scale").max = editor.constants.maximumScale;
  $("edit-name").addEventListener("change", (event) => {
    closeMenu("document-menu");
    // The menu shows what is open, also if that cannot be opened.
    open(event.target.value).catch(() => { $("edit-name").value = editor.picture.name; });
  });
  $("edit-new").addEventListener("click", async () => {
    await changes.settled();
    await open((await ask("/api/documents", "POST")).name);
    // A new document is there to be drawn.
    editor.tools.choose("pen");
  });
  $("edit-rename").addEventListener("click", async () => {
    const { name } = editor.picture;
    const wish = window.prompt(`New name of “${name}”`, name)?.trim();
    if (wish && wish !== editor.picture.name) {
      await changes.settled();
      stopListening();
      try { open(await changes.asking(`rename?to=${encodeURIComponent(wish)}`, "POST")); } catch {
        listenToIt();
      }
    }
  });
  $("edit-delete").addEventListener("click", async () => {
    if (!window.confirm(`Delete “${editor.picture.name}”? The file moves to the folder “deleted”.`)) { return; }
    await changes.settled();
    stopListening();
    try { await changes.asking("", "DELETE"); } catch { return listenToIt(); }
    open(null);
  });
  $("edit-example").append(...examples.map((title) => new Option(title)));
  $("edit-example").addEventListener("change", async ({ target }) => {
    const { value } = target;
    target.value = "";
    closeMenu("document-menu");
    await changes.settled();
    if (value) { open(await ask(`/api/examples/${encodeURIComponent(value)}`, "POST")); }
  });
  const endings = documentEndings.map((ending) => `.${ending}`);
  $("edit-open").accept = endings.join(",");
  takeFiles($("edit"), $("edit-open"), async (file) => {
    const dot = file.name.lastIndexOf(".");
    if (dot < 1) {
      return complain(`“${file.name}” has no extension. The studio opens ${endings.join(", ")}.`);
    }
    closeMenu("document-menu");
    if (!isSmallEnough(file, editor.constants.maximumFileBytes)) { return; }
    const [stem, ending] = [file.name.slice(0, dot), file.name.slice(dot + 1)];
    const added = await add(stem, `form=${encodeURIComponent(ending)}`, file);
    if (!added) { return; }
    const { name, photograph, remarks } = added;
    await open(name);
    // Another document may have been opened meanwhile.
    if (remarks?.length) { complain(`“${file.name}”: ${remarks.join("; ")}.`); }
    if (photograph && editor.picture.name === name) { editor.photograph.take(file, photograph); }
  });

  return { add, open, openLast, listen: listenToIt, stopListening };
}
