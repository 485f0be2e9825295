"""Waits for what has to happen, as long as the slowest machine may need."""

import time

PATIENCE = 60


def wait_for(condition, what, seconds=PATIENCE):
    """Returns what `condition` returns as soon as it is true; `what` says what was expected otherwise."""
    end = time.monotonic() + seconds
    pause = 0.005
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"expected {what() if callable(what) else what} within {seconds} s")
        time.sleep(pause)
        # What takes longer is asked for less often.
        pause = min(1.2 * pause, 0.1)
