"""Compares fast code with plain code on random networks and automata.

    scripts/stress numbers                        all of the following
    scripts/stress numbers gradients [COUNT]      losses, gradients and workers of random networks, against
                                                  plain loops (1,000 networks)
    scripts/stress numbers inference [COUNT]      the inference plan, folding and streaming against plain
                                                  loops (10,000 networks, four inputs each)
    scripts/stress numbers exports [COUNT]        ONNX and Core ML files read back, and ONNX files in ONNX
                                                  Runtime (1,000 networks)
    scripts/stress numbers automata [COUNT]       operations against an oracle that tries words (43,500
                                                  pairs of automata, 23 operations each)
    scripts/stress numbers NAME 1 --first SEED    one case again

A short slice of each is part of `scripts/test`, which builds what this runs. `--skip-build` does not build, and
INKSTATE_TESTS names another build of the tests.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

from campaigns.options import count, parser
from inkstate.command import ROOT
from inkstate.peers import python_with

TESTS = os.path.abspath(os.environ.get("INKSTATE_TESTS")
                        or os.path.join(ROOT, ".build-tests", "release", "inkstatePackageTests.xctest"))
# Of each check, the tests, the number of cases, and how many run in one process.
CHECKS = {
    "gradients": (["RandomGradientTests"], 1000, 50),
    "inference": (["RandomInferenceTests"], 10_000, 1000),
    "exports": (["randomNetworksComeBack", "writesRandomNetworks"], 1000, 100),
    "automata": (["RandomOperationTests"], 43_500, 2500),
}


def run_exports(folder):
    """Runs the networks in a folder in ONNX Runtime; returns what it says if they fail."""
    python = python_with(["onnx", "onnxruntime"], ["onnx", "onnxruntime"])
    if python is None:
        sys.exit("stress numbers: onnx and onnxruntime cannot be installed from PyPI")
    program = os.path.join(ROOT, "scripts", "reference", "check-random-exports.py")
    result = subprocess.run([python, program, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout.splitlines()[-1] if result.stdout else "", flush=True)
    failed = [f"ONNX Runtime: ended with {result.returncode}", *result.stdout.splitlines()]
    return failed if result.returncode else []


def run(tests, first, count, **more):
    """Runs tests for some cases; returns what they say if they fail."""
    environment = dict(os.environ, INKSTATE_FIRST_CASE=str(first), INKSTATE_CASES=str(count), **more)
    filters = [part for test in tests for part in ("--filter", test)]
    result = subprocess.run([TESTS, "--testing-library", "swift-testing", *filters], cwd=ROOT, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if "Test run with 0 tests" in result.stdout:
        sys.exit(f"stress numbers: there are no tests {tests}")
    lines = [line for line in result.stdout.splitlines() if re.search("recorded an issue|rror:|↳ case", line)]
    failed = [f"ended with {result.returncode}", *(lines or result.stdout.splitlines()[-20:])]
    return failed if result.returncode else []


def check(name, first, cases):
    """Tries so many cases; returns how many of their processes failed."""
    tests, _, most = CHECKS[name]
    start = time.monotonic()
    failed = 0
    for begin in range(first, first + cases, most):
        number = min(most, first + cases - begin)
        if name == "exports":
            with tempfile.TemporaryDirectory() as folder:
                problems = run(tests, begin, number, INKSTATE_FIXTURES=folder)
                if not os.path.exists(os.path.join(folder, "random.json")):
                    sys.exit("stress numbers: no networks were written:\n" + "\n".join(problems))
                problems += run_exports(folder)
        else:
            problems = run(tests, begin, number)
        print(f"{name}: {begin - first + number} of {cases}", flush=True)
        if problems:
            failed += 1
            print("\n".join(problem[:600] for problem in problems[:20]), flush=True)
    print(f"{name}: {cases} cases in {time.monotonic() - start:.0f} s, "
          f"{'PROBLEMS, see above' if failed else 'no problems'}", flush=True)
    return failed


def main(arguments):
    known = parser("numbers", __doc__)
    known.add_argument("name", nargs="?", choices=list(CHECKS))
    known.add_argument("count", nargs="?", type=count)
    known.add_argument("--first", type=count, default=1)
    known.add_argument("--skip-build", action="store_true")
    options = known.parse_args(arguments)
    if options.skip_build and not os.path.exists(TESTS):
        known.error(f"there is no {TESTS}; leave out --skip-build")
    if not options.skip_build:
        subprocess.run(["scripts/swift-for-tests", "build", "--build-tests"], cwd=ROOT, check=True)
    names = [options.name] if options.name else list(CHECKS)
    if sum(check(name, options.first, options.count or CHECKS[name][1]) for name in names):
        sys.exit(1)
