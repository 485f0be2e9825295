"""Recordings of a studio: those in its file, and digits as synthetic writers make them."""

import json
import os
import random

from inkstate.command import inkstate


def lines(folder):
    """The recordings in the file of a folder."""
    with open(os.path.join(folder, "recordings.ndjson")) as file:
        # A deleted drawing leaves an empty line.
        return [json.loads(line) for line in file if line.strip()]


def digits(folder):
    """Some drawings of each digit."""
    path = os.path.join(folder, "digits.ndjson")
    inkstate("dataset", "synthesize", "--repertoire", "digits", "--writers", "3", "--per-class", "4", "--seed", "77",
             "--output", path)
    drawings = {}
    with open(path) as file:
        for entry in map(json.loads, file):
            drawings.setdefault(entry["word"], []).append(entry["drawing"])
    return drawings


def write_number(page, number, drawings, left=180, top=120, size=160):
    """Writes a number on the page Practice, digit by digit, with a finger."""
    for place, digit in enumerate(str(number)):
        drawing = random.Random(f"{number} {place}").choice(drawings[digit])
        xs = [x for stroke in drawing for x in stroke[0]]
        ys = [y for stroke in drawing for y in stroke[1]]
        scale = size / max(max(xs) - min(xs), max(ys) - min(ys))
        for stroke in drawing:
            points = list(zip(stroke[0], stroke[1]))
            page.draw("#practice-ink", [
                (left + 1.25 * size * place + (x - min(xs)) * scale, top + (y - min(ys)) * scale)
                for x, y in points[:-1:2] + points[-1:]], pointer="touch")


def drop_file(page, section, name, text):
    """Drops a file on a section of the page."""
    page.run("""
      const transfer = new DataTransfer();
      transfer.items.add(new File([arguments[2]], arguments[1]));
      document.querySelector(arguments[0]).dispatchEvent(
        new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));""", section, name, text)
