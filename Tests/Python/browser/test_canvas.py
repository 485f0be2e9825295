"""The paper without a studio: where things are, how it is fitted and zoomed, and what strokes and taps are."""

import pytest

from browser.modules import Modules
from inkstate.ink import line, ring

# A paper of 800 x 600 pixels, 100 from the left and 50 from the top.
BODY = """<style>body { margin: 0 } #edit-drawing, #edit-ink
  { position: absolute; left: 100px; top: 50px; width: 800px; height: 600px } #edit-ink { pointer-events: none }
  </style><svg id="edit-drawing" tabindex="0"></svg><canvas id="edit-ink"></canvas><div id="edit-empty"></div>
  <input id="edit-attached" type="checkbox"><div id="edit-hint"></div><button id="zoom-in">+</button>
  <button id="zoom-out">-</button><button id="zoom-fit">fit</button><div id="document-menu" popover></div>"""
# An editor with two states, whose other parts note what they are asked for.
EDITOR = """
  const state = (id, x) => ({ id, center: { x, y: 100 }, radius: 50, rings: [50], shown: [id], textScale: 1, name: id });
  window.calls = [];
  const note = (name) => (...rest) => { window.calls.push([name, ...rest]); };
  window.editor = {
    constants: { textSize: 20, lineHeight: 24, indexDrop: 0.2, indexScale: 0.7, eraserReach: 10 },
    view: { x: 0, y: 0, zoom: 1 }, step: 0, run: null, tool: "pen", isGone: false,
    picture: { states: [state("a", 100), state("b", 400)], transitions: [], ink: [], uncertain: [], refusedCount: 0 },
    selection: { ids: new Set(), isFresh: false, element: () => null, set: note("select"), toggle: note("toggle") },
    panel: { place() {}, uncover() {}, free: () => ({ left: 300, right: 900, top: 50, bottom: 650 }) },
    label: { place() {}, open: note("label") }, changes: { send: (kind, s) => window.calls.push(["send", kind, s.length]) },
    decision: { forget() {}, showInk: note("ink") }, paper: { isMoving: () => false }, dragging: { cancel() {} },
    tools: { choose: note("choose") },
  };"""


@pytest.fixture
def canvas(tabs, page_files):
    page = Modules(tabs, page_files, BODY)
    page.run(EDITOR)
    page.use("edit/canvas.js", "editor.canvas = m.makeCanvas(editor); editor.canvas.draw();")
    page.use("edit/hint.js", "editor.hint = m.makeHint(editor);")
    page.use("edit/gestures.js", "editor.gestures = m.makeGestures(editor);")
    return page


def view(canvas):
    found = canvas.get("editor.view")
    return found["x"], found["y"], found["zoom"]


def test_places_on_the_paper_and_in_the_window_fit_together(canvas):
    canvas.run("editor.view = { x: 10, y: 20, zoom: 2 }; editor.canvas.look()")
    assert canvas.get("editor.canvas.place({ clientX: 300, clientY: 150 })") == {"x": 110, "y": 70}
    assert canvas.get("editor.canvas.onScreen({ x: 110, y: 70 })") == {"x": 300, "y": 150}
    assert canvas.get("editor.canvas.svg.getAttribute('viewBox')") == "10 20 400 300"


def test_the_drawing_is_fitted_into_what_is_free(canvas):
    canvas.run("editor.canvas.fit()")
    # 480 wide with its margins, in the middle of 600 free pixels.
    x, y, zoom = view(canvas)
    assert zoom == pytest.approx(600 / 480)
    middle = canvas.get("editor.canvas.onScreen({ x: 250, y: 100 })")
    assert (middle["x"], middle["y"]) == pytest.approx((600, 350))


def test_a_small_drawing_is_not_enlarged_without_end_and_an_empty_one_not_at_all(canvas):
    canvas.run("editor.picture.states.pop(); editor.canvas.fit()")
    assert view(canvas)[2] == 1.5
    canvas.run("editor.picture.states.pop(); editor.canvas.fit()")
    assert view(canvas) == (0, 0, 1)


def test_zooming_keeps_the_place_under_the_pointer(canvas):
    canvas.run("editor.canvas.zoomBy(2, 200, 100)")
    assert view(canvas) == (100, 50, 2)
    canvas.run("editor.canvas.zoomBy(0.5, 200, 100)")
    assert view(canvas) == (0, 0, 1)
    for factor, most in [(100, 4), (1e-6, 0.1)]:
        canvas.run("editor.canvas.zoomBy(arguments[0])", factor)
        assert view(canvas)[2] == most


def test_the_paper_moves_to_what_is_outside_alone(canvas):
    canvas.run("editor.canvas.reveal(editor.picture.states)")
    assert view(canvas) == (0, 0, 1)
    canvas.run("editor.picture.states[0].center.x = 2000; editor.canvas.reveal([editor.picture.states[0]])")
    assert view(canvas) == (1600, -200, 1)


def test_the_element_at_a_place(canvas):
    for x, expected in [(100, "a"), (145, "a"), (155, None), (400, "b")]:
        assert canvas.get("editor.canvas.idAt({ x: arguments[0], y: 100 })", x) == expected


def test_a_stroke_is_sent_and_a_tap_selects(canvas):
    canvas.draw("#edit-drawing", line((200, 300), (300, 300), 5))
    assert canvas.get("calls") == [["select", []], ["send", "stroke", 6]]
    canvas.run("calls.length = 0")
    canvas.draw("#edit-drawing", [(400, 100), (401, 100)])
    assert canvas.get("calls") == [["select", ["b"]]]


def test_a_second_tap_soon_edits_the_name(canvas):
    canvas.tap_twice("#edit-drawing", 100, 100)
    assert canvas.get("calls") == [["select", ["a"]], ["select", ["a"]], ["label"]]


def test_taps_on_two_elements_are_no_double_tap(canvas):
    canvas.point("#edit-drawing", ("pen", "pen", [(100, 100), "down", "up", (400, 100), "down", "up"]))
    assert canvas.get("calls") == [["select", ["a"]], ["select", ["b"]]]


def test_the_eraser_sends_what_it_crosses(canvas):
    canvas.run("editor.tool = 'erase'")
    canvas.draw("#edit-drawing", line((20, 100), (100, 100), 5))
    assert canvas.get("calls") == [["select", []], ["send", "erase?attached=false", 6]]
    assert canvas.text("#edit-hint") == ""
    canvas.draw("#edit-drawing", ring(600, 400, 60))
    assert canvas.text("#edit-hint").startswith("The tool is Erase, and this crossed nothing.")


def test_only_a_ring_is_taken_for_one(canvas):
    for points, is_ring in [(ring(200, 200, 60), True), (ring(200, 200, 60, turn=1.2), False),
                            (line((0, 0), (200, 0)), False), (ring(200, 200, 12), False)]:
        canvas.run("editor.hint.forget(); editor.hint.afterMoving(arguments[0].map(([x, y]) => ({ x, y })))", points)
        assert canvas.get("editor.hint.isShown") is is_ring


def test_a_palm_that_comes_before_the_pen_draws_nothing(canvas):
    palm = [(600, 400), "down", (601, 401), *["wait"] * 12, "up"]
    canvas.point("#edit-drawing", ("touch", "palm", palm),
                 ("pen", "pen", ["wait", "wait", (200, 300), "down", *line((210, 300), (280, 300), 5), "up"]))
    assert canvas.get("calls.filter(([name]) => name === 'send')") == [["send", "stroke", 7]]
