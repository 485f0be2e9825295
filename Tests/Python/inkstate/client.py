"""Clients of a studio: a page of its owner, and a device that was paired."""

import collections
import http.client
import json
import re
import ssl
import urllib.parse

Answer = collections.namedtuple("Answer", "status headers data")


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, method, path, answer):
        super().__init__(f"{method} {path}: {answer.status} {answer.data[:200]}")
        self.status = answer.status


def unchecked():
    """TLS without a check of the certificate, which is the studio's own."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Client:
    """One connection of a page, which sends the cookie and the secret of its studio."""

    def __init__(self, studio, proof=None, timeout=60):
        self.studio = studio
        self.proof = studio.proof if proof is None else proof
        self.server_time = 0
        self.connection = self.connect(timeout)

    def connect(self, timeout):
        return http.client.HTTPConnection("127.0.0.1", self.studio.port, timeout=timeout)

    def send(self, method, path, body=None, headers=()):
        """The answer to a request, whatever it is; a body that is no text or bytes is sent as JSON."""
        if not (body is None or isinstance(body, (str, bytes))):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        self.connection.request(method, path, body, {**dict(headers), **self.proof})
        answer = self.connection.getresponse()
        data = answer.read()
        # How long the studio worked, in milliseconds.
        timing = re.search(r"dur=([\d.]+)", answer.getheader("Server-Timing") or "")
        self.server_time = float(timing[1]) if timing else 0
        return Answer(answer.status, answer.headers, data)

    def ask(self, method, path, body=None):
        """The JSON of an answer, which has to be a success."""
        answer = self.send(method, path, body)
        if answer.status not in (200, 201):
            raise Refused(method, path, answer)
        return json.loads(answer.data)

    def close(self):
        self.connection.close()


class Device(Client):
    """A device at a shared studio: a connection with TLS, and a proof after it was paired."""

    def __init__(self, studio, proof=None, timeout=60):
        super().__init__(studio, proof or {}, timeout)

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.studio.shared_host, self.studio.shared_port, timeout=timeout,
                                           context=unchecked())

    def pair(self, code, name):
        """Types a code into the form; returns the status of the answer, 303 if it was right."""
        answer = self.send("POST", "/pair", urllib.parse.urlencode({"code": code, "name": name}),
                           {"Content-Type": "application/x-www-form-urlencoded",
                            "Origin": self.studio.shared_address})
        if answer.status == 303:
            self.proof = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0],
                          "Inkstate-Secret": answer.headers["Location"].partition("token=")[2]}
        return answer.status


def paired(studio, name):
    """A device that was paired with the code that the owner sees."""
    device = Device(studio)
    status = device.pair(Client(studio).ask("GET", "/api/sharing")["code"], name)
    if status != 303:
        raise RuntimeError(f"expected {name} to be paired, found {status}")
    return device


def read_answer(connection, is_head=False):
    """The status and the body of the next answer on a socket."""
    data = b""

    def receive():
        part = connection.recv(1 << 16)
        if not part:
            raise ConnectionError("the studio closed the connection")
        return part

    while b"\r\n\r\n" not in data:
        data += receive()
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length and not is_head:
        while len(body) < int(length[1]):
            body += receive()
        body = body[:int(length[1])]
    return int(head.split()[1]), body
