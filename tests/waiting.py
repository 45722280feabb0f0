"""For tests of jobs in the background."""

from __future__ import annotations

import time


def wait_for(condition, seconds: float = 270.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.01)


def key(row):
    return (row.value, row.method, row.sampling)
