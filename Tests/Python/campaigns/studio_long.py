"""Many hours of one person's work, as fast as the studio answers."""

import itertools
import json
import os
import random
import sys
import tempfile
import threading
import time

from inkstate.client import Client, Refused
from inkstate.ink import any_stroke, drawing, line, ring, shaken
from inkstate.studio import Studio

DRAWERS = 8
SAMPLES = 12
# Of the recordings, so many are kept when some are deleted.
KEPT = 60


class Work:
    """One person's work until `end`, in several threads."""

    def __init__(self, studio, end):
        self.studio, self.end = studio, end
        # When each answer came, and how long it took.
        self.answers, self.errors = [], []
        self.done = {"strokes": 0, "undone": 0, "recognised": 0, "recorded": 0, "trained": 0}

    def ask(self, client, method, path, body=None):
        start = time.monotonic()
        answer = client.ask(method, path, body)
        self.answers.append((start, time.monotonic() - start))
        return answer

    def guard(self, part, *arguments):
        try:
            part(*arguments)
        except Exception as error:
            self.errors.append(f"{part.__name__}: {type(error).__name__}: {error}")

    def draw(self, number):
        generator, client = random.Random(number), Client(self.studio)
        path = f"/api/documents/client%20{number}"
        self.ask(client, "POST", f"/api/documents?name=client+{number}")
        for count in itertools.count():
            if time.monotonic() > self.end:
                return
            # Before a document is as full as no person makes it, it is begun anew.
            if count % 60 == 59:
                self.ask(client, "POST", f"{path}/command", {"kind": "clear"})
                self.ask(client, "POST", f"{path}/read")
            elif generator.random() < 0.6:
                self.ask(client, "POST", f"{path}/stroke", any_stroke(generator))
                self.done["strokes"] += 1
            elif generator.random() < 0.5:
                for what in ["undo", "undo", "redo"]:
                    self.ask(client, "POST", f"{path}/{what}")
                    self.done["undone"] += 1
            elif generator.random() < 0.5:
                self.ask(client, "POST", "/api/recognize", any_stroke(generator))
                self.done["recognised"] += 1
            else:
                self.ask(client, "GET", path)

    def record(self):
        generator, client = random.Random(99), Client(self.studio)
        end_of_line = (200 * 0.54, 200 * 0.84)
        while time.monotonic() < self.end:
            word = generator.choice(["state", "transition"])
            points = ring(0, 0, 50, 40) if word == "state" else line((0, 0), end_of_line)
            made = drawing([shaken(points, generator, 0.7)])
            self.ask(client, "POST", "/api/recordings", {"word": word, "by": "me", **made})
            self.done["recorded"] += 1
            if self.done["recorded"] % 20 == 0:
                lines = client.send("GET", "/api/recordings.ndjson").data.splitlines()
                for name in [json.loads(text)["id"] for text in lines][KEPT:]:
                    self.ask(client, "DELETE", f"/api/recordings/{name}")
            time.sleep(0.05)

    def train(self):
        client = Client(self.studio)
        time.sleep(10)
        while time.monotonic() < self.end - 5:
            try:
                self.ask(client, "POST", "/api/training", {"epochs": 3, "name": f"model {self.done['trained']}"})
            except Refused as error:
                # The number of models is bounded: when there are so many, no more is trained.
                if error.status != 409:
                    raise
                return
            while self.ask(client, "GET", "/api/training")["phase"] == "running":
                time.sleep(0.5)
            self.done["trained"] += 1


class Sample:
    """What a studio held at a moment, and how long it took to answer since another."""

    def __init__(self, work, folder, since):
        times = sorted(took for start, took in list(work.answers) if start >= since) or [0]
        documents = os.path.join(folder, "documents")
        self.memory, self.trained = work.studio.memory(), work.done["trained"]
        self.count, self.median, self.late = len(times), times[len(times) // 2], times[len(times) * 99 // 100]
        # Beside them are files that are written at this moment.
        self.documents = sum(os.path.getsize(os.path.join(documents, name)) for name in os.listdir(documents)
                             if name.endswith(".automaton"))
        self.recordings = os.path.getsize(os.path.join(folder, "recordings.ndjson"))
        self.open_files = len(os.listdir(f"/proc/{work.studio.process.pid}/fd"))

    def __str__(self):
        return (f"{self.memory:.0f} MiB, {self.count} answers, median {1000 * self.median:.1f} ms, "
                f"p99 {1000 * self.late:.1f} ms, {self.open_files} open files, "
                f"documents {self.documents >> 10} KiB, recordings {self.recordings >> 10} KiB")


def long(minutes):
    """Lets one person work for so many minutes in one studio."""
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(folder)
        begin = time.monotonic()
        work = Work(studio, begin + 60 * minutes)
        threads = [threading.Thread(target=work.guard, args=[work.draw, number]) for number in range(DRAWERS)]
        threads += [threading.Thread(target=work.guard, args=[part]) for part in (work.record, work.train)]
        for thread in threads:
            thread.start()
        samples, step = [], 60 * minutes / SAMPLES
        for number in range(1, SAMPLES + 1):
            time.sleep(max(0, begin + number * step - time.monotonic()))
            samples.append(Sample(work, folder, begin + (number - 1) * step))
            print(f"{(time.monotonic() - begin) / 60:5.1f} min: {samples[-1]}", flush=True)
        for thread in threads:
            thread.join()
        code = studio.end()
    print(", ".join(f"{number} {what}" for what, number in work.done.items())
          + f", {len(work.answers)} answers, ended with {code}")
    # In the second half, and beside what models take.
    growth = samples[-1].memory - samples[5].memory - 2 * (samples[-1].trained - samples[5].trained)
    slower = max(sample.median for sample in samples[9:]) / max(1e-6, min(sample.median for sample in samples[3:6]))
    largest = max(sample.recordings for sample in samples)
    if work.errors or code != 0 or growth > 40 or slower > 3 or largest > 1.5 * 2 ** 20:
        sys.exit(f"stress studio: {work.errors[:3]}, {growth:+.0f} MiB in the second half, answers take "
                 f"{slower:.1f} times as long, recordings take {largest >> 10} KiB")
