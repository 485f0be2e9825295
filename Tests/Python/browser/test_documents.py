"""Documents keep their names, are shown in several windows, and are passed on as links."""

import json
import os

import pytest

from browser.editor import NAME
from inkstate.ink import loop, ring

STATES = "document.querySelectorAll('#edit-drawing circle.target').length"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_a_file_keeps_its_name_and_a_taken_one_is_asked_about(editor, tmp_path):
    path = tmp_path / "Exercise 3.2 (group A).dot"
    path.write_text("digraph { q0 -> q1 [label=a] }")
    editor.run("window.asked = [];"
               "window.prompt = (text, free) => { window.asked.push([text, free]); return window.wish; }")
    editor.open_file(path)
    editor.wait(f"{NAME} === 'Exercise 3.2 (group A)'", "the file under its name")
    editor.new_document()
    before = editor.name
    editor.run("window.wish = null")
    editor.open_file(path)
    editor.wait("window.asked.length === 1", "the question")
    [[question, free]] = editor.get("window.asked")
    assert "Exercise 3.2 (group A)" in question and free == "Exercise 3.2 (group A) 2"
    editor.quiet()
    assert editor.name == before, "nothing opened without a name"
    editor.run("window.wish = 'Exercise 3.2 (mine)'")
    editor.open_file(path)
    editor.wait(f"{NAME} === 'Exercise 3.2 (mine)'", "the file under the name that was typed")


class Pair:
    """Two windows that show the same document with one state; there is another document."""

    def __init__(self, editor):
        self.editor = editor
        editor.new_document()
        editor.draw_element(ring(300, 300, 60))
        editor.settled(lambda p: len(p["states"]) == 1, "a state")
        self.first, self.name = editor.window, editor.name
        self.second = editor.new_window()
        editor.show(editor.studio)
        assert editor.name == self.name
        editor.wait(f"{STATES} === 1", "the state in the other window")

    def rename(self, name):
        """Renames the document in the first window, and goes to the second."""
        self.editor.switch(self.first)
        self.editor.run("window.prompt = () => arguments[0]", name)
        self.editor.choose("#edit-rename")
        self.editor.wait(f"{NAME} === {json.dumps(name)}", f"the name {name}")
        self.editor.switch(self.second)

    def files(self):
        return os.listdir(os.path.join(self.editor.studio.folder, "documents"))


@pytest.fixture
def pair(editor):
    return Pair(editor)


def test_a_change_is_seen_in_another_window(editor, pair):
    editor.switch(pair.first)
    editor.choose("#edit-add")
    editor.settled(lambda p: len(p["states"]) == 2, "a state more")
    editor.switch(pair.second)
    editor.wait(f"{STATES} === 2", "the state in the other window")


def test_a_new_name_is_followed(editor, pair, no_ids):
    pair.rename("Renamed")
    editor.wait(f"{NAME} === 'Renamed'", "the new name in the other window")
    assert len(editor.picture()["states"]) == 1, "the whole document under its new name"
    editor.draw_element(ring(500, 500, 50))
    editor.settled(lambda p: len(p["states"]) == 2, "a state drawn in the other window")
    # A stroke that is drawn before the page heard of the new name.
    editor.run("const original = window.fetch; window.fetch = (address, options) =>"
               " String(address).includes('/versions') ? new Promise(() => {}) : original(address, options);"
               "document.dispatchEvent(new Event('visibilitychange'))")
    pair.rename("Renamed again")
    editor.draw_element(ring(700, 500, 50))
    editor.wait(f"{NAME} === 'Renamed again'", "the newest name")
    editor.settled(lambda p: len(p["states"]) == 3, "the stroke under the newest name")
    for name in [pair.name, "Renamed"]:
        assert f"{name}.automaton" not in pair.files(), "an old file created again"
    editor.reload()
    editor.wait(f"{NAME} === 'Renamed again'", "the document again")
    editor.switch(pair.first)
    editor.wait(f"{STATES} === 3", "all states")


def test_a_deleted_document_is_not_created_again(editor, pair, no_ids):
    editor.switch(pair.first)
    editor.run("window.confirm = () => true")
    editor.choose("#edit-delete")
    editor.wait(f"{NAME} !== {json.dumps(pair.name)}", "another document")
    editor.switch(pair.second)
    editor.wait("document.querySelector('#edit-notice').textContent.includes('was deleted')", "what happened")
    editor.stroke(ring(300, 600, 50))
    editor.quiet()
    assert f"{pair.name}.automaton" not in pair.files()
    editor.click("#edit-notice button")
    editor.wait(f"document.querySelector('#edit-notice').hidden && {NAME} !== {json.dumps(pair.name)}",
                "another document to go on with")


@pytest.fixture
def link(editor):
    """The link to a Turing machine with a state and a self-loop; the page asks before it adds it again."""
    editor.change("#edit-kind", "turing")
    editor.settled(lambda p: p["kind"] == "turing", "a Turing machine")
    editor.draw_elements(ring(300, 300, 52), loop(300, 300, 52, -1.57))
    editor.settled(lambda p: len(p["transitions"]) == 1, "a self-loop")
    editor.run("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); };"
               "window.asked = []; window.confirm = (text) => { window.asked.push(text); return window.agrees; };"
               "window.agrees = false; window.prompt = (text, free) => { window.asked.push(text); return free; }")
    editor.choose("#link-copy")
    return editor.wait("window.copied", "the link")


def test_a_link_has_the_whole_document(editor, link):
    before = editor.get("document.querySelector('#edit-name').length")
    editor.run("location.hash = new URL(window.copied).hash")
    editor.wait("window.asked.length === 1 && location.hash === '#edit'", "the question")
    editor.quiet()
    assert editor.get("document.querySelector('#edit-name').length") == before, "nothing added"
    editor.run("window.agrees = true; location.hash = new URL(window.copied).hash")
    editor.wait(f"document.querySelector('#edit-name').length === {before + 1}", "the document added")
    assert editor.get("window.asked[2]").startswith("Another document has the name")
    copy = editor.settled(lambda p: p["transitions"], "the copy")
    assert copy["kind"] == "turing" and len(copy["states"]) == 1, "the same machine"


def test_broken_links_are_told(editor):
    editor.run("window.confirm = () => true")
    for broken in ["#document=e30", "#document=!!!", "#document=eyJhIjox"]:
        editor.run("document.querySelector('#problem').hidden = true; location.hash = arguments[0]", broken)
        editor.wait("!document.querySelector('#problem').hidden", f"what is wrong with the link {broken}")
