"""What is not saved is kept, shown and sent again; messages are above everything."""

import json
import os
import shutil

import pytest
from selenium.webdriver.common.keys import Keys

from browser.editor import NAMES, elements
from inkstate.ink import ring

MARK = "document.querySelector('#edit-saved').textContent"
NOTICE = "document.querySelector('#edit-notice').textContent"
WAITING = "document.querySelector('.waiting').getTotalLength()"
# The keys of what is not saved in the browser's storage.
KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('unsaved '))"


@pytest.fixture
def losing(editor):
    """A page whose first answer to a stroke is lost; with `isDown`, no stroke arrives."""
    editor.run("""
      window.strokes = 0;
      window.isDown = false;
      window.originalFetch = window.fetch;
      window.fetch = async (address, options) => {
        if (!String(address).includes("/stroke?")) { return originalFetch(address, options); }
        window.strokes += 1;
        if (window.isDown) { throw new TypeError(); }
        const answer = await originalFetch(address, options);
        if (window.strokes === 1) { throw new TypeError(); }
        return answer;
      };""")
    # Two rings in one place would be a final state.
    editor.stroke(ring(300, 300, 60))
    editor.wait(f"{NOTICE}.includes('1 stroke is not saved')", "a stroke whose answer was lost")
    editor.wait("document.querySelector('#edit-notice').hidden && window.strokes === 2", "the stroke sent again")
    return editor


def test_a_stroke_whose_answer_was_lost_is_made_once(losing):
    picture = losing.picture()
    assert [s["isFinal"] for s in picture["states"]] == [False], elements(picture)
    losing.wait(f"{MARK} === 'Saved'", "the mark that everything is saved")


def test_changes_are_kept_through_a_reload_and_made_in_order(losing):
    losing.wait(f"{MARK} === 'Saved'", "the mark that everything is saved")
    losing.run("window.isDown = true")
    losing.stroke(ring(600, 300, 60))
    losing.wait(f"{NOTICE}.includes('1 stroke is not saved') && {MARK} === 'Not saved'", "a stroke that is late")
    losing.tap(300, 300)
    losing.click("#field-final")
    losing.label("one")
    losing.wait(f"{NAMES}.includes('one')", "the name before it is saved")
    losing.press(Keys.ARROW_RIGHT)
    losing.press(Keys.ARROW_RIGHT)
    losing.wait(f"{NOTICE}.includes('1 stroke and 4 changes are not saved')", "the changes that wait")
    losing.stroke(ring(850, 300, 60))
    losing.click("#edit-undo")
    losing.wait(f"{WAITING} < 500", "the undone stroke not shown")
    losing.wait(f"{KEPT}.length > 0", "all of it kept")
    # Before anything is sent by the next page, there is nothing of it in the document.
    before = losing.picture()
    assert len(before["states"]) == 1 and not before["states"][0]["isFinal"]
    losing.reload()
    losing.wait("document.querySelector('#edit-name').value", "the document after the reload")
    losing.settled(lambda p: len(p["states"]) == 2 and p["states"][0]["isFinal"] and p["states"][0]["name"] == "one",
                   "the stroke, the mark and the name in the document")
    start = before["states"][0]["center"]["x"]
    losing.settled(lambda p: round(p["states"][0]["center"]["x"] - start) == 40, "both moves")
    losing.wait(f"{MARK} === 'Saved' && {WAITING} === 0", "everything saved")
    assert losing.get(f"{KEPT}.length") == 0, "nothing kept any more"


