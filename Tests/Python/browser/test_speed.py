"""Elements appear soon in drawings of any size, and a state with many arrows is dragged smoothly."""

import json
import math
import statistics

import pytest

from browser.automata import D, draw_automaton
from browser.editor import DRAWING, Editor
from browser.page import end_chromium, start_chromium
from inkstate.ink import ring

pytestmark = pytest.mark.speed


@pytest.fixture
def editor(needs_chromium, studio):
    """A page in a Chromium that shows 60 frames a second at most, as people's browsers do."""
    driver = start_chromium(is_paced=True)
    yield Editor(driver, studio)
    end_chromium(driver)


def grid(count, spokes=0):
    """A document with so many states, the arrows of a hub included."""
    columns = math.ceil(math.sqrt(count - spokes))
    states = {f"s{n}": {"id": f"s{n}", "name": f"q{n}", "isFinalState": False, "radius": 30,
                        "center": [160 * (n % columns), 160 * (n // columns)]} for n in range(count - spokes)}
    arrows = {f"t{n}": {"id": f"t{n}", "startState": "s0", "endState": f"s{n}", "currentSymbol": "", "symbols": ["a"],
                        "includesEpsilon": False, "type": {
                            "type": "regular", "startPoint": [0, 0], "tipPoint": states[f"s{n}"]["center"],
                            "flexPoint": [c / 2 for c in states[f"s{n}"]["center"]]}}
              for n in range(1, spokes + 1)}
    return json.dumps({"id": "grid", "automatonStates": states, "transitions": arrows})


def open_grid(editor, count, spokes=0):
    answer = editor.request("POST", f"/api/documents/size%20{count}/open?form=automaton", grid(count, spokes))
    editor.open_document(answer["name"])


def test_an_automaton_that_is_drawn_appears_soon(editor, report):
    times = draw_automaton(editor, D)
    served = editor.get("performance.getEntriesByType('resource').filter((e) => e.name.includes('/stroke?'))"
                        ".map((e) => e.serverTiming[0].duration)")
    median = statistics.median(times)
    report(f"pen up to element {median:.1f} ms, the server's share {statistics.median(served):.2f} ms "
           f"(medians of {len(times)} and {len(served)})")
    assert median < 200


@pytest.mark.parametrize("count", [5, 50, 500])
def test_elements_appear_soon(editor, count, report):
    open_grid(editor, count)
    median = statistics.median(editor.draw_element(ring(80 + 90 * number, 120, 26)) for number in range(3))
    report(f"pen up to element {median:.1f} ms with {count}")
    assert median < 150


def test_a_hub_is_dragged_smoothly(editor, report):
    open_grid(editor, 1000, 20)
    editor.click("[data-tool=select]")
    x, y = editor.on_screen((0, 0))
    editor.run("""
      window.frames_ = [];
      const frame = (now) => { window.frames_.push(now); window.isCounting && requestAnimationFrame(frame); };
      window.isCounting = true;
      requestAnimationFrame(frame);""")
    places = [(x + 2 * i, y + i) for i in range(60)]
    editor.point(DRAWING, ("pen", "pen", [places[0], "down", *places[1:], "up"]), pace=16)
    frames = editor.run("window.isCounting = false; return window.frames_")
    gaps = sorted(b - a for a, b in zip(frames, frames[1:]))
    editor.settled(lambda p: p["states"][0]["center"]["x"] > 1, "the hub moved")
    frame = statistics.median(gaps)
    report(f"a frame while dragging takes {frame:.1f} ms (median), {gaps[int(0.95 * len(gaps))]:.1f} ms (95 %)")
    assert frame < 34, "30 frames a second"
