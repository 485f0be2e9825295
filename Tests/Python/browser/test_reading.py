"""Names and symbols are written with the pen, and drawings and photographs are read."""

import json
import math
import shutil

import pytest
from selenium.webdriver.common.keys import Keys

from browser.editor import RADIUS, elements, is_selected
from inkstate.command import example
from inkstate.ink import arrow, loop, ring


@pytest.fixture
def editor(shared_editor):
    return shared_editor


def inner(picture):
    """The transitions, without the marks of initial states."""
    return [t for t in picture["transitions"] if not t["isInitialMarker"]]


@pytest.fixture
def mod_3(editor):
    """An automaton that a person drew, with its names and symbols."""
    with open(example("Drawings", "mod3.ndjson")) as file:
        strokes = [list(zip(stroke[0], stroke[1])) for stroke in json.loads(file.readline())["drawing"]]
    # Below the line of buttons, and as far left as a canvas of the usual width needs.
    left, top = [min(p[axis] for stroke in strokes for p in stroke) - margin for axis, margin in ((0, 40), (1, 90))]
    for stroke in strokes:
        editor.stroke([(x - left, y - top) for x, y in stroke[::2] + stroke[-1:]])
    editor.settled(lambda p: not p["isUnread"], "everything read")
    return editor


def test_an_automaton_is_written_without_the_keyboard(mod_3):
    picture = mod_3.picture()
    names = {s["id"]: s["name"] for s in picture["states"]}
    assert sorted(names.values()) == ["A", "B", "C"]
    found = sorted((names[t["start"]], names[t["end"]], *t["symbols"]) for t in inner(picture))
    assert found == [("A", "A", "0"), ("A", "B", "1"), ("B", "A", "1"), ("B", "C", "0"), ("C", "B", "0"),
                     ("C", "C", "1")]
    # A name is scratched out, and another one is written.
    x, y = mod_3.center(next(s for s in picture["states"] if s["name"] == "B"))
    mod_3.stroke([(x + dx, y - 22 + 5 * i) for i in range(10) for dx in (-20, 20)])
    mod_3.settled(lambda p: any(not s["name"] for s in p["states"]), "the name scratched out")
    mod_3.stroke([(x, y - 22 + 2 * i) for i in range(22)])
    mod_3.settled(lambda p: len(p["ink"]) == 1, "the writing on the paper before it is read")
    picture = mod_3.settled(lambda p: not p["isUnread"], "the new name")
    name = next(s["name"] for s in picture["states"] if names.get(s["id"], "B") == "B")
    assert name in tuple("1lI|"), "a vertical line read as a name"
    # What is unsure is chosen with one tap.
    if picture["uncertain"]:
        first = picture["uncertain"][0]["element"]
        # In one step: the page may show another question at any time.
        mod_3.wait("(() => { const box = document.querySelector('#edit-uncertain');"
                   f"if (JSON.parse(box.dataset.content ?? '[]')[0]?.element !== {json.dumps(first)}) {{ return false; }}"
                   "box.querySelector('button:last-child').click(); return true; })()", "other readings")
        mod_3.settled(lambda p: all(u["element"] != first for u in p["uncertain"]), "the reading that was chosen")


def test_a_photograph_lies_under_its_drawing(editor):
    editor.open_file(example("Pictures", "paper.jpg"))
    editor.wait("document.querySelector('#edit-name').value.startsWith('paper')", "the photograph opened")
    assert len(editor.picture()["states"]) == 2
    shown = "document.querySelector('#edit-drawing image.photograph').getBoundingClientRect().width"
    editor.wait(f"{shown} > 100", "the photograph under the drawing")
    editor.choose("#photograph")
    editor.wait(f"{shown} === 0", "the photograph hidden")


def test_a_tap_in_a_ring_of_a_photograph_adds_the_state_that_was_missed(editor, tmp_path):
    editor.open_file(shutil.copy(example("Pictures", "paper.jpg"), tmp_path / "missed.jpg"))
    editor.wait("document.querySelector('#edit-name').value.startsWith('missed')", "the photograph opened")
    editor.wait("!document.querySelector('#photograph-classes-label').hidden", "what was seen in the photograph")
    shown = "document.querySelector('#edit-drawing image.classes').getBoundingClientRect().width"
    assert editor.get(shown) == 0
    editor.choose("#photograph-classes")
    editor.wait(f"{shown} > 100", "what was seen over the photograph")
    editor.press(Keys.ESCAPE)
    before = editor.picture()
    state = before["states"][-1]
    x, y = editor.center(state)
    editor.request("POST", f"/api/documents/{editor.name}/command",
                   json.dumps({"kind": "delete", "ids": [state["id"]], "text": "deletesAttached"}))
    editor.wait(f"!document.querySelector('#edit-drawing g[data-id=\"{state['id']}\"]')", "the state gone")
    editor.tap(x + 10, y - 10)
    after = editor.settled(lambda p: len(p["states"]) == len(before["states"]), "the state that was missed")
    assert len(after["transitions"]) == len(before["transitions"])
    assert [s["name"] for s in after["states"]] == [s["name"] for s in before["states"]]
    editor.wait(is_selected(after["states"][-1]["id"]), "the new state selected")
    editor.press(Keys.ESCAPE)
    # Where no ring is seen, the first tap asks.
    (one, other) = (s["center"] for s in before["states"])
    editor.tap(*editor.on_screen(((one["x"] + other["x"]) / 2, (one["y"] + other["y"]) / 2)))
    editor.wait_text("#edit-hint span", "No ring was seen here.")
    editor.click("#edit-hint button")
    editor.settled(lambda p: len(p["states"]) == len(before["states"]) + 1, "a state without a ring")


