"""A running studio."""

import atexit
import http.client
import os
import re
import signal
import subprocess
import threading
import urllib.parse

from inkstate.command import INKSTATE, memory


class NotStarted(Exception):
    """The studio ended before it printed its address."""

    def __init__(self, code, printed):
        super().__init__(f"the studio ended with {code} and printed {printed!r}")
        self.code = code


class Studio:
    """`inkstate studio` with recordings and documents in `folder`; any free port, unless one is given."""

    def __init__(self, folder, port=0, is_shared=False, shared_port=0, environment=(), errors=None):
        self.folder = folder
        arguments = ["--port", str(port), "--data", folder]
        if is_shared:
            arguments += ["--share", "--share-port", str(shared_port)]
        self.process = subprocess.Popen([INKSTATE, "studio", *arguments], stdout=subprocess.PIPE, stderr=errors,
                                        text=True, env={**os.environ, **dict(environment)})
        atexit.register(self.kill)
        printed = self.read_start(is_shared)
        # Nobody waits for what it prints later, but the pipe must not become full.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", printed)[0]
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.host = parts.port, parts.netloc
        self.secret = urllib.parse.parse_qs(parts.query)["token"][0]
        self.cookie = self.first_cookie()
        # What a page sends with each request, also as text.
        self.proof = {"Cookie": self.cookie, "Inkstate-Secret": self.secret}
        self.head = "".join(f"{name}: {value}\r\n" for name, value in self.proof.items())
        if is_shared:
            shared = re.search(r"https://([\d.]+):(\d+)/ and type the code (\d{3}) (\d{3})", printed)
            self.shared_host, self.shared_port = shared[1], int(shared[2])
            self.shared_address = f"https://{shared[1]}:{shared[2]}"
            self.fingerprint = re.search(r"^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$", printed, re.M)[0]

    def read_start(self, is_shared):
        """What it prints until it can be used."""
        wanted = [r"\?token=\S+\n"] + ([r"fingerprint is\n.+\n"] if is_shared else [])
        printed = ""
        while not all(re.search(pattern, printed) for pattern in wanted):
            line = self.process.stdout.readline()
            if not line:
                raise NotStarted(self.process.wait(), printed)
            printed += line
        return printed

    def first_cookie(self):
        """The cookie that a browser gets with the first page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", f"/?token={self.secret}")
        cookie = connection.getresponse().getheader("Set-Cookie").partition(";")[0]
        connection.close()
        return cookie

    def memory(self):
        """What it holds, in MiB; Linux only."""
        return memory(self.process.pid)

    def is_alive(self):
        return self.process.poll() is None

    def end(self, sign=signal.SIGINT):
        """Ends it, as Ctrl-C does, and returns its code."""
        if self.is_alive():
            self.process.send_signal(sign)
        return self.process.wait(60)

    def kill(self):
        """Ends it as a crash does."""
        return self.end(signal.SIGKILL)
