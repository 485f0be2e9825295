"""Drawings are recorded: labels in balance, each saved once, none lost."""

import signal

from browser.recordings import lines
from inkstate.ink import ring

LABEL = "document.querySelector('#record-label').textContent"


def open_record(page, studio):
    page.open(studio.address + "#record")
    page.wait(LABEL, "a label to draw")


def test_twenty_drawings_are_kept_through_a_kill(page, studio, start_studio):
    open_record(page, studio)
    page.type("#record-writer", "tester")
    page.run("document.querySelector('#record-writer').dispatchEvent(new Event('change'))")
    labels = []
    for number in range(1, 21):
        labels.append(page.get(LABEL))
        page.draw("#record-ink", ring(200, 200, 60 + number))
        page.click("#record-save")
        page.wait(f"document.querySelector('#record-status').textContent.startsWith('Saved. {number} recording')",
                  f"drawing {number} to be saved")
        assert len(lines(studio.folder)) == number
        if number == 13:
            assert studio.end(signal.SIGKILL) == -signal.SIGKILL
            assert len(lines(studio.folder)) == 13, "all saved drawings after the kill"
            studio = start_studio(studio.folder, port=studio.port)
            open_record(page, studio)
    kept = lines(studio.folder)
    assert [entry["word"] for entry in kept] == labels
    assert all(entry["writer"] == "tester" for entry in kept)
    assert all(len(entry["drawing"][0]) == 4 for entry in kept), "times and pressures"
    counts = [labels.count(label) for label in set(labels)]
    assert max(counts) - min(counts) <= 1, "as many of each class"
    page.click("#record-items button")
    page.wait("document.querySelectorAll('#record-items li').length === 19", "one drawing fewer")
    assert len(lines(studio.folder)) == 19


def test_ink_stays_what_it_was_asked_for(page, studio):
    open_record(page, studio)
    page.draw("#record-ink", ring(200, 200, 60))
    label = page.get(LABEL)
    for name in ["train", "record"] * 3:
        page.run("location.hash = arguments[0]", name)
        page.wait(f"!document.querySelector('#{name}').hidden", f"the page {name}")
        page.quiet()
    assert page.get(LABEL) == label


def test_a_drawing_is_saved_once(page, studio):
    open_record(page, studio)
    page.draw("#record-ink", ring(200, 200, 60))
    page.run("const b = document.querySelector('#record-save'); b.click(); b.click()")
    page.wait("document.querySelector('#record-status').textContent", "an answer")
    page.quiet()
    assert len(lines(studio.folder)) == 1
