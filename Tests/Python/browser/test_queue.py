"""Changes without a studio: sent in order, kept until they are saved, and sent again under their numbers."""

import json

import pytest

from browser.modules import Modules

BODY = """<div id="problem" hidden></div><div id="edit-notice" hidden></div><span id="edit-saved"></span>
  <button id="edit-undo"></button><button id="edit-redo"></button>"""
# A server that answers as `window.answer` says, and an editor that shows what it gets.
EDITOR = """
  window.sent = [];
  window.answer = () => [200, {}];
  window.fetch = async (address, { method, body }) => {
    const url = new URL(address, location);
    const one = { method, rest: url.pathname.split("/").slice(3).join("/"), number: url.searchParams.get("change"),
      id: url.searchParams.get("id"), body: body && JSON.parse(body) };
    window.sent.push(one);
    const [status, content] = await window.answer(one, window.sent.length);
    if (!status) { throw new TypeError(); }
    return new Response(JSON.stringify({ name: "A", id: "1", states: [], transitions: [], ...content }), { status });
  };
  window.editor = {
    picture: { name: "A", id: "1", states: [], transitions: [] }, view: { zoom: 1 }, consent: { query: "keep=false" },
    show(next) { this.picture = next; return []; },
    files: { listen() {}, stopListening() {}, open(name) { window.opened = name; } },
    canvas: { draw() {}, showWaiting(strokes, isLate) {
      window.waiting = [strokes.length, isLate];
      window.shown = strokes.map(({ points: [[x]] }) => x);
    } },
    selection: { ids: new Set() },
  };"""
MAKE = "editor.changes = m.makeChanges(editor);"
KEPT = "Object.entries(localStorage).filter(([key]) => key.startsWith('unsaved ')).map(([, text]) => JSON.parse(text))"


@pytest.fixture
def queue(tabs, page_files):
    page = Modules(tabs, page_files, BODY)
    page.run(EDITOR)
    page.use("edit/changes.js", MAKE)
    return page


def change(queue, *names):
    """Sends commands at once, and waits until they are made or failed."""
    queue.use("edit/changes.js", """
      for (const name of args[0]) { editor.changes.command(name, {}); }
      await editor.changes.settled();""", names)


def test_changes_are_sent_in_order_each_with_a_number(queue):
    change(queue, "one", "two", "three")
    sent = queue.get("sent")
    assert [one["body"]["kind"] for one in sent] == ["one", "two", "three"]
    assert len({one["number"] for one in sent}) == 3
    assert {(one["rest"], one["id"], one["method"]) for one in sent} == {("A/command", "1", "POST")}
    assert queue.text("#edit-saved") == "Saved"
    assert queue.get(KEPT) == []


def test_what_is_not_answered_is_kept_and_sent_again_under_its_number(queue):
    queue.run("window.answer = () => [0]")
    change(queue, "one", "two")
    assert queue.text("#edit-saved") == "Not saved"
    assert "2 changes are not saved yet and kept in this browser." in queue.text("#edit-notice")
    [kept] = queue.get(KEPT)
    assert [one["body"]["kind"] for one in kept] == ["one", "two"]
    queue.run("window.answer = () => [200, {}]")
    queue.click("#edit-notice button")
    queue.wait("document.querySelector('#edit-saved').textContent === 'Saved'", "everything saved")
    *tries, last = [one for one in queue.get("sent") if one["method"] == "POST"]
    assert len(tries) > 1 and {one["body"]["kind"] for one in tries} == {"one"} and last["body"]["kind"] == "two"
    assert {one["number"] for one in tries} == {kept[0]["number"]} != {last["number"]}
    assert queue.get(KEPT) == []
    assert queue.get("document.querySelector('#edit-notice').hidden")


def test_a_refused_change_is_told_and_the_next_one_is_made(queue):
    queue.run("window.answer = (one) => one.body.kind === 'bad' ? [400, { error: 'This is refused.' }] : [200, {}]")
    change(queue, "bad")
    assert "This is refused." in queue.text("#problem")
    change(queue, "good")
    assert [one["body"]["kind"] for one in queue.get("sent")] == ["bad", "good"]
    assert queue.get("document.querySelector('#problem').hidden"), "the message gone with what was done next"
    assert queue.get(KEPT) == []


def test_an_error_of_the_studio_holds_up_ink_alone(queue):
    queue.run("window.answer = (one) => [500, { error: 'An error.' }]")
    change(queue, "one", "two")
    assert [one["body"]["kind"] for one in queue.get("sent")] == ["one", "two"]
    queue.use("edit/changes.js", """
      editor.changes.send("stroke", [{ x: 1, y: 2, time: 3, pressure: 1 }]);
      await editor.changes.settled();""")
    assert queue.get("waiting") == [1, True]
    assert "1 stroke is not saved yet" in queue.text("#edit-notice")


def test_changes_follow_a_new_name(queue):
    queue.run("""window.answer = ({ rest }) => rest.startsWith("A/")
      ? [404, { error: "Renamed.", renamedTo: "B" }] : [200, { name: "B" }];""")
    change(queue, "one", "two")
    assert [one["rest"] for one in queue.get("sent")] == ["A/command", "B/command", "B/command"]
    assert queue.get("opened") == "B"


