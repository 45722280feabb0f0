"""The six-panel figure: the engine against a plain loop that decomposes for every setting.

Both run in a process of their own with one BLAS thread, and processor time is compared, so that
neither a second core nor a busy machine helps one of them.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mavr.commands.bench.timing import Line
from mavr.commands.reading import data_sets
from mavr.experiments import Sweep, paper_panels, run, sampling_seed
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS

SAMPLINGS = 100
# The plain loop is timed on every tenth sampling.
TENTH = range(0, SAMPLINGS, 10)


def lines() -> list[Line]:
    """The whole figure, 123 settings x 100 samplings x 3 methods."""
    return bench_figure(range(SAMPLINGS), TENTH)


def bench_figure(ours: range, plain: range) -> list[Line]:
    """Time the engine on some samplings and the plain loop on others; both scaled to 100."""
    fast, peak = _in_own_process(by_engine, ours)
    slow, _ = _in_own_process(by_plain_loop, plain)
    fast, slow = (t / len(k) * SAMPLINGS for t, k in ((fast, ours), (slow, plain)))
    return [
        Line("whole figure, 123 x 100 x 3 solves, processor time", fast, "s"),
        Line(f"plain loop, decomposing for every setting ({len(plain)} samplings)", slow, "s"),
        Line("plain loop / engine", slow / fast, "x", 4.0),
        Line("peak memory of the engine's process", peak, "MB"),
    ]


def panels() -> list[Sweep]:
    """The paper's six."""
    return list(paper_panels(data_sets().source("three_circles")).values())


def by_engine(samplings: range) -> list[int]:
    """Wrong points of every solve, by `mavr.experiments`."""
    return [row.n_wrong for row in run(panels(), samplings, n_jobs=1)]


def by_plain_loop(samplings: range) -> list[int]:
    """The same, one setting after the other: points, graph, decomposition, three methods."""
    wrong = []
    for sweep in panels():
        for sampling in samplings:
            for value in sweep.values:
                seed = sampling_seed(sweep.seed, sampling)
                design = sweep.at(value)
                sample = design.sample(seed)
                graph = graph_of(design.setting.graph, sample.X)
                y = np.asarray(sample.y)
                labelled = design.labelled(y, seed)
                Y = np.zeros((len(y), sample.n_classes))
                Y[labelled, y[labelled]] = 1.0
                for method in sweep.methods:
                    solution = METHODS[method].run(graph, Y, design.setting.parameters)
                    right = (solution.labels == y) & ~solution.ties
                    right[labelled] = True
                    wrong.append(int(np.count_nonzero(~right)))
    return wrong


def _in_own_process(work: Callable[[range], object], samplings: range) -> tuple[float, float]:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, samplings))


def _measured(work: Callable[[range], object], samplings: range) -> tuple[float, float]:
    """Processor seconds, and the largest resident size in megabytes."""
    with threadpool_limits(limits=1):
        work(samplings[:1])  # imports and first-time costs
        start = time.process_time()
        work(samplings)
        taken = time.process_time() - start
    return taken, _peak_megabytes()


def _peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux the resource usage of a process begins with its parent's.
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return float(fields["VmHWM"].split()[0]) / 1e3
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
