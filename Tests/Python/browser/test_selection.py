"""Several elements are selected, moved, arranged, copied, deleted and erased."""

import pytest
from selenium.webdriver.common.keys import Keys

from inkstate.ink import arrow, ring, zigzag

TITLE = "document.querySelector('#selection-title').textContent"
TARGETS = "document.querySelectorAll('#edit-drawing circle.target').length"


@pytest.fixture
def editor(shared_editor):
    return shared_editor


@pytest.fixture
def selected(editor):
    """Three states; two of them and the arrow between them are selected by a line around them."""
    editor.draw_elements(*(ring(x, y, 50) for x, y in [(200, 250), (450, 300), (800, 250)]),
                         arrow((255, 255), (395, 295)))
    editor.settled(lambda p: len(p["transitions"]) == 1, "an arrow")
    editor.click("[data-tool=select]")
    editor.stroke([(120, 150), (540, 150), (540, 400), (120, 400), (120, 160)])
    editor.wait(f"{TITLE} === '3 elements selected'", "two states and their arrow inside the line")
    return editor


def test_the_selection_is_moved_and_aligned(selected):
    overlap = selected.run("""
      const box = (e) => e.getBoundingClientRect();
      const panel = box(document.querySelector('#edit-selection'));
      return [...document.querySelectorAll('g.selected')].some((g) => {
        const b = box(g);
        return b.left < panel.right && b.right > panel.left && b.top < panel.bottom && b.bottom > panel.top;
      });""")
    assert not overlap, "the selection not covered"
    before = selected.picture()
    selected.stroke([(200, 250), (230, 280), (260, 330)])
    after = selected.settled(lambda p: p["version"] > before["version"], "both states moved")
    ways = [round(b["center"]["y"] - a["center"]["y"]) for a, b in zip(before["states"], after["states"])]
    assert ways == [80, 80, 0]
    assert len({t["start"] for t in after["transitions"]}) == 1
    selected.choose_text("#selection-fields", "Align in row")
    selected.settled(lambda p: p["states"][0]["center"]["y"] == p["states"][1]["center"]["y"], "a row")


def test_the_selection_is_copied_to_another_document_and_deleted(selected):
    selected.choose_text("#selection-fields", "Align in row")
    selected.settled(lambda p: p["states"][0]["center"]["y"] == p["states"][1]["center"]["y"], "a row")
    selected.press(Keys.CONTROL, "c")
    selected.wait_text("#edit-said", "Copied")
    selected.new_document()
    selected.run("document.querySelector('#edit-drawing').dispatchEvent(Object.assign("
                 "new Event('paste', { bubbles: true, cancelable: true }), { clipboardData: { getData: () => '' } }))")
    picture = selected.settled(lambda p: len(p["states"]) == 2, "both states in another document")
    assert len(picture["transitions"]) == 1 and picture["transitions"][0]["start"], "their arrow, attached"
    selected.wait(f"{TITLE} === '3 elements selected'", "the copies selected")
    selected.press(Keys.CONTROL, "d")
    selected.settled(lambda p: len(p["states"]) == 4, "two more")
    selected.wait(f"{TARGETS} === 4", "them in the page")
    selected.choose("#edit-tidy")
    selected.settled(lambda p: len({s["center"]["y"] for s in p["states"]}) <= 2, "a tidy drawing")
    selected.press(Keys.CONTROL, "a")
    selected.press(Keys.DELETE)
    selected.settled(lambda p: not p["states"] and not p["transitions"], "nothing left")
    selected.click("#edit-undo")
    selected.settled(lambda p: len(p["states"]) == 4, "everything again")


def test_the_eraser_fades_what_it_will_delete(editor):
    editor.draw_elements(ring(200, 250, 50), ring(800, 250, 50))
    x, y = editor.center(editor.settled(lambda p: len(p["states"]) == 2, "two states")["states"][0])
    editor.click("[data-tool=erase]")
    editor.run("window.faded = 0; new MutationObserver(() => { window.faded ||= document.querySelectorAll("
               "'g.erased').length; }).observe(document.querySelector('#edit-drawing'),"
               " { subtree: true, attributeFilter: ['class'] })")
    editor.stroke([(x - 100, y), (x, y), (x + 20, y)])
    editor.settled(lambda p: len(p["states"]) == 1, "a state erased")
    editor.wait("window.faded", "it faded before")


def test_rejected_ink_becomes_what_is_chosen(editor):
    editor.draw_element(zigzag(600, 300))
    editor.wait("document.querySelectorAll('path.ink.refused').length === 1", "the ink, marked")
    editor.draw_element(ring(250, 300, 60))
    editor.settled(lambda p: len(p["states"]) == 1, "a state")
    editor.stroke([(600, 240), (600, 240)])
    editor.wait("document.querySelector('#edit-decision.refused button')", "what it can become")
    editor.choose_text("#edit-decision", "Make it a state")
    editor.settled(lambda p: len(p["states"]) == 2 and not p["ink"], "the ink as a state")
