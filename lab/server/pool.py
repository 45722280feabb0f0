"""Worker processes that outlive their crashes, and do not outlive the server.

loky does not say openly whether a pool can still take work: `_flags` is its own, and a test fails
when it is no longer there.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from lab.server.memory import keep_freed_memory

# Interactive pages come first: workers give way to them.
NICENESS = 10
# Where a visitor waits for the outcome, only clicks come first.
AWAITED = 3
WORKERS = max(1, min(4, os.cpu_count() or 1))
# A worker looks so often whether its server is still there.
LOOK_SECONDS = 1.0


def start_worker(server: int, niceness: int = NICENESS) -> None:
    """What a worker process does first."""
    _give_way(niceness)
    keep_freed_memory()
    threading.Thread(target=_end_with, args=(server,), name="server-there", daemon=True).start()


def _give_way(niceness: int) -> None:
    """To the server and to a browser on the same machine.

    Linux weighs whole sessions against each other and heeds a process's niceness only within its
    own (autogroup, sched(7)), so a worker has a session for itself, which is nice as well.
    """
    os.nice(niceness)
    with suppress(OSError, AttributeError):
        os.setsid()
        Path("/proc/self/autogroup").write_text(str(niceness))


def _end_with(server: int) -> None:
    """A server that is killed cannot end its workers: they see that they are orphans."""
    while os.getppid() == server:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


def usable(pool: Any) -> bool:
    """Whether a pool can still take work: a process of it that dies breaks it for good."""
    return not (pool._flags.broken or pool._flags.shutdown)


def _pool(count: int, niceness: int = NICENESS) -> Any:
    return ProcessPoolExecutor(count, initializer=start_worker, initargs=(os.getpid(), niceness))


class Workers:
    """Processes started by the first task and kept; after a crash others take their place.

    ready : whether one has done something, hence has loaded all that it takes.
    """

    def __init__(self, count: int = WORKERS, niceness: int = NICENESS) -> None:
        self.count, self.niceness, self.ready = count, niceness, False
        self._shared: Any = None
        self._alone: set[Any] = set()
        self._lock = threading.Lock()

    def submit(self, work: Callable[[Any], list[Any]], task: Any) -> Future[list[Any]]:
        """`work(task)` in one of the processes."""
        with self._lock:
            if self._shared is None or not usable(self._shared):
                self._shared = _pool(self.count, self.niceness)
            future: Future[list[Any]] = self._shared.submit(work, task)
        future.add_done_callback(self._heard)
        return future

    def _heard(self, future: Future[list[Any]]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.ready = True

    def wake(self, work: Callable[[Any], list[Any]], task: Any) -> list[Future[list[Any]]]:
        """Start the processes where there are none, by the work that each does first."""
        with self._lock:
            awake = self._shared is not None
        return [] if awake else [self.submit(work, task) for _ in range(self.count)]

    def submit_alone(self, work: Callable[[Any], list[Any]], task: Any) -> Future[list[Any]]:
        """`work(task)` in a process of its own: if that dies, nobody else's work does."""
        with self._lock:
            pool = _pool(1, AWAITED)
            self._alone.add(pool)
        future: Future[list[Any]] = pool.submit(work, task)
        future.add_done_callback(lambda _: threading.Thread(target=self._end, args=(pool,)).start())
        return future

    def _end(self, pool: Any) -> None:
        pool.shutdown(wait=True, kill_workers=True)
        with self._lock:
            self._alone.discard(pool)

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            pools = [*self._alone, *([self._shared] if self._shared is not None else [])]
            self._shared = None
        for pool in pools:
            pool.shutdown(wait=True, kill_workers=True)
