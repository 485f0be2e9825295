"""Devices that ask for as much work as they can, and an owner who works meanwhile."""

import http.client
import json
import math
import multiprocessing
import random
import threading
import time

from inkstate import ink
from inkstate.client import Client, Device


def table(states, targets):
    """A table of an automaton whose states go to `targets(index)` with a, and to the first with b."""
    rows = [f"{'→' if n == 0 else ''}*q{n}\t{{{','.join(f'q{m}' for m in targets(n))}}}\tq0" for n in range(states)]
    return "\ta\tb\n" + "\n".join(rows) + "\n"


def hard(count):
    """Words with an a so many symbols before their end: the deterministic automaton has 2 to this power states."""
    rows = ["→q0\t{q0,q1}\tq0"] + [f"q{n}\tq{n + 1}\tq{n + 1}" for n in range(1, count)] + [f"*q{count}\t\t"]
    return "\ta\tb\n" + "\n".join(rows) + "\n"


def heavy_requests(owner):
    """The requests of devices that cost most, after the documents that they need were made."""
    for name, text in [("Large", table(70, lambda n: range(70))), ("Hard", hard(18)), ("Other", hard(17))]:
        owner.ask("POST", f"/api/documents/{name}/open?form=txt", text)
    strokes = [[[50 * (n % 40) + 20 * math.sin(i / 40) for i in range(250)],
                [50 * (n // 40) + 20 * math.cos(i / 40) for i in range(250)], list(range(250))] for n in range(200)]
    drawing = {"drawing": strokes}
    words = "\n".join(["ab" * 2000] * 100)
    requests = [("POST", "/api/documents/Large/words", {"lines": words}),
                ("POST", "/api/documents/Large/words", {"lines": "\n".join([f"{'ab' * 1999}, accepted"] * 100)}),
                ("POST", "/api/documents/Hard/words", {"lines": words}),
                ("POST", "/api/documents/Large/run", {"word": "ab" * 5000}),
                ("GET", "/api/documents/Hard/accepted?count=1000", None),
                ("GET", "/api/documents/Large/expression", None),
                ("POST", "/api/documents/Hard/compare?with=Other", None),
                ("POST", "/api/expression", {"text": "(a|b)*a" + "(a|b)" * 1900}),
                ("POST", "/api/recognize", drawing),
                ("GET", "/api/documents/Large/file?form=png&scale=8", None),
                ("GET", "/api/documents/Large/file?form=pdf", None),
                ("GET", "/api/documents/Large", None),
                ("POST", "/api/documents/{own}/stroke", drawing),
                ("POST", "/api/documents/{own}/read", None)]
    constants = owner.ask("GET", "/api/constants")
    requests += [("POST", f"/api/documents/Hard/{one['name']}", None) for one in constants["conversions"]]
    requests += [("POST", f"/api/documents/Hard/{one['name']}?with=Other", None) for one in constants["combinations"]]
    return requests


def owner_times(studio, seconds):
    """How long the owner waits for the answers of a person's work, in ms, and for what, the slowest last."""
    times, generator, client = [], random.Random(3), Client(studio)
    name = f"Owner%20{random.randrange(1 << 30)}"
    client.ask("POST", f"/api/documents?name={name}")
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        ring = ink.drawing([ink.ring(generator.uniform(0, 3000), generator.uniform(0, 2000), 40)], step=10)
        for method, path, body in [("POST", f"/api/documents/{name}/stroke", ring),
                                   ("GET", f"/api/documents/{name}", None), ("GET", "/api/constants", None),
                                   ("POST", f"/api/documents/{name}/run", {"word": "ab"}),
                                   ("POST", "/api/recognize", ring), ("GET", "/api/documents", None)]:
            start = time.monotonic()
            client.ask(method, path, body)
            times.append((1000 * (time.monotonic() - start), f"{method} {path}"))
            time.sleep(0.02)
        count += 1
        if count % 20 == 0:
            client.ask("POST", f"/api/documents/{name}/command", {"kind": "clear"})
    return sorted(times)


class HeavyDevices:
    """Devices that send the heaviest requests for some time, two at a time of each, and count the answers."""

    def __init__(self, studio, devices, requests, seconds):
        # In a process of its own, because Python has one thread that computes.
        context = multiprocessing.get_context("fork")
        self.answers, sender = context.Pipe(duplex=False)
        proofs = [device.proof for device in devices]
        self.process = context.Process(target=send_heavily, args=[studio, proofs, requests, seconds, sender], daemon=True)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.counts = {int(status): count for status, count in json.loads(self.answers.recv()).items()}
        self.process.join()


def send_heavily(studio, proofs, requests, seconds, sender):
    counts, end = {}, time.monotonic() + seconds

    def send(number, lane):
        generator = random.Random(100 * number + lane)
        own = f"Own%20{number}"
        client = Device(studio, proofs[number])

        def ask(method, path, body=None):
            nonlocal client
            try:
                return client.send(method, path, body).status
            except (OSError, http.client.HTTPException):
                client = Device(studio, proofs[number])
                return 0

        ask("POST", f"/api/documents?name={own}")
        while time.monotonic() < end:
            method, path, body = generator.choice(requests)
            status = ask(method, path.replace("{own}", own), body)
            counts[status] = counts.get(status, 0) + 1

    threads = [threading.Thread(target=send, args=[number, lane], daemon=True)
               for number in range(len(proofs)) for lane in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, end + 60 - time.monotonic()))
    sender.send(json.dumps(dict(counts)))
