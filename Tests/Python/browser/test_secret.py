"""A server at another port gets the cookie by a click, and nothing with it; the page works as before."""

import http.server
import json
import threading
import urllib.parse

import pytest

from browser.editor import NAME
from inkstate.client import Client
from inkstate.ink import ring


class OtherPort:
    """Another account's server on this machine: it keeps what browsers send, and answers with a page."""

    def __init__(self):
        kept = self.kept = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kept.append(self.headers.get("Cookie", ""))
                page = b"<!doctype html><title>Other</title><p>Other"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.server = self.free_server(Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def free_server(handler):
        """A server at a port below those that the system gives to studios: the browser keeps what they stored."""
        for port in range(20_000, 30_000):
            try:
                return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
            except OSError:
                continue
        raise OSError("no free port from 20,000 to 29,999")


@pytest.fixture
def stolen(editor):
    """The cookie that another server got; the browser shows its page, and `editor.kept` is the document's name."""
    editor.kept = editor.name
    other = OtherPort()
    editor.run("""
      const link = document.createElement("a");
      link.href = arguments[0];
      link.id = "other";
      link.textContent = "Other";
      document.querySelector("main").prepend(link);
      link.click();""", other.address)
    editor.wait("document.title === 'Other'", "the other server's page")
    [cookie] = {part.strip() for sent in other.kept for part in sent.split(";")
                if part.strip().startswith(f"inkstate-{editor.studio.port}=")}
    yield cookie
    other.server.shutdown()
    other.server.server_close()


def test_the_cookie_alone_opens_nothing(editor, studio, stolen):
    value = stolen.partition("=")[2]
    thief = Client(studio, proof={"Cookie": stolen})
    for path in ["/api/constants", "/api/documents", f"/api/documents/{urllib.parse.quote(editor.kept)}",
                 "/api/training/progress", "/api/recordings.ndjson", f"/?token={value}", f"/api/documents?token={value}"]:
        for headers in [{}, {"Inkstate-Secret": value}, {"Inkstate-Secret": ""}]:
            answer = thief.send("GET", path, headers=headers)
            assert answer.status == 403 and b"Open the address" in answer.data, (path, headers, answer)
    answer = thief.send("GET", "/")
    assert answer.status == 200, "a first page"
    assert stolen.encode() not in answer.data and studio.secret.encode() not in answer.data, "without secrets"


def test_a_page_of_another_port_reads_nothing(editor, studio, stolen):
    assert editor.get("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    # It sends the cookie as well, and is refused.
    refused = editor.run_later("""
      const [address, done] = arguments;
      fetch(address, { credentials: "include", mode: "no-cors" }).then((r) => done(r.type), () => done("failed"));""",
                               f"http://127.0.0.1:{studio.port}/api/documents")
    assert refused in ["opaque", "failed"]


def test_the_page_works_without_the_token_in_its_address(editor, studio, stolen):
    plain = f"http://127.0.0.1:{studio.port}/#edit"
    editor.show(studio, plain)
    editor.wait(f"{NAME} === {json.dumps(editor.kept)}", "the document after a reload")
    assert editor.get("location.search") == "", "no token in the address"
    first = editor.window
    editor.new_window("tab")
    editor.show(studio, plain)
    editor.wait(f"{NAME} === {json.dumps(editor.kept)}", "the document in a second tab")
    editor.draw_element(ring(300, 300, 60))
    # What is saved as a file has the secret too.
    saved = editor.run_later("""
      const [done] = arguments;
      const original = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        URL.createObjectURL = original;
        blob.text().then(done);
        return original(blob);
      };
      document.querySelector("#edit-files a[href*='form=svg']").click();""")
    assert "<svg" in saved[:200], "the document as SVG"
    editor.close(first)
    editor.wait("document.querySelectorAll('#edit-drawing circle.line').length === 1", "the state in the first tab")


def test_a_browser_that_lost_the_secret_says_what_to_do(editor, studio):
    name = editor.name
    editor.run("localStorage.removeItem('secret')")
    editor.reload()
    editor.wait("document.querySelector('#problem').textContent.includes('Open the address')", "what to do")
    editor.show(studio)
    editor.wait(f"{NAME} === {json.dumps(name)}", "the document again")
