"""What was measured: times of every kind of answer, memory of the server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

# A sweep lasts as long as its samplings do: it is reported, and is no answer to a hand.
NOT_ANSWERS = ("sweep, all samplings",)


@dataclass
class Measured:
    """Times of one stretch by kind, in seconds; how long it was, and what went wrong.

    processor, beside : seconds of a processor that the server used, and that its processes did.
    """

    seconds: float = 0.0
    processor: float = 0.0
    beside: float = 0.0
    actions: int = 0
    times: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def add(self, times: list[tuple[str, float]]) -> None:
        self.actions += 1
        for kind, took in times:
            self.times.setdefault(kind, []).append(took)

    @property
    def answers(self) -> list[float]:
        """Every answer to a hand."""
        return [t for kind, some in self.times.items() if kind not in NOT_ANSWERS for t in some]

    @property
    def p95(self) -> float:
        return float(np.percentile(self.answers or [np.nan], 95))

    def lines(self) -> Iterator[str]:
        """A table."""
        yield f"{'answer':<24}{'number':>8}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}"
        for kind, some in [*sorted(self.times.items()), ("all answers", self.answers)]:
            if some:
                p50, p95 = 1000 * np.percentile(some, [50, 95])
                yield f"{kind:<24}{len(some):>8}{p50:>9.0f}{p95:>9.0f}{1000 * max(some):>9.0f}"
        rate = self.actions / self.seconds if self.seconds else 0.0
        yield f"{self.actions} actions, {rate:.1f} a second; {len(self.errors)} errors"
        if self.actions and self.processor:
            each, share = 1000 * self.processor / self.actions, self.processor / self.seconds
            yield f"server: {share:.0%} of a core, {each:.0f} ms of it an action"
            yield f"processes beside it: {self.beside / self.seconds:.0%} of a core"
        for error in sorted(set(self.errors))[:5]:
            yield f"  error, {self.errors.count(error)} times: {error}"


def resident(process: int) -> float:
    """Megabytes that a process holds; not a number where the system does not say."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def processor_seconds(process: int) -> float:
    """Seconds of a processor that a process has used; not a number where the system is silent."""
    try:
        user, system = _status(process)[11:13]
    except OSError:
        return float("nan")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def processor_seconds_beside(process: int) -> float:
    """The same for all processes that a process has started, those that have ended included."""
    parents, ended = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            status = _status(int(path.name))
            parents[int(path.name)] = int(status[1])
            ended[int(path.name)] = (int(status[13]) + int(status[14])) / os.sysconf("SC_CLK_TCK")
    found, below = ended.get(process, 0.0), {process}
    while below := {child for child, parent in parents.items() if parent in below}:
        found += sum(processor_seconds(child) + ended[child] for child in below)
    return found


def _status(process: int) -> list[str]:
    """Fields of /proc/…/stat behind the name, the state first."""
    text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    return text.rpartition(")")[2].split()
