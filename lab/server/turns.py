"""One at a time: who computes for a visitor waits until the one before is done.

Threads share the interpreter in slices of some milliseconds: among many, all get slower. One after
the other each is done in its own time, and the last no later. Answers to a moving hand go first.

Streamlit calls `exec_func_with_error_handling` for every run of a script; a test fails when it no
longer does.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from streamlit.runtime.scriptrunner import script_runner

# A turn that lasts longer mostly waits for another process itself: the next one begins beside it.
LONGEST = 0.05
# Nobody waits longer, however many go first.
PATIENCE = 0.25


class Turns:
    """First come, first served, those with `first` before all others."""

    def __init__(self, longest: float = LONGEST, patience: float = PATIENCE) -> None:
        self.longest, self.patience = longest, patience
        self._lock = threading.Lock()
        self._now: threading.Event | None = None
        self._since = 0.0
        self._queues: tuple[deque[threading.Event], ...] = (deque(), deque())

    @contextmanager
    def turn(self, first: bool = False) -> Iterator[None]:
        """What is done within is done when it is one's turn."""
        mine, asked = threading.Event(), time.monotonic()
        queue = self._queues[0 if first else 1]
        with self._lock:
            if self._now is None:
                self._give(mine)
            else:
                queue.append(mine)
        while not mine.wait(self.longest):
            with self._lock:
                now = time.monotonic()
                overdue = now - self._since >= self.longest and self._next() is mine
                if not mine.is_set() and (overdue or now - asked >= self.patience):
                    queue.remove(mine)
                    self._give(mine)
        try:
            yield
        finally:
            with self._lock:
                if self._now is mine:
                    self._now = None
                    if (after := self._next()) is not None:
                        self._queues[0 if self._queues[0] else 1].popleft()
                        self._give(after)

    def _next(self) -> threading.Event | None:
        return next((queue[0] for queue in self._queues if queue), None)

    def _give(self, whose: threading.Event) -> None:
        self._now, self._since = whose, time.monotonic()
        whose.set()


TURNS = Turns()


def take_turns() -> None:
    """Let the runs of all scripts take turns, with each other and with the live channel."""
    runner: Any = script_runner
    run = runner.exec_func_with_error_handling
    if hasattr(run, "in_turn"):
        return

    def in_turn(*args: Any) -> Any:
        with TURNS.turn():
            return run(*args)

    in_turn.in_turn = run  # type: ignore[attr-defined]
    runner.exec_func_with_error_handling = in_turn
