"""Everything is done with keys as well, and they act on what is selected in the drawing."""

import pytest
from selenium.webdriver.common.keys import Keys

from browser.editor import DRAWING, NAMES
from inkstate.command import example
from inkstate.ink import ring


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def finals(picture):
    return sum(state["isFinal"] for state in picture["states"])


def test_keys_act_on_the_selected_state(editor):
    editor.draw_elements(ring(250, 300, 52), ring(650, 300, 52))
    editor.name_state(250, 300, "left")
    editor.click("#run-word")
    assert editor.tap(250, 300) == "State left"
    editor.wait("document.activeElement.id === 'edit-drawing'", "the keyboard to stay with the drawing")
    editor.press(Keys.ALT, "f")
    editor.settled(lambda p: finals(p) == 1, "a final state by F")
    editor.press(Keys.DELETE)
    editor.settled(lambda p: len(p["states"]) == 1, "the state deleted by Delete")
    editor.press(Keys.CONTROL, "z")
    editor.settled(lambda p: len(p["states"]) == 2, "the state again by Ctrl+Z")
    editor.wait(f"{NAMES}.includes('left')", "the state again in the page")


def test_a_state_is_added_moved_and_made_final(editor):
    editor.open_file(example("Automata", "mod3.automaton"))
    whole = editor.settled(lambda p: len(p["states"]) == 3, "the automaton")
    assert finals(whole) == 1
    editor.wait("document.querySelectorAll('#edit-drawing circle.target').length === 3", "it in the page")
    editor.run("document.querySelector('#edit-drawing').focus()")
    editor.press(Keys.ESCAPE)
    editor.type_into(DRAWING, "s")
    added = editor.settled(lambda p: len(p["states"]) == 4, "one state more by a key")["states"][-1]
    assert not added["isFinal"]
    editor.wait("document.querySelectorAll('#edit-drawing circle.target').length === 4", "it in the page")
    editor.select_by_keys(added["id"])
    editor.type_into(DRAWING, Keys.ARROW_RIGHT)
    moved = editor.settled(lambda p: p["states"][-1]["center"]["x"] != added["center"]["x"], "it moved by a key")
    assert round(moved["states"][-1]["center"]["x"] - added["center"]["x"]) == 20
    editor.press(Keys.ALT, "f")
    editor.settled(lambda p: p["states"][-1]["isFinal"] and finals(p) == 2, "a final state by a key")
    for _ in range(3):
        editor.undo()
    after = editor.picture()
    assert (len(after["states"]), finals(after)) == (3, 1)
