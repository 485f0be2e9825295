"""Requests that no page sends, and what is wrong with an answer to them."""

import json
import re

from inkstate.ink import any_stroke
from inkstate.mutator import damaged

PATHS = ["/", "/api/recognize", "/api/recordings", "/api/recordings/x", "/api/recordings/file?name=a.ndjson",
         "/api/series?name=a.csv", "/api/page", "/api/models", "/api/models/x/use", "/api/models/../use",
         "/api/models/x/file", "/api/training", "/api/training/cancel", "/api/practice",
         "/api/practice/A?level=digits", "/api/practice/A/answer?question=x", "/api/practice/A/confirm",
         "/api/example?label=state", "/api/documents", "/api/documents/bad", "/api/documents?name=bad",
         "/api/documents/bad/stroke", "/api/documents/bad/instead?label=state", "/api/documents/bad/erase",
         "/api/documents/bad/command", "/api/documents/bad/undo", "/api/documents/bad/redo",
         "/api/documents/bad/run", "/api/documents/bad/determinize", "/api/documents/bad/minimize",
         "/api/documents/bad/complement", "/api/documents/bad/open?form=jff", "/api/documents/bad/copy",
         "/api/documents/bad/words", "/api/documents/bad/accepted?count=99999999999999999999",
         "/api/documents/bad/expression", "/api/documents/bad/union?with=bad",
         "/api/documents/bad/compare?with=%00", "/api/expression", "/api/examples/none",
         "/api/documents/bad/open?form=dot", "/api/documents/bad/open?form=automaton",
         "/api/documents/bad/open?form=txt", "/api/documents/bad/open?form=json",
         "/api/documents/bad/open?form=%ff", "/api/documents/bad/file?form=png",
         "/api/documents/bad/missed?form=jpg&x=1&y=1&matrix=1,0,0,1,0,0",
         "/api/documents/bad/file?form=svg", "/api/documents/bad/rename?to=worse",
         "/api/documents/bad/rename?to=%zz", "/api/documents/%2e%2e%2fgood/stroke",
         "/api/documents/..%2f..%2fetc%2fpasswd", "/api/documents/%00", "/api/documents/" + "a" * 300,
         "/../../etc/passwd", "/%ff%fe", "/api/documents/b%C3%A9/stroke"]
BODIES = ["", "{", "[]", "null", "{}", '{"drawing":[]}', '{"drawing":[[[]]]}', '{"drawing":[[[1e308],[1e308]]]}',
          '{"drawing":[[[1,2],[3]]]}', '{"drawing":[[["a"],["b"]]]}', '{"drawing":[[[1,2,3],[4,5,6],[9,8,7]]]}',
          '{"drawing":[[[1e300,-1e300],[0,0]]]}', '{"kind":"addState","place":{"x":1e308,"y":-1e308}}',
          '{"kind":"addState","place":{"x":1,"y":2},"radius":-5}', '{"kind":"resizeState","id":"x","radius":1e400}',
          '{"kind":"rename","id":"","text":""}', '{"kind":"clear"}', '{"kind":"clear","zoom":-1}', '{"word":"ab"}',
          '{"word":5}', '{"base":"released","epochs":-1,"name":"x"}', '{"base":"nobody","epochs":5,"name":"x"}',
          '{"epochs":99999999999999999999,"name":"x"}', '{"text":"12345"}', '{"answer":"x","text":"\\u0000"}',
          '{"word":"state","drawing":[[[0,50],[0,50],[0,9]]]}', '[' * 5000, '{"a":' * 2000, "\xff\xfe\x00",
          '<?xml version="1.0"?><structure><automaton/></structure>', "digraph { a -> b [label=\"x\"] }",
          '{"drawing":[' + ",".join(["[[1],[1]]"] * 300) + "]}"]
# A damaged body has no more bytes.
LARGEST = 1 << 14
# What a person must never read: names of Swift and of the system, and ids.
UNREADABLE = re.compile(r"Error Domain|NSCocoa|NSError|DecodingError|Swift\.|[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}")


def malformed(generator, studio):
    """The bytes of one request that no page sends, what it breaks, and the statuses that refuse it."""
    kind = generator.random()
    method = generator.choice(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"])
    path = generator.choice(PATHS)
    body = generator.choice(BODIES).encode("latin-1")
    if kind < 0.2:
        # Larger ones are sent as files, one at a time.
        body = damaged(generator, json.dumps(any_stroke(generator)).encode())[:LARGEST]
    headers = [f"Host: {studio.host}", f"Cookie: {studio.cookie}", f"Content-Length: {len(body)}",
               f"Inkstate-Secret: {studio.secret}"]
    broken, refusals = None, None
    if kind > 0.9:
        headers[0] = generator.choice(["Host: evil.example", "Host: 127.0.0.1", "Host:", "X: y",
                                       f"Host: evil.example:{studio.port}"])
        broken, refusals = "host", {421}
    elif kind > 0.825:
        headers[1] = generator.choice(["Cookie: inkstate=wrong", "Cookie: ;;;=", "Cookie:", "X: y",
                                       f"Cookie: {studio.cookie[:-1]}", f"Cookie: {studio.cookie}x"])
        broken, refusals = "cookie", {403}
    elif kind > 0.8125:
        # The cookie alone, as servers at other ports get it.
        headers[3] = generator.choice(["Inkstate-Secret:", "X: y", f"Inkstate-Secret: {studio.secret[:-1]}",
                                       f"Inkstate-Secret: {studio.cookie.partition('=')[2]}"])
        if path != "/":
            broken, refusals = "secret", {403}
    elif kind > 0.8:
        headers.append(generator.choice(["Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1"]))
        broken, refusals = "origin", {403}
    elif kind > 0.77:
        headers.append(generator.choice(["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]))
        # A link on another page may lead to the studio's first page.
        if path != "/":
            broken, refusals = "site", {403}
    elif kind > 0.75:
        method, path = "POST", generator.choice(["/api/recognize", "/api/recordings", "/api/recordings/file",
                                                 "/api/documents/bad/open?form=jff", "/api/training"])
        headers[2] = f"Content-Length: {generator.choice([17 << 20, 99_999_999_999_999])}"
        broken, refusals, body = "size", {413}, b""
    elif kind > 0.73:
        method, broken, refusals = generator.choice(["PUT", "PATCH", "OPTIONS"]), "method", {404}
    elif kind > 0.71:
        headers[2] = generator.choice(["Content-Length: -1", "Transfer-Encoding: chunked", "Content-Length: x"])
        broken = "framing"
    elif kind > 0.69:
        return bytes(generator.randrange(256) for _ in range(generator.randint(1, 400))), "framing", None
    elif kind > 0.68:
        headers += [f"X-{n}: " + "y" * 200 for n in range(generator.randint(1, 300))]
        broken = "framing"
    head = f"{method} {path} HTTP/1.1\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    return head.encode("latin-1") + body, broken, refusals


def judge(status, body, request, refusals, is_head=False):
    """What is wrong with an answer, or `None`."""
    first = request[:200].partition(b"\r\n")[0].decode("latin-1")
    if status >= 500 or refusals and status not in refusals:
        return f"{first}: {status} {body[:200]}, expected {refusals or 'no failure'}"
    if status >= 400 and body and not is_head:
        try:
            text = json.loads(body)["error"]
        except (ValueError, KeyError, TypeError):
            return f"{first}: {status} without a sentence, {body[:200]}"
        if not text or UNREADABLE.search(text):
            return f"{first}: {status} without a sentence, {text[:200]}"
    return None
