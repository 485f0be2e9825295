"""Waits for what has to happen, as long as the slowest machine may need."""

import time

PATIENCE = 60


def wait_for(condition, what, seconds=PATIENCE):
    """Returns what `condition` returns as soon as it is true; `what` says what was expected otherwise."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"expected {what() if callable(what) else what} within {seconds} s")
        time.sleep(0.01)
