"""Waiting ends with the condition, or with what was expected."""

import pytest

from inkstate.waiting import wait_for


def test_waiting_returns_what_became_true():
    values = iter([0, None, "", "now"])
    assert wait_for(lambda: next(values), "a value") == "now"


def test_what_does_not_happen_is_told():
    with pytest.raises(AssertionError, match="expected a miracle within 0 s"):
        wait_for(lambda: False, "a miracle", seconds=0)
    with pytest.raises(AssertionError, match="expected what is known at the end"):
        wait_for(lambda: False, lambda: "what is known at the end", seconds=0)
