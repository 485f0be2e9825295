"""Grades 300 submissions of 6 kinds, of which 6 are cut off, and prints how long that takes.

    scripts/stress grading

The kinds are documents, JFLAP, DOT, tables, drawings and simulated photographs. It fails where a submission
has no page, one that is cut off is graded, or a whole one is not.
"""

import os
import shutil
import sys
import tempfile
import time

from campaigns.options import parser
from inkstate.command import example, inkstate, require_build

OF_EACH_KIND = 50


def submissions(folder):
    """Writes the submissions into `in`; returns how many there are, and those that are cut off."""
    os.mkdir(os.path.join(folder, "in"))
    documents = sorted(name for name in os.listdir(example("Automata")) if name.endswith(".automaton"))
    for ending in ["automaton", "jff", "dot", "txt"]:
        for number in range(1, OF_EACH_KIND + 1):
            inkstate("automaton", "convert", example("Automata", documents[number % len(documents)]),
                     "--output", f"in/{ending}-{number}.{ending}", cwd=folder)
    inkstate("dataset", "compose", "automata", "--known", "--writers", "8", "--per-writer", "7", "--seed", "77",
             "--output", "drawings.ndjson", cwd=folder)
    with open(os.path.join(folder, "drawings.ndjson"), encoding="utf-8") as file:
        drawings = file.readlines()[:OF_EACH_KIND]
    for path, lines in [("fifty.ndjson", drawings),
                        *((f"in/drawing-{number}.ndjson", [line]) for number, line in enumerate(drawings, 1))]:
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.writelines(lines)
    inkstate("dataset", "photograph", "fifty.ndjson", "--seed", "3", "--output", "photographs", cwd=folder)
    pictures = os.path.join(folder, "photographs", "pictures")
    for name in os.listdir(pictures):
        shutil.copy(os.path.join(pictures, name), os.path.join(folder, "in"))
    cut_off = ["automaton-1.automaton", "jff-1.jff", "dot-1.dot", "txt-1.txt", "drawing-1.ndjson", "00001.jpg"]
    for name in cut_off:
        os.truncate(os.path.join(folder, "in", name), 40)
    return len(os.listdir(os.path.join(folder, "in"))), cut_off


def main(arguments):
    parser("grading", __doc__).parse_args(arguments)
    require_build()
    with tempfile.TemporaryDirectory() as folder:
        count, cut_off = submissions(folder)
        begin = time.monotonic()
        printed = inkstate("automaton", "grade", example("Automata", "mod3.automaton"), "in", "--csv", "grades.csv",
                           "--html", "grades.html", cwd=folder)
        print(printed.splitlines()[-1])
        print(f"{time.monotonic() - begin:.1f} s for {count} submissions")
        with open(os.path.join(folder, "grades.html"), encoding="utf-8") as file:
            pages = sum("<section" in line for line in file)
        with open(os.path.join(folder, "grades.csv"), encoding="utf-8") as file:
            ungraded = [line for line in file if "not graded" in line]
        print(f"{pages} pages, {len(ungraded)} not graded")
        graded = [name for name in cut_off if not any(f"in/{name}" in line for line in ungraded)]
        if graded:
            sys.exit(f"stress grading: expected these, which are cut off, not to be graded: {graded}")
        if count != 6 * OF_EACH_KIND or pages != count or len(ungraded) != len(cut_off):
            sys.exit(f"stress grading: expected {6 * OF_EACH_KIND} pages, and all graded but {len(cut_off)}")
