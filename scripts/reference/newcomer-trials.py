#!/usr/bin/env python3
"""Draws what a newcomer draws, by 24 hands, and counts how often the studio's editor does what was meant.

    scripts/build inkstate
    scripts/reference/newcomer-trials.py [--show]

Each hand has a size, a tremor, a direction, a gap or an overlap where rings close, a shape of rings and a
style of heads, and draws eight things with pauses between them: a state; a final state; an arrow; a plain
line; a self-loop with a head and one without; names in states with a symbol beside an arrow; and a mark for
the initial state, an arrow or a triangle. Each is replayed with `inkstate automaton replay --writing`, and
what it meant has to be the document: its states, finality, arrows with their directions, names and symbols.
`--show` lists what went wrong. Nothing here was used for training.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Python"))
from inkstate.ink import letters  # noqa: E402

INKSTATE = os.environ.get("INKSTATE", ".build/release/inkstate")
HANDS = 24
HEADS = ["angle", "barbs", "triangle", "same stroke"]


class Hand:
    """Draws strokes with times, in milliseconds."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.radius = self.random.choice([34, 42, 50, 60, 74])
        self.tremor = self.random.uniform(0.2, 1.2)
        self.way = self.random.choice([-1, 1])
        self.closing = self.random.uniform(-0.05, 0.12)
        self.shape = self.random.uniform(0.88, 1.14)
        self.head = HEADS[number % len(HEADS)]
        self.time = 0
        self.strokes = []

    def pause(self):
        self.time += 1200

    def stroke(self, points):
        """Adds a stroke along points, with a slow tremor, at about 400 units a second."""
        path = [points[0]]
        for a, b in zip(points, points[1:]):
            steps = max(1, round(math.dist(a, b) / 4))
            path += [
                (a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps)
                for k in range(1, steps + 1)
            ]
        waves = [
            (self.random.uniform(0.02, 0.09), self.random.uniform(0, 6), self.random.uniform(0, 6))
            for _ in range(3)
        ]
        xs, ys, times = [], [], []
        for index, (x, y) in enumerate(path):
            xs.append(round(x + self.tremor * sum(math.sin(f * 4 * index + p) for f, p, _ in waves), 1))
            ys.append(round(y + self.tremor * sum(math.sin(f * 4 * index + q) for f, _, q in waves), 1))
            times.append(self.time)
            self.time += 10
        self.strokes.append([xs, ys, times])
        self.time += 250

    def ring(self, x, y, radius=None):
        radius = radius or self.radius
        start = self.random.uniform(-2.2, -0.9)
        turn = 2 * math.pi * (1 + self.closing) * self.way
        drift = self.random.uniform(-0.06, 0.06)
        self.stroke([
            (
                x + radius * self.shape * (1 + drift * k / 60) * math.cos(start + turn * k / 60),
                y + radius / self.shape * (1 + drift * k / 60) * math.sin(start + turn * k / 60),
            )
            for k in range(61)
        ])

    def arrow(self, points, head=None):
        """A line with a head in the hand's style, or `none`."""
        head = head or self.head
        (x, y), (u, v) = points[-1], points[-3]
        angle = math.atan2(y - v, x - u)
        size = self.random.uniform(0.32, 0.45) * self.radius
        left, right = (
            (x - size * math.cos(angle + s), y - size * math.sin(angle + s)) for s in (0.5, -0.5)
        )
        if head == "same stroke":
            self.stroke(points + [left, (x, y), right])
            return
        self.stroke(points)
        if head == "angle":
            self.stroke([left, (x, y), right])
        elif head == "barbs":
            self.stroke([(x, y), left])
            self.stroke([(x, y), right])
        elif head == "triangle":
            self.stroke([(x, y), left, right, (x, y)])

    def between(self, a, b, sag):
        """Points from the ring around `a` to that around `b`, bent to one side."""
        gap = self.radius * self.random.uniform(1.0, 1.12)
        length = math.dist(a, b)
        along = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
        start, end = gap, length - gap
        return [
            (
                a[0] + along[0] * s - along[1] * bend,
                a[1] + along[1] * s + along[0] * bend,
            )
            for k in range(25)
            for s, bend in [(start + (end - start) * k / 24, 4 * sag * k / 24 * (1 - k / 24))]
        ]

    def loop(self, x, y, head):
        """A loop above a ring, from left to right, whose ends are about on the ring or in it."""
        reach = self.radius * self.random.uniform(0.75, 1.0)
        top = y - self.radius * self.random.uniform(0.75, 1.0)
        points = []
        start, end = (self.random.uniform(0.66, 0.78) for _ in range(2))
        for k in range(33):
            turn = math.pi * (start + (3 - start - end) * k / 32)
            points.append((x + 0.62 * reach * math.cos(turn), top - 0.7 * reach + reach * math.sin(turn)))
        self.arrow(points, head)

    def write(self, text, x, y, height):
        """Letters around a place."""
        for points in letters(text, x, y, height):
            self.stroke(points)


