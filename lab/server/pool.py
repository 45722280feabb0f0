"""Worker processes that outlive their crashes.

loky does not say openly whether a pool can still take work: `_flags` is its own, and a test fails
when it is no longer there.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from lab.server.memory import keep_freed_memory

# Interactive pages come first: workers give way to them.
NICENESS = 3
WORKERS = max(1, min(4, os.cpu_count() or 1))


def start_worker() -> None:
    """What a worker process does first."""
    os.nice(NICENESS)
    keep_freed_memory()


def usable(pool: Any) -> bool:
    """Whether a pool can still take work: a process of it that dies breaks it for good."""
    return not (pool._flags.broken or pool._flags.shutdown)


class Workers:
    """Processes started by the first task and kept; after a crash others take their place."""

    def __init__(self, count: int = WORKERS) -> None:
        self.count = count
        self._pool: Any = None
        self._lock = threading.Lock()

    def submit(self, work: Callable[[Any], list[Any]], task: Any) -> Future[list[Any]]:
        """`work(task)` in one of the processes."""
        with self._lock:
            if self._pool is None or not usable(self._pool):
                self._pool = ProcessPoolExecutor(self.count, initializer=start_worker)
            return self._pool.submit(work, task)

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, kill_workers=True)
                self._pool = None
