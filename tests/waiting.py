"""For tests of jobs in the background."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future


def wait_for(condition, seconds: float = 270.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.01)


def key(row):
    return (row.value, row.method, row.sampling)


class Here:
    """Workers that compute in a thread, each task when the test lets it."""

    def __init__(self, allowed: int = 10**6, count: int = 1) -> None:
        self.count = count
        self.gate = threading.Semaphore(allowed)
        self.asked = 0

    def submit(self, work, task):
        self.asked += 1
        future: Future = Future()

        def compute() -> None:
            self.gate.acquire()
            try:
                future.set_result(work(task))
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=compute, daemon=True).start()
        return future
