"""Changes of what a studio keeps, with each of its operations on files failing."""

import http.client
import json
import os
import shutil
import sys
import tempfile

from campaigns.faults import CRASHED, CRASHES, FAULTS, REASONS, Faults, lose_power, name as name_of_operation
from inkstate.client import Client
from inkstate.studio import NotStarted, Studio

# What the studio says instead of what commands say.
STUDIO_REASONS = {"space": "the disk is full", "full": "the disk is full"}
DRAWING = [[[0, 50, 100], [0, 90, 10], [0, 8, 16]]]
# Its line has more than a MiB, so that the studio removes it from its file when it is deleted.
LARGE_DRAWING = [[[1000.125 + number for number in range(49_000)] for _ in range(3)]]
# Each request, and how what is kept differs after it: the states of each document, deleted documents,
# recordings, deleted recordings, the model in use, and the digits of a learner.
REQUESTS = [
    ("create A", {"documents": {"A": 0}}), ("state A", {"documents": {"A": 1}}),
    ("record r1", {"recordings": ["r1"]}), ("state A", {"documents": {"A": 2}}),
    ("use released", {"model": "released"}), ("rename A B", {"documents": {"B": 2}}),
    ("record r2", {"recordings": ["r1", "r2"]}), ("practise Ada", {"digits": 1}),
    ("unrecord r1", {"recordings": ["r2"], "unrecorded": ["r1"]}), ("state B", {"documents": {"B": 3}}),
    ("create C", {"documents": {"B": 3, "C": 0}}),
    ("delete C", {"documents": {"B": 3}, "deleted": ["C"]}), ("record large", {"recordings": ["r2", "large"]}),
    ("unrecord large", {"recordings": ["r2"], "unrecorded": ["r1", "large"]}),
    ("record r3", {"recordings": ["r2", "r3"]}),
    ("unrecord r2", {"recordings": ["r3"], "unrecorded": ["r1", "large", "r2"]}),
]
# What is kept after the first requests, from none to all.
STATES = [{"documents": {}, "deleted": [], "recordings": [], "unrecorded": [], "model": None, "digits": 0}]
for _, change in REQUESTS:
    STATES.append({**STATES[-1], **change})


