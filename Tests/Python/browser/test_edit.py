"""Automata are drawn as in the specification, and their words run."""

import pytest

from browser.automata import A, A_PRIME, B, C, D, E, MOD_3, draw_automaton
from browser.editor import elements


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_an_automaton_is_drawn_and_extended(editor):
    draw_automaton(editor, A)
    editor.run_words(A.accepted, A.rejected)
    draw_automaton(editor, A_PRIME, known=A)
    editor.run_words(A_PRIME.accepted, A_PRIME.rejected)


@pytest.mark.parametrize("automaton", [B, C, D, E], ids="BCDE")
def test_an_automaton_is_drawn(editor, automaton):
    draw_automaton(editor, automaton)
    editor.run_words(automaton.accepted, automaton.rejected)


def test_everything_is_undone_and_redone(editor):
    draw_automaton(editor, MOD_3)
    editor.run_words(MOD_3.accepted, MOD_3.rejected)
    whole = editor.picture()
    steps = 0
    while editor.picture()["canUndo"]:
        can_undo = editor.undo()["canUndo"]
        steps += 1
        editor.wait(f"document.querySelector('#edit-undo').disabled === {str(not can_undo).lower()}",
                    "the button to follow")
    assert elements(editor.picture()) == {"states": [], "transitions": []}
    assert steps > 15
    for _ in range(steps):
        editor.click("#edit-redo")
    editor.wait("document.querySelector('#edit-redo').disabled", "everything done again")
    assert elements(editor.picture()) == elements(whole)
