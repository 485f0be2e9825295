"""A studio starts, answers those who may ask, and ends."""

import json
import os
import random
import signal
import socket
import subprocess
import sys

import pytest

from inkstate import ink
from inkstate.client import Client, Refused, read_answer
from inkstate.command import INKSTATE, ROOT, inkstate
from inkstate.studio import NotStarted, Studio


@pytest.fixture
def studio(tmp_path):
    studio = Studio(str(tmp_path))
    yield studio
    studio.kill()


def test_a_studio_answers_its_page_and_ends(studio):
    client = Client(studio)
    assert client.ask("GET", "/api/documents") == []
    client.ask("POST", "/api/documents?name=A")
    client.ask("POST", "/api/documents/A/stroke", ink.drawing([ink.ring(100, 100, 50)]))
    assert len(client.ask("GET", "/api/documents/A")["states"]) == 1
    assert client.server_time > 0
    assert studio.memory() > 1
    assert studio.is_alive()
    assert studio.end() == 0
    assert not studio.is_alive()
    assert studio.end() == 0


def test_a_refusal_has_its_status(studio):
    with pytest.raises(Refused, match="GET /api/documents/none: 404") as refused:
        Client(studio).ask("GET", "/api/documents/none")
    assert refused.value.status == 404
    assert Client(studio, proof={}).send("GET", "/api/documents").status == 403
    assert Client(studio, proof={"Cookie": studio.cookie}).send("GET", "/api/documents").status == 403


def test_what_was_answered_is_there_after_a_kill(studio):
    Client(studio).ask("POST", "/api/recordings", {"word": "state", **ink.any_stroke(random.Random(1))})
    assert studio.kill() == -signal.SIGKILL
    again = Studio(studio.folder)
    kept = Client(again).send("GET", "/api/recordings.ndjson").data.splitlines()
    assert [json.loads(line)["word"] for line in kept] == ["state"]
    assert again.end(signal.SIGTERM) == 0


def test_answers_are_read_from_a_socket():
    studio, connection = socket.socketpair()
    with studio, connection:
        studio.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
        assert read_answer(connection) == (200, b"[]")
        studio.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n")
        assert read_answer(connection, is_head=True) == (404, b"")
        studio.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal")
        studio.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionError):
            read_answer(connection)


def test_a_studio_that_does_not_start_says_why(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with open(tmp_path / "errors", "w+") as errors, pytest.raises(NotStarted) as problem:
        Studio(str(path), errors=errors)
    assert problem.value.code == 1
    assert str(path) in (tmp_path / "errors").read_text()


def test_a_command_that_fails_is_told():
    assert "OVERVIEW" in inkstate("--help")
    with pytest.raises(RuntimeError, match="nothing-of-this-name"):
        inkstate("inspect", "nothing-of-this-name.safetensors")


def test_a_missing_build_is_told():
    code = "from inkstate.command import require_build; require_build(); print('there')"
    for path, expected in [(INKSTATE, (0, "there\n", "")), ("/nowhere", (1, "", "there is no /nowhere; build it"))]:
        result = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                                env={**os.environ, "INKSTATE": path, "PYTHONPATH": os.path.join(ROOT, "Tests", "Python")})
        assert (result.returncode, result.stdout) == expected[:2]
        assert expected[2] in result.stderr
