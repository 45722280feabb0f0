"""The job of a benchmark: for each panel and n the search for candidates, then the samplings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lab.jobs.job import BackgroundJob, Results
from lab.server.pool import Workers
from mavr.experiments import Benchmark, Measurement
from mavr.experiments.benchmark import FIRST_TUNING, TUNING, Candidate, candidates
from mavr.experiments.measurement import BenchmarkTask, Trial, choose, measure

# So many samplings of one panel and n come before those of the next: something is seen early.
FIRST = 5
# An additional sampling tries every candidate and takes so many times as long as another one.
SEARCH_COST = 6.0


@dataclass(frozen=True)
class Unit:
    """One sampling of a benchmark with one panel and one n.

    Samplings from FIRST_TUNING on are for choosing the candidates.
    """

    benchmark: Benchmark
    sampling: int

    @property
    def n(self) -> int:
        return self.benchmark.n[0]

    @property
    def tuning(self) -> bool:
        return self.sampling >= FIRST_TUNING


class BenchmarkJob(BackgroundJob):
    """All panels and sizes of a benchmark."""

    order = ("similarity", "n", "method", "sampling")

    def __init__(self, benchmark: Benchmark, target: int, workers: Workers, results: Results):
        self.benchmark = benchmark
        # One for each panel and n, whatever else was asked for: others find its samplings.
        self._apart = [
            replace(benchmark, n=(n,), panels=(panel,), samplings=1)
            for n in benchmark.n
            for panel in benchmark.panels
        ]
        self._chosen: dict[Benchmark, dict[str, Candidate]] = {}
        super().__init__(target, workers, results)

    def rows(self) -> list[Measurement]:
        """Without those that only served the choice."""
        return [row for row in super().rows() if row.sampling < FIRST_TUNING]

    @property
    def searching(self) -> bool:
        """Whether some candidates are still to be chosen."""
        with self._lock:
            return any(unit not in self._done for one in self._apart for unit in _searches(one))

    def _tasks(self) -> list[Unit]:
        first = min(FIRST, self.target)
        early = [
            unit
            for one in self._apart
            for unit in (*_searches(one), *(Unit(one, k) for k in range(first)))
        ]
        late = [Unit(one, k) for k in range(first, self.target) for one in self._apart]
        return early + late

    def _size(self, some: Sequence[Unit]) -> float:
        return sum((SEARCH_COST if u.tuning else 1.0) * u.n**1.5 for u in some)

    def _ready(self, task: Unit) -> bool:
        if task.tuning or task.benchmark in self._chosen:
            return True
        (panel,), (n,) = task.benchmark.panels, task.benchmark.n
        with self._lock:
            if any(unit not in self._done for unit in _searches(task.benchmark)):
                return False
            tried = [
                row
                for row in self._rows
                if row.sampling >= FIRST_TUNING and (row.similarity, row.n) == (panel.similarity, n)
            ]
        found = choose(tried)
        self._chosen[task.benchmark] = {method: c for (_, _, method), c in found.items()}
        return True

    def _work_of(self, task: Unit) -> tuple[Callable[[Any], list[Any]], BenchmarkTask]:
        trials = []
        for panel, method in task.benchmark.trials():
            if task.tuning:
                wanted = candidates(panel, method)
            else:
                wanted = (self._chosen[task.benchmark][method],)
            trials.append(Trial(panel, method, wanted))
        return measure, BenchmarkTask(task.benchmark, task.n, task.sampling, tuple(trials))


def _searches(one: Benchmark) -> list[Unit]:
    return [Unit(one, FIRST_TUNING + k) for k in range(TUNING)]
