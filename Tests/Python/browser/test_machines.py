"""Machines with a stack or a tape: kinds are chosen, rules typed, and runs stepped."""

import math

import pytest
from selenium.webdriver.common.keys import Keys

from inkstate.ink import loop, ring


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_a_pushdown_automaton_shows_its_stack(editor):
    editor.open_example("Pushdown: as many a as b")
    editor.wait("document.querySelectorAll('#edit-drawing text').length === 8", "a line for each rule")
    editor.open_runs()
    editor.type("#run-word", "aabb" + Keys.ENTER)
    editor.wait_text("#run-result", "Accepted", "the word accepted")
    editor.choose("#step-on", "#step-on")
    assert editor.text("#run-memory") == "Stack: AAZ"
    editor.choose("[popovertarget=convert-menu]")
    editor.wait("document.querySelector('#convert-refusal').textContent.includes('cannot be decided')",
                "why there are no conversions")
    assert editor.get("document.querySelector('#make-minimize').disabled"
                      " && document.querySelector('#convert-compare').disabled"), "no conversions"


def test_rules_of_a_turing_machine_are_typed(editor):
    editor.draw_element(ring(300, 300, 52))
    state = editor.settled(lambda p: len(p["states"]) == 1, "a state")["states"][0]
    editor.change("#edit-kind", "turing")
    editor.settled(lambda p: p["kind"] == "turing", "a Turing machine")
    editor.draw_element(loop(300, 300, 52, -math.pi / 2))
    [transition] = editor.settled(lambda p: len(p["transitions"]) == 1, "a self-loop")["transitions"]
    assert transition["start"] == transition["end"] == state["id"]
    editor.click("[data-tool=select]")
    editor.press("n")
    editor.press("n")
    editor.label("a, b")
    editor.wait("document.querySelector('#label-problem').textContent.includes('a → b, R')", "an example")
    editor.type("#label-input", "a/b,R; _->_,L" + Keys.ENTER)
    picture = editor.settled(lambda p: p["transitions"][0]["symbols"], "rules")
    assert picture["transitions"][0]["symbols"] == ["a → b, R", "□ → □, L"]
    editor.choose("#edit-undo")
    editor.settled(lambda p: not p["transitions"][0]["symbols"], "the rules undone")
    editor.choose("#edit-redo")
    editor.settled(lambda p: p["transitions"][0]["symbols"] == ["a → b, R", "□ → □, L"], "the rules again")
