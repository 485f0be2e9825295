"""A new document has the pen; Escape changes no tool; a circle with another tool is answered with a hint."""

import pytest
from selenium.webdriver.common.keys import Keys

from inkstate.ink import ring

CHOSEN = "document.querySelector('[data-tool][aria-pressed=true]').dataset.tool"
HINT = "document.querySelector('#edit-hint').textContent"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_a_new_document_has_the_pen(editor):
    editor.click("[data-tool=erase]")
    assert editor.get(CHOSEN) == "erase"
    editor.new_document()
    editor.wait(f"{CHOSEN} === 'pen'", "the pen for a new document")


@pytest.mark.parametrize("tool", ["select", "erase", "hand"])
def test_a_circle_with_another_tool_is_answered(editor, tool):
    editor.click(f"[data-tool={tool}]")
    editor.run("document.querySelector('#edit-drawing').focus()")
    editor.press(Keys.ESCAPE)
    editor.quiet()
    assert editor.get(CHOSEN) == tool, "the same tool after Escape"
    editor.stroke(ring(450, 350, 60))
    editor.wait(f"{HINT}.includes('The tool is ')", "a hint after a circle")
    editor.click("#edit-hint button")
    editor.wait(f"{CHOSEN} === 'pen' && {HINT} === ''", "the pen")
    if tool == "hand":
        editor.quiet()
        assert not editor.picture()["states"], "the paper moved, nothing drawn"
    else:
        editor.settled(lambda p: len(p["states"]) == 1, "the circle drawn with the pen")
