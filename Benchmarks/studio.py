"""The studio: devices that draw at once, and large documents."""

import json
import math
import os
import random
import sys
import tempfile
import time

from compare import HERE, table
from growth import exponent

# How many strokes a second a device draws.
STROKES = 2.4
# The devices of a school class, and what was asked of its answers: the median and 99 of 100, in milliseconds.
DEVICES, ASKED = 30, (2, 6)


def document(size):
    """A document of about so many bytes: states in rows, with an arrow from each to the next."""
    count = size // 463
    side = math.isqrt(count) + 1
    centers = [(400 * (number % side), 400 * (number // side)) for number in range(count)]
    states = {f"s{number}": {
        "id": f"s{number}", "name": f"q{number}", "center": [x, y], "dragPoint": [x, y - 70],
        "isFinalState": number == count - 1, "radius": 70} for number, (x, y) in enumerate(centers)}
    arrows = {}
    for number, (one, other) in enumerate(zip(centers, centers[1:])):
        length = math.dist(one, other)
        def along(cells):
            return [one[0] + (other[0] - one[0]) * cells / length, one[1] + (other[1] - one[1]) * cells / length]
        arrows[f"t{number}"] = {
            "id": f"t{number}", "startState": f"s{number}", "endState": f"s{number + 1}", "symbols": ["a", "b"],
            "includesEpsilon": False, "currentSymbol": "", "currentFlexPoint": along(length / 2),
            "type": {"type": "regular", "startPoint": along(70), "flexPoint": along(length / 2),
                     "tipPoint": along(length - 70)}}
    return json.dumps({"formatVersion": 1, "id": "large", "automatonStates": states, "stateOrder": list(states),
                       "transitions": arrows, "transitionOrder": list(arrows)})


def studio_table(comparison):
    """How long a studio takes to answer."""
    arguments = comparison.arguments
    # Before the modules of the tests, which read it.
    os.environ["INKSTATE"] = os.path.abspath(arguments.inkstate)
    sys.path.insert(0, f"{HERE}/../Tests/Python")
    if not os.path.exists(f"{os.path.dirname(os.path.abspath(arguments.inkstate))}/inkstate-studio"):
        comparison.progress("  the studio is not built: no rows of it")
        return ""
    counts = (10, DEVICES, 60)
    rows = [devices_row(comparison, count) for count in counts]
    drawing = table(["devices", "strokes a second", "median", "99 %", "longest"], rows)
    medians, most = ([float(row[column]) for row in rows] for column in (2, 3))
    files, converting = documents(comparison)
    growth = (f"- **devices**, {counts[0]} to {counts[-1]}: the median with exponent {exponent(counts, medians):.2f}, 99 of "
              f"100 with {exponent(counts, most):.2f}; each stroke costs the same, and more of them wait for another.\n")
    if len(converting) > 1:
        growth += (f"- **megabytes**, {min(converting)} to {max(converting)}: `automaton convert` with exponent "
                   f"{exponent(list(converting), list(converting.values())):.2f}; every part of a document is read, "
                   "checked and written once.\n")
    return ("## Studio\n\nDevices that draw at once, each in a document of its own, which it begins anew after 39 strokes; "
            "this reads what was drawn, and is not counted. A stroke is answered when it is on disk. In milliseconds, as the "
            "devices see it:\n\n" + drawing + "\nLarge documents, of states with an arrow to "
            "the next:\n\n" + table(["document", "what", "time"], files) + "\nHow the times grow:\n\n" + growth)


def devices_row(comparison, count):
    from campaigns.studio_times import drawn, quantile
    drawers, _ = drawn(count, STROKES * count, 3 if comparison.arguments.quick else 20)
    if errors := [error for drawer in drawers for error in drawer.errors]:
        raise RuntimeError(errors[0])
    times = sorted(1000 * took for drawer in drawers for took in drawer.times)
    median, most = quantile(times, 0.5), quantile(times, 0.99)
    comparison.progress(f"  {count} devices draw")
    if count == DEVICES:
        is_met = median <= ASKED[0] and most <= ASKED[1]
        comparison.others_asked.append(
            [f"studio: {DEVICES} devices draw; median, 99 %", "", f"{ASKED[0]}; {ASKED[1]} ms",
             f"{median:.2f}; {most:.2f} ms", "met" if is_met else "**not met**"])
    return [str(count), f"{STROKES * count:.0f}", f"{median:.2f}", f"{most:.2f}", f"{times[-1]:.1f}"]


def documents(comparison):
    """How long it takes to open, show and change documents, and to convert their files; and the seconds of that for each
    number of megabytes."""
    from inkstate.client import Client
    from inkstate.ink import any_stroke
    from inkstate.studio import Studio
    rows, converting = [], {}
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(f"{folder}/studio")
        try:
            for megabytes in (1,) if comparison.arguments.quick else (1, 10, 100):
                text, name = document(1_000_000 * megabytes), f"Large%20{megabytes}"
                path = f"{folder}/{megabytes}.automaton"
                with open(path, "w") as file:
                    file.write(text)
                seconds, = comparison.interleaved([[comparison.arguments.inkstate, "automaton", "convert", path]], 1)
                converting[megabytes] = seconds
                rows.append([f"{megabytes} MB", "`automaton convert` to a table, the whole command", f"{1000 * seconds:.0f} ms"])
                answers = [("opened in the studio", "POST", "/open?form=automaton", text),
                           ("read again", "GET", "", None), ("a stroke", "POST", "/stroke", any_stroke(random.Random(1)))]
                # A connection that waited for long would be closed.
                client = Client(studio, timeout=600)
                for what, method, end, body in answers:
                    begin = time.monotonic()
                    try:
                        answer = client.send(method, f"/api/documents/{name}{end}", body)
                    except ConnectionError:
                        # It does not read to the end what is too large.
                        rows.append(["", what, "refused: the studio closes the connection"])
                        break
                    took = 1000 * (time.monotonic() - begin)
                    if answer.status >= 400:
                        rows.append(["", what, f"refused after {took:.0f} ms: {json.loads(answer.data)['error']}"])
                        break
                    rows.append(["", what, f"{took:.0f} ms"])
                client.close()
                comparison.progress(f"  a document of {megabytes} MB")
        finally:
            studio.end()
    return rows, converting
