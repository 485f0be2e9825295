"""Every campaign says what it does, and refuses what it does not know."""

import importlib.machinery
import importlib.util
import os
import random
import subprocess
import sys

import pytest

from campaigns import workers
from inkstate.command import ROOT

STRESS = os.path.join(ROOT, "scripts", "stress")
LOADER = importlib.machinery.SourceFileLoader("stress", STRESS)
MODULE = importlib.util.module_from_spec(importlib.util.spec_from_loader("stress", LOADER))
LOADER.exec_module(MODULE)
NAMES = MODULE.NAMES


def stress(*arguments, **environment):
    return subprocess.run([sys.executable, STRESS, *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


def test_help_lists_the_campaigns():
    result = stress("--help")
    assert result.returncode == 0
    for name in NAMES:
        assert f"\n    {name} " in result.stdout
    # No line is missing, and none is too long for a terminal.
    assert all(len(line) <= 120 for line in result.stdout.splitlines())


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["--nothing"]])
def test_other_names_are_refused(arguments):
    result = stress(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("stress: ") and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_each_campaign_has_help_and_refuses_other_options(name):
    helped = stress(name, "--help")
    assert helped.returncode == 0 and f"scripts/stress {name}" in helped.stdout
    refused = stress(name, "--nothing")
    assert refused.returncode == 2 and "error:" in refused.stderr.splitlines()[-1]


@pytest.mark.parametrize("arguments", [
    ["files"], ["readers"], ["stream"], ["studio", "fuzz"], ["training"], ["workers"], ["grading"]],
    ids=lambda arguments: arguments[0])
def test_a_missing_build_is_named(arguments):
    result = stress(*arguments, INKSTATE="/nothing/inkstate")
    assert result.returncode == 1
    assert result.stderr == "stress: there is no /nothing/inkstate; build it with scripts/build, or set INKSTATE\n"


def test_any_two_values_of_options_that_fit_are_trained_together(monkeypatch):
    # Of fewer options, which takes less time.
    monkeypatch.setattr(workers, "OPTIONS", dict(list(workers.OPTIONS.items())[:6]))
    cases = workers.combinations(random.Random(1))
    together = set().union(*(workers.pairs(case) for case in cases))
    for one, first in workers.OPTIONS.items():
        for other, second in workers.OPTIONS.items():
            for value in first:
                for other_value in second:
                    if one != other and workers.fits({one: value, other: other_value}):
                        assert frozenset([(one, value), (other, other_value)]) in together
