"""Symbols and names are parsed by the core, as they are meant; what cannot be seen is refused."""

import pytest
from selenium.webdriver.common.keys import Keys

from browser.editor import NAMES
from inkstate.ink import arrow, ring


@pytest.fixture
def editor(shared_editor):
    return shared_editor


@pytest.fixture
def transition(editor):
    """A transition between two states, selected by a tap."""
    editor.draw_elements(ring(250, 300, 52), ring(650, 300, 52), arrow((310, 300), (592, 300)))
    editor.settled(lambda p: len(p["transitions"]) == 1, "a transition")
    assert editor.tap(400, 300) == "Transition"
    return lambda: editor.picture()["transitions"][0]


def test_symbols_are_understood_as_they_are_meant(editor, transition):
    for text, symbols in [("0, 1", ["0", "1"]), ("a b", ["a", "b"]), ("0…9", list("0123456789")), ("eps", []),
                          ("\\epsilon, a", ["a"]), ("ε 0 1 a b", ["0", "1", "a", "b"])]:
        editor.label(text)
        has_epsilon = "eps" in text or "ε" in text
        editor.settled(lambda p: p["transitions"][0]["symbols"] == symbols
                       and p["transitions"][0]["includesEpsilon"] == has_epsilon, f"`{text}` understood as {symbols}")
        editor.wait("document.querySelector('#label-form').hidden", "the drawing again")
    editor.label("9…0")
    editor.wait("document.querySelector('#label-problem').textContent.includes('a range such as')",
                "what is wrong with the symbols")
    editor.press(Keys.ESCAPE)
    editor.quiet()
    assert transition()["symbols"] == ["0", "1", "a", "b"], "the old symbols after Escape"


def test_the_ends_of_an_arrow_are_not_offered_as_the_other_end(editor, transition):
    editor.name_state(250, 300, "left")
    editor.name_state(650, 300, "right")
    assert editor.tap(400, 300) == "Transition"
    editor.choose("#selection-fields summary")
    options = editor.get("['from', 'to'].map((end) =>"
                         " [...document.querySelector(`#field-${end}`).options].map((o) => o.text))")
    assert options == [["left"], ["right"]]


def test_a_name_that_cannot_be_seen_is_refused(editor):
    editor.draw_element(ring(350, 300, 52))
    name = editor.settled(lambda p: len(p["states"]) == 1, "a state")["states"][0]["name"]
    editor.tap(350, 300)
    editor.press(Keys.F2)
    editor.wait("document.activeElement.id === 'label-input'", "the field on the drawing")
    editor.run("document.querySelector('#label-input').value = 'x\\u200b'")
    editor.press(Keys.ENTER)
    editor.wait("document.querySelector('#label-problem').textContent.includes('U+200B (zero width space)')",
                "what is wrong with the name")
    editor.press(Keys.ESCAPE)
    editor.quiet()
    assert editor.picture()["states"][0]["name"] == name


def test_letters_replace_the_name_of_the_selected_state(editor):
    editor.draw_element(ring(350, 300, 52))
    editor.tap(350, 300)
    for key in ["n", "e", "w", Keys.ENTER]:
        editor.press(key)
    editor.settled(lambda p: [s["name"] for s in p["states"]] == ["new"], "the new name")
    editor.wait("document.activeElement.id === 'edit-drawing'", "the drawing, once Enter has left the field,")
    editor.wait(f"{NAMES}.includes('new')", "the new name in the page")


@pytest.mark.parametrize("way", ["Enter", "F2", "two taps"])
def test_a_name_is_edited_on_request_alone(editor, way):
    editor.draw_element(ring(250, 300, 52))
    editor.name_state(250, 300, "left")
    if way == "two taps":
        # The state is not selected before.
        editor.press(Keys.ESCAPE)
        editor.tap_state_twice(250, 300)
    else:
        assert editor.tap(250, 300) == "State left"
        editor.press(Keys.ENTER if way == "Enter" else Keys.F2)
    editor.wait("""(({ id, value, selectionStart, selectionEnd }) => id === 'label-input'
      && value.slice(selectionStart, selectionEnd) === 'left')(document.activeElement)""",
                "the old name selected in its field")
    editor.press("x")
    editor.press(Keys.ESCAPE)
    editor.wait("document.activeElement.id === 'edit-drawing'", "Escape to leave the field")
    editor.quiet()
    assert editor.picture()["states"][0]["name"] == "left"
