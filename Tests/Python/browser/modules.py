"""The modules of the page without a studio: a server of their files, and a page that imports them."""

import http.server
import os
import threading

from browser.page import Page
from inkstate.command import ROOT


class Files(http.server.SimpleHTTPRequestHandler):
    """The files of the page, and an empty page at /blank."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=os.path.join(ROOT, "Sources", "InkStudio", "Page"))

    def do_GET(self):
        if self.path != "/blank":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Modules</title><body>")

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Modules(Page):
    """An empty page that calls functions of modules."""

    def __init__(self, driver, server, body=""):
        super().__init__(driver)
        self.open(f"http://127.0.0.1:{server.server_address[1]}/blank")
        self.run("document.body.innerHTML = arguments[0]", body)

    def use(self, path, script, *arguments):
        """What a script returns, or a promise of it; `m` is a module and `args` are the arguments."""
        outcome = self.run_later("""
          const [path, script, args, done] = arguments;
          const AsyncFunction = (async () => {}).constructor;
          import(path).then((m) => new AsyncFunction("m", "args", script)(m, args))
            .then((value) => done({ value: value ?? null }), (error) => done({ error: `${error} ${error.stack}` }));""",
                                 f"/{path}", script, arguments)
        assert "error" not in outcome, outcome["error"]
        return outcome["value"]

    def call(self, path, function, *arguments):
        """What a function of a module returns."""
        return self.use(path, "const [name, ...rest] = args; return m[name](...rest);", function, *arguments)
