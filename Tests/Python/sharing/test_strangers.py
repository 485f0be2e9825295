"""Who is not paired gets nothing but the form, cannot guess the code, and takes no connections away."""

import math
import os
import random
import re
import socket
import threading
import time

import pytest

from inkstate.client import Client, Device
from inkstate.command import ROOT
from inkstate.waiting import wait_for

PAGE = os.path.join(ROOT, "Sources", "InkStudio", "Page")
# What the form for pairing shows.
FREE = {"pair.css", "icon.svg", "icon-192.png", "icon-512.png", "manifest.webmanifest"}


def addresses():
    """All that a studio answers to those who may ask."""
    with open(os.path.join(ROOT, "Sources", "InkStudio", "Interface",
                           "StudioInterface.swift")) as file:
        table = re.findall(r"`(GET|POST|DELETE) (/api/[^`?]+)", file.read())
    files = [os.path.relpath(os.path.join(at, name), PAGE) for at, _, names in os.walk(PAGE) for name in names]
    return [(method, re.sub(r"NAME|TITLE|ID|CONVERSION", "A", path)) for method, path in table] \
        + [("GET", f"/{name}") for name in files if name not in FREE] + [("GET", "/"), ("GET", "/nothing")]


def test_strangers_get_nothing_but_the_form(shared):
    paths = addresses()
    assert len(paths) > 90, "all routes"
    stranger = Device(shared)
    for method, path in paths:
        answer = stranger.send(method, path)
        assert answer.status == 401 and b"not paired" in answer.data and "Set-Cookie" not in answer.headers, \
            (method, path, answer)


def test_a_guessed_key_and_a_wrong_name_are_refused(shared):
    stranger = Device(shared)
    assert stranger.send("GET", "/watch?key=guessed").status == 403
    assert stranger.send("GET", "/pair", headers={"Host": "evil.example"}).status == 421


def test_guessed_codes_are_slowed_down(shared, owner, pytestconfig, report):
    """They are refused, and almost none is even compared."""
    count, senders = pytestconfig.getoption("--guesses"), 16
    statuses, wrong = {}, []
    begin = time.monotonic()
    secret = owner.ask("GET", "/api/sharing")["code"]

    def send(number):
        generator = random.Random(number)
        client = Device(shared)
        for _ in range(count // senders):
            code = secret
            while code == secret:
                code = f"{generator.randrange(1_000_000):06}"
            try:
                status = client.pair(code, "guest")
            except Exception as error:
                wrong.append(str(error))
                client = Device(shared)
                continue
            statuses[status] = statuses.get(status, 0) + 1

    threads = [threading.Thread(target=send, args=[number]) for number in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - begin
    state = Client(shared).ask("GET", "/api/sharing")
    report(f"guesses: {count} in {seconds:.0f} s, {state['comparedCount']} compared, {state['refusedCount']} refused; "
           f"answers {statuses}")
    assert not wrong, "an answer to each"
    assert set(statuses) <= {403, 429}
    assert state["comparedCount"] <= 4 + math.log2(max(2, seconds)) + 1, "only a few to be compared"
    assert not state["devices"], "no device to be paired"
    # The address of the guesses waits; the owner ends this.
    assert Device(shared).pair(state["code"], "late") == 429, "the right code to wait as well"
    owner = Client(shared)
    owner.ask("POST", "/api/sharing/code")
    assert Device(shared).pair(owner.ask("GET", "/api/sharing")["code"], "late") == 303


def count_open(sockets):
    """How many of them the studio has not closed."""
    count = 0
    for one in sockets:
        try:
            count += bool(one.recv(1))
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


def test_an_address_cannot_take_all_connections(shared, owner):
    sockets = []
    for _ in range(200):
        try:
            sockets.append(socket.create_connection((shared.shared_host, shared.shared_port), timeout=5))
        except OSError:
            break
    for one in sockets:
        one.setblocking(False)
    wait_for(lambda: count_open(sockets) <= 128, "at most 128 connections of an address")
    owner.ask("GET", "/api/documents")
    wait_for(lambda: count_open(sockets) == 0, "idle connections to be closed")
    for one in sockets:
        one.close()
