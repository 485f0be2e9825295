"""Malformed requests and damaged files, beside a client who behaves."""

import http.client
import json
import os
import random
import socket
import sys
import tempfile
import threading
import time

from campaigns.studio_requests import judge, malformed
from campaigns.studio_uploads import open_damaged, open_large
from inkstate.client import Client, read_answer
from inkstate.ink import any_stroke
from inkstate.studio import Studio

SENDERS = 16
# Of each form, some are taken and some are not.
LEAST_FILES = 300
# What a studio may have in its folder.
KEPT = {".lock", "deleted.ndjson", "documents", "models", "practice", "recordings.ndjson"}


class Sender:
    """Sends requests over connections that are used until they are closed."""

    def __init__(self, studio, seed, wrong):
        self.studio, self.generator, self.wrong = studio, random.Random(seed), wrong
        self.sent, self.refused = 0, {}
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def run(self, count):
        """Sends so many, but none after the first that is answered as it must not be."""
        for _ in range(count):
            if not self.studio.is_alive() or self.wrong:
                return
            request, broken, refusals = malformed(self.generator, self.studio)
            try:
                self.send(request, broken, refusals)
            except OSError as error:
                if broken != "framing" and isinstance(error, TimeoutError):
                    self.wrong.append(f"no answer to {request[:200]}")
                self.close()
            self.sent += 1

    def send(self, request, broken, refusals):
        """Sends one, and judges its answer."""
        # After a request that does not end, nobody knows where the next answer begins.
        is_last = broken in ("framing", "size")
        if self.connection is None or is_last:
            self.close()
            self.connection = socket.create_connection(("127.0.0.1", self.studio.port))
        self.connection.settimeout(0.05 if broken == "framing" else 60)
        self.connection.sendall(request)
        # Some never wait for an answer.
        if self.generator.random() < 0.03:
            self.close()
            return
        is_head = request.startswith(b"HEAD")
        status, body = read_answer(self.connection, is_head)
        problem = judge(status, body, request, refusals, is_head)
        if problem:
            self.wrong.append(problem)
        if refusals:
            self.refused[broken] = self.refused.get(broken, 0) + 1
        if is_last:
            self.close()


def silent_clients(studio):
    """Clients who say nothing, begin and never end, or listen and go away."""
    connections = []
    for number in range(900):
        connection = socket.create_connection(("127.0.0.1", studio.port))
        if number % 3 == 1:
            connection.sendall(f"POST /api/recognize HTTP/1.1\r\nHost: {studio.host}\r\nContent-Le".encode())
        elif number % 3 == 2:
            connection.sendall(f"GET /api/training/progress HTTP/1.1\r\nHost: {studio.host}\r\n"
                               f"{studio.head}\r\n".encode())
            connection.close()
            continue
        connections.append(connection)
    return connections


def send_malformed(studio, good, count):
    """Sends so many requests at once; returns the memory after some of them, and what was refused."""
    wrong, memory, shown = [], [], 0
    senders = [Sender(studio, seed, wrong) for seed in range(SENDERS)]
    threads = [threading.Thread(target=sender.run, args=[count // SENDERS]) for sender in senders]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        done = sum(sender.sent for sender in senders)
        if not studio.is_alive():
            sys.exit(f"stress studio: the studio ended after {done} requests, code {studio.end()}")
        memory.append((done, studio.memory()))
        # A client who behaves is served meanwhile.
        good.ask("GET", "/api/documents")
        if done - shown >= count / 5:
            shown = done
            print(f"{done} requests, {memory[-1][1]:.0f} MiB", flush=True)
    for thread in threads:
        thread.join()
    if wrong:
        sys.exit("stress studio: " + "\n".join(wrong[:5]))
    totals = {kind: sum(sender.refused.get(kind, 0) for sender in senders)
              for kind in ("host", "cookie", "secret", "origin", "site", "size", "method")}
    print("refused: " + ", ".join(f"{number} by {kind}" for kind, number in totals.items()))
    if min(totals.values()) < count / 200:
        sys.exit("stress studio: expected more forbidden requests of each kind")
    return sum(sender.sent for sender in senders), memory


def fuzz(count):
    """Sends so many malformed requests, and 6 damaged files for each 100 of them, to one studio."""
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(folder)
        good = Client(studio)
        generator = random.Random(4)
        good.ask("POST", "/api/documents?name=good")
        for _ in range(12):
            good.ask("POST", "/api/documents/good/stroke", any_stroke(generator))
        # As a page does, it listens to what others change.
        page = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
        page.request("GET", "/api/documents/good/versions", headers=studio.proof)
        page.getresponse().readline()
        before = good.ask("GET", "/api/documents/good")
        if len(before["states"]) + len(before["transitions"]) <= 5:
            sys.exit(f"stress studio: expected a document with more than 5 elements, found {before}")
        silent = silent_clients(studio)
        start = time.monotonic()
        Client(studio).ask("GET", "/api/documents")
        waited = time.monotonic() - start
        if waited > 20:
            sys.exit(f"stress studio: expected an answer beside silent clients, waited {waited:.0f} s")
        open_large(good)
        open_damaged(good, max(LEAST_FILES, count * 6 // 100))
        sent, memory = send_malformed(studio, good, count)
        after = good.ask("GET", "/api/documents/good")
        if after != before:
            changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
            sys.exit(f"stress studio: expected the good document unharmed, found {json.dumps(changed)[:1000]}")
        names = good.ask("GET", "/api/documents")
        outside = set(os.listdir(folder)) - KEPT
        if outside:
            sys.exit(f"stress studio: expected no other files, found {sorted(outside)}")
        code = studio.end()
        for connection in silent:
            connection.close()
        late = [held for done, held in memory if done > count / 2]
        growth = late[-1] - late[0]
        print(f"fuzz: {sent} requests; alive, ended with {code}; the good document unharmed among {len(names)}; "
              f"memory {memory[0][1]:.0f} to {memory[-1][1]:.0f} MiB, {growth:+.0f} MiB in the second half")
        if code != 0 or growth > 40:
            sys.exit(1)
