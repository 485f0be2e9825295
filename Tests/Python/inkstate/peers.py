"""A Python with other people's tools, beside the build of the tests."""

import os
import subprocess

from inkstate.command import ROOT

FOLDER = os.path.join(ROOT, ".build-tests", "exchange-peers")


def python_with(modules, packages, folder=FOLDER):
    """The Python that has these modules, of packages of PyPI; `None` where they cannot be installed."""
    python = os.path.join(folder, "bin", "python")

    def succeeds(*command):
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def has_modules():
        return os.path.exists(python) and succeeds(python, "-c", f"import {', '.join(modules)}")

    if not has_modules():
        # The one on the path, as Debian's makes no environment without python3-venv.
        if not succeeds("python3", "-m", "venv", folder):
            return None
        # Most of what is in the packages is never imported, so that compiling all of it takes longer.
        succeeds(python, "-m", "pip", "install", "--no-compile", "--quiet", "--disable-pip-version-check",
                 "--retries", "1", "--timeout", "20", *packages)
    return python if has_modules() else None