class Session:
    """A studio over a folder, which may end at any moment, and what it prints about errors."""

    def __init__(self, folder, environment=()):
        self.errors = tempfile.TemporaryFile()
        self.studio = self.code = None
        self.message = ""
        try:
            self.studio = Studio(folder, environment=environment, errors=self.errors)
            self.client = Client(self.studio)
        except NotStarted as error:
            self.code = error.code

    def ask(self, method, path, body=None):
        """The status and the text of an answer; None and nothing where there is none."""
        try:
            answer = self.client.send(method, path, body)
            return answer.status, answer.data.decode()
        except (OSError, http.client.HTTPException):
            return None, ""

    def send(self, number):
        """Sends a request of the list."""
        word, *names = REQUESTS[number][0].split()
        if word == "create":
            return self.ask("POST", f"/api/documents?name={names[0]}")
        if word == "state":
            return self.ask("POST", f"/api/documents/{names[0]}/command?change={number}",
                            {"kind": "addState", "place": {"x": 150 * number, "y": 0}})
        if word == "rename":
            return self.ask("POST", f"/api/documents/{names[0]}/rename?to={names[1]}")
        if word == "delete":
            return self.ask("DELETE", f"/api/documents/{names[0]}")
        if word == "use":
            return self.ask("POST", f"/api/models/{names[0]}/use")
        if word == "practise":
            return self.practise(names[0])
        if word == "record":
            drawing = LARGE_DRAWING if names[0] == "large" else DRAWING
            return self.ask("POST", "/api/recordings", {"word": "state", "by": names[0], "drawing": drawing})
        lines = self.ask("GET", "/api/recordings.ndjson")[1].splitlines()
        found = [json.loads(line)["id"] for line in lines if f'"by":"{names[0]}"' in line and line.endswith("}")]
        return self.ask("DELETE", f"/api/recordings/{found[0] if found else 'none'}")

    def practise(self, name):
        """Writes a one, whatever is asked for, and says that it is one."""
        status, text = self.ask("GET", f"/api/practice/{name}?level=digits")
        if status != 200:
            return status, text
        one = {"drawing": [[[50, 51, 50], [0, 50, 100]]]}
        status, text = self.ask("POST", f"/api/practice/{name}/answer?question={json.loads(text)['task']['id']}", one)
        answer = json.loads(text) if status == 200 else {}
        if status != 200 or answer.get("standing"):
            return status, text
        return self.ask("POST", f"/api/practice/{name}/confirm", {"answer": answer["id"], "text": "1"})

    def send_all(self, fault):
        """Sends the requests until one has no answer; returns how many were answered, and what is wrong."""
        found = []
        for number, (request, _) in enumerate(REQUESTS):
            status, text = self.send(number)
            if status is None:
                return number, found
            if status in (200, 201):
                continue
            reasons = [REASONS.get(fault, ""), STUDIO_REASONS.get(fault)]
            if not any(reason in text for reason in reasons if reason is not None):
                found.append(f"{request}: expected `{reasons[0]}`, found {text[:200]}")
            if fault == "full":
                return number, found
            # The fault was one of a moment. A change that is in memory is made once.
            status, text = self.send(number)
            if status not in (200, 201):
                return number, found + [f"{request} fails again: {status} {text[:200]}"]
        return len(REQUESTS), found

    def end(self):
        """Ends it as a user does; returns the code."""
        if self.studio:
            self.code = self.studio.end()
        self.errors.seek(0)
        self.message = self.errors.read().decode(errors="replace")
        self.errors.close()
        return self.code


