#!/usr/bin/env python3
"""Writes the pages of some writers as a folder that `inkstate dataset cut rings` reads.

    pages-truth.py PAGES train|validation|test FOLDER

PAGES is the folder `pages` of the public recordings (datasets/README.md). FOLDER gets links to the pictures
and truth.ndjson, where each circle (event) is a state. INKSTATE names the command.
"""

import json
import math
import os
import shutil
import sys
import tempfile

from pages import events, pages, trace


def truth(page, width):
    """The states of a page and their rings as strokes."""
    states, strokes, roles = [], [], []
    for number, (left, top, right, bottom) in enumerate(events(page[:-4] + ".bpmn", width)):
        x, y, a, b = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
        states.append({"id": f"s{number}", "name": "", "initial": False, "final": False,
                       "center": [x, y], "radius": math.sqrt(a * b)})
        turns = [2 * math.pi * step / 24 for step in range(25)]
        strokes.append([[x + a * math.cos(turn) for turn in turns],
                        [y + b * math.sin(turn) for turn in turns]])
        roles.append({"role": "state", "element": f"s{number}"})
    return {"automaton": {"states": states, "transitions": []}, "drawing": strokes, "strokes": roles}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, part, output = sys.argv[1:]
    chosen = pages(folder, part)
    shutil.rmtree(os.path.join(output, "pictures"), ignore_errors=True)
    os.makedirs(os.path.join(output, "pictures"))
    number = 0
    with tempfile.TemporaryDirectory() as scratch, \
            open(os.path.join(output, "truth.ndjson"), "w", encoding="utf-8") as file:
        for page in chosen:
            width = trace(page, os.path.join(scratch, "ink.ndjson"))["pictureWidth"]
            recording = truth(page, width)
            if not recording["drawing"]:
                continue
            recording["writer"] = os.path.basename(page).split("writer")[1][:-4]
            link = os.path.join(output, "pictures", f"{number:05}.jpg")
            os.symlink(os.path.abspath(page), link)
            print(json.dumps(recording), file=file)
            number += 1


main()
