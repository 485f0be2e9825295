#!/usr/bin/env python3
"""Makes the bitmaps that the rasteriser must draw to the byte: its rule, written a second time.

    python3 -m venv scratch && scratch/bin/pip install numpy
    scratch/bin/python scripts/reference/make-bitmap-references.py \
        Tests/InkRasterTests/References/bitmaps.json

Frame in float64 (aspect kept, centred), then the distance of each pixel's centre to the nearest
segment and its coverage in float32, one operation at a time as IEEE 754 rounds them.
"""

import json
import math
import sys

import numpy as np

F = np.float32


def render(strokes, size=28, margin=1.0, pen=1.75):
    points = [point for stroke in strokes for point in stroke]
    nearest = np.full((size, size), np.finfo(F).max, F)
    if points:
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        center = (min(xs) + width / 2, min(ys) + height / 2)
        side = size - 2 * margin - pen
        longer = max(width, height)
        scale = side / longer if longer > 0 else 0.0
        frame = lambda p: (F((p[0] - center[0]) * scale + size / 2),
                           F((p[1] - center[1]) * scale + size / 2))
        centers = np.arange(size, dtype=F) + F(0.5)
        for stroke in strokes:
            framed = [frame(p) for p in stroke]
            if len(framed) == 1:
                framed *= 2
            for a, b in zip(framed, framed[1:]):
                dx, dy = F(b[0] - a[0]), F(b[1] - a[1])
                squared = F(F(dx * dx) + F(dy * dy))
                inverse = F(F(1) / squared) if squared > 0 else F(0)
                from_x, from_y = (centers - a[0])[None, :], (centers - a[1])[:, None]
                along = (from_x * dx + from_y * dy) * inverse
                along = np.clip(along, F(0), F(1))
                rest_x, rest_y = from_x - along * dx, from_y - along * dy
                nearest = np.minimum(nearest, rest_x * rest_x + rest_y * rest_y)
    reach = F(pen / 2 + 0.5)
    coverage = np.clip(reach - np.sqrt(nearest), F(0), F(1))
    return (coverage * F(255) + F(0.5)).astype(np.uint8).flatten().tolist()


def circle(radius, count, turns=1.0):
    angles = [2 * math.pi * turns * i / (count - 1) for i in range(count)]
    return [[radius * math.cos(a) + 300, radius * math.sin(a) + 200] for a in angles]


CASES = {
    "circle": ([circle(80, 40)], {}),
    "open arch": ([circle(55, 30, 0.6)], {}),
    "arrow in two strokes": ([[[10, 100], [400, 60]], [[350, 20], [400, 60], [360, 110]]], {}),
    "horizontal line": ([[[0, 5], [100, 5]]], {}),
    "vertical line": ([[[7, -50], [7, 50]]], {}),
    "dot": ([[[12, 34]]], {}),
    "nothing": ([], {}),
    "zigzag, 64 pixels": ([[[0, 0], [10, 30], [20, 0], [30, 30], [40, 0.5]]],
                          {"size": 64, "margin": 2.0, "pen": 3.0}),
    "thin": ([circle(1e-9, 25)[:20]], {"pen": 1.0, "margin": 0.0}),
}

if __name__ == "__main__":
    cases = []
    for name, (strokes, settings) in CASES.items():
        cases.append({
            "name": name, "strokes": strokes, "size": settings.get("size", 28),
            "margin": settings.get("margin", 1.0), "penWidth": settings.get("pen", 1.75),
            "pixels": render(strokes, **settings),
        })
    with open(sys.argv[1], "w") as file:
        json.dump(cases, file, separators=(",", ":"))
        file.write("\n")
