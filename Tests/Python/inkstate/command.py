"""Where the command under test is."""

import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
INKSTATE = os.path.abspath(os.environ.get("INKSTATE") or os.path.join(ROOT, ".build", "release", "inkstate"))


def require_build():
    """Ends the program with a sentence where the command is not built."""
    if not os.access(INKSTATE, os.X_OK):
        program = os.path.basename(sys.argv[0]).removesuffix(".py")
        sys.exit(f"{program}: there is no {INKSTATE}; build it with scripts/build, or set INKSTATE")


def inkstate(*arguments, **options):
    """Runs the command, which has to succeed, and returns what it prints."""
    result = subprocess.run([INKSTATE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"inkstate {' '.join(arguments)}: {result.returncode} {result.stderr[:500]}")
    return result.stdout


def memory(process):
    """What the process with an id holds, in MiB; Linux only."""
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1]) / 1024


def example(*path):
    """The path of a file in Examples."""
    return os.path.join(ROOT, "Examples", *path)
