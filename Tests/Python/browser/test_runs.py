"""Words are run, stepped through and listed."""

import pytest
from selenium.webdriver.common.keys import Keys

from inkstate.command import example


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_steps_light_one_state_after_the_other(editor):
    editor.open_file(example("Automata", "mod3.automaton"))
    picture = editor.settled(lambda p: len(p["states"]) == 3, "the automaton")
    names = {s["id"]: s["name"] for s in picture["states"]}
    editor.open_runs()
    assert editor.run_word("10").startswith("Accepted")
    editor.wait("document.querySelectorAll('#run-tape span').length === 2", "the word on the tape")
    lit = []
    for step in range(3):
        if step:
            editor.click("#step-on")
        lit.append(names[editor.get(
            "document.querySelector('#edit-drawing g.lit circle.line').parentNode.dataset.id")])
    assert lit == ["A", "B", "C"]


def test_many_words_are_judged(editor):
    editor.open_example("Repetitions of 10")
    editor.click("#words summary")
    editor.type("#words-text", "10, accepted")
    editor.type_into("#words-text", Keys.ENTER + "01, accepted" + Keys.ENTER + "1010")
    editor.click("#words-form button")
    editor.wait_text("#words-said", "2 of 3 accepted. 1 of 2 as expected.")
    wrong = "[...document.querySelectorAll('#words-table .wrong td')].map((t) => t.textContent)"
    assert editor.get(wrong) == ["01", "accepted", "rejected: wrong"]


def test_accepted_words_are_listed(editor):
    editor.open_example("Repetitions of 10")
    editor.click("#accepted summary")
    editor.wait("document.querySelector('#accepted-list').textContent.startsWith('ε, 10, 1010')", "accepted words")
