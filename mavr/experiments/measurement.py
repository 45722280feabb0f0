"""Runs a benchmark: chooses the candidates, then measures each method with its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from threadpoolctl import threadpool_limits

from mavr.arrays import Array
from mavr.experiments.batch import Case, run_batch, score
from mavr.experiments.benchmark import (
    COMPETITORS,
    FIRST_TUNING,
    LABELLED_SHARE,
    TUNING,
    Benchmark,
    Candidate,
    Panel,
    candidates,
)
from mavr.experiments.source import sampling_seed, true_classes
from mavr.graphs.graph import Graph, graph_of
from mavr.settings import GraphSpec, Parameters

# A sparse similarity of so few points is solved faster as a dense one.
MAX_DENSE = 3000
# A method, its candidate, and the parameters that these mean.
Wanted = tuple[str, Candidate, Parameters]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One method on one sampling; error as everywhere: ties and unreached points are wrong.

    Attributes
    ----------
    data, similarity, n, method, sampling : which one it is.
    scale, tau : the candidate it was measured with.
    error : share of the unlabelled points.
    unreached : number of points.
    """

    data: str
    similarity: str
    n: int
    method: str
    sampling: int
    scale: float
    tau: float
    error: float
    unreached: int

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.scale, self.tau)


@dataclass(frozen=True)
class Trial:
    """A method in a panel with some candidates."""

    panel: Panel
    method: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class BenchmarkTask:
    """One sampling of n points, and what to measure on it."""

    benchmark: Benchmark
    n: int
    sampling: int
    trials: tuple[Trial, ...]


def run_benchmark(benchmark: Benchmark, n_jobs: int | None = None) -> Iterator[Measurement]:
    """Choose the candidates, then measure.

    Parameters
    ----------
    benchmark : what to run.
    n_jobs : processes, as joblib counts them.

    Yields
    ------
    Measurement, as they are finished
    """
    chosen = choose(search(benchmark, n_jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    work = []
    for sampling in range(benchmark.samplings):
        for n in benchmark.n:
            trials = tuple(
                Trial(panel, method, (chosen[panel.similarity, n, method],))
                for panel, method in benchmark.trials()
            )
            work.append(BenchmarkTask(benchmark, n, sampling, trials))
    for rows in parallel(delayed(measure)(task) for task in work):
        yield from rows


def search(benchmark: Benchmark, n_jobs: int | None = None) -> list[Measurement]:
    """Every candidate on the additional samplings."""
    trials = tuple(Trial(p, method, candidates(p, method)) for p, method in benchmark.trials())
    work = [
        BenchmarkTask(benchmark, n, FIRST_TUNING + k, trials)
        for k in range(TUNING)
        for n in benchmark.n
    ]
    found = Parallel(n_jobs=n_jobs)(delayed(measure)(task) for task in work)
    return [row for rows in found for row in rows]


def choose(rows: Iterable[Measurement]) -> dict[tuple[str, int, str], Candidate]:
    """The candidate of least mean error, by (similarity, n, method); of equals the first.

    Errors are summed as whole numbers, so that the order of the rows does not matter.
    """
    total: dict[tuple[str, int, str], dict[Candidate, int]] = {}
    for row in rows:
        at = total.setdefault((row.similarity, row.n, row.method), {})
        at[row.candidate] = at.get(row.candidate, 0) + round(row.error * 1e12)
    return {
        key: min(sorted(at, key=lambda c: (c.scale, c.tau)), key=lambda c: at[c])
        for key, at in total.items()
    }


def measure(task: BenchmarkTask) -> list[Measurement]:
    """All measurements of one sampling; candidates that share a graph share its spectrum."""
    source, seed = task.benchmark.source, sampling_seed(task.benchmark.seed, task.sampling)
    sample = source(seed, n=task.n)
    y = true_classes(source, sample)
    labelled = source.labelled(y, task.n // LABELLED_SHARE, "balanced", seed)
    points, classes = tuple(labelled.tolist()), tuple(y[labelled].tolist())
    graphs = Graphs(sample.X)
    rows = []
    with threadpool_limits(limits=1):
        for spec, wanted in _by_graph(task, graphs):
            cases = [
                Case(COMPETITORS[method].method, points, classes, sample.n_classes, parameters)
                for method, _, parameters in wanted
            ]
            outcomes = run_batch(graphs.of(spec), cases, spectral=len(wanted) > 1)
            for (method, candidate, _), outcome in zip(wanted, outcomes, strict=True):
                result = score(outcome, y, points)
                chosen = (candidate.scale, candidate.tau)
                where = (source.title, spec.similarity, task.n, method, task.sampling)
                rows.append(Measurement(*where, *chosen, result.error, result.unreached))
    return rows


def _by_graph(task: BenchmarkTask, graphs: Graphs) -> list[tuple[GraphSpec, list[Wanted]]]:
    """What is wanted, grouped by the graph it is solved on."""
    groups: dict[GraphSpec, list[Wanted]] = {}
    for trial in task.trials:
        for candidate in trial.candidates:
            unit = graphs.median_distance if trial.panel.relative else 1.0
            changes = dict(COMPETITORS[trial.method].changes)
            changes |= {trial.panel.scale: candidate.scale * unit, "tau": candidate.tau}
            setting = trial.panel.setting.having(**changes)
            wanted = groups.setdefault(setting.graph, [])
            wanted.append((trial.method, candidate, setting.parameters))
    return list(groups.items())


@dataclass(frozen=True, eq=False)
class Graphs:
    """Graphs on the points X : (n, d), dense or sparse."""

    X: Any

    def of(self, spec: GraphSpec) -> Graph:
        """The graph of a spec; one of few points is dense."""
        X = self._dense if spec.about.features else self.X
        return graph_of(spec, X).dense_up_to(MAX_DENSE)

    @cached_property
    def _dense(self) -> Array:
        X = self.X.toarray() if sp.issparse(self.X) else self.X
        return np.asarray(X, dtype=float)

    @cached_property
    def median_distance(self) -> float:
        # Zero only if most points coincide; any positive width will do then.
        return float(np.median(pdist(self._dense))) or 1.0
