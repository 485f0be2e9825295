"""Functions of the page's modules that need no studio: placement, moves, names, steps and messages."""

import base64
import math

import pytest

from browser.modules import Modules, serve
from browser.page import only_for_now

STATE = {"id": "a", "center": {"x": 100, "y": 100}, "radius": 50, "name": "A", "isInitial": True, "isFinal": False}
OTHER = {"id": "b", "center": {"x": 400, "y": 100}, "radius": 50, "name": "", "isInitial": False, "isFinal": True}


@pytest.fixture(scope="module")
def modules(chromium):
    """A page for all functions: none of them keeps anything on it."""
    server = serve()
    with only_for_now(chromium):
        yield Modules(chromium, server)
    server.shutdown()
    server.server_close()


def transition(**more):
    """A straight arrow from the first state to the other one."""
    return {"id": "t", "start": "a", "end": "b", "line": "M150,100 L350,100", "head": "M340,90 L350,100 L340,110",
            "ends": [{"x": 150, "y": 100}, {"x": 350, "y": 100}], "handle": {"x": 250, "y": 100},
            "label": {"x": 250, "y": 80}, "isLoop": False, "isInitialMarker": False, "text": "0, 1", **more}


def picture(*transitions):
    return {"states": [STATE, OTHER], "transitions": list(transitions), "ink": []}


def test_the_extent_has_everything_and_a_margin(modules):
    found = modules.call("edit/render.js", "extent", picture(transition(label={"x": 250, "y": 20})), 10)
    assert found == {"x": 40, "y": 10, "width": 420, "height": 150}
    ink = {"states": [], "transitions": [], "ink": ["M5,-7.5 L20,30"]}
    assert modules.call("edit/render.js", "extent", ink, 0) == {"x": 5, "y": -7.5, "width": 15, "height": 37.5}
    assert modules.call("edit/render.js", "extent", {"states": [], "transitions": [], "ink": []}, 10) is None


def test_ink_may_have_more_points_than_a_call_has_arguments(modules):
    line = "M" + " ".join(f"{n},{n % 7}" for n in range(200_000))
    found = modules.call("edit/render.js", "extent", {"states": [], "transitions": [], "ink": [line]}, 0)
    assert found == {"x": 0, "y": 0, "width": 199_999, "height": 6}


def test_points_of_a_path(modules):
    found = modules.use("edit/render.js", "return m.pointsOf(args[0])", "M1,2 L-3.5,.5 L4,-5")
    assert found[0] == {"x": 1, "y": 2} and found[2] == {"x": 4, "y": -5}


def move(modules, document, ids, x, y):
    """The document after elements were moved, as the page foresees it."""
    return modules.use("edit/preview.js", """
      const [picture, ids, way] = args;
      m.moveElements(picture, new Set(ids), way);
      return picture;""", document, ids, {"x": x, "y": y})


def test_an_arrow_between_moved_states_moves_as_a_whole(modules):
    after = move(modules, picture(transition()), ["a", "b"], 30, -20)
    assert [s["center"] for s in after["states"]] == [{"x": 130, "y": 80}, {"x": 430, "y": 80}]
    [arrow] = after["transitions"]
    assert arrow["ends"] == [{"x": 180, "y": 80}, {"x": 380, "y": 80}]
    assert arrow["label"] == {"x": 280, "y": 60}
    assert arrow["line"] == "M180.00,80.00 L380.00,80.00"


def test_a_straight_arrow_stays_straight_and_at_the_rings(modules):
    after = move(modules, picture(transition()), ["b"], 0, 300)
    [arrow] = after["transitions"]
    start, tip = [(end["x"], end["y"]) for end in arrow["ends"]]
    assert math.dist(start, (100, 100)) == pytest.approx(50)
    assert math.dist(tip, (400, 400)) == pytest.approx(50)
    assert (arrow["handle"]["x"], arrow["handle"]["y"]) == pytest.approx(
        ((start[0] + tip[0]) / 2, (start[1] + tip[1]) / 2))


def test_a_bent_arrow_stays_bent(modules):
    bent = transition(handle={"x": 250, "y": 40})
    [arrow] = move(modules, picture(bent), ["b"], 40, 20)["transitions"]
    assert arrow["handle"] == {"x": 270, "y": 50}
    assert arrow["label"] == {"x": 270, "y": 90}


def test_a_self_loop_moves_with_its_state(modules):
    [arrow] = move(modules, picture(transition(end="a", isLoop=True)), ["a"], 5, 5)["transitions"]
    assert arrow["handle"] == {"x": 255, "y": 105}
    assert arrow["head"] == "M345.00,95.00 L355.00,105.00 L345.00,115.00"


@pytest.mark.parametrize("element, said", [
    (None, "No element selected"), (STATE, "state A, initial"), (OTHER, "a state without a name, final"),
    (transition(), "transition from A to a state without a name, 0, 1"),
    (transition(start="", text=""), "transition from no state to a state without a name, no symbols"),
    (transition(end="a", isInitialMarker=True), "initial arrow of A")])
