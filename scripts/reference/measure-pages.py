#!/usr/bin/env python3
"""Measures recognition on photographed process diagrams: circles (events) and words.

    measure-pages.py PAGES [--part train|validation|test] [--half 0|1] [--first N]

PAGES is the folder `pages` of the public recordings (datasets/README.md). A circle counts as found where
its box and that of a state overlap by half (intersection over union). A word counts as covered where most
points of strokes in its box are of strokes with the role text. INKSTATE names the command. --part takes the
pages of some writers, and --half every second page.
"""

import argparse
import json
import os
import subprocess
import tempfile

from pages import INKSTATE, events, pages as pages_of, trace, words


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("pages")
    parser.add_argument("--part", choices=["train", "validation", "test"])
    parser.add_argument("--half", type=int, choices=[0, 1])
    parser.add_argument("--first", type=int)
    options = parser.parse_args()
    pages = pages_of(options.pages, options.part)
    if options.half is not None:
        pages = pages[options.half::2]
    pages = pages[:options.first]
    answers = subprocess.run([INKSTATE, "automaton", "recognize", "--json", *pages],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    answers = {answer["source"]: answer for answer in map(json.loads, answers.splitlines())}
    right = found = true = covered = boxes = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            recording = trace(page, os.path.join(folder, "ink.ndjson"))
            width = recording["pictureWidth"]
            answer = answers.get(page, {})
            states = answer.get("automaton", {}).get("states", [])
            circles = [(s["center"][0] - s["radius"], s["center"][1] - s["radius"],
                        s["center"][0] + s["radius"], s["center"][1] + s["radius"]) for s in states]
            truth = events(page[:-4] + ".bpmn", width)
            used = set()
            for box in truth:
                best = max(range(len(circles)), key=lambda i: overlap(box, circles[i]), default=None)
                if best is not None and best not in used and overlap(box, circles[best]) >= 0.5:
                    used.add(best)
            right, found, true = right + len(used), found + len(circles), true + len(truth)
            points = [(x, y, stroke["role"] == "text")
                      for (xs, ys, *_), stroke in zip(recording["drawing"], answer.get("strokes", []))
                      for x, y in zip(xs, ys)]
            for box in words(page[:-4] + ".xml", width):
                inside = [text for x, y, text in points
                          if box[0] <= x <= box[2] and box[1] <= y <= box[3]]
                boxes += 1
                covered += bool(inside) and sum(inside) > len(inside) / 2
    print(f"{len(pages)} pages")
    print(f"circles: recall {right} of {true} ({100 * right / true:.1f} %), "
          f"precision {right} of {found} ({100 * right / max(1, found):.1f} %)")
    print(f"words covered by text: {covered} of {boxes} ({100 * covered / boxes:.1f} %)")


main()