def recordings(folder, name):
    """Whose recordings are in a file."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        lines = [line for line in file.read().split(b"\n") if line.strip()]
    # A line that is damaged is none that was answered.
    return [json.loads(line).get("by") if line.startswith(b"{") and line.endswith(b"}") else "damaged"
            for line in lines]


def kept(folder):
    """What is on disk, as in `STATES`, and what else is there."""
    documents, deleted, model, rest = {}, [], None, []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            place = os.path.relpath(path, folder)
            if place.startswith("documents/deleted/") and name.endswith(".automaton"):
                deleted.append(name.removesuffix(".automaton"))
            elif place.startswith("documents/") and name.endswith(".automaton"):
                with open(path) as file:
                    documents[name.removesuffix(".automaton")] = len(json.load(file)["automatonStates"])
            elif place == "models/used.txt":
                with open(path) as file:
                    model = file.read()
            elif os.path.dirname(place) not in ("", "practice/Ada") or name not in (
                    ".lock", "recordings.ndjson", "deleted.ndjson", "progress.json"):
                rest.append(place)
    return {"documents": documents, "deleted": sorted(deleted), "recordings": recordings(folder, "recordings.ndjson"),
            "unrecorded": recordings(folder, "deleted.ndjson"), "model": model,
            "digits": len(recordings(folder, "practice/Ada/recordings.ndjson"))}, rest


def matches(state, number):
    """Whether what is on disk is what is there after the first `number` requests."""
    return number < len(STATES) and state == STATES[number]


def is_between(state, answered):
    """Whether a request was done in part: what moves may be in both places, and is never in none."""
    if answered >= len(REQUESTS):
        return False

    def whole(value):
        # The next start removes what is left of a line.
        return [one for one in value if one != "damaged"] if isinstance(value, list) else value

    before, after = STATES[answered], STATES[answered + 1]
    documents = state["documents"]
    return (all(documents.get(name) in (count, before["documents"].get(name))
                for name, count in after["documents"].items())
            and set(documents) <= set(before["documents"]) | set(after["documents"])
            and len(documents) + len(state["deleted"]) >= len(before["documents"]) + len(before["deleted"])
            and all(whole(state[kind]) in (before[kind], after[kind]) for kind in state if kind != "documents")
            and set(state["recordings"]) | set(state["unrecorded"])
            >= set(before["recordings"]) | set(before["unrecorded"]))


def has_everything(state):
    """Whether all requests were done; the one that a crash met may be done twice, which never removes."""
    last = STATES[-1]
    return (all(state["documents"].get(name, -1) >= count for name, count in last["documents"].items())
            and state["model"] == last["model"] and "damaged" not in state["recordings"]
            and all(set(last[kind]) <= set(state[kind]) for kind in ("recordings", "unrecorded", "deleted"))
            and state["digits"] >= last["digits"])


def problems_after_crash(folder, answered):
    """What is wrong after a loss of power, and after the rest of the requests in another studio."""
    state, _ = kept(folder)
    # What is sent again may have been done.
    if not (matches(state, answered) or matches(state, answered + 1) or is_between(state, answered)):
        return [f"after {answered} answers and a loss of power, found {state}"]
    again = Session(folder)
    if not again.studio:
        again.end()
        return ["the studio does not start again"]
    for number in range(answered, len(REQUESTS)):
        again.send(number)
    code = again.end()
    found = [f"the next studio ends with an error: {again.message[:200]}"] if code else []
    state, _ = kept(folder)
    return found if has_everything(state) else found + [f"when everything was sent, found {state}"]


def problems_after_error(session, state, answered, fault):
    """What is wrong with how a studio without a crash ended, and with what it kept."""
    found = []
    if not session.studio:
        if not session.message.strip() or session.code != 1:
            found.append(f"does not start, with {session.code} and `{session.message[:200]}`")
    elif session.code != 0 and fault != "full":
        found.append(f"ends with {session.code}: {session.message[:200]}")
    if fault == "full":
        if answered and not any(matches(state, count) or is_between(state, count)
                                for count in range(answered, len(REQUESTS) + 1)):
            found.append(f"after {answered} answers, found {state}")
    elif session.studio and not matches(state, len(REQUESTS)):
        found.append(f"in the end, found {state}")
    return found


def attempt(faults, fault=None, number=0):
    """Sends everything to a new studio with a fault; returns what is wrong."""
    folder = faults.folder
    shutil.rmtree(folder, ignore_errors=True)
    faults.forget()
    session = Session(folder, faults.environment(fault, number))
    answered, found = session.send_all(fault) if session.studio else (0, [])
    code = session.end()
    if fault in CRASHES:
        if code == CRASHED:
            lose_power(faults.operations())
            found += problems_after_crash(folder, answered)
    else:
        found += problems_after_error(session, kept(folder)[0], answered, fault)
    rest = kept(folder)[1]
    return found + [f"{rest} are left"] if rest else found


def check_studio(library, stride):
    """Changes what a studio keeps, with every fault; returns how many runs that were and what is wrong."""
    problems, runs = [], 0
    with tempfile.TemporaryDirectory() as parent:
        faults = Faults(library, os.path.join(os.path.realpath(parent), "data"), os.path.join(parent, "log"))
        found = attempt(faults)
        if found:
            sys.exit(f"stress files: the studio without a fault: {found[0]}")
        if os.path.getsize(os.path.join(faults.folder, "recordings.ndjson")) > 10_000:
            sys.exit("stress files: expected that the studio removes a large deleted line from its file")
        for number in range(1, len(faults.operations()) + 1, stride):
            for fault in FAULTS:
                found = attempt(faults, fault, number)
                done = faults.operations()
                runs += len(done) >= number
                where = f"studio, {fault} at operation {number}, {name_of_operation(done, number)}"
                problems += [f"{where}: {text}" for text in found]
    return runs, problems
