"""Strokes drawn while the studio is down, or after it was restarted, are kept and sent later."""

import os
import signal

from inkstate.ink import ring
from inkstate.waiting import wait_for

NOTICE = "document.querySelector('#edit-notice')"
ANSWER = "document.querySelector('#recognize-answer').textContent"


def go_to(editor, page):
    editor.run("location.hash = arguments[0]", page)
    editor.wait(f"!document.querySelector('#{page}').hidden", f"the page {page}")


def test_work_goes_on_through_a_restart(editor, start_studio):
    studio = editor.studio
    go_to(editor, "recognize")
    editor.wait("document.querySelectorAll('#recognize-labels button').length >= 4", "the labels")
    editor.draw("#recognize-ink", ring(300, 250, 90))
    editor.wait(f"{ANSWER}.startsWith('state')", "a state")
    go_to(editor, "edit")
    name = editor.name
    editor.draw_element(ring(250, 300, 52))
    editor.settled(lambda p: len(p["states"]) == 1, "a state")
    editor.wait("document.querySelector('#edit-decision').children.length", "the decision")
    path = os.path.join(studio.folder, "documents", f"{name}.automaton")

    def is_on_disk():
        if not os.path.exists(path):
            return False
        with open(path) as file:
            return "center" in file.read()

    wait_for(is_on_disk, "the state on disk")
    assert studio.end(signal.SIGKILL) == -signal.SIGKILL
    editor.stroke(ring(500, 300, 52))
    editor.wait(f"{NOTICE}.textContent.includes('1 stroke is not saved')", "the stroke said to be kept")
    editor.wait("document.querySelector('.waiting.late').getTotalLength() > 300"
                f" && {NOTICE}.querySelector('button').textContent === 'Try again'"
                " && document.querySelector('#edit-decision').children.length === 0",
                "the stroke marked on the paper, a button, and no old decision")
    editor.stroke(ring(750, 300, 52))
    go_to(editor, "recognize")
    editor.draw("#recognize-ink", ring(300, 250, 95))
    editor.wait("document.querySelector('#problem button')", "a button to try again")
    editor.wait(f"{ANSWER} === 'Not recognised yet'", "no old answer")
    go_to(editor, "edit")

    # It has another secret now, which the printed address tells the browser.
    again = start_studio(studio.folder, port=studio.port)
    editor.wait(f"{NOTICE}.textContent.includes('Open the address')", "what to do after a restart")
    editor.wait(f"{NOTICE}.textContent.split('2 strokes').length === 2", "both strokes kept")
    first = editor.window
    editor.new_window("tab")
    editor.show(again)
    editor.close(first)
    editor.run("document.querySelector('#edit-notice button')?.click()")
    editor.settled(lambda p: p["name"] == name and len(p["states"]) == 3, "all strokes in the document")
    editor.wait(f"{NOTICE}.hidden && document.querySelector('.waiting').getTotalLength() === 0",
                "nothing waiting any more")
    go_to(editor, "recognize")
    editor.draw("#recognize-ink", [(300, 250), (301, 251)])
    editor.wait(f"!{ANSWER}.includes('yet')", "an answer again")
