"""Studios that are killed while clients draw: nothing that was answered is missing."""

import http.client
import json
import random
import sys
import tempfile
import threading
import time

from inkstate.client import Client
from inkstate.ink import drawing, ring, shaken
from inkstate.studio import Studio

CLIENTS = 20
# So many studios have the same folder, one after the other.
IN_A_FOLDER = 20


class Drawer:
    """A client that adds states to its document, and recordings, until its studio is killed."""

    def __init__(self, number):
        self.number, self.name, self.path = number, f"client {number}", f"/api/documents/client%20{number}"
        self.answered_states = self.answered_recordings = 0
        self.begin()

    def begin(self):
        """Nothing of it is in a new folder."""
        # How many states have to be there, and how many were sent.
        self.states, self.sent_states = 0, 0
        # The recordings that have to be there, and how many were sent.
        self.recordings, self.sent_recordings = set(), 0
        # Whether its document is there, also one that was created and not drawn in before a kill.
        self.has_document = False

    def draw(self, studio, is_killed, errors):
        generator = random.Random(f"{self.number} {self.sent_states}")
        try:
            client = Client(studio)
            if not self.has_document:
                client.ask("POST", f"/api/documents?name={self.name.replace(' ', '+')}")
            while True:
                # A document has so many elements that saving it takes no longer than a stroke.
                if generator.random() < 0.5 and self.sent_states < 200:
                    self.add_state(client)
                else:
                    self.record(client, generator)
        except Exception as error:
            is_closed = isinstance(error, (OSError, http.client.HTTPException))
            if not (is_closed and is_killed.is_set()):
                errors.append(f"{self.name}: {type(error).__name__}: {error}")

    def add_state(self, client):
        self.sent_states += 1
        place = {"x": 150 * (self.sent_states % 20), "y": 150 * (self.sent_states // 20)}
        client.ask("POST", f"{self.path}/command", {"kind": "addState", "place": place})
        self.states += 1
        self.answered_states += 1

    def record(self, client, generator):
        self.sent_recordings += 1
        by = f"{self.number}/{self.sent_recordings}"
        strokes = [shaken(ring(0, 0, 50, 40), generator, 0.7)]
        client.ask("POST", "/api/recordings", {"word": "state", "by": by, **drawing(strokes)})
        self.recordings.add(by)
        self.answered_recordings += 1

    def problems(self, client, names, stored):
        """What is wrong with what the next studio has; from here on, that counts."""
        found = []
        self.has_document = self.name in names
        count = len(client.ask("GET", self.path)["states"]) if self.has_document else 0
        if not self.has_document:
            self.sent_states = 0
        if not self.states <= count <= self.sent_states:
            found.append(f"{self.name} has {count} states; {self.states} were answered, {self.sent_states} sent")
        own = {by for by in stored if by.startswith(f"{self.number}/")}
        if len(own) > self.sent_recordings:
            found.append(f"{self.name} has {len(own)} recordings; {self.sent_recordings} were sent")
        if self.recordings - own:
            found.append(f"of {self.name}, the recordings {sorted(self.recordings - own)} are missing")
        # What was sent and not answered may be there or not.
        self.states = self.sent_states = count
        self.recordings = own
        return found


def kill_one(folder, drawers, seconds):
    """Kills a studio after some seconds; returns what was refused before, and what the next one lacks."""
    studio, is_killed, errors = Studio(folder), threading.Event(), []
    threads = [threading.Thread(target=drawer.draw, args=[studio, is_killed, errors]) for drawer in drawers]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    is_killed.set()
    studio.kill()
    for thread in threads:
        thread.join()
    if errors:
        return [f"before the kill, {error}" for error in errors]
    studio = Studio(folder)
    client = Client(studio)
    lines = client.send("GET", "/api/recordings.ndjson").data.splitlines()
    stored, names = {json.loads(line)["by"] for line in lines}, client.ask("GET", "/api/documents")
    found = [problem for drawer in drawers for problem in drawer.problems(client, names, stored)]
    code = studio.end()
    return found + ([f"the next studio ended with {code}"] if code else [])


def kill(count):
    """Kills so many studios at random moments while clients add states and recordings."""
    generator = random.Random(5)
    drawers = [Drawer(number) for number in range(CLIENTS)]
    for begin in range(0, count, IN_A_FOLDER):
        for drawer in drawers:
            drawer.begin()
        with tempfile.TemporaryDirectory() as folder:
            last = min(begin + IN_A_FOLDER, count)
            for attempt in range(begin + 1, last + 1):
                found = kill_one(folder, drawers, generator.uniform(0.02, 1.5))
                if found:
                    sys.exit(f"stress studio: kill {attempt}: " + "; ".join(found[:5]))
        print(f"{last} studios killed", flush=True)
    states = sum(drawer.answered_states for drawer in drawers)
    recordings = sum(drawer.answered_recordings for drawer in drawers)
    if not (states and recordings):
        sys.exit(f"stress studio: expected answers, found {states} of states and {recordings} of recordings")
    print(f"{count} studios killed while {CLIENTS} clients drew: none of {states} answered states "
          f"and {recordings} answered recordings is missing")
