"""The campaign of damaged files finds what it looks for."""

import os

import pytest

from campaigns import readers
from campaigns.reader_formats import Format


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Judges a shell script in place of the command."""
    def judge(script):
        program = tmp_path / "inkstate"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(readers, "INKSTATE", str(program))
        return readers.judge(Format([b"x"], "a.txt", ["{file}"], {"b.txt": b"y"}), str(tmp_path / "case"), b"data")

    return judge


def test_a_file_that_is_read_or_refused_is_no_finding(run):
    assert run('[ "$(cat $1)" = data ] && [ -f b.txt ]') == (None, 0)
    assert run("echo Error: no; exit 1") == (None, 1)


@pytest.mark.parametrize("script, problem", [
    ("kill -SEGV $$", "ended with -11"), ("echo no; exit 3", "ended with 3"), ("exit 1", "without a message"),
    ("while true; do :; done", "more than"), ("head -c 299999999 /dev/zero | tail", "MiB")],
    ids=["signal", "code", "silence", "time", "memory"])
def test_what_a_reader_must_not_do_is_a_finding(run, script, problem, monkeypatch):
    if problem == "more than":
        monkeypatch.setattr(readers, "SECONDS", 1)
    # `tail` keeps what has no lines. A new process has for a moment what pytest has.
    monkeypatch.setattr(readers, "MEMORY", 200 << 20)
    found, _ = run(script)
    assert found is not None and problem in found


def test_findings_are_kept_and_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(readers, "FINDINGS", str(tmp_path / "findings"))
    monkeypatch.setattr(readers, "judge", lambda format, folder, data: ("bad", -6) if b"b" in data else (None, 0))
    formats = {"a": Format([b"aaaa" * 20], "a.txt", []), "b": Format([b"bbbb" * 200], "b.txt", [])}
    found = readers.try_cases(formats, 20, 1, str(tmp_path / "case"), lambda generator, data, other: data)
    assert found == 10
    assert len(os.listdir(tmp_path / "findings")) == 10
    assert capsys.readouterr().out.endswith(
        "a: 10 files, 10 of them read\nb: 10 files, 0 of them read\n20 damaged files, 10 findings\n")
