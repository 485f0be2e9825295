"""Classifies a recording that does not end, row by row from standard input.

    scripts/stress stream [ROWS]    so many rows, 2,000,000 by default: at 50 Hz, 11 hours

It trains a small model on windows of synthetic sensor data, and sends rows as fast as they are read. It
fails where memory grows by more than 8 MiB after the first twentieth, or an answer is missing. Linux only.
"""

import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

from campaigns.options import count, parser
from inkstate.command import INKSTATE, inkstate, memory, require_build

RATE = 50


def rows(generator, number, kind=None):
    """Rows of two channels; what they do changes every 200 rows unless a kind is given."""
    for row in range(number):
        which = row // 200 % 2 if kind is None else kind
        yield (math.sin(row / (2 + 5 * which)) + generator.gauss(0, 0.1), math.cos(row / 3) * which)


def main(arguments):
    known = parser("stream", __doc__)
    known.add_argument("rows", nargs="?", type=count, default=2_000_000)
    sent = known.parse_args(arguments).rows
    require_build()
    generator = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sensors.csv"), "w") as file:
            file.write("recording,person,label,time,x,y\n")
            for recording in range(20):
                for step, (x, y) in enumerate(rows(generator, 150, recording % 2)):
                    file.write(f"{recording},p{recording % 4},{'ab'[recording % 2]},{step / RATE},{x:.4f},{y:.4f}\n")
        inkstate("train", "sensors.csv", "--window", "1s", "--stride", "500ms", "--epochs", "2",
                 "--output", "model.safetensors", cwd=folder)
        process = subprocess.Popen([INKSTATE, "classify", "--model", "model.safetensors"], cwd=folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        answers, last = [0], [""]

        def listen():
            for line in process.stdout:
                answers[0] += 1
                last[0] = line

        listener = threading.Thread(target=listen)
        listener.start()
        process.stdin.write("time,x,y\n")
        samples, begin = [], time.monotonic()
        # The rows repeat, so that sending them takes little time.
        texts = [f"{x:.4f},{y:.4f}\n" for x, y in rows(generator, 10_000)]
        for row in range(sent):
            process.stdin.write(f"{row / RATE:.2f},{texts[row % len(texts)]}")
            if (row + 1) % max(1, sent // 20) == 0:
                process.stdin.flush()
                samples.append(memory(process.pid))
                print(f"{row + 1} rows in {time.monotonic() - begin:.0f} s: {samples[-1]:.1f} MiB, "
                      f"{answers[0]} answers", flush=True)
        process.stdin.close()
        listener.join()
        code = process.wait(60)
        expected = (sent - RATE) // (RATE // 2) + 1
        print(f"{sent} rows, {answers[0]} answers, the last: {last[0].strip()}")
        if code != 0 or max(samples) - samples[0] > 8 or not expected <= answers[0] <= expected + 3:
            sys.exit(f"stress stream: ended with {code}, {max(samples) - samples[0]:+.1f} MiB, {answers[0]} answers, "
                     f"about {expected} expected")
