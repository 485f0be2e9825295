"""How long a studio takes to answer where much is asked of it, or much is in it."""

import json
import os
import random
import sys
import tempfile
import threading
import time

from inkstate.client import Client
from inkstate.ink import any_stroke
from inkstate.studio import Studio

CLIENTS = 50
# Strokes a second, of all clients.
RATE = 120
# After so many requests, a document is begun anew.
REQUESTS_A_DOCUMENT = 40
# The longest that 99 of 100 answers may take, in milliseconds.
LONGEST = 20
RECORDINGS = 100_000


class Drawer:
    """A client that draws into a document of its own, a stroke each `step` seconds."""

    def __init__(self, studio, number, step):
        self.studio, self.generator, self.step = studio, random.Random(number), step
        self.name, self.path = f"client {number}", f"/api/documents/client%20{number}"
        # Of each stroke, how long its answer took in seconds, and the studio's part of it in milliseconds; and of the
        # times that the document was begun anew, which reads what was drawn first.
        self.times, self.server_times, self.clearing_times, self.errors = [], [], [], []

    def run(self, begin, end):
        client = Client(self.studio)
        try:
            client.ask("POST", f"/api/documents?name={self.name.replace(' ', '+')}")
        except Exception as error:
            self.errors.append(f"{self.name}: {error}")
            return
        due = begin + self.step * self.generator.random()
        # People do not begin anew all at once.
        count = self.generator.randrange(REQUESTS_A_DOCUMENT)
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            start = time.monotonic()
            try:
                # Before a document is as full as no person makes it, it is begun anew.
                if count % REQUESTS_A_DOCUMENT == REQUESTS_A_DOCUMENT - 1:
                    client.ask("POST", f"{self.path}/command", {"kind": "clear"})
                    self.clearing_times.append(time.monotonic() - start)
                else:
                    client.ask("POST", f"{self.path}/stroke", any_stroke(self.generator))
                    self.times.append(time.monotonic() - start)
                    self.server_times.append(client.server_time)
            except Exception as error:
                self.errors.append(f"{self.name}: {error}")
                client = Client(self.studio)
            count += 1
            due += self.step


def quantile(sorted_times, share):
    """The time that a share of them does not exceed."""
    return sorted_times[min(len(sorted_times) - 1, int(share * len(sorted_times)))]


def drawn(clients, rate, seconds):
    """Returns the drawers of `clients` clients that drew `rate` strokes a second in all, and the memory of the studio
    after each quarter of the time, in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(folder)
        begin = time.monotonic() + 0.5
        drawers = [Drawer(studio, number, clients / rate) for number in range(clients)]
        threads = [threading.Thread(target=drawer.run, args=[begin, begin + seconds]) for drawer in drawers]
        for thread in threads:
            thread.start()
        memory = []
        for share in [0.25, 0.5, 0.75, 1]:
            time.sleep(max(0, begin + share * seconds - time.monotonic()))
            memory.append(studio.memory())
        for thread in threads:
            thread.join()
        studio.end()
    return drawers, memory


def load(seconds):
    """Draws with many clients, and prints how long answers took."""
    drawers, memory = drawn(CLIENTS, RATE, seconds)
    times = sorted(1000 * took for drawer in drawers for took in drawer.times)
    servers = sorted(took for drawer in drawers for took in drawer.server_times)
    errors = [error for drawer in drawers for error in drawer.errors]
    if not times:
        sys.exit(f"stress studio: expected answers, found {errors[:5]}")
    print(f"{CLIENTS} clients, {len(times)} strokes in {seconds:.0f} s ({len(times) / seconds:.0f} a second), "
          f"{len(errors)} errors; median {quantile(times, 0.5):.2f} ms, p99 {quantile(times, 0.99):.2f} ms, "
          f"longest {times[-1]:.1f} ms")
    cleared = sorted(1000 * took for drawer in drawers for took in drawer.clearing_times)
    if cleared:
        print(f"{len(cleared)} documents begun anew: median {quantile(cleared, 0.5):.0f} ms, "
              f"p99 {quantile(cleared, 0.99):.0f} ms")
    print(f"the server's share: median {quantile(servers, 0.5):.2f} ms, p99 {quantile(servers, 0.99):.2f} ms")
    print("memory after each quarter: " + ", ".join(f"{held:.0f} MiB" for held in memory))
    for error in errors[:5]:
        print(error)
    if errors or quantile(times, 0.99) >= LONGEST:
        sys.exit(f"stress studio: expected no error and 99 of 100 answers within {LONGEST} ms")
    # Each document keeps its last 200 steps; once all have them, nothing may grow.
    if seconds >= 120 and memory[3] > memory[2] + 8:
        sys.exit("stress studio: expected memory that does not grow")


def delete(count):
    """Deletes recordings of a full studio, here and there, and prints how long that takes."""
    with tempfile.TemporaryDirectory() as folder:
        generator = random.Random(7)
        with open(os.path.join(folder, "recordings.ndjson"), "w") as file:
            for number in range(RECORDINGS):
                file.write(json.dumps({"word": "state", "id": f"r{number}", **any_stroke(generator)}) + "\n")
        begin = time.monotonic()
        studio = Studio(folder)
        print(f"{RECORDINGS:,} recordings read in {time.monotonic() - begin:.1f} s")
        client = Client(studio)
        times = []
        for number in generator.sample(range(RECORDINGS), min(count, RECORDINGS)):
            client.ask("DELETE", f"/api/recordings/r{number}")
            times.append(client.server_time)
        client.ask("GET", "/api/recordings")
        overview = client.server_time
        times.sort()
        print(f"{len(times)} deleted: median {quantile(times, 0.5):.2f} ms, longest {times[-1]:.2f} ms in the server, "
              f"with the overview that is answered, which takes {overview:.2f} ms")
        studio.end()
