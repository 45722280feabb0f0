"""Runs sweeps: rows as they are finished, the same whatever the split of the work.

The unit of work is one sampling of one or more sweeps. Sweeps over labels and parameters that share
their points are one unit, with one graph and one decomposition between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from mavr.experiments.batch import Case, run_batch, score
from mavr.experiments.design import Sweep, on_one_graph
from mavr.experiments.source import sampling_seed, true_classes
from mavr.graphs.graph import graph_of


@dataclass(frozen=True, slots=True)
class Row:
    """One method on one sampling at one value of the factor.

    Attributes
    ----------
    factor, value, method, sampling : which one it is.
    error : n_wrong / n_unlabelled, a tied point counting as wrong.
    ties, unreached : how many of the unlabelled points.
    rho : the multiplier; its mean over the classes for BAVR.
    seed : of the points and labels of this sampling.
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
    """One sampling of sweeps; those over labels and parameters share their graph."""

    sweeps: tuple[Sweep, ...]
    sampling: int


def run(
    sweep: Sweep | Sequence[Sweep],
    samplings: Iterable[int] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Row]:
    """Run one or more sweeps.

    Parameters
    ----------
    sweep : one, or several.
    samplings : which ones, all of the sweep by default; ``range(5, 100)`` resumes after five.
    n_jobs : processes, as joblib counts them. Within ``joblib.parallel_config(backend="dask")`` the
        same call runs on that cluster.

    Yields
    ------
    Row, as they are finished, in any order

    Examples
    --------
    >>> from mavr.experiments import Design, Sweep, run
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> class TwoPairs:
    ...     title, arguments, draws = "Two pairs", (), {"first": "the first of each"}
    ...
    ...     def __call__(self, seed):
    ...         X = np.array([[0.0], [0.1], [3.0], [3.1]])
    ...         return SimpleNamespace(X=X, y=np.array([0, 0, 1, 1]), n_classes=2)
    ...
    ...     def labelled(self, y, n_labelled, how, seed):
    ...         return np.array([0, 2])
    >>> design = Design(TwoPairs(), n_labelled=2, how="first")
    >>> rows = list(run(Sweep("gamma", (1.0, 99.0), design, ("lgc", "mavr"), samplings=2)))
    >>> len(rows), sorted({row.sampling for row in rows}), max(row.error for row in rows)
    (8, [0, 1], 0.0)
    """
    work = tasks([sweep] if isinstance(sweep, Sweep) else sweep, samplings)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for rows in parallel(delayed(run_task)(task) for task in work):
        yield from rows


def tasks(sweeps: Sequence[Sweep], samplings: Iterable[int] | None = None) -> list[Task]:
    """Units of work.

    Parameters
    ----------
    sweeps : what to run.
    samplings : which ones; all by default.

    Returns
    -------
    list of Task, every sweep's first sampling before any second one
    """
    groups: dict[Hashable, list[Sweep]] = {}
    for sweep in sweeps:
        # Those that see the same graph throughout belong together; others stand alone.
        shared = (sweep.design.graph_key, sweep.seed)
        groups.setdefault(shared if on_one_graph(sweep.factor) else sweep, []).append(sweep)
    # The quick ones first: what can be seen early is seen early.
    quick_first = sorted(groups.values(), key=lambda some: sum(len(s.values) for s in some))
    chosen = None if samplings is None else sorted(set(samplings))
    if chosen and chosen[0] < 0:
        raise ValueError(f"samplings must be >= 0, got {chosen[0]}")
    last = max((sweep.samplings for sweep in sweeps), default=0)
    found = []
    for k in range(last) if chosen is None else chosen:
        for group in quick_first:
            # A sampling beyond what a sweep asks for is no part of it.
            wanted = tuple(sweep for sweep in group if k < sweep.samplings)
            found += [Task(wanted, k)] if wanted else []
    return found


def run_task(task: Task) -> list[Row]:
    """Do one unit of work, one of `tasks`."""
    # Processes fill the cores, and one thread gives the same rounding everywhere.
    with threadpool_limits(limits=1):
        settings = [(sweep, value) for sweep in task.sweeps for value in sweep.values]
        if on_one_graph(task.sweeps[0].factor):
            return _share_graph(settings, task.sampling)
        return [row for one in settings for row in _share_graph([one], task.sampling)]


def _share_graph(settings: Sequence[tuple[Sweep, float]], sampling: int) -> list[Row]:
    """Rows of settings that share their points.

    What else is in the batch does not matter: it gives a class only where its error bound settles
    it, and asks the general solver, case by case, for the rest.
    """
    first, value = settings[0]
    design, seed = first.at(value), sampling_seed(first.seed, sampling)
    sample = design.sample(seed)
    y = true_classes(design.source, sample)
    graph = graph_of(design.setting.graph, sample.X)
    where, cases = [], []
    for sweep, value in settings:
        design = sweep.at(value)
        labelled = design.labelled(y, seed)
        points, classes = tuple(labelled.tolist()), tuple(y[labelled].tolist())
        for method in sweep.methods:
            where.append((sweep.factor, value, method))
            parameters = design.setting.parameters
            cases.append(Case(method, points, classes, sample.n_classes, parameters))
    outcomes = run_batch(graph, cases, spectral=len(settings) > 1)
    rows = []
    for (factor, value, method), case, outcome in zip(where, cases, outcomes, strict=True):
        s = score(outcome, y, case.labelled)
        counts = (s.error, s.n_wrong, s.n_unlabelled, s.ties, s.unreached)
        rows.append(Row(factor, value, method, sampling, *counts, outcome.rho, seed))
    return rows
