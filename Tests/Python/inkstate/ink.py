"""Ink as people draw it: lists of points, in pixels."""

import math


def ring(x, y, radius, steps=18, turn=2.1):
    """A circle from its top, clockwise, that overlaps; `turn` is its angle in multiples of pi."""
    return [(x + radius * math.sin(i / steps * turn * math.pi), y - radius * math.cos(i / steps * turn * math.pi))
            for i in range(steps + 1)]


def line(start, end, steps=20):
    """A straight line."""
    return [(start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps)
            for i in range(steps + 1)]


def arrow(start, tip, sag=0):
    """A line with a head, bent by `sag` to its side."""
    (ax, ay), (bx, by) = start, tip
    length = math.hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    path = [(ax + (bx - ax) * t + uy * sag * 4 * t * (1 - t), ay + (by - ay) * t - ux * sag * 4 * t * (1 - t))
            for t in [i / 10 for i in range(11)]]
    for side in [1, -1]:
        path += [(bx - 22 * ux + side * 12 * uy, by - 22 * uy - side * 12 * ux), tip]
    return path[:-1]


def loop(x, y, radius, angle):
    """A self-loop with its head at a ring, `angle` radians from the x axis."""
    cx, cy = x + 1.75 * radius * math.cos(angle), y + 1.75 * radius * math.sin(angle)
    turns = [angle + math.pi + 0.5 + i / 18 * 5.28 for i in range(19)]
    path = [(cx + 0.85 * radius * math.cos(t), cy + 0.85 * radius * math.sin(t)) for t in turns]
    tip, before = path[-1], path[-3]
    heading = math.atan2(tip[1] - before[1], tip[0] - before[0])
    for side in [1, -1]:
        turn = heading + math.pi + side * 0.55
        path += [(tip[0] + 22 * math.cos(turn), tip[1] + 22 * math.sin(turn)), tip]
    return path[:-1]


def zigzag(x, y, height=60, width=14, corners=12):
    """A line that goes up and down, which is neither a state nor an arrow."""
    return [(x + width * i, y + (height if i % 2 else -height)) for i in range(corners)]


def toward(place, other, distance):
    """The place that is `distance` from `place` on the way to `other`."""
    length = math.dist(place, other)
    return (place[0] + (other[0] - place[0]) / length * distance,
            place[1] + (other[1] - place[1]) / length * distance)


def shaken(points, generator, deviation=0.6):
    """The same line with a tremor."""
    return [(x + generator.gauss(0, deviation), y + generator.gauss(0, deviation)) for x, y in points]


def by_hand(points, generator):
    """The same line as a hand draws it: a little aside, and a little shaken."""
    dx, dy = generator.uniform(-3, 3), generator.uniform(-3, 3)
    return shaken([(x + dx, y + dy) for x, y in points], generator)


# Letters as polylines in a square, one list for each stroke.
LETTERS = {
    "0": [[(0.5, 0), (0.2, 0.12), (0.1, 0.5), (0.22, 0.9), (0.5, 1), (0.8, 0.88), (0.9, 0.5), (0.78, 0.1),
           (0.5, 0)]],
    "1": [[(0.2, 0.3), (0.5, 0), (0.5, 1)]],
    "2": [[(0.12, 0.25), (0.3, 0.03), (0.65, 0.02), (0.82, 0.25), (0.6, 0.6), (0.1, 1), (0.9, 1)]],
    "a": [[(0.8, 0.15), (0.45, 0), (0.12, 0.3), (0.1, 0.7), (0.4, 1), (0.7, 0.8), (0.82, 0.1), (0.82, 0.8),
           (0.98, 1)]],
    "b": [[(0.15, 0), (0.15, 1), (0.2, 0.65), (0.5, 0.48), (0.82, 0.62), (0.8, 0.9), (0.5, 1), (0.15, 0.95)]],
    "A": [[(0.05, 1), (0.5, 0), (0.95, 1)], [(0.22, 0.62), (0.8, 0.62)]],
    "B": [[(0.15, 0), (0.15, 1)], [(0.15, 0), (0.6, 0.02), (0.75, 0.22), (0.55, 0.46), (0.15, 0.48), (0.65, 0.52),
                                   (0.85, 0.75), (0.6, 0.98), (0.15, 1)]],
}


def letters(text, x, y, height):
    """The strokes of letters around a place."""
    width = 0.62 * height
    left = x - (len(text) * (width + 6) - 6) / 2
    strokes = []
    for letter in text:
        strokes += [[(left + u * width, y - height / 2 + v * height) for u, v in path] for path in LETTERS[letter]]
        left += width + 6
    return strokes


def drawing(strokes, step=8):
    """Strokes as the studio takes them, with a point every `step` milliseconds."""
    return {"drawing": [[[x for x, _ in points], [y for _, y in points], [step * i for i in range(len(points))]]
                        for points in strokes]}


def any_stroke(generator):
    """A ring or a line somewhere, as the studio takes it."""
    x, y = generator.uniform(0, 3000), generator.uniform(0, 3000)
    if generator.random() < 0.5:
        return drawing([shaken(ring(x, y, generator.uniform(30, 80), 40), generator, 0.7)])
    length, angle = generator.uniform(100, 300), generator.uniform(0, 6.28)
    end = (x + length * math.cos(angle), y + length * math.sin(angle))
    return drawing([shaken(line((x, y), end), generator, 0.7)])
