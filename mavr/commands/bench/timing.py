"""Best-of-k times, taken in turns so that a busy spell of the machine touches all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# A competitor is repeated at least this often, and on until its share of seconds is used up.
MIN_REPEATS = 5
SECONDS = 2.0


def timed(
    call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Seconds that a call takes, and what it returns."""
    start = clock()
    found = call()
    return clock() - start, found


def best_times(
    calls: Mapping[str, Callable[[], object]],
    seconds: float = SECONDS,
    min_repeats: int = MIN_REPEATS,
) -> dict[str, float]:
    """Shortest time of each call in seconds: the one least disturbed."""
    best = dict.fromkeys(calls, float("inf"))
    spent, rounds = 0.0, 0
    while rounds < min_repeats or spent < seconds * len(calls):
        for name, call in calls.items():
            taken, _ = timed(call)
            best[name] = min(best[name], taken)
            spent += taken
        rounds += 1
    return best


@dataclass(frozen=True)
class Line:
    """One line of the table; `least` and `most` are required, None if it is only reported."""

    what: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        low = self.least is None or self.value >= self.least
        return low and (self.most is None or self.value <= self.most)

    def __str__(self) -> str:
        bounds = ((">=", self.least), ("<=", self.most))
        required = ", ".join(f"{sign} {b:g} {self.unit}" for sign, b in bounds if b is not None)
        verdict = "" if not required else ("yes" if self.met else "NO")
        return f"{self.what:<70} {self.value:>9.3g} {self.unit:<2} {required:>12}  {verdict}"
