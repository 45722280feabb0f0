"""Runs sweeps: rows as they are finished, the same whatever the split of the work.

The unit of work is one sampling of one or more sweeps. Sweeps over labels, gamma and tau that share
their points are one unit, with one graph and one decomposition between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from mavr.experiments.batch import Case, Outcome, run_batch
from mavr.experiments.sweep import ON_ONE_GRAPH, Draw, Sweep, draw, draw_labels, sampling_seed


@dataclass(frozen=True, slots=True)
class Row:
    """One method on one sampling at one value of the factor.

    error : n_wrong / n_unlabelled, a tied point counting as wrong; ties, unreached : how many of
    the unlabelled points; rho : its
    mean over the classes for BAVR; seed : of the points and labels of this sampling.
    """

    factor: str
    value: float
    method: str
    sampling: int
    error: float
    n_wrong: int
    n_unlabelled: int
    ties: int
    unreached: int
    rho: float
    seed: int


@dataclass(frozen=True)
class Task:
    """One sampling of sweeps; those over labels, gamma and tau share their graph."""

    sweeps: tuple[Sweep, ...]
    sampling: int


def run(
    sweep: Sweep | Sequence[Sweep],
    samplings: Iterable[int] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Row]:
    """Rows of one or more sweeps as they are finished, in any order.

    samplings : which ones, all of the sweep by default; `range(5, 100)` resumes after five.
    n_jobs : processes, as joblib counts them. Within `joblib.parallel_config(backend="dask")` the
    same call runs on that cluster.

    >>> from mavr.experiments import Sweep, run
    >>> rows = list(run(Sweep("gamma", (1.0, 99.0), methods=("lgc", "mavr"), samplings=2)))
    >>> len(rows), sorted({row.sampling for row in rows})
    (8, [0, 1])
    """
    work = tasks([sweep] if isinstance(sweep, Sweep) else sweep, samplings)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for rows in parallel(delayed(run_task)(task) for task in work):
        yield from rows


def tasks(sweeps: Sequence[Sweep], samplings: Iterable[int] | None = None) -> list[Task]:
    """Units of work, every sweep's first sampling before any second one."""
    groups = [
        tuple(group) for _, group in groupby(sorted(sweeps, key=_points_key), key=_points_key)
    ]
    # The quick ones first: what can be seen early is seen early.
    groups.sort(key=lambda group: sum(len(sweep.values) for sweep in group))
    chosen = None if samplings is None else sorted(set(samplings))
    if chosen and chosen[0] < 0:
        raise ValueError(f"samplings must be >= 0, got {chosen[0]}")
    last = max((sweep.samplings for sweep in sweeps), default=0)
    found = []
    for k in range(last) if chosen is None else chosen:
        for group in groups:
            # A sampling beyond what a sweep asks for is no part of it.
            wanted = tuple(sweep for sweep in group if k < sweep.samplings)
            found += [Task(wanted, k)] if wanted else []
    return found


def _points_key(sweep: Sweep) -> tuple[str, ...]:
    """Equal for sweeps that see the same graph throughout; others stand alone."""
    if sweep.factor in ON_ONE_GRAPH:
        return ("", repr(sweep.design.graph_key), str(sweep.seed))
    return (sweep.factor, repr(sweep))


def run_task(task: Task) -> list[Row]:
    """All rows of one unit of work."""

    rows: list[Row] = []
    # Processes fill the cores, and one thread gives the same rounding everywhere.
    with threadpool_limits(limits=1):
        if task.sweeps[0].factor in ON_ONE_GRAPH:
            places = [(sweep, value) for sweep in task.sweeps for value in sweep.values]
            return _on_one_graph(places, task.sampling, spectral=True)
        for sweep in task.sweeps:
            for value in sweep.values:
                rows += _on_one_graph([(sweep, value)], task.sampling, spectral=False)
    return rows


def _on_one_graph(
    places: Sequence[tuple[Sweep, float]], sampling: int, spectral: bool
) -> list[Row]:
    """Rows of settings that share their points.

    What else is in the batch does not matter: it gives a class only where its error bound settles
    it, and asks the general solver, case by case, for the rest.
    """
    first, value = places[0]
    seed = sampling_seed(first.seed, sampling)
    drawn = draw(first.at(value), seed)
    cases, where = [], []
    for sweep, value in places:
        design = sweep.at(value)
        labelled = draw_labels(design, drawn.y, seed)
        if not len(labelled):
            raise ValueError(f"n_labelled must be >= 1, got {design.n_labelled}")
        points, classes = tuple(labelled.tolist()), tuple(drawn.y[labelled].tolist())
        for method in sweep.methods:
            cases.append(
                Case(method, points, classes, drawn.data.n_classes, design.parameters(len(points)))
            )
            where.append((sweep.factor, value, method))
    outcomes = run_batch(drawn.graph, cases, spectral)
    return [
        _row(*place, sampling, seed, drawn, case, outcome)
        for place, case, outcome in zip(where, cases, outcomes, strict=True)
    ]


def _row(
    factor: str,
    value: float,
    method: str,
    sampling: int,
    seed: int,
    drawn: Draw,
    case: Case,
    outcome: Outcome,
) -> Row:
    # A point whose class nobody knows is neither right nor wrong.
    counted = drawn.y >= 0
    counted[list(case.labelled)] = False
    # An undecided point is not right.
    wrong = int(np.count_nonzero(((outcome.labels != drawn.y) | outcome.ties) & counted))
    total = int(np.count_nonzero(counted))
    return Row(
        factor=factor,
        value=value,
        method=method,
        sampling=sampling,
        error=wrong / total if total else 0.0,
        n_wrong=wrong,
        n_unlabelled=total,
        ties=int(np.count_nonzero(outcome.ties & counted)),
        unreached=int(np.count_nonzero(outcome.unreached & counted)),
        rho=outcome.rho,
        seed=seed,
    )
