"""Ink is where it is asked for, and has the form it is named after."""

import math
import random

import pytest

from inkstate import ink


def test_a_ring_is_around_its_place_and_overlaps():
    points = ink.ring(100, 200, 50)
    assert all(math.dist(p, (100, 200)) == pytest.approx(50) for p in points)
    assert points[0] == pytest.approx((100, 150))
    # More than one turn: the last point is past the first.
    assert points[-1][0] > points[0][0]


def test_an_arrow_goes_to_its_tip_and_has_two_barbs():
    points = ink.arrow((0, 0), (100, 0))
    assert points[0] == (0, 0)
    assert points.count((100, 0)) == 2
    assert sorted(y for x, y in points if x == pytest.approx(78) and y) == pytest.approx([-12, 12])
    assert max(abs(y) for _, y in ink.arrow((0, 0), (100, 0), sag=30)[:11]) == pytest.approx(30)


def test_a_self_loop_stays_at_its_side():
    for angle in [0, math.pi / 2, -math.pi / 2]:
        points = ink.loop(0, 0, 50, angle)
        middle = [sum(axis) / len(points) for axis in zip(*points)]
        assert math.atan2(middle[1], middle[0]) == pytest.approx(angle, abs=0.2)
        assert math.dist(points[0], (0, 0)) < 60


def test_a_place_on_the_way_to_another():
    assert ink.toward((0, 0), (30, 40), 10) == pytest.approx((6, 8))


def test_a_hand_is_near_the_line_and_repeatable():
    line = ink.line((0, 0), (100, 0))
    drawn = ink.by_hand(line, random.Random(1))
    assert drawn == ink.by_hand(line, random.Random(1)) != line
    assert all(math.dist(a, b) < 10 for a, b in zip(line, drawn))


def test_letters_are_in_their_box():
    strokes = ink.letters("A1", 100, 100, 50)
    assert len(strokes) == 3
    xs, ys = zip(*[p for points in strokes for p in points])
    assert (min(ys), max(ys)) == (75, 125)
    assert min(xs) >= 66 and max(xs) <= 134
    assert max(x for x, _ in strokes[0]) < min(x for x, _ in strokes[2])


def test_a_drawing_has_places_and_times():
    assert ink.drawing([[(1, 2), (3, 4)]], step=5) == {"drawing": [[[1, 3], [2, 4], [0, 5]]]}


def test_any_stroke_is_repeatable():
    assert ink.any_stroke(random.Random(3)) == ink.any_stroke(random.Random(3)) != ink.any_stroke(random.Random(4))
