"""Composes letters q of two strokes, a ring and a straight stem, from a writer's own strokes.

    compose-q.py CHARACTERS... > OUTPUT

Many people write q in this way, but few of the writers who recorded characters recorded a q. The rings are those of 0, O
and o, the stems those of 1, I, l and |. Each writer with both gets six q.
"""

import collections
import json
import random
import sys

if len(sys.argv) < 2:
    sys.exit(__doc__)
generator = random.Random(5)


def bounds(stroke):
    """Returns the least and the greatest x and y of a stroke."""
    return min(stroke[0]), max(stroke[0]), min(stroke[1]), max(stroke[1])


def is_stem(stroke):
    left, right, top, bottom = bounds(stroke)
    return right - left < 0.25 * (bottom - top)


def is_ring(stroke):
    left, right, top, bottom = bounds(stroke)
    return right > left and bottom > top


def composed(ring, stem):
    """Returns the strokes of a q; a narrow ring, such as that of a zero, is made round."""
    left, right, top, bottom = bounds(ring)
    flatter = min(1, (right - left) / (bottom - top))
    height = flatter * (bottom - top)
    ring = [ring[0], [top + flatter * (y - top) for y in ring[1]]]
    x = right + height * generator.uniform(-0.08, 0.1)
    y = top + height * generator.uniform(-0.1, 0.25)
    left, right, top, bottom = bounds(stem)
    scale = height * generator.uniform(1.5, 2.3) / (bottom - top)
    lean = generator.uniform(-0.06, 0.1)
    stem = [
        [x + scale * (across - (left + right) / 2 - lean * (down - top)) for across, down in zip(*stem[:2])],
        [y + scale * (down - top) for down in stem[1]]]
    return [[[round(value, 2) for value in axis] for axis in stroke] for stroke in (ring, stem)]


rings, stems = collections.defaultdict(list), collections.defaultdict(list)
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for example in map(json.loads, file):
            writer = example.get("writer")
            if writer is None or len(example["drawing"]) != 1:
                continue
            stroke = example["drawing"][0]
            if example["word"] in ("0", "O", "o") and is_ring(stroke):
                rings[writer].append(example)
            elif example["word"] in ("1", "I", "l", "|") and is_stem(stroke):
                stems[writer].append(stroke)
for writer, examples in rings.items():
    for _ in range(6 if stems[writer] else 0):
        example = generator.choice(examples)
        strokes = composed(example["drawing"][0], generator.choice(stems[writer]))
        print(json.dumps({**example, "word": "q", "drawing": strokes}, ensure_ascii=False))
