"""Touches beside the pen do nothing and never disable it; two fingers move and zoom the paper."""

import time

import pytest

from browser.editor import DRAWING, elements
from inkstate.ink import arrow, ring

# How long touches are ignored after the pen was lifted, in seconds; afterPen in ink.js.
AFTER_PEN = 1


def drawn(points, before=0, after=0):
    """The steps of a stroke that waits before it comes, and before it leaves."""
    return ["wait"] * before + [points[0], "down", *points[1:]] + ["wait"] * after + ["up"]


@pytest.fixture
def two_states(editor):
    """Two states, the first drawn while two palms lie on the paper, the second before a palm comes."""
    editor.run("""
      window.bodies = [];
      const original = window.fetch;
      window.fetch = (address, options) => {
        if (String(address).includes("/stroke?")) { window.bodies.push(JSON.parse(options.body)); }
        return original(address, options);
      };""")
    editor.before = editor.view()
    editor.begin = time.time()
    editor.point(DRAWING, ("touch", "palm", drawn([(500, 400), (501, 401)], after=60)),
                 ("touch", "wrist", drawn([(560, 450), (562, 450)], after=60)),
                 ("pen", "pen", drawn(ring(250, 250, 60), before=5)))
    editor.settled(lambda p: len(p["states"]) == 1, "one state, drawn with the pen")
    editor.point(DRAWING, ("pen", "pen", drawn(ring(600, 250, 60))),
                 ("touch", "palm", drawn([(500, 400)] + [(500 + i, 400 + i) for i in range(40)])))
    editor.settled(lambda p: len(p["states"]) == 2, "another state of the pen")
    return editor


def test_palms_draw_nothing_beside_the_pen(two_states):
    assert not two_states.picture()["transitions"], "nothing drawn by the palms"
    assert two_states.view() == two_states.before, "the paper not moved by the palms"
    body = two_states.wait("window.bodies[0]", "the stroke that was sent")
    sent = body["drawing"][0][2][0]
    assert 1000 * two_states.begin - 5000 < sent < 1000 * time.time() + 5000, "times in Unix milliseconds"
    assert body["page"]


def test_nothing_happens_while_the_pen_hovers(two_states):
    picture = elements(two_states.picture())
    two_states.point(DRAWING, ("pen", "pen", [(300, 500), (301, 500)]))
    time.sleep(AFTER_PEN + 0.1)
    two_states.point(DRAWING, ("touch", "palm", drawn([(500 - 4 * i, 400) for i in range(20)])),
                     ("touch", "wrist", drawn([(600 + 4 * i, 400) for i in range(20)])))
    two_states.stroke(arrow((320, 250), (530, 250)), pointer="touch")
    two_states.quiet()
    assert elements(two_states.picture()) == picture, "nothing drawn by touches under a hovering pen"
    assert two_states.view() == two_states.before, "the paper not moved by touches under a hovering pen"
    two_states.wait("document.querySelector('#edit-hint').textContent.includes('A pen is near')",
                    "why touches do nothing")


def test_two_fingers_zoom_once_the_pen_is_away(two_states):
    picture = elements(two_states.picture())
    two_states.stroke([(300, 500), (301, 500)])
    time.sleep(AFTER_PEN + 0.1)
    two_states.point(DRAWING, ("touch", "thumb", drawn([(300 - 4 * i, 300) for i in range(20)])),
                     ("touch", "finger", drawn([(400 + 4 * i, 300) for i in range(20)])))
    assert two_states.view()[2] < 0.6 * two_states.before[2], "the paper enlarged"
    two_states.quiet()
    assert elements(two_states.picture()) == picture, "nothing drawn by two fingers"


def test_how_near_a_tip_is_depends_on_the_zoom(editor):
    editor.draw_elements(ring(700, 300, 60), arrow((150, 300), (400, 300)))
    editor.settled(lambda p: len(p["transitions"]) == 1, "a dangling transition")
    for _ in range(8):
        editor.click("#zoom-out")
    tip = editor.picture()["transitions"][0]["ends"][1]
    editor.tap(*editor.on_screen(((150 + tip["x"]) / 2, 300)))
    editor.wait("document.querySelector('[data-handle=moveTip]')", "the handle of the tip")
    editor.stroke([editor.on_screen(place) for place in [(tip["x"], tip["y"]), (500, 300), (570, 300)]])
    editor.settled(lambda p: p["transitions"][0].get("end") == p["states"][0]["id"],
                   "the tip attached to the state that it is near on the screen")
