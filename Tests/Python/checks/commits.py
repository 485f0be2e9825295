"""Checks that commits have a subject of at most 72 characters and a body.

    scripts/check commits     those after the last tag, or the last 50 where there is none; no merges

Commits from before this check are what they are.
"""

import argparse
import os
import subprocess
import sys

from inkstate.command import ROOT

LONGEST = 72
COUNT = 50


def git(folder, *arguments):
    """What git prints, or `None` where it fails."""
    result = subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)
    return result.stdout if result.returncode == 0 else None


def problem(subject, body):
    """What is wrong with a commit's message, or `None`."""
    if len(subject) > LONGEST:
        return f"its subject has {len(subject)} characters, at most {LONGEST} are allowed"
    if not body.strip():
        return "it has no body that says why"
    return None


def problems(folder, first_file):
    """What is wrong with the commits that are checked: those after the one that added `first_file`."""
    tag = git(folder, "describe", "--tags", "--abbrev=0")
    chosen = [f"{tag.strip()}..HEAD"] if tag else ["-n", str(COUNT), "HEAD"]
    added = git(folder, "log", "--diff-filter=A", "--format=%H", "--", first_file).split()
    chosen += [f"^{added[-1]}"] if added else []
    found = []
    for commit in git(folder, "log", "--no-merges", "--format=%h%x00%s%x00%b%x01", *chosen).split("\x01"):
        if not commit.strip():
            continue
        name, subject, body = commit.strip("\n").split("\0")
        wrong = problem(subject, body)
        if wrong:
            found.append(f"{name} {subject}: {wrong}")
    return found


def main():
    parser = argparse.ArgumentParser(
        "scripts/check commits", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    if git(ROOT, "rev-parse", "HEAD") is None:
        print("no commits are checked: this folder is no clone")
        return
    found = problems(ROOT, os.path.relpath(os.path.realpath(__file__), ROOT))
    if found:
        sys.exit("\n".join(found + ["check: expected commits with short subjects and bodies"]))


if __name__ == "__main__":
    main()
