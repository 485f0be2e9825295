"""Corrections are kept only after a yes, which is asked for once."""

import os

from inkstate.ink import ring
from inkstate.waiting import wait_for


def correct(editor, x):
    """Draws a ring, and makes it a transition."""
    editor.draw_element(ring(x, 300, 52))
    editor.wait("document.querySelector('#edit-decision button')", "an offer")
    editor.choose_text("#edit-decision", "Make it a transition")


def test_corrections_are_kept_with_consent_alone(editor):
    path = os.path.join(editor.studio.folder, "recordings.ndjson")

    def kept():
        if not os.path.exists(path):
            return 0
        with open(path) as file:
            return sum('"corrections"' in line for line in file)

    correct(editor, 200)
    editor.wait("document.querySelectorAll('#edit-consent button').length === 2", "the question")
    editor.settled(lambda p: len(p["transitions"]) == 1, "the correction")
    editor.quiet()
    assert kept() == 0, "nothing kept without consent"
    editor.choose("#edit-consent button")
    correct(editor, 600)
    editor.settled(lambda p: len(p["transitions"]) == 2, "the next correction")
    # The recording is sent after the document.
    wait_for(lambda: kept() == 1, "the next correction kept")
    assert editor.get("document.querySelector('#consent').checked"), "the consent remembered"
    editor.choose("#consent")
    correct(editor, 400)
    editor.settled(lambda p: len(p["transitions"]) == 3, "a correction")
    editor.quiet()
    assert kept() == 1, "nothing kept any more"
