"""Automata are made of others and of expressions, and compared; what is missing is asked about."""

import json

import pytest

from browser.editor import NAME
from inkstate.command import example
from inkstate.ink import arrow, ring

OTHERS = "[...document.querySelector('#convert-other').options].map((option) => option.value)"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def compare_with(editor, other):
    """Compares with a document, once the menu has it."""
    editor.click("[popovertarget=convert-menu]")
    # What was there when the menu was opened before may not have it.
    editor.wait(f"{OTHERS}.includes({json.dumps(other)})", "other documents")
    editor.run("document.querySelector('#convert-other').value = arguments[0]", other)
    editor.click("#convert-compare")


def test_an_automaton_is_minimised(editor):
    editor.open_file(example("Automata", "mod3.automaton"))
    editor.settled(lambda p: len(p["states"]) == 3, "the automaton")
    editor.choose("#make-minimize")
    editor.wait("document.querySelector('#edit-name').value.endsWith('minimal')", "a new document")
    assert len(editor.picture()["states"]) == 3
    editor.open_runs()
    editor.run_words(["001011", "10"], ["010101", "1001"])


def test_expressions_and_comparisons(editor):
    example_name = editor.open_example("Repetitions of 10")
    editor.click("[popovertarget=convert-menu]")
    editor.click("#expression-show")
    editor.wait("document.querySelector('#expression').value === '(10)*'", "the expression")
    editor.type("#expression", "(10)*1")
    editor.click("#expression-make")
    editor.wait_text("#document-name", "Expression", "its automaton")
    compare_with(editor, example_name)
    editor.wait("document.querySelector('#compare-said').textContent.includes('the empty word')", "the difference")
    editor.wait("document.querySelector('#compare-drawing g.lit')", "the other automaton's states")
    editor.click("#compare-close")


@pytest.fixture
def incomplete(editor):
    """A document in which an arrow has no symbols."""
    editor.request("POST", "/api/examples/Three%20words")
    editor.new_document()
    editor.draw_elements(ring(200, 350, 60), arrow((50, 350), (135, 350)), ring(600, 350, 60),
                         arrow((270, 350), (532, 350)))
    editor.settled(lambda p: not p["isUnread"] and len(p["transitions"]) == 2, "an arrow without symbols")
    return editor


def test_a_conversion_of_what_is_incomplete_is_asked_about(incomplete):
    editor, name = incomplete, incomplete.name
    editor.run("window.asked = []; window.agrees = false;"
               "window.confirm = (text) => { window.asked.push(text); return window.agrees; }")
    editor.choose("#make-determinize")
    editor.wait("window.asked.length === 1 && window.asked[0].includes('has no symbols')", "the question")
    editor.quiet()
    assert editor.name == name and editor.get("document.querySelector('#problem').hidden"), "nothing made"
    editor.run("window.agrees = true")
    editor.choose("#make-determinize")
    editor.wait(f"{NAME} === {json.dumps(name + ' deterministic')}", "it made anyway")


def test_a_comparison_says_what_it_leaves_out(incomplete):
    incomplete.run("window.confirm = () => true")
    compare_with(incomplete, "Three words")
    incomplete.wait("document.querySelector('#compare-said').textContent.includes('without what is missing')",
                    "what the comparison leaves out")
    incomplete.click("#compare-close")