def test_what_is_undone_before_it_is_saved_is_not_shown(queue):
    queue.run("window.answer = () => [0]")
    queue.use("edit/changes.js", """
      editor.changes.send("stroke", [{ x: 1, y: 2, time: 3, pressure: 1 }]);
      editor.changes.send("stroke", [{ x: 5, y: 6, time: 7, pressure: 1 }]);
      editor.changes.change("undo");
      await editor.changes.settled();""")
    assert queue.get("waiting") == [1, True]
    assert not queue.get("document.querySelector('#edit-undo').disabled")
    assert not queue.get("document.querySelector('#edit-redo').disabled")


def make(queue, letters):
    """Makes changes at once: s a stroke at x = 1, 2 and so on, c a command, u an undo, r a redo, and . reads."""
    queue.use("edit/changes.js", """
      let x = 0;
      for (const letter of args[0]) {
        if (letter === "s") {
          x += 1;
          editor.changes.send("stroke", [{ x, y: 2, time: 3, pressure: 1 }]);
        } else if (letter === "c") {
          editor.changes.command("clear", {});
        } else {
          editor.changes.change({ u: "undo", r: "redo", ".": "read" }[letter]);
        }
      }
      await editor.changes.settled();""", letters)


def is_enabled(queue):
    """Whether undo and redo are enabled."""
    return queue.get("['undo', 'redo'].map((name) => !document.querySelector(`#edit-${name}`).disabled)")


@pytest.mark.parametrize("can_undo, can_redo, letters, shown, enabled", [
    # Nothing saved can be undone or redone.
    (False, False, "sur", [1], [True, False]),
    (False, False, "su.r", [1], [True, False]),
    (False, False, "suru", [], [False, True]),
    (False, False, "ssur", [1, 2], [True, False]),
    (False, False, "ssuur", [1], [True, True]),
    (False, False, "ssuurr", [1, 2], [True, False]),
    (False, False, "sscuuurr", [1, 2], [True, True]),
    # After a new change, nothing can be redone.
    (False, False, "susr", [2], [True, False]),
    (False, False, "sucr", [], [True, False]),
    (False, False, "susru", [], [False, True]),
    # An undo or a redo has no effect if there is nothing to undo or redo.
    (False, False, "ur", [], [False, False]),
    (False, False, "sru", [], [False, True]),
    (False, False, "suur", [1], [True, False]),
    # The page does not know the strokes of saved changes, but undoes and redoes them in order.
    (True, False, "suur", [], [True, True]),
    (True, False, "suurr", [1], [True, False]),
    (False, True, "r", [], [True, True]),
    (False, True, "ru", [], [False, True]),
    (False, True, "rsuur", [], [True, True]),
    (False, True, "rsuurr", [1], [True, False]),
    (False, True, "s", [1], [True, False]),
    (False, True, "sru", [], [False, True]),
])
def test_what_is_redone_before_it_is_saved_is_shown(queue, can_undo, can_redo, letters, shown, enabled):
    queue.run("""window.answer = () => [0];
      Object.assign(editor.picture, { canUndo: arguments[0], canRedo: arguments[1] });""", can_undo, can_redo)
    make(queue, letters)
    assert queue.get("shown") == shown
    assert is_enabled(queue) == enabled


def test_a_redo_of_what_is_saved_shows_its_stroke_with_the_answer(queue):
    queue.run("""window.answer = ({ rest }) =>
      rest === "A/redo" ? [0] : [200, { canUndo: rest === "A/stroke", canRedo: rest === "A/undo" }];""")
    make(queue, "sur")
    [[kept]] = queue.get(KEPT)
    assert kept["rest"] == "redo", "the stroke and the undo saved"
    assert queue.get("shown") == []
    assert is_enabled(queue) == [True, True]
    queue.run("window.answer = () => [200, { canUndo: true, states: ['the stroke'] }]")
    queue.click("#edit-notice button")
    queue.wait("editor.picture.states.length === 1 && document.querySelector('#edit-notice').hidden", "the answer")
    assert is_enabled(queue) == [True, False]


def test_an_undo_of_another_document_cannot_be_redone_here(queue):
    queue.run("window.answer = () => [0]")
    make(queue, "su")
    assert is_enabled(queue) == [False, True]
    queue.run("editor.picture = { ...editor.picture, name: 'B', id: '2' }; editor.changes.showWaiting()")
    assert is_enabled(queue) == [False, False]


def test_a_page_takes_over_what_a_closed_one_kept(tabs, page_files):
    page = Modules(tabs, page_files, BODY)
    kept = [{"name": "A", "id": "1", "number": "7", "rest": "command", "body": {"kind": "left"}}]
    page.run(EDITOR + "localStorage.setItem('unsaved closed', arguments[0])", json.dumps(kept))
    page.use("edit/changes.js", MAKE)
    page.wait("sent.length === 1 && !Object.keys(localStorage).some((key) => key.startsWith('unsaved '))", "it sent")
    [sent] = page.get("sent")
    assert (sent["number"], sent["body"]) == ("7", {"kind": "left"})