def trials(number):
    """Returns the eight things a hand draws: what it is, its strokes, and what should be there."""
    r = Hand(number).radius
    a, b = (200, 300), (200 + 5.2 * r, 300 + Hand(number).random.uniform(-r, r))

    def trial(name, meant, draw):
        hand = Hand(number)
        hand.random.seed(f"{number} {name}")
        draw(hand)
        return name, hand.strokes, meant

    def state(hand):
        hand.ring(*a)

    def final(hand):
        hand.ring(*a)
        hand.pause()
        hand.ring(*a, hand.radius * 0.78)

    def pair(hand):
        hand.ring(*a)
        hand.pause()
        hand.ring(*b)
        hand.pause()

    def arrow(hand):
        pair(hand)
        hand.arrow(hand.between(a, b, hand.random.uniform(-0.5, 0.5) * r))

    def line(hand):
        pair(hand)
        hand.arrow(hand.between(b, a, hand.random.uniform(-0.3, 0.3) * r), "none")

    def loop(hand):
        state(hand)
        hand.pause()
        hand.loop(*a, hand.head)

    def plain_loop(hand):
        state(hand)
        hand.pause()
        hand.loop(*a, "none")

    *names, symbol = ["AB1", "01a", "12b", "ab0"][number % 4]

    def letters(hand):
        state(hand)
        hand.write(names[0], *a, 0.8 * r)
        hand.pause()
        hand.ring(*b)
        hand.write(names[1], *b, 0.8 * r)
        hand.pause()
        hand.arrow(hand.between(a, b, 0))
        hand.pause()
        hand.write(symbol, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 0.75 * r, 0.7 * r)

    def initial(hand):
        state(hand)
        hand.pause()
        left = a[0] - r * hand.shape
        if number % 2:
            hand.arrow([(left - 1.4 * r + 1.4 * r * k / 20, a[1]) for k in range(20)])
        else:
            corners = [(left - 0.6 * r, a[1] - 0.35 * r), (left - 2, a[1]), (left - 0.6 * r, a[1] + 0.35 * r)]
            hand.stroke(corners + corners[:1])

    one, two = ["A"], ["A", "B"]
    return [
        trial("state", (one, [], [], []), state),
        trial("final state", (one, ["A"], [], []), final),
        trial("arrow", (two, [], [("A", "B", None)], []), arrow),
        trial("plain line", (two, [], [("B", "A", None)], []), line),
        trial("loop", (one, [], [("A", "A", None)], []), loop),
        trial("plain loop", (one, [], [("A", "A", None)], []), plain_loop),
        trial("letters", (two, [], [("A", "B", symbol)], names), letters),
        trial("initial state", (one, [], [(None, "A", None)], []), initial),
    ]


def found(strokes, folder):
    """Returns what the editor made of the strokes, with states named A and B from left to right."""
    recording, document = (os.path.join(folder, name) for name in ("in.ndjson", "out.automaton"))
    with open(recording, "w") as file:
        file.write(json.dumps({"drawing": strokes}) + "\n")
    run = subprocess.run(
        [INKSTATE, "automaton", "replay", recording, "--writing", "--output", document, "--force"],
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        return run.stderr.strip()
    with open(document) as file:
        content = json.load(file)
    states = sorted(content["automatonStates"].values(), key=lambda state: state["center"][0])
    called = {state["id"]: "ABCDEFGH"[index] for index, state in enumerate(states[:8])}
    arrows = sorted(
        (
            (called.get(arrow.get("startState")), called.get(arrow.get("endState")), ",".join(arrow["symbols"]))
            for arrow in content["transitions"].values()
        ),
        key=str,
    )
    final = [called.get(state["id"]) for state in states if state["isFinalState"]]
    return list(called.values()), final, arrows, tuple(state["name"] for state in states)


def is_meant(answer, meant):
    if isinstance(answer, str):
        return False
    states, final, arrows, names = answer
    wanted, wanted_final, wanted_arrows, wanted_names = meant
    return (
        states == wanted
        and final == wanted_final
        and [arrow[:2] for arrow in arrows] == [arrow[:2] for arrow in wanted_arrows]
        and all(w[2] is None or w[2] == f[2] for w, f in zip(wanted_arrows, arrows))
        and (not wanted_names or list(names) == wanted_names)
    )


def main():
    right, count = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(HANDS):
            for name, strokes, meant in trials(number):
                answer = found(strokes, folder)
                count[name] = count.get(name, 0) + 1
                right[name] = right.get(name, 0) + is_meant(answer, meant)
                if not is_meant(answer, meant) and "--show" in sys.argv:
                    print(f"hand {number} ({Hand(number).head}), {name}: meant {meant}, got {answer}")
    for name in count:
        print(f"{name}: {right[name]} of {count[name]}")
    total, all_right = sum(count.values()), sum(right.values())
    print(f"as intended: {all_right} of {total} ({all_right / total:.1%})")
    sys.exit(0 if all_right >= 0.95 * total else 1)


main()
