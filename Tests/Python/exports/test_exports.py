"""Exported models give the same answers in coremltools and ONNX Runtime, and in Swift."""

import os
import subprocess

import pytest

from inkstate.command import INKSTATE, ROOT, require_build
from inkstate.peers import python_with

# So many of the 1,000 bitmaps that scripts/reference/check-exports.py compares by itself.
COUNT = 40


@pytest.fixture(scope="session")
def peers():
    """A Python with the other tools."""
    python = python_with(["coremltools", "onnx", "onnxruntime", "PIL"],
                         ["coremltools", "onnx", "onnxruntime", "pillow"])
    if python is None:
        pytest.skip("coremltools, onnx and onnxruntime cannot be installed from PyPI")
    return python


@pytest.mark.parametrize("program", [["check-exports.py", str(COUNT)], ["check-page-exports.py"]])
def test_other_tools_give_the_same_answers(peers, program):
    require_build()
    path = os.path.join(ROOT, "scripts", "reference", program[0])
    # coremltools warns on Linux of what it cannot do there, which is not asked of it.
    result = subprocess.run([peers, "-W", "ignore", path, *program[1:]], cwd=ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, env={**os.environ, "INKSTATE": INKSTATE})
    assert result.returncode == 0, result.stdout
