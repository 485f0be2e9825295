// Sends changes and strokes to the server, in order, and keeps strokes until they are saved.

import { $ } from "../elements.js";
import { ask, complain, drawing, Failure } from "../server.js";
import { morph } from "./ghost.js";

/// The server groups strokes, such as the two arcs of a ring, only if they were drawn on one page.
const page = crypto.randomUUID();
/// How long strokes that could not be sent wait for the next attempt, in milliseconds.
const retryPause = 3000;

/// The address of a document or of a part of it. With the id, the server detects that another document has
/// the name now.
export function address(name, rest = "", id = undefined) {
  const path = `/api/documents/${encodeURIComponent(name)}${rest}`;
  return id === undefined ? path
    : `${path}${rest.includes("?") ? "&" : "?"}id=${encodeURIComponent(id)}`;
}

export function makeChanges(editor) {
  let queue = Promise.resolve();
  // Strokes that the server has not confirmed yet, in order, and whether the last attempt failed.
  const unsent = [];
  let isLate = false;
  // How many changes were not made because a stroke before them was not saved.
  let missed = 0;
  let retry = 0;

  const path = (rest = "") => address(editor.picture.name, rest && `/${rest}`, editor.picture.id);

  /// Shows an answer, if it is about the document that is shown, whatever its name is by now. Returns the ids
  /// of the elements that are new.
  function take(answer) {
    if (answer.name === editor.picture.name) { return editor.show(answer); }
    // Not awaited: opening waits for the queue.
    if (answer.id === editor.picture.id) { editor.files.open(answer.name); }
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

  /// Sends a change after all earlier ones; returns the document after it, or null if it was not made.
  ///
  /// A problem is shown at `problem`, by default at the foot of the page.
  function change(rest, body, problem = undefined) {
    const { name, id } = editor.picture;
    const done = queue.then(async () => {
      try { await sendStrokes(); } catch (failure) {
        if (isLate) {
          missed += 1;
          showWaiting(failure);
        }
        throw failure;
      }
      const post = (current) => ask(address(current, `/${rest}`, id), "POST", body, { place: problem, retry: resume });
      const answer = await post(name).catch((failure) => {
        if (!failure.answer?.renamedTo) { throw failure; }
        return post(failure.answer.renamedTo);
      });
      if (missed) {
        missed = 0;
        showWaiting();
      }
      take(answer);
      return answer;
    });
    queue = done.catch(follow);
    return done.catch(() => null);
  }

  /// Sends a stroke, which stays in memory until the server has answered.
  function send(rest, stroke) {
    const { name, id } = editor.picture;
    unsent.push({
      name, id, rest, points: stroke.map(({ x, y }) => [x, y]),
      // By its id the server knows a stroke that is sent again because its answer was lost.
      body: { drawing: drawing([stroke]), zoom: editor.view.zoom, page, stroke: crypto.randomUUID() },
    });
    showWaiting();
    queue = queue.then(sendStrokes).catch(follow);
  }

  async function sendStrokes() {
    clearTimeout(retry);
    while (unsent.length) {
      const [stroke] = unsent;
      let answer;
      try {
        answer = await ask(
          address(stroke.name, `/${stroke.rest}`, stroke.id), "POST", stroke.body, { place: null });
      } catch (failure) {
        const { renamedTo } = failure.answer;
        if (renamedTo) {
          for (const one of unsent) { if (one.id === stroke.id) { one.name = renamedTo; } }
          continue;
        }
        isLate = failure.isTemporary;
        showWaiting(failure);
        if (isLate) {
          retry = setTimeout(() => { queue = queue.then(sendStrokes).catch(follow); }, retryPause);
          throw failure;
        }
        if (failure.status === 404 && stroke.id === editor.picture.id) { throw failure; }
        // The server rejected this stroke. It can accept the next one.
        unsent.shift();
        showWaiting();
        complain(failure.message);
        continue;
      }
      unsent.shift();
      const wasLate = isLate;
      isLate = false;
      showWaiting();
      finish(stroke, take(answer));
      if (wasLate) { editor.files.listen(); }
    }
  }

  /// Shows the strokes that are not sent yet, marked if the server did not take them.
  function showWaiting(failure = undefined) {
    editor.canvas.showWaiting(unsent.filter((stroke) => stroke.id === editor.picture.id), isLate);
    if (editor.isGone) { return; }
    const lost = missed ? `${missed === 1 ? "1 change was" : `${missed} changes were`} not made, because an earlier `
      + "stroke is not saved yet. Repeat it when all strokes are saved." : "";
    if (!isLate && !lost) { return notice(""); }
    if (!isLate) {
      return notice(lost, "Hide message", () => {
        missed = 0;
        notice("");
      });
    }
    const count = unsent.length === 1 ? "1 stroke is" : `${unsent.length} strokes are`;
    if (failure) {
      notice(`${failure.message} ${count} not saved yet and kept on this page. ${lost}`, "Try again", resume);
    }
  }

  /// Shows a sentence and a button over the drawing.
  function notice(text, label = undefined, act = undefined) {
    const box = $("edit-notice");
    box.hidden = !text;
    box.replaceChildren(text);
    if (!label) { return; }
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", act);
    box.append(" ", button);
  }

  const load = async () => take(await ask(path(), "GET", undefined, { retry: resume }));

  /// Shows the document as it is after all changes of this page.
  function refresh() { queue = queue.then(load).catch(follow); }

  /// Sends what is waiting, and shows the document as it is now.
  function resume() {
    queue = queue.then(sendStrokes).then(load).then(() => editor.files.listen()).catch(follow);
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
      leave(isDeleted ? `“${editor.picture.name}” was deleted in another window.` : failure.message);
    }
  }

  /// Ends the work on a document that was deleted.
  function leave(text) {
    editor.isGone = true;
    editor.files.stopListening();
    notice(text, "Open another document", () => {
      unsent.splice(0);
      editor.files.open(null);
    });
  }

  /// Sends a request about the shown document, and handles a document that was renamed or deleted.
  async function asking(rest = "", method = "GET", body = undefined) {
    try { return await ask(path(rest), method, body, { retry: resume }); } catch (failure) {
      follow(failure);
      throw failure;
    }
  }

  // The network is back, before the next attempt.
  window.addEventListener("online", () => { if (isLate) { resume(); } });
  window.addEventListener("beforeunload", (event) => { if (isLate) { event.preventDefault(); } });

  return {
    path, change, send, showWaiting, refresh, leave, asking,
    /// Sends a command of the editor.
    command: (kind, fields, problem = undefined) => change(
      `command?${editor.consent.query}`, { kind, zoom: editor.view.zoom, ...fields }, problem),
    /// Waits until all changes up to now are made or failed.
    settled: () => queue,
    /// Forgets the changes that were not made.
    forgetMissed() { missed = 0; },
    get isLate() { return isLate; },
  };
}
