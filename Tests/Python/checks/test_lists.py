"""What `scripts/mutate` and `scripts/fuzz` read about the code still fits it, and what a page shows of quickstart."""

import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from inkstate.command import ROOT


@pytest.fixture(scope="module")
def mutate():
    loader = importlib.machinery.SourceFileLoader("mutate", os.path.join(ROOT, "scripts", "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return module


def test_every_mutation_fits_the_code(mutate, tmp_path):
    mutations = mutate.read(os.path.join(ROOT, "Tests", "mutations.txt"))
    assert len(mutations) > 100
    assert all(mutation.original and mutation.mutant for mutation in mutations)
    mutate.copy_project(tmp_path)
    assert mutate.apply(mutations, tmp_path) == []
    # A statement that is switched as an expression is none.
    swift = sorted({mutation.file for mutation in mutations if mutation.file.endswith(".swift")})
    parsed = subprocess.run(["swiftc", "-frontend", "-parse", "-swift-version", "6", *swift],
                            cwd=tmp_path, capture_output=True, text=True)
    assert parsed.returncode == 0, parsed.stderr[:2000]


def test_mutations_are_switched(mutate, tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "ROOT", str(tmp_path))
    os.makedirs(tmp_path / "Sources" / "A")
    source = tmp_path / "Sources" / "A" / "a.swift"
    source.write_text("let a = b +\n  1\nlet c = 2\n")
    (tmp_path / "list.txt").write_text(
        "# A comment.\nSources/A/a.swift\n- b + 1\n+ b - 1\n- b + 1\n+ b\n= it is the same\n- missing\n+ found\n")
    mutations = mutate.read(tmp_path / "list.txt")
    assert [mutation.explanation for mutation in mutations] == ["", "it is the same", ""]
    problems = mutate.apply(mutations, tmp_path)
    assert len(problems) == 1 and "found 0 times" in problems[0]
    assert source.read_text() == \
        "let a = (isMutant(2) ? (b) : ((isMutant(1) ? (b - 1) : (b +\n  1))))\nlet c = 2\n"
    assert (tmp_path / "Sources" / "A" / "ActiveMutant.swift").exists()


def test_the_files_of_every_reader_exist():
    with open(os.path.join(ROOT, "Tests", "Fuzzers", "readers.json"), encoding="utf-8") as file:
        readers = json.load(file)
    missing = [path for paths in readers.values() for path in paths
               if not os.path.isfile(os.path.join(ROOT, "Sources", path))]
    assert missing == []


@pytest.mark.skipif(sys.platform != "linux", reason="scripts/mutate is for Linux")
@pytest.mark.parametrize("program, failure", [
    ("echo '✔ Test a() passed'", None),
    ("echo '✘ Test a(of:) recorded an issue with 1 argument'; sleep 60", "a"),
    ("kill -SEGV $$", "a crash"),
    ("sleep 60", "time is up"),
])
def test_the_first_failure_ends_the_tests(mutate, tmp_path, program, failure):
    tests = tmp_path / ".build-tests" / "release" / "inkstatePackageTests.xctest"
    os.makedirs(tests.parent)
    tests.write_text(f"#!/bin/bash\n{program}\n")
    tests.chmod(0o700)
    os.makedirs(tmp_path / "scripts")
    shutil.copy(os.path.join(ROOT, "scripts", "swift-for-tests"), tmp_path / "scripts")
    begin = time.monotonic()
    passed, name, printed = mutate.run_tests(str(tmp_path), number=1, longest=3)
    assert (passed, name) == (failure is None, failure)
    assert ("Test a(" in printed) == ("Test a(" in program)
    assert time.monotonic() - begin < 30


def test_the_page_shows_what_quickstart_runs():
    with open(os.path.join(ROOT, "scripts", "quickstart")) as script:
        run = re.findall(r"^show (.*)", script.read().replace("\\\n", ""), re.M)
    with open(os.path.join(ROOT, "docs", "training.md")) as page:
        shown = re.findall(r"^\$ inkstate (.*)", page.read(), re.M)
    assert len(shown) >= 4
    assert [one for one in shown if not any(f"{command} ".startswith(f"{one} ") for command in run)] == []