def test_elements_are_described(modules, element, said):
    assert modules.call("edit/names.js", "describe", picture(), element) == said


def test_the_step_of_a_machine(modules):
    def step(**one):
        return modules.call("edit/kind.js", "machineStep", {"symbols": ["a", "b", "c"], "steps": [one]}, 0)

    assert step() is None, "a finite automaton has no memory"
    assert step(position=1, stack="AZ") == {
        "cells": [["a", "read"], ["b", "now"], ["c", ""]], "memory": "Stack: AZ"}
    assert step(position=0, stack="")["memory"] == "Stack: empty"
    assert step(position=0, stack="A" * 50)["memory"] == "Stack: " + "A" * 41 + "…"
    assert step(position=0, output="")["memory"] == "Output: ε"
    tape = step(position=0, tape={"left": "x" * 30, "head": "h", "right": "yz"})["cells"]
    assert tape[0] == ["…", ""] and tape[21] == ["h", "now"] and tape[22:] == [["y", ""], ["z", ""]]


def test_the_address_of_a_document(modules):
    def address(*arguments):
        return modules.call("edit/changes.js", "address", *arguments)

    assert address("a/b ?") == "/api/documents/a%2Fb%20%3F"
    assert address("A", "/undo", "1 2") == "/api/documents/A/undo?id=1%202"
    assert address("A", "/run?x=1", "i") == "/api/documents/A/run?x=1&id=i"


def test_strokes_are_sent_by_coordinate(modules):
    points = [{"x": 1, "y": 2, "time": 3, "pressure": 0.5}, {"x": 4, "y": 5, "time": 6, "pressure": 1}]
    assert modules.call("server.js", "drawing", [points]) == [[[1, 4], [2, 5], [3, 6], [0.5, 1]]]


def test_classes_are_kept_in_the_browser_and_sent(modules):
    kept = modules.use("server.js", """
      const { keptClasses: k } = m;
      k.add("classes", "a b");
      k.add("classes", "c");
      k.add("classes", "c");
      k.add("skipped", "d");
      k.remove("classes", "c");
      return [k.all("classes"), k.has("skipped", "d"), m.recordings("/file")];""")
    assert kept == [["a b"], True, "/api/recordings/file?class=a+b&skip=d"]


@pytest.mark.parametrize("status, is_temporary", [
    (0, True), (401, True), (403, True), (408, True), (500, True), (503, True), (400, False), (404, False), (409, False)])
def test_which_failures_end(modules, status, is_temporary):
    assert modules.use("server.js", "return new m.Failure('x', args[0]).isTemporary", status) is is_temporary


def test_a_place_is_in_a_ring_if_most_directions_meet_it(modules):
    def is_in_ring(rows, x, y):
        """Whether it is, in rows of cells of which # is a ring and + a line."""
        cells = bytes(" #+".index(cell) for row in rows for cell in row)
        return modules.call("classes.js", "isInRing", {
            "rows": len(rows), "columns": len(rows[0]), "cells": base64.b64encode(cells).decode(),
            "classes": [{"name": "nothing"}, {"name": "ring"}, {"name": "line"}]}, x, y)

    def drawn(is_ring, cell="#"):
        return ["".join(cell if is_ring(column + 0.5, row + 0.5) else " " for column in range(60)) for row in range(40)]

    def on_circle(x, y, radius=12):
        return abs(math.dist((x, y), (20, 20)) - radius) < 1

    ring = drawn(on_circle)
    assert is_in_ring(ring, 20 / 60, 20 / 40) and is_in_ring(ring, 24 / 60, 17 / 40)
    assert not is_in_ring(ring, 45 / 60, 20 / 40), "beside it"
    assert is_in_ring(drawn(lambda x, y: on_circle(x, y) and x < 26), 20 / 60, 20 / 40), "a ring with a gap"
    assert not is_in_ring(drawn(lambda x, y: on_circle(x, y) and x < 20), 20 / 60, 20 / 40), "half a ring"
    assert not is_in_ring(drawn(on_circle, "+"), 20 / 60, 20 / 40), "a line"
    assert not is_in_ring(drawn(lambda x, y: False), 0.5, 0.5)


def test_an_older_answer_does_not_take_back_the_model_in_use(modules):
    shown = modules.use("server.js", """
      const name = document.createElement("p");
      name.id = "model-name";
      document.body.append(name);
      const original = window.fetch;
      const answers = [];
      window.fetch = () => new Promise((resolve) => answers.push(resolve));
      const answer = (index, used) => answers[index](new Response(JSON.stringify(
        ["released", "ours"].map((name) => ({ name, isUsed: name === used })))));
      try {
        const calls = [m.showModel(), m.showModel()];
        answer(1, "ours");
        await calls[1];
        answer(0, "released");
        const models = await calls[0];
        return [name.textContent, models.find((model) => model.isUsed).name];
      } finally {
        window.fetch = original;
        name.remove();
      }""")
    assert shown == ["Model: ours", "ours"]
