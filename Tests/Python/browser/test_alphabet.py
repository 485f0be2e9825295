"""The field of the alphabet has what was given, quoted where needed, and conversions use it."""

import pytest
from selenium.webdriver.common.keys import Keys

from inkstate.ink import ring

FIELD = "document.querySelector('#alphabet-symbols').value"
OTHERS = "document.querySelector('#alphabet-others').textContent"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


@pytest.fixture
def repetitions(editor):
    """A document for a*: one state, initial and final, with a self-loop."""
    editor.draw_element(ring(350, 300, 52))
    state = editor.settled(lambda p: len(p["states"]) == 1, "a state")["states"][0]
    editor.tap(350, 300)
    editor.press(Keys.ALT, "i")
    editor.settled(lambda p: p["states"][0]["isInitial"], "an initial state by I")
    editor.press(Keys.ALT, "f")
    editor.settled(lambda p: p["states"][0]["isFinal"], "a final state by F")
    editor.add_loop(state["id"])
    editor.label("a")
    editor.wait(f"{OTHERS} === 'Symbols of the transitions: a'", "the symbol of the transition")
    return editor


def test_symbols_are_given_and_quoted(repetitions):
    editor = repetitions
    assert editor.get(FIELD) == "", "no given symbols yet"
    editor.set_alphabet('b "," ')
    before = editor.settled(lambda p: p["alphabet"] == [",", "a", "b"], "the symbols a, b and the comma")
    editor.wait(f"{FIELD} === '\",\", b'", "the comma in quotes")
    # Sent back as it is, it changes nothing.
    editor.click("#issues-button")
    editor.click("#alphabet-symbols")
    editor.press(Keys.ENTER)
    editor.quiet()
    editor.press(Keys.ESCAPE)
    assert editor.picture()["version"] == before["version"]
    assert editor.get(OTHERS) == "Symbols of the transitions: a", "a not given by Enter"
    editor.run_words(["", "ε", "aa"], ["b", "aε"])


def test_a_complement_is_over_the_whole_alphabet(repetitions, no_ids):
    editor = repetitions
    editor.set_alphabet("a, b")
    editor.settled(lambda p: p["alphabet"] == ["a", "b"], "the alphabet a, b")
    editor.wait(f"{FIELD} === 'a, b'", "the alphabet in its field")
    editor.choose("#make-complement")
    editor.wait("document.querySelector('#edit-name').value.endsWith('complement')", "the complement")
    editor.run_words(["b", "ab"], ["", "a", "aa"])
