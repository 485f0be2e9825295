"""Automata that are drawn stroke by stroke."""

import collections
import json
import math
import random

from selenium.webdriver.common.keys import Keys

from browser.editor import DRAWING, RADIUS, is_selected
from inkstate.ink import arrow, by_hand, loop, ring, toward

# Where the states are drawn, the arrows with their symbols, and words.
Automaton = collections.namedtuple("Automaton", "states initial final arrows accepted rejected")

TRIANGLE = {"1": (180, 420), "2": (480, 180), "3": (780, 420)}
ROW = {"A": (170, 330), "B": (480, 330), "C": (790, 330)}
ARROWS = [("1", "2", "AB"), ("1", "3", "B"), ("2", "3", "A")]
# The automata of the specification's section 4.4.
A = Automaton(TRIANGLE, "1", "3", ARROWS, ["AA", "BA", "B"], ["AAA", "ABA", "A", ""])
A_PRIME = Automaton(TRIANGLE, "1", "3", ARROWS + [("2", "2", "B"), ("3", "1", "A")],
                    ["ABBA", "ABAABA", "BAB"], ["AAA", "BBB", ""])
B = Automaton(TRIANGLE, "1", "13", [("1", "1", "D"), ("1", "2", "E"), ("1", "3", "E"), ("2", "3", "F")],
              ["DDE", "DEF", "DE", "EF", "DDDDE", ""], ["EFE", "DDDDF"])
C = Automaton({"S": (180, 200), "E": (480, 200), "D": (780, 200), "C": (630, 500)}, "S", "E",
              [("S", "E", "A"), ("E", "D", "ε"), ("D", "C", "B"), ("C", "E", "B")], ["A", "ABB"], ["BA", "AB", ""])
D = Automaton({"A": (250, 330), "B": (650, 330)}, "A", "A", [("A", "B", "1"), ("B", "A", "0")],
              ["", "10", "1010"], ["1", "01", "100"])
E = Automaton({"A": (160, 250), "B": (380, 250), "C": (600, 250), "D": (820, 250)}, "A", "D",
              [("A", "B", "0"), ("B", "C", "1"), ("C", "D", "1"), ("D", "D", "01")],
              ["011", "0110", "01101"], ["", "01", "111"])
MOD_3 = Automaton(ROW, "A", "C", [("A", "A", "0"), ("A", "B", "1"), ("B", "C", "0"), ("B", "A", "1"), ("C", "B", "0"),
                                  ("C", "C", "1")], ["001011", "10"], ["010101", "1001"])


def draw_automaton(editor, automaton, known=None):
    """Draws what an automaton has and `known` has not; names and symbols are typed. Returns the times, in ms."""
    generator = random.Random(json.dumps(automaton))
    times = draw_states(editor, automaton, generator) if known is None else []
    new = [one for one in automaton.arrows if known is None or one not in known.arrows]
    return times + [draw_arrow(editor, automaton, one, generator) for one in new]


def draw_states(editor, automaton, generator):
    """Draws the states, the marks of final and initial ones, and types their names."""
    strokes = [ring(x, y, RADIUS) for x, y in automaton.states.values()]
    strokes += [ring(*automaton.states[name], RADIUS * 0.74) for name in automaton.final]
    x, y = automaton.states[automaton.initial]
    strokes.append(arrow((x - 130, y), (x - RADIUS - 4, y)))
    times = [editor.draw_element(by_hand(points, generator)) for points in strokes]
    for name, (x, y) in automaton.states.items():
        editor.name_state(x, y, name)
    return times


def path_of(automaton, start, end):
    """The line of an arrow; those in both directions are bent, and self-loops are where no arrow leaves."""
    here, there = automaton.states[start], automaton.states[end]
    if start != end:
        is_pair = any((a, b) == (end, start) for a, b, _ in automaton.arrows)
        return arrow(toward(here, there, RADIUS + 6), toward(there, here, RADIUS + 6), 34 if is_pair else 0)
    others = [automaton.states[b if a == start else a] for a, b, _ in automaton.arrows if start in (a, b) and a != b]
    busy = [math.atan2(y - here[1], x - here[0]) for x, y in others]
    busy += [math.pi] if start == automaton.initial else []
    angle = max([-math.pi / 2, 0, math.pi / 2],
                key=lambda a: min(abs(math.remainder(a - b, 2 * math.pi)) for b in busy))
    return loop(*here, RADIUS, angle)


def draw_arrow(editor, automaton, one, generator):
    """Draws an arrow, which waits for its symbols, and types them without a tap."""
    start, end, symbols = one
    before = {t["id"] for t in editor.picture()["transitions"]}
    time = editor.draw_element(by_hand(path_of(automaton, start, end), generator))
    picture = editor.settled(lambda p: len(p["transitions"]) == len(before) + 1, f"an arrow from {start} to {end}")
    drawn = next(t for t in picture["transitions"] if t["id"] not in before)
    names = {s["id"]: s["name"] for s in picture["states"]}
    assert (names.get(drawn["start"]), names.get(drawn["end"])) == (start, end)
    editor.wait(is_selected(drawn["id"]), "the new arrow to wait")
    # chromedriver has no key for ε.
    editor.type_into(DRAWING, ", ".join(symbols).replace("ε", "eps") + Keys.ENTER)
    editor.settled(lambda p: any(
        t["id"] == drawn["id"] and t["symbols"] == [x for x in symbols if x != "ε"]
        and t["includesEpsilon"] == ("ε" in symbols) for t in p["transitions"]), f"{symbols} from {start} to {end}")
    editor.wait("document.querySelector('#label-form').hidden", "the drawing again")
    return time
