"""Runs the command on a folder of small inputs and compares with what has to happen.

    scripts/check cases                    the cases of ../shared/cases, with Tests/cases.tsv
    scripts/check cases FOLDER             another folder, with its own cases.tsv where it has one
    scripts/check cases FOLDER --table FILE

A line of the table has four fields, divided by tabs: the path of a file below the folder (`-` for none), the
arguments of the command ({} is the file, {folder} the folder, {out} a new path, {root} this repository), the
exit code (`!0` for any error), and a regular expression that has to match what is printed (`!` before it: must
not match). Lines that start with # are comments.

A file without a line in the table is tried by its kind: an automaton has to be read by `check`, `convert`,
`render` and `grade` with the same number of states, or to be refused by all of them with one line that names
the file; ink, pictures and series have to be read by `dataset describe` or refused. In both, a signal, ten
seconds, a message of several lines and an automaton without transitions are failures.

Lines of a table whose file is not in the folder are counted as skipped. INKSTATE names another build of the
command. Ends with 1 if a case fails, or if a given folder has none.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

from inkstate.command import INKSTATE, ROOT, require_build

SECONDS = 60


def run(arguments, seconds=SECONDS):
    """Returns the exit code (`None` after too long) and what was printed."""
    try:
        done = subprocess.run([INKSTATE, *arguments], stdin=subprocess.DEVNULL, cwd=ROOT,
                              capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def read_table(path):
    cases = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 4:
                sys.exit(f"{path}:{number}: expected 4 fields divided by tabs, found {len(fields)}")
            cases.append(fields)
    return cases


def problem_of_case(folder, path, arguments, code, pattern, scratch):
    values = {"{}": path, "{folder}": folder, "{out}": os.path.join(scratch, "out"), "{root}": ROOT}
    words = []
    for word in shlex.split(arguments):
        for name, value in values.items():
            word = word.replace(name, value)
        words.append(word)
    found, text = run(words)
    if found is None:
        return f"took more than {SECONDS} s"
    if found < 0 or (found == 0 if code == "!0" else found != int(code)):
        return f"expected exit code {code}, found {found}: {text.strip()[:300]}"
    unwanted = pattern.startswith("!")
    if bool(re.search(pattern[unwanted:], text, re.MULTILINE)) == unwanted:
        return f"expected output {'without' if unwanted else 'with'} {pattern[unwanted:]!r}: " \
            f"{text.strip()[:300]}"
    return None


# MARK: Files without a line in the table

def refusal_problem(path, command, code, text):
    """What is wrong with how a command refused a file."""
    if code is None:
        return f"{command} took more than {SECONDS} s"
    if code < 0 or code > 2:
        return f"{command} ended with {code}: {text.strip()[-300:]}"
    lines = [line for line in text.splitlines() if line.startswith("Error:")]
    if code != 0 and (len(lines) != 1 or os.path.basename(path) not in text):
        return f"{command} did not refuse it in one line with its name: {text.strip()[:300]}"
    return None


def counts(text):
    match = re.search(r"(\d+) states?, (\d+) transitions?", text)
    return match and (int(match[1]), int(match[2]))


def problem_of_automaton(path, scratch):
    """Returns what is wrong, or `None`, and in a few words what the file is."""
    code, text = run(["automaton", "check", path])
    # `check` also ends with 1 for an automaton that it has read and found incomplete.
    found = counts(text)
    refused = found is None
    problem = refusal_problem(path, "check", code, text) if refused or code is None or code < 0 else None
    if problem:
        return problem, "?"
    if not refused and found[1] == 0:
        return "it was read as an automaton without transitions", f"{found[0]} states"
    copy = os.path.join(scratch, "copy.automaton")
    picture = os.path.join(scratch, "picture.svg")
    for command in [["automaton", "convert", path, "--output", copy, "--force"],
                    ["automaton", "render", path, "--output", picture, "--force"]]:
        code, text = run(command)
        if code is None or code < 0 or (code != 0) != refused:
            return f"check {'refused' if refused else 'read'} it, and {command[1]} ended with " \
                f"{code}: {text.strip()[:300]}", "?"
    if refused:
        return None, "refused"
    _, text = run(["automaton", "check", copy])
    if counts(text) != found:
        return f"{found} states and transitions, and {counts(text)} after convert", "?"
    # As its own solution, it is right, or refused with the reason: no initial state, or a machine.
    code, text = run(["automaton", "grade", path, path])
    if code is None or code < 0 or code > 2 or (code == 0 and not re.search(r"right\s+100", text)):
        return f"grade, with itself as the solution, ended with {code}: {text.strip()[:300]}", "?"
    return None, f"{found[0]} states, {found[1]} transitions"


def problem_of_data(path, scratch):
    code, text = run(["dataset", "describe", path])
    problem = refusal_problem(path, "dataset describe", code, text)
    return problem, "read" if code == 0 else "refused"


def untabled(folder, tabled):
    """Files below the folder without a line in the table, and how each kind is tried."""
    for kind, attempt in [("automata", problem_of_automaton), ("data", problem_of_data)]:
        for parent, _, names in os.walk(os.path.join(folder, kind)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(parent, name), folder)
                if not any(path == case or path.startswith(case + "/") for case in tabled):
                    yield path, attempt


def main():
    parser = argparse.ArgumentParser(
        "scripts/check cases", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--table")
    options = parser.parse_args()
    shared = os.path.join(ROOT, "..", "shared", "cases")
    if options.folder is None and not os.path.isdir(shared):
        print(f"{shared} is absent: no cases are run")
        return
    if options.folder is not None and not os.path.isdir(options.folder):
        sys.exit(f"check: there is no folder {options.folder}")
    require_build()
    folder = os.path.abspath(options.folder or shared)
    own = os.path.join(folder, "cases.tsv")
    table = options.table or (own if os.path.exists(own) else os.path.join(ROOT, "Tests", "cases.tsv"))
    cases = read_table(table)
    passed = failed = skipped = 0
    for path, arguments, code, pattern in cases:
        file = folder if path == "-" else os.path.join(folder, path)
        if not os.path.exists(file):
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as scratch:
            problem = problem_of_case(folder, file, arguments, code, pattern, scratch)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        print(f"{'ok  ' if problem is None else 'FAIL'} {path}: inkstate {arguments}")
        if problem:
            print(f"     {problem}")
    for path, attempt in untabled(folder, {case[0] for case in cases}):
        with tempfile.TemporaryDirectory() as scratch:
            problem, what = attempt(os.path.join(folder, path), scratch)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        print(f"{'ok  ' if problem is None else 'FAIL'} {path}: {what}")
        if problem:
            print(f"     {problem}")
    print(f"{passed} passed, {failed} failed, {skipped} lines of the table without a file")
    sys.exit(1 if failed or passed + failed == 0 else 0)


if __name__ == "__main__":
    main()
