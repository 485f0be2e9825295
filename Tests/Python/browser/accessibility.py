"""Looks for problems of accessibility with axe, where `pip install axe-core-python` was done."""

import functools
import os
import shutil
import subprocess

import pytest


@functools.cache
def axe_source():
    """The script, from this Python or the first one on the path, or nothing."""
    code = "import axe_core_python; print(axe_core_python.__file__)"
    for python in ["/usr/bin/python3", shutil.which("python3")]:
        found = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            with open(os.path.join(os.path.dirname(found.stdout.strip()), "axe.min.js")) as file:
                return file.read()
    return None


needs_axe = pytest.mark.skipif(not axe_source(), reason="axe-core is not installed (pip install axe-core-python)")


def check(page, what):
    """Asserts that axe finds nothing in what the page shows; without axe, nothing is looked for."""
    source = axe_source()
    if not source:
        return
    if not page.get("Boolean(window.axe)"):
        page.run(source)
    found = page.run_later("""
      const done = arguments[0];
      axe.run().then((r) => done(r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html).join().slice(0, 300))));
      """)
    assert not found, f"no problems found by axe in {what}"