def test_symbols_that_were_not_read_are_asked_for(editor, tmp_path):
    drawing = [ring(150, 200, RADIUS), ring(450, 200, RADIUS), arrow((220, 200), (385, 200))]
    path = tmp_path / "bare.ndjson"
    path.write_text(json.dumps({"drawing": [list(zip(*stroke)) for stroke in drawing]}) + "\n")
    editor.open_file(path)
    editor.wait("document.querySelector('#edit-uncertain').textContent.includes('no symbols could be read')",
                "the question for symbols")
    editor.click("#edit-uncertain button")
    editor.wait("document.activeElement.id === 'label-input'", "the field for symbols")
    editor.type("#label-input", "b\ue007")
    editor.wait_text("#edit-uncertain", "", "no question left")
    assert [t["symbols"] for t in editor.picture()["transitions"]] == [["b"]]


def test_a_first_automaton_takes_25_actions_with_the_pen(editor):
    editor.run("document.querySelector('#run-word').value = ''")
    editor.open_runs()
    places = [(180, 400), (440, 400), (700, 400)]
    strokes = [ring(x, y, RADIUS) for x, y in places] + [ring(*places[2], RADIUS * 0.74)]
    strokes += [arrow((50, 400), (124, 400))]
    strokes += [arrow((x + RADIUS + 6, y), (x + 260 - RADIUS - 6, y)) for x, y in places[:2]]
    strokes += [loop(x, y, RADIUS, -math.pi / 2) for x, y in (places[0], places[2])]
    # Names and symbols: vertical lines and small circles.
    strokes += [[(x, y - 16 + 4 * i) for i in range(8)] for x, y in places]
    strokes += [ring(x + 130, y - 30, 13) for x, y in places[:2]]
    strokes += [[(x + 2, y - 188 + 4 * i) for i in range(8)] for x, y in (places[0], places[2])]
    for stroke in strokes:
        editor.stroke(stroke)
    picture = editor.settled(lambda p: not p["isUnread"], "everything read")
    states, transitions = picture["states"], inner(picture)
    assert (len(states), len(transitions)) == (3, 4)
    assert all(s["name"] for s in states) and all(t["symbols"] for t in transitions)
    assert [sum(s[kind] for s in states) for kind in ("isInitial", "isFinal")] == [1, 1]
    initial = next(s["id"] for s in states if s["isInitial"])
    word = [t["symbols"][0] for t in sorted(transitions, key=lambda t: t["start"] != initial) if not t["isLoop"]]
    buttons = [f"[aria-label={json.dumps('Add symbol ' + symbol)}]" for symbol in word]
    buttons.append("#run-form button:not([type])")
    for button in buttons:
        editor.wait(f"document.querySelector({json.dumps(button)})", button)
        place = editor.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                           "return [b.left + b.width / 2, b.top + b.height / 2]", button)
        editor.draw("body", [place, place])
    result = editor.wait("document.querySelector('#run-result').className", "a result")
    assert result == "accepted"
    assert len(strokes) + len(buttons) <= 25


def test_several_states_stay_initial_when_the_pen_rests(editor):
    draw_two_initial_states(editor)
    picture = editor.picture()
    assert sum(s["isInitial"] for s in picture["states"]) == 2 and not picture["ink"], elements(picture)


def test_what_a_reading_takes_back_is_said_and_restored(editor):
    draw_two_initial_states(editor)
    # Small rings far away are letters of a remark.
    for number in range(4):
        editor.stroke(ring(900 + 30 * number, 650, 12))
    said = editor.wait("document.querySelector('#edit-taken').textContent", "what was changed")
    assert said.startswith("I changed this: the state ")
    count = len(editor.picture()["states"])
    editor.click("#edit-taken button")
    editor.settled(lambda p: len(p["states"]) > count, "the states again")
    editor.wait_text("#edit-taken", "", "nothing said any more")


def draw_two_initial_states(editor):
    editor.draw_elements(ring(200, 350, 60), arrow((50, 350), (135, 350)), ring(600, 350, 60),
                         arrow((270, 350), (532, 350)), arrow((600, 150), (600, 285)))
    editor.settled(lambda p: not p["isUnread"], "everything read")
