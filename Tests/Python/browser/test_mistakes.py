"""What people do by mistake, or otherwise than most, costs them nothing."""

import math

import pytest

from browser.editor import Editor
from inkstate.ink import arrow, ring, zigzag

OFFER = "document.querySelector('#edit-decision').children.length"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def test_a_ring_of_two_arcs_is_converted_as_a_whole(editor):
    half = [(300 + 60 * math.sin(i / 20 * math.pi), 300 - 60 * math.cos(i / 20 * math.pi)) for i in range(21)]
    editor.stroke(half)
    editor.stroke([(600 - x, y) for x, y in half])
    editor.settled(lambda p: len(p["states"]) == 1 and not p["transitions"], "one state of two arcs")
    editor.wait("document.querySelector('#edit-decision button')", "the offer to convert it")
    editor.run("[...document.querySelectorAll('#edit-decision button')]"
               ".find((b) => b.textContent.endsWith('transition')).click()")
    [transition] = editor.settled(lambda p: not p["states"], "no state any more")["transitions"]
    assert transition["handle"]["x"] > 300, "the first arc, on the right, not lost"
    editor.click("#edit-undo")
    editor.settled(lambda p: not p["transitions"], "the conversion undone as one step")


def test_an_offer_ends_with_the_next_change(editor):
    editor.draw_elements(ring(200, 250, 50), ring(450, 250, 50))
    editor.stroke(zigzag(600, 300))
    editor.wait("document.querySelector('#edit-decision.refused button')", "a refusal with other choices")
    editor.run("[...document.querySelectorAll('#edit-decision button')]"
               ".find((b) => b.textContent.endsWith('state')).click()")
    editor.settled(lambda p: len(p["states"]) == 3, "the refused stroke as a third state")
    editor.draw_element(arrow((260, 250), (390, 250)))
    editor.choose("#edit-add")
    editor.settled(lambda p: len(p["states"]) == 4 and len(p["transitions"]) == 1, "four states, an arrow")
    editor.wait(f"{OFFER} === 0", "no offer any more")


def test_documents_are_run_through(editor):
    for title in ["Repetitions of 10", "Three words"]:
        editor.open_example(title)
    editor.new_document()
    last = editor.run("""
      const picker = document.querySelector('#edit-name');
      for (let turn = 0; turn < 20; turn += 1) {
        picker.value = picker.options[turn % picker.options.length].value;
        picker.dispatchEvent(new Event('change'));
      }
      return picker.options[19 % picker.options.length].value;""")
    editor.wait(f"document.querySelector('#edit-name').value === '{last}' && "
                f"document.querySelector('#edit-files a').href.includes(encodeURIComponent('{last}'))",
                "the last document that was chosen")
    count = len(editor.picture()["states"])
    editor.choose("#edit-add")
    editor.settled(lambda p: len(p["states"]) == count + 1, "a state in it")
    editor.wait("!document.querySelector('#edit-undo').disabled", "the button to undo it")
    editor.click("#edit-undo")
    editor.settled(lambda p: len(p["states"]) == count, "the state undone")


def test_a_stroke_turns_into_its_element(page, studio):
    """Where people did not choose that nothing moves."""
    page.prefer(reduced_motion="no-preference")
    editor = Editor(page.driver, studio)
    editor.run("window.ghosts = 0; new MutationObserver(() => { window.ghosts ||= document.querySelectorAll("
               "'path.ghost').length; }).observe(document.querySelector('#edit-drawing'), { childList: true })")
    editor.draw_element(ring(300, 300, 60))
    editor.wait("window.ghosts === 1 && !document.querySelector('path.ghost')", "the stroke to turn into a state")
