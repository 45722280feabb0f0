"""Experiments in the background: one job per visitor and request, in a few shared processes.

A job hands out one sampling at a time and waits for it, so that jobs of several visitors take
turns, a stop is heeded after the samplings under way, and the server itself computes nothing, but
what a job wants to show while the processes still load.
Finished samplings are kept for everybody: who asks for the same again has them at once.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from lab.jobs.disk import Disk
from lab.server.pool import Workers

# A full six-panel figure has 37,000 rows, about 8 MB.
MAX_ROWS = 300_000
# A job that nobody has looked at for so long rests, and at once if its visitor has left; what it
# found is kept.
UNWATCHED_SECONDS = 300


class Store(Protocol):
    """Where finished samplings are kept."""

    def get(self, task: Any) -> list[Any] | None:
        """The rows of a task, None if it is not there."""

    def put(self, task: Any, rows: list[Any]) -> None:
        """Keep the rows of a task."""


class Results:
    """Rows of finished samplings, shared by all visitors; the oldest go first.

    disk : where they are kept as well, beyond the life of the server.
    """

    def __init__(self, max_rows: int = MAX_ROWS, disk: Disk | None = None) -> None:
        self.max_rows, self.disk = max_rows, disk
        self._rows: OrderedDict[Hashable, list[Any]] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    def get(self, task: Hashable) -> list[Any] | None:
        with self._lock:
            if task in self._rows:
                self._rows.move_to_end(task)
                return self._rows[task]
        found = None if self.disk is None else self.disk.get(task)
        if found is not None:
            self._keep(task, found)
        return found

    def put(self, task: Hashable, rows: list[Any]) -> None:
        self._keep(task, rows)
        if self.disk is not None:
            self.disk.put(task, rows)

    def _keep(self, task: Hashable, rows: list[Any]) -> None:
        with self._lock:
            if task in self._rows:
                return
            self._rows[task] = rows
            self._count += len(rows)
            while self._count > self.max_rows and len(self._rows) > 1:
                self._count -= len(self._rows.popitem(last=False)[1])


@dataclass(frozen=True)
class Progress:
    """state : running, stopped, done or failed; samplings : finished in every panel."""

    state: str
    samplings: int
    target: int
    share: float
    seconds_left: float | None
    problem: str = ""


class BackgroundJob(ABC):
    """The samplings 0 .. target - 1 of something, computed in the background.

    A task has a hash and a `sampling`; what the tasks are, a subclass says. order : what tells its
    rows apart, in a table of them.
    """

    order: ClassVar[tuple[str, ...]] = ()

    def __init__(self, target: int, workers: Workers, results: Store):
        self.target = target
        self._workers, self._results = workers, results
        self._lock = threading.Lock()
        self._rows: list[Any] = []
        self._done: set[Any] = set()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._problem = ""
        self._once_more: set[Any] = set()
        self._seconds, self._computed = 0.0, 0.0
        self._seen = time.monotonic()
        # Whether the visitor is still connected.
        self.present: Callable[[], bool] = lambda: True

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def watch(self) -> None:
        """Somebody looks: a job that rested because nobody did goes on."""
        resting = not self.running and not self._stop.is_set() and not self._problem
        self._seen = time.monotonic()
        if resting and self.progress().state != "done":
            self.start()

    def start(self, target: int | None = None) -> None:
        """Begin, or go on after a stop, up to `target` samplings."""
        self.target = target or self.target
        self._seen = time.monotonic()
        if self.running and not self._stop.is_set():
            return
        if self._thread is not None:
            self._thread.join()
        self._stop.clear()
        self._problem = ""
        self._take_known()
        self._thread = threading.Thread(target=self._run, name="experiment", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask for a stop; samplings under way are still taken in."""
        self._stop.set()

    def rows(self) -> list[Any]:
        with self._lock:
            return list(self._rows)

    def progress(self) -> Progress:
        wanted = self._tasks()
        with self._lock:
            left = [task for task in wanted if task not in self._done]
        share = 1 - self._size(left) / max(self._size(wanted), 1)
        complete = min((task.sampling for task in left), default=self.target)
        state = "running" if self.running and not self._stop.is_set() else "stopped"
        state = "failed" if self._problem else "done" if not left else state
        seconds = None
        if self._computed and state == "running":
            seconds = self._seconds / self._computed * self._size(left)
        return Progress(state, complete, self.target, share, seconds, self._problem)

    @abstractmethod
    def _tasks(self) -> list[Any]:
        """Everything wanted, in the order of its computation."""

    @abstractmethod
    def _size(self, some: Sequence[Any]) -> float:
        """How long tasks take, in any unit."""

    def _ready(self, task: Any) -> bool:
        """Whether everything that a task builds on is done."""
        return True

    @abstractmethod
    def _work_of(self, task: Any) -> tuple[Callable[[Any], list[Any]], Any]:
        """What a worker does for a task: a function, and what it is called with."""

    def _take_known(self) -> None:
        for task in self._tasks():
            known = self._results.get(task)
            if known is not None:
                self._add(task, known)

    def _add(self, task: Any, rows: list[Any]) -> None:
        with self._lock:
            if task not in self._done:
                self._done.add(task)
                self._rows += rows

    def _run(self) -> None:
        try:
            self._work()
        except ValueError as error:
            # What a visitor can mend: the message says how.
            self._problem = str(error)
        except Exception as error:
            self._problem = f"A worker process ended unexpectedly ({type(error).__name__}). Resume."
        finally:
            self._once_more.clear()

    def _work(self) -> None:
        """Keep the workers busy until everything is done or a stop is asked for."""
        waiting = [task for task in self._tasks() if task not in self._done]
        under_way: dict[Future[list[Any]], Any] = {}
        mark = time.monotonic()
        while under_way or (waiting and not self._resting()):
            if waiting and (rows := self._begin(waiting[0])) is not None:
                self._take(waiting.pop(0), rows)
                continue
            self._hand_out(waiting, under_way)
            if not under_way:
                continue
            finished, _ = wait(under_way, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in finished:
                task = under_way.pop(future)
                rows = self._outcome(future, task, waiting)
                if rows is not None:
                    self._take(task, rows)
            now = time.monotonic()
            self._seconds, mark = self._seconds + now - mark, now

    def _begin(self, task: Any) -> list[Any] | None:
        """The rows of a task that is not to wait for the processes to load; None if it is."""
        return None

    def _take(self, task: Any, rows: list[Any]) -> None:
        """What was computed is kept, for everybody."""
        self._results.put(task, rows)
        self._add(task, rows)
        self._computed += self._size([task])

    def _outcome(
        self, future: Future[list[Any]], task: Any, waiting: list[Any]
    ) -> list[Any] | None:
        """The rows of a task; None if its process died and it is to be done again.

        A process that dies takes along what the others were at, whoever's it was. Each such task is
        done once more in a process of its own: if that dies too, the task is to blame.
        """
        try:
            return future.result()
        except BrokenExecutor:
            if task in self._once_more:
                raise
            self._once_more.add(task)
            waiting.insert(0, task)
            return None

    def _hand_out(self, waiting: list[Any], under_way: dict[Future[list[Any]], Any]) -> None:
        """One task for each worker that has none."""
        while waiting and len(under_way) < self._workers.count and not self._resting():
            task = next((t for t in waiting if self._ready(t)), None)
            if task is None:
                return
            waiting.remove(task)
            known = self._results.get(task)  # another visitor's job may have been first
            if known is not None:
                self._add(task, known)
                continue
            alone = task in self._once_more
            submit = self._workers.submit_alone if alone else self._workers.submit
            under_way[submit(*self._work_of(task))] = task

    def _resting(self) -> bool:
        unwatched = time.monotonic() - self._seen > UNWATCHED_SECONDS
        return self._stop.is_set() or unwatched or not self.present()
