// Sends changes to the server, in order, and keeps them in this browser until they are on disk there.

import { $ } from "../elements.js";
import { ask, complain, drawing, Failure, showMessages } from "../server.js";
import { morph } from "./ghost.js";
import { moveElements } from "./preview.js";

/// The server groups strokes, such as the two arcs of a ring, only if they were drawn on one page.
const page = crypto.randomUUID();
/// How long changes that could not be saved wait for the next attempt, in milliseconds.
const retryPause = 3000;
/// What the names of the lists of unsaved changes begin with, in the browser's storage. Each page has one.
const listed = "unsaved ";

/// The address of a document or of a part of it. With the id, the server detects that another document has
/// the name now.
export function address(name, rest = "", id = undefined) {
  const path = `/api/documents/${encodeURIComponent(name)}${rest}`;
  return id === undefined ? path
    : `${path}${rest.includes("?") ? "&" : "?"}id=${encodeURIComponent(id)}`;
}

export function makeChanges(editor) {
  let queue = Promise.resolve();
  // Changes that are not saved yet, in order, and whether the last attempt failed.
  const unsaved = [];
  let isLate = false;
  let retry = 0;

  const path = (rest = "") => address(editor.picture.name, rest && `/${rest}`, editor.picture.id);

  /// Shows an answer, if it is about the document that is shown, whatever its name is by now. Returns the ids
  /// of the elements that are new.
  function take(answer) {
    if (answer.name === editor.picture?.name) { return editor.show(answer); }
    // Not awaited: opening waits for the queue.
    if (answer.id === editor.picture?.id) { editor.files.open(answer.name); }
    return [];
  }

  /// Lets a stroke turn into the element that it became; a new arrow waits for its symbols.
  function finish(stroke, [id, ...others]) {
    if (!id || others.length) { return; }
    morph(editor, stroke.points, id);
    const arrow = editor.picture.transitions.find((transition) => transition.id === id);
    const { selection } = editor;
    if (selection.ids.size && !selection.isFresh) { return; }
    selection.set(arrow && !arrow.isInitialMarker ? [id] : [], true);
  }

  /// Sends a change after all earlier ones. Returns the document after it, null if it is not possible, or
  /// undefined if it is not saved yet.
  ///
  /// A problem is shown at `problem`, by default above the page.
  function change(rest, body, problem = undefined) {
    return new Promise((done) => { add({ rest, body }, { done, problem }); });
  }

  /// Sends a stroke.
  function send(rest, stroke) {
    add({
      rest, points: stroke.map(({ x, y }) => [x, y]),
      body: { drawing: drawing([stroke]), zoom: editor.view.zoom, page, stroke: crypto.randomUUID() },
    });
  }

  /// Adds a change of the shown document. By its number the server knows one that is sent again.
  function add(content, more = {}) {
    const { name, id } = editor.picture;
    unsaved.push({ name, id, number: crypto.randomUUID(), ...content, ...more });
    keep();
    showWaiting();
    if (isLate) { foresee(unsaved.at(-1)); }
    sendLater();
  }

  /// Keeps the changes in this browser, for the case that the page is closed.
  function keep() {
    try {
      if (unsaved.length) {
        localStorage.setItem(listed + page, JSON.stringify(unsaved.map((
          { name, id, number, rest, body, points }) => ({ name, id, number, rest, body, points }))));
      } else {
        localStorage.removeItem(listed + page);
      }
    } catch {
      // The storage of the browser is full: the changes are on this page only.
    }
  }

  /// Takes over the changes of pages that were closed before their changes were saved.
  function takeOver() {
    navigator.locks?.request(listed + page, () => new Promise(() => {}));
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(listed))) {
      // A page has its list for itself until it is closed.
      navigator.locks?.request(key, () => {
        unsaved.push(...JSON.parse(localStorage.getItem(key) ?? "[]"));
        keep();
        localStorage.removeItem(key);
        if (editor.picture) { sendLater(); }
      });
    }
  }

  function sendLater() { queue = queue.then(sendAll).catch(follow); }

  async function sendAll() {
    clearTimeout(retry);
    while (unsaved.length) {
      const [one] = unsaved;
      let answer;
      try {
        const rest = `/${one.rest}${one.rest.includes("?") ? "&" : "?"}change=${one.number}`;
        answer = await ask(address(one.name, rest, one.id), "POST", one.body, { place: null });
      } catch (failure) {
        const { renamedTo } = failure.answer;
        if (renamedTo) {
          for (const other of unsaved) { if (other.id === one.id) { other.name = renamedTo; } }
          continue;
        }
        // An error of the studio itself would hold up everything; only ink waits for its end.
        if (failure.isTemporary && (failure.status !== 500 || one.points)) {
          isLate = true;
          for (const other of unsaved) { letGo(other, undefined); }
          showWaiting(failure);
          retry = setTimeout(sendLater, retryPause);
          throw failure;
        }
        if (failure.status === 404) {
          await leaveDocument(one, failure);
          continue;
        }
        // The server rejected this change. It can accept the next one.
        unsaved.shift();
        keep();
        complain(failure.message, one.problem);
        letGo(one, null);
        if (isLate) {
          isLate = false;
          resume();
        }
        showWaiting();
        continue;
      }
      unsaved.shift();
      keep();
      const wasLate = isLate;
      isLate = false;
      if (one.rest !== "read") { complain(""); }
      if (one.problem) { complain("", one.problem); }
      const fresh = take(answer);
      showWaiting();
      if (one.points) { finish(one, fresh); }
      letGo(one, answer);
      if (wasLate) { editor.files.listen(); }
    }
  }

  /// Tells whoever waits for a change what became of it.
  function letGo(one, answer) {
    one.done?.(answer);
    delete one.done;
    if (answer === undefined) { foresee(one); }
  }

  /// Shows what a change will do, while the server does not answer.
  function foresee(one) {
    const { id, body, isForeseen, rest } = one;
    const { picture } = editor;
    if (isForeseen || id !== picture?.id || !rest.startsWith("command")) { return; }
    one.isForeseen = true;
    const { kind, place, text } = body;
    const element = [...picture.states, ...picture.transitions].find((e) => e.id === body.id);
    if (kind === "move") {
      moveElements(picture, new Set(body.ids), place);
    } else if (kind === "moveState" && element) {
      moveElements(picture, new Set([body.id]), { x: place.x - element.center.x, y: place.y - element.center.y });
    } else if (["rename", "setSymbols"].includes(kind) && element) {
      Object.assign(element, kind === "rename" ? { name: text, shown: [text] } : { text, typed: text, lines: [[text]] });
    }
    editor.canvas.draw();
  }

  /// Returns the unsaved changes of the shown document that are not undone by later ones, and whether one can
  /// be redone.
  ///
  /// The page does not keep saved changes: the undo or redo of one takes its place. Each undo counts as that of one
  /// change, where the studio may take back several strokes that made one element.
  function pending() {
    const { id, canUndo } = editor.picture;
    let { canRedo } = editor.picture;
    const made = [];
    const undone = [];
    for (const one of unsaved.filter((other) => other.id === id)) {
      if (one.rest === "undo") {
        if (made.length || canUndo) { undone.push(made.pop() ?? one); }
      } else if (one.rest === "redo") {
        if (undone.length || canRedo) { made.push(undone.pop() ?? one); }
      } else if (one.rest !== "read") {
        made.push(one);
        // After a new change, nothing can be redone.
        undone.length = 0;
        canRedo = false;
      }
    }
    return { made, canRedo: canRedo || undone.length > 0 };
  }

  /// Shows whether everything is saved, and the strokes that are not.
  function showWaiting(failure = undefined) {
    const { picture } = editor;
    if (!picture) { return; }
    const { made, canRedo } = pending();
    editor.canvas.showWaiting(made.filter(({ points }) => points), isLate);
    $("edit-undo").disabled = !picture.canUndo && !made.length;
    $("edit-redo").disabled = !canRedo;
    const isSaved = !unsaved.some(({ id }) => id === picture.id) && !picture.unsaved;
    const mark = $("edit-saved");
    mark.textContent = editor.isGone ? "Deleted" : isSaved ? "Saved" : "Not saved";
    mark.classList.toggle("late", !isSaved && (isLate || Boolean(picture.unsaved)));
    // Whoever made the changes may have gone; the studio saves again when it is asked.
    if (picture.unsaved && !unsaved.length) { change("read"); }
    if (editor.isGone) { return; }
    if (!isLate) { return notice(""); }
    if (failure) { notice(`${failure.message} ${counted()}`, "Try again", resume); }
  }

  /// Says how many strokes and other changes of this browser are not saved.
  function counted() {
    const strokes = unsaved.filter(({ points }) => points).length;
    const others = unsaved.filter(({ points, rest }) => !points && rest !== "read").length;
    const parts = [[strokes, "stroke"], [others, "change"]].filter(([count]) => count)
      .map(([count, name]) => `${count} ${name}${count > 1 ? "s" : ""}`);
    const verb = strokes + others > 1 ? "are" : "is";
    return parts.length ? `${parts.join(" and ")} ${verb} not saved yet and kept in this browser.` : "";
  }

  /// Shows a sentence and a button over the drawing.
  function notice(text, label = undefined, act = undefined) {
    const box = $("edit-notice");
    if (box.hidden && !text) { return; }
    box.hidden = !text;
    box.replaceChildren(text);
    if (label) {
      const button = document.createElement("button");
      button.textContent = label;
      button.addEventListener("click", act);
      box.append(" ", button);
    }
    showMessages();
  }

  const load = async () => take(await ask(path(), "GET", undefined, { retry: resume }));

  /// Shows the document as it is after all changes of this page.
  function refresh() { queue = queue.then(load).catch(follow); }

  /// Sends what is waiting, and shows the document as it is now.
  function resume() {
    queue = queue.then(sendAll).then(load).then(() => editor.files.listen()).catch(follow);
    return queue;
  }

  /// After a failure: opens a document by its new name, or says that it is gone.
  function follow(failure) {
    if (!(failure instanceof Failure)) { return reportError(failure); }
    const { renamedTo, isDeleted } = failure.answer;
    if (failure.status !== 404) { return; }
    complain("");
    if (renamedTo) {
      editor.files.open(renamedTo);
    } else {
      leave(isDeleted ? deleted(editor.picture.name) : failure.message).catch(follow);
    }
  }

  const deleted = (name) => `“${name}” was deleted in another window.`;

  /// Ends the work on the shown document, which was deleted. Its unsaved strokes move to a new one.
  async function leave(text) {
    editor.isGone = true;
    editor.files.stopListening();
    showWaiting();
    notice(text, "Open another document", () => editor.files.open(null));
    const next = await rescue(editor.picture.id);
    if (!next) { return; }
    notice(`${text} ${rescued(next)}`, `Open “${next}”`, () => editor.files.open(next));
    sendLater();
  }

  /// Gives up the document of a change that was sent in vain.
  async function leaveDocument({ name, id }, failure) {
    const text = failure.answer.isDeleted ? deleted(name) : failure.message;
    try {
      if (id === editor.picture?.id) { return await leave(text); }
      const next = await rescue(id);
      complain(next ? `${text} ${rescued(next)}` : text);
    } catch (problem) {
      retry = setTimeout(sendLater, retryPause);
      throw problem;
    }
  }

  const rescued = (name) => `The strokes that were not saved are in “${name}”.`;

  /// Moves the unsaved strokes of a document that is gone to a new document, and returns its name; null if
  /// there are none. Its other changes are about elements that are gone.
  async function rescue(id) {
    const isStroke = (one) => one.id === id && one.points;
    const next = unsaved.some(isStroke) ? await ask("/api/documents", "POST", undefined, { place: null }) : null;
    for (const one of unsaved.splice(0)) {
      if (isStroke(one)) { Object.assign(one, { name: next.name, id: next.id }); }
      if (one.id === id) { letGo(one, null); } else { unsaved.push(one); }
    }
    keep();
    return next && next.name;
  }

  /// Sends a request about the shown document, and handles a document that was renamed or deleted.
  async function asking(rest = "", method = "GET", body = undefined) {
    try { return await ask(path(rest), method, body, { retry: resume }); } catch (failure) {
      follow(failure);
      throw failure;
    }
  }

  /// Sends a request about what the whole document says. If something is missing, asks whether to go on.
  async function askingWhole(rest, method) {
    await queue;
    if (unsaved.length && !window.confirm("The last changes are not saved, and may be left out. Go on?")) {
      throw new Failure("The last changes are not saved.", 409);
    }
    try {
      return await ask(path(rest), method, undefined, { retry: resume, isTold: ({ answer }) => answer.missing });
    } catch (failure) {
      follow(failure);
      if (!failure.answer.missing || !window.confirm(`${failure.message}\n\nGo on without that?`)) { throw failure; }
    }
    return asking(`${rest}${rest.includes("?") ? "&" : "?"}anyway=true`, method);
  }

  // The network is back, before the next attempt.
  window.addEventListener("online", () => { if (isLate) { resume(); } });
  window.addEventListener("beforeunload", (event) => { if (isLate) { event.preventDefault(); } });
  takeOver();

  return {
    path, change, send, showWaiting, refresh, asking, askingWhole, take,
    /// Ends the work on the shown document, which was deleted.
    leaveDeleted: () => leave(deleted(editor.picture.name)).catch(follow),
    /// Sends a command of the editor.
    command: (kind, fields, problem = undefined) => change(
      `command?${editor.consent.query}`, { kind, zoom: editor.view.zoom, ...fields }, problem),
    /// Sends what an earlier page could not.
    begin() { if (unsaved.length) { sendLater(); } },
    /// Waits until all changes up to now are made or failed.
    settled: () => queue,
    get isLate() { return isLate; },
    /// Whether there are changes that are not saved.
    get isWaiting() { return unsaved.length > 0; },
  };
}
