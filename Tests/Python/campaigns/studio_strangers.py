"""Clients without the token, or with the cookie alone, beside the owner's work."""

import http.client
import json
import os
import random
import socket
import sys
import tempfile
import threading
import time

from inkstate.client import Client, read_answer
from inkstate.studio import Studio

COUNT = 560
# In processes of their own, because Python has one thread that computes.
PROCESSES = 4
# How long a stranger waits before the next try, in seconds.
PAUSE = 8


class Strangers:
    """Connections that cost as much as they can, until `end`."""

    def __init__(self, studio, end):
        self.studio, self.end = studio, end
        self.head = f"Host: {studio.host}\r\n"
        self.with_cookie = f"{self.head}Cookie: {studio.cookie}\r\n\r\n"
        self.sums, self.wrong = {"connections": 0, "refused": 0, "closed": 0, "bytes": 0}, []
        self.lock = threading.Lock()
        self.kinds = [self.trickle, self.repeat, self.pour, self.replay, self.gorge, self.trickle, self.repeat]

    def add(self, what, number=1):
        with self.lock:
            self.sums[what] += number

    def is_over(self):
        return time.monotonic() >= self.end

    def run(self, number):
        """One stranger, who comes again and again."""
        time.sleep(PAUSE * random.Random(number).random())
        while not self.is_over() and not self.wrong:
            connection = None
            try:
                connection = self.connect(number)
                self.kinds[number % len(self.kinds)](connection)
            except OSError:
                self.add("closed")
            if connection:
                connection.close()
            time.sleep(PAUSE)

    def connect(self, number):
        """A connection from one of eight addresses."""
        connection = socket.socket()
        connection.settimeout(5)
        connection.bind((f"127.0.0.{2 + number % 8}", 0))
        connection.connect(("127.0.0.1", self.studio.port))
        self.add("connections")
        return connection

    def expect_refusal(self, connection):
        status, _ = read_answer(connection)
        if status not in (403, 413):
            self.wrong.append(f"a stranger was answered with {status}")
        self.add("refused")

    def trickle(self, connection):
        """A request that never ends."""
        connection.sendall(f"POST /api/recognize HTTP/1.1\r\n{self.head}".encode())
        while not self.is_over():
            connection.sendall(b"X: y\r\n")
            time.sleep(0.5)

    def repeat(self, connection):
        """A request that is refused, again and again."""
        while not self.is_over():
            connection.sendall(f"GET /api/documents HTTP/1.1\r\n{self.head}\r\n".encode())
            self.expect_refusal(connection)
            time.sleep(PAUSE)

    def pour(self, connection):
        """A body without end."""
        connection.sendall(
            f"POST /api/recognize HTTP/1.1\r\n{self.head}Content-Length: 9999999999\r\n\r\n".encode())
        while not self.is_over():
            self.add("bytes", connection.send(b" " * 65536))
            time.sleep(0.01)

    def replay(self, connection):
        """Another port's server with the owner's cookie."""
        while not self.is_over():
            connection.sendall(f"GET /api/documents HTTP/1.1\r\n{self.with_cookie}".encode())
            self.expect_refusal(connection)
            time.sleep(1)

    def gorge(self, connection):
        """It has the cookie, asks for the page again and again, and reads nothing."""
        while not self.is_over():
            connection.sendall(f"GET /studio.css HTTP/1.1\r\n{self.with_cookie}".encode())
            time.sleep(0.1)

    def start(self, part):
        """Runs a part of the strangers in a process of its own; returns its id and where it tells its sums."""
        reader, writer = os.pipe()
        child = os.fork()
        if child:
            os.close(writer)
            return child, reader
        for number in range(part, COUNT, PROCESSES):
            threading.Thread(target=self.run, args=[number], daemon=True).start()
        time.sleep(max(0, self.end - time.monotonic()))
        os.write(writer, json.dumps([self.sums, self.wrong[:3]]).encode())
        # Without what ends the studio when Python ends.
        os._exit(0)

    def wait(self, child, reader):
        """Adds the sums of a process to these."""
        counted, found = json.loads(os.read(reader, 1 << 16))
        os.waitpid(child, 0)
        self.wrong += found
        for what, number in counted.items():
            self.sums[what] += number


def work(studio, end):
    """The owner's requests, each on a new connection; returns how long they took, sorted, and the memory."""
    times, memory = [], studio.memory()
    while time.monotonic() < end - 0.2:
        # As of a page that is opened.
        client = Client(studio, timeout=30)
        start = time.monotonic()
        try:
            client.ask("GET", "/api/documents")
        except (OSError, http.client.HTTPException) as error:
            sys.exit(f"stress studio: no answer to the owner: {type(error).__name__} {error}")
        times.append(time.monotonic() - start)
        client.close()
        memory = max(memory, studio.memory())
        time.sleep(0.05)
    return sorted(times), memory


def strangers(seconds):
    """Lets strangers and the owner ask one studio, so long."""
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(folder)
        before = studio.memory()
        all_strangers = Strangers(studio, time.monotonic() + seconds)
        children = [all_strangers.start(part) for part in range(PROCESSES)]
        time.sleep(min(1, seconds / 4))
        times, memory = work(studio, all_strangers.end)
        for child in children:
            all_strangers.wait(*child)
        code = studio.end()
    sums, wrong, late = all_strangers.sums, all_strangers.wrong, times[int(0.99 * len(times))]
    print(f"strangers: {sums['connections']} connections, {sums['refused']} refusals, {sums['closed']} closed, "
          f"{sums['bytes'] >> 20} MiB sent; {len(times)} answers to the owner, "
          f"median {1000 * times[len(times) // 2]:.0f} ms, p99 {1000 * late:.0f} ms, "
          f"longest {1000 * times[-1]:.0f} ms; memory {before:.0f} to {memory:.0f} MiB")
    if wrong or code != 0 or late > 2 or memory > before + 200 or not sums["refused"]:
        sys.exit(f"stress studio: expected an owner who does not wait, found {wrong[:3]}, ended with {code}")