@pytest.mark.parametrize("handle", ["moveState", "resizeState"])
def test_what_is_deleted_while_it_is_dragged_is_let_go(editor, handle):
    editor.run("window.errors = [];"
               "addEventListener('error', (event) => window.errors.push(event.message));"
               "addEventListener('unhandledrejection', (event) => window.errors.push(String(event.reason)))")
    editor.draw_elements(ring(300, 300, 60), ring(600, 300, 60))
    state = editor.settled(lambda p: len(p["states"]) == 2, "two states")["states"][0]
    editor.tap(*editor.center(state))
    left, top = editor.corner("#edit-drawing")
    x, y = editor.run("const h = document.querySelector(`[data-handle=${arguments[0]}]`).getBoundingClientRect();"
                      "return [h.left + h.width / 2, h.top + h.height / 2]", handle)
    x, y = x - left, y - top
    editor.point("#edit-drawing", ("pen", "pen", [(x, y), "down", (x + 30, y + 20)]))
    editor.request("POST", f"/api/documents/{editor.name.replace(' ', '%20')}/command",
                   json.dumps({"kind": "delete", "id": state["id"], "value": True}))
    editor.wait("document.querySelectorAll('#edit-drawing circle.target').length === 1", "the state deleted elsewhere")
    editor.point("#edit-drawing", ("pen", "pen", [(x + 60, y + 40), "up"]))
    editor.quiet()
    assert editor.get("window.errors") == []
    assert len(editor.picture()["states"]) == 1, "the state to stay deleted"
    assert editor.get("document.querySelector('#problem').hidden"), "nothing asked for it"


def test_what_is_not_on_disk_looks_so_and_is_kept(editor):
    path = os.path.join(editor.studio.folder, "documents", f"{editor.name}.automaton")
    # A file that cannot be replaced is like a full disk.
    os.remove(path)
    os.makedirs(os.path.join(path, "x"))
    editor.stroke(ring(300, 300, 60))
    editor.wait(f"{MARK} === 'Not saved' && {NOTICE}.includes('is not saved') && {NOTICE}.includes('1 stroke')",
                "the mark and what is not saved")
    editor.wait("document.querySelector('.waiting.late').getTotalLength() > 300", "the ink on the page")
    # Another window shows it as well.
    first = editor.window
    editor.new_window()
    editor.show(editor.studio)
    editor.wait(f"{MARK} === 'Not saved'", "the mark in another window")
    editor.close(first)
    shutil.rmtree(path)
    editor.wait(f"{MARK} === 'Saved' && document.querySelector('#edit-notice').hidden && {WAITING} === 0",
                "it saved after all")
    with open(path) as file:
        assert len(json.load(file)["automatonStates"]) == 1, "one state on disk"


def is_covered(editor):
    """Whether the message is behind something, or outside of the window."""
    return editor.run("""
      const b = document.querySelector('#problem').getBoundingClientRect();
      const top = document.elementFromPoint(b.left + b.width / 2, b.top + 4);
      return !top?.closest('#problem') || b.left < 0 || b.right > innerWidth;""")


def expect_message(editor, text):
    """Waits for a message above everything."""
    editor.wait(f"document.querySelector('#problem').textContent.includes({json.dumps(text)})", f"`{text}`")
    assert not is_covered(editor)


def test_files_that_are_refused_are_told(editor, tmp_path):
    editor.click("#document-button")
    path = tmp_path / "bad.jff"
    path.write_text("<no automaton")
    editor.open_file(path)
    expect_message(editor, "bad")
    editor.run("""
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array((16 << 20) + 1)], "large.jpg"));
      document.querySelector("#edit").dispatchEvent(
        new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));""")
    expect_message(editor, "“large.jpg” has 16 MiB")


def test_a_message_stays_until_the_next_stroke(editor):
    editor.click("#document-button")
    editor.run("window.prompt = () => 'a/b'; document.querySelector('#edit-rename').click()")
    expect_message(editor, "cannot be the name")
    # What happens in the background does not hide it.
    editor.request("GET", "/api/documents")
    editor.run_later("fetch('/api/documents').then(arguments[0])")
    editor.quiet()
    expect_message(editor, "cannot be the name")
    editor.draw_element(ring(600, 300, 60))
    editor.wait("document.querySelector('#problem').hidden", "the message gone")
