"""Files that a studio opens: damaged ones of every form, and one as large as may be."""

import http.client
import json
import random
import sys
import urllib.parse

from campaigns.studio_requests import judge
from inkstate.ink import any_stroke
from inkstate.mutator import damaged

DOT = b'digraph { i [shape=point]; i -> a; b [shape=doublecircle]; a -> b [label="x, y"]; b -> b [label="z"]; }'
INKML = b'<ink xmlns="http://www.w3.org/2003/InkML"><annotation type="truth">state</annotation>' \
    b"<trace>10 0, 9 14, 8 28, 7 42</trace><trace>130 155, 144 159, 158 160</trace></ink>"
GESTURE = b'<?xml version="1.0" encoding="utf-8"?><Gesture Name="star01" Subject="1" Speed="fast" NumPts="3">' \
    b'<Point X="1" Y="2" T="0"/><Point X="30" Y="2" T="8"/><Point X="30" Y="70" T="16"/></Gesture>'
# Whole bodies, with where they are sent.
BODIES = [
    ("/api/recordings/file?name=a", INKML), ("/api/recordings/file?name=a", GESTURE),
    ("/api/series?name=a.csv", b"time,x,y,label\n0,1,2,a\n0.1,2,,a\n0.2,3,4,b\n"),
    ("/api/series?name=a.ts", b"@dimensions 2\n@classLabel true a b\n@data\n1,2:3,?:a\n"),
    ("/api/series?name=a.ndjson", b'{"series":{"channels":["x"],"rate":50,"values":[[1],[null]]}}\n'),
    ("/api/documents/seed/command", b'{"kind":"addState","place":{"x":100,"y":250},"radius":60,"zoom":2}'),
    ("/api/documents/seed/run", b'{"word":"xyz"}'), ("/api/documents/seed/copy", b'{"ids":["a","b"]}'),
    ("/api/documents/seed/words", b'{"lines":"ab, accepted\\nb"}'),
    ("/api/documents/seed/command", b'{"kind":"arrange","ids":["a","b"],"text":"layers"}'),
    ("/api/expression", b'{"text":"(a|b)*ab+(c?d)"}'),
    ("/api/practice/A/confirm", b'{"answer":"x","text":"17"}'),
    ("/api/training", b'{"base":"nobody","epochs":3,"name":"x"}'),
]


def whole_bodies(client, generator):
    """Bodies of every form, those of `BODIES` and some that the studio or the generator makes."""
    client.send("POST", "/api/documents/seed/open?form=dot", DOT)
    documents = []
    for form in ["automaton", "jff", "dot", "txt", "json"]:
        answer = client.send("GET", f"/api/documents/seed/file?form={form}")
        if answer.status != 200:
            sys.exit(f"stress studio: expected the document as {form}, found {answer.status} {answer.data[:200]}")
        documents.append((f"/api/documents/damaged/open?form={form}", answer.data))
    # JSON of another form.
    documents.append(("/api/documents/damaged/open?form=json", documents[0][1]))
    ink = "\n".join(json.dumps({"word": "state", **any_stroke(generator)}) for _ in range(3)).encode()
    strokes = [(path, json.dumps(any_stroke(generator)).encode()) for path in (
        "/api/recognize", "/api/documents/seed/stroke", "/api/documents/seed/erase",
        "/api/practice/A/answer?question=x")]
    return [*documents, ("/api/recordings/file?name=a", ink), *strokes, *BODIES]


def open_damaged(client, count):
    """Sends damaged files of every form; each is taken, or refused with a sentence."""
    generator = random.Random(6)
    whole = whole_bodies(client, generator)
    statuses = {}
    for number in range(count):
        path, data = whole[number % len(whole)]
        data = damaged(generator, data, whole[(number + 1) % len(whole)][1])
        try:
            answer = client.send("POST", path, data)
        except (OSError, http.client.HTTPException) as error:
            sys.exit(f"stress studio: POST {path}: no answer, {error}\nfor {data[:2000]}")
        problem = judge(answer.status, answer.data, f"POST {path}".encode(), None)
        if problem:
            sys.exit(f"stress studio: {problem}\nfor {data[:2000]}")
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        if answer.status == 200 and "/open" in path:
            name = json.loads(answer.data)["name"]
            client.send("DELETE", f"/api/documents/{urllib.parse.quote(name)}")
    client.send("DELETE", "/api/documents/seed")
    if not {200, 400} <= set(statuses):
        sys.exit(f"stress studio: expected some damaged files to be taken and some not, found {statuses}")
    print(f"{count} damaged files: " + ", ".join(f"{n} with {status}" for status, n in sorted(statuses.items())))


def open_large(client):
    """Opens an automaton that is as large as a file may be, and runs a long word through it."""
    edges = "; ".join(f'{a} -> {b} [label="a"]' for a in range(66) for b in range(66))
    text = "digraph { i [shape=point]; i -> 0; 5 [shape=doublecircle]; " + edges + " }"
    answer = client.send("POST", "/api/documents/large/open?form=dot", text)
    if answer.status != 200:
        sys.exit(f"stress studio: expected the large automaton to be opened, found {answer.data[:200]}")
    before = client.studio.memory()
    path = f"/api/documents/{urllib.parse.quote(json.loads(answer.data)['name'])}"
    if not client.ask("POST", f"{path}/run", {"word": "a" * 10_000})["isAccepted"]:
        sys.exit("stress studio: expected the long word to be accepted")
    if client.studio.memory() > before + 200:
        sys.exit("stress studio: expected a long word to need little memory")
    client.ask("DELETE", path)
