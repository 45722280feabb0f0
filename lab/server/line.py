"""Long work outside the server: a few processes, a line before them, errands that can be stopped.

Who asks for what somebody else has asked for shares it. An errand ends when it is done, when all
who asked have let go of it, or when they have left.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

from lab.server import parcel
from lab.server.pool import AWAITED, Workers
from lab.text import FAILURES, remedy

# Errands under way at the same time, each in a process of its own.
LANES = 2
# A process looks so often whether somebody still waits for it.
LOOK_SECONDS = 0.5
DIED = (
    "The process that computed it was ended, probably for want of memory; try fewer points or "
    "fewer neighbours."
)

Work = Callable[[tuple[Any, str]], list[Any]]
# Of the file in which a process leaves the arrays that it found, beside that of its stage.
ARRAYS = ".arrays"


def _parcelled(errand: tuple[Work, Any, str]) -> list[parcel.Parcel]:
    """In a process: the first thing that the work returns, on its way to the server."""
    work, task, note = errand
    return [parcel.packed(work((task, note))[0], note + ARRAYS)]


class Errand:
    """One piece of work; state : waiting, running, done, failed or stopped.

    problem : a sentence where it failed; who : asks whether each who waits is still there.
    """

    def __init__(self, key: Hashable, work: Work, task: Any, take: Callable[[Any], None]) -> None:
        self.key, self.state, self.problem = key, "waiting", ""
        self.who: dict[Hashable, Callable[[], bool]] = {}
        self._work, self._task, self._take = work, task, take
        self._asked = time.monotonic()
        self._ended = threading.Event()
        self._note = ""

    @property
    def over(self) -> bool:
        return self._ended.is_set()

    @property
    def seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self._asked

    @property
    def stage(self) -> str:
        """What it is at, in its own words; empty where it has not said."""
        try:
            return Path(self._note).read_text("utf-8") if self._note else ""
        except OSError:
            return ""

    def wait(self, seconds: float | None = None) -> bool:
        """Until it is over; whether it is."""
        return self._ended.wait(seconds)

    def run(self, lane: Workers) -> None:
        """Have it done in a lane's process; every outcome is a state."""
        handle, self._note = tempfile.mkstemp(prefix="mavr-errand-")
        os.close(handle)
        try:
            future = lane.submit(_parcelled, (self._work, self._task, self._note))
            self._task = None  # not kept twice while it is being worked on
            self._watch(future, lane)
            if self.state == "running":
                self._take(parcel.opened(future.result()[0]))
                self.state = "done"
        except FAILURES as error:
            self._fail(remedy(error))
        except Exception:
            # loky has several ways to say that a process is gone, by itself or by a stop.
            self._fail(DIED)
        finally:
            parcel.discard(self._note)
            parcel.discard(self._note + ARRAYS)
            self._note = ""

    def end(self) -> None:
        """Nothing more comes of it."""
        self._ended.set()

    def _watch(self, future: Future[list[Any]], lane: Workers) -> None:
        while self.state == "running":
            try:
                future.exception(LOOK_SECONDS)
                return
            except TimeoutError:
                if not any(there() for there in list(self.who.values())):
                    self.state = "stopped"
        lane.close()

    def _fail(self, sentence: str) -> None:
        if self.state != "stopped":
            self.state, self.problem = "failed", sentence


class Line:
    """Errands by their keys, first come, first served."""

    def __init__(self, lanes: Sequence[Workers] | None = None) -> None:
        self._lanes = lanes or [Workers(1, AWAITED) for _ in range(LANES)]
        self._free = list(self._lanes)
        self._queue: list[Errand] = []
        self._active: dict[Hashable, Errand] = {}
        self._lock = threading.RLock()

    def ask(
        self,
        key: Hashable,
        work: Work,
        make: Callable[[], Any],
        take: Callable[[Any], None],
        who: Hashable,
        there: Callable[[], bool],
    ) -> Errand:
        """An errand for `work((task, path of a file for its stage))`, or the one already under way.

        make : the task; take : is handed the first thing that the work returns, before it is over.
        who, there : who asks, and whether they are still there.
        """
        with self._lock:
            errand = self._active.get(key)
            if errand is None:
                errand = self._active[key] = Errand(key, work, make(), take)
                self._queue.append(errand)
            errand.who[who] = there
            self._start()
            return errand

    def leave(self, errand: Errand, who: Hashable) -> None:
        """Somebody no longer wants it; it is stopped when nobody does."""
        with self._lock:
            errand.who.pop(who, None)
            if errand.who or errand.over:
                return
            waiting, errand.state = errand.state == "waiting", "stopped"
            self._active.pop(errand.key, None)
            if waiting:
                self._queue.remove(errand)
                errand.end()

    def place(self, errand: Errand) -> int:
        """How many come before it, itself counted; 0 once it is under way."""
        with self._lock:
            return self._queue.index(errand) + 1 if errand in self._queue else 0

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            self._queue.clear()
        for lane in self._lanes:
            lane.close()

    def _start(self) -> None:
        while self._free and self._queue:
            errand, lane = self._queue.pop(0), self._free.pop()
            errand.state = "running"
            args = (errand, lane)
            threading.Thread(target=self._carry_out, args=args, name="errand", daemon=True).start()

    def _carry_out(self, errand: Errand, lane: Workers) -> None:
        try:
            errand.run(lane)
        finally:
            with self._lock:
                if self._active.get(errand.key) is errand:
                    del self._active[errand.key]
                self._free.append(lane)
                self._start()
            errand.end()


@cache
def line() -> Line:
    """The line of this server."""
    return Line()
