"""The map of settings: a plane of 48 x 48, two methods, against a plain loop over its cells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from mavr.commands.bench.timing import Line, timed
from mavr.experiments.grid import Axis, Points, answer_cells, cell_setting
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS
from mavr.settings import Setting
from mavr.solvers.spectrum import spectrum_of

SIDE, N, SEED = 48, 300, 43
METHODS_SHOWN = ("mavr", "lgc")
# Lines that are timed beside the plain loop, and cells that the loop does.
EVERY, PLAIN_CELLS = 6, 24
# A first map has so many lines and columns.
COARSE = 12
# Required: so much faster than the loop; seconds on two cores for the first map and for all of it.
FASTER, FIRST_SECONDS, SECONDS = 4.0, 1.0, 10.0


def lines() -> Iterator[Line]:
    """A first map and all of it in two processes; some lines and a plain loop in one."""
    points = _circles()
    x, y = Axis.between("gamma", 1e-2, 1e6, SIDE), Axis.between("sigma", 0.2, 3, SIDE)
    rows = [[{"gamma": a, "sigma": b} for a in x.values] for b in y.values]
    few = slice(SIDE // COARSE // 2, None, SIDE // COARSE)
    with Parallel(n_jobs=2, batch_size=1) as parallel:
        parallel(delayed(_line)(points, rows[-1][:2]) for _ in range(2))
        for some, most in (([row[few] for row in rows[few]], FIRST_SECONDS), (rows, SECONDS)):
            work = [delayed(_line)(points, row) for row in some]
            took, _ = timed(partial(parallel, work))
            what = f"{len(some)} x {len(some[0])}, n = {N}, MAVR and LGC, all layers, two processes"
            yield Line(what, took, "s", most=most)
    with threadpool_limits(limits=1):
        some = rows[::EVERY]
        took, _ = timed(lambda: [answer_cells(points, row, None, METHODS_SHOWN) for row in some])
        ours = took / (len(some) * SIDE)
        rng = np.random.default_rng(SEED)
        cells = [
            row[k]
            for row in some
            for k in rng.choice(SIDE, PLAIN_CELLS // len(some), replace=False)
        ]
        loop, shared = _plain(points, cells)
        balanced = _balanced(points)
    yield Line("per cell, both methods, one process", 1e3 * ours, "ms")
    yield Line("plain loop: graph, decomposition and solve per cell", 1e3 * loop, "ms")
    yield Line("plain loop on decompositions that are there", 1e3 * shared, "ms")
    yield Line("faster than the plain loop", loop / ours, "x", FASTER)
    yield Line("faster than the loop on decompositions that are there", shared / ours, "x")
    ours, shared = balanced
    yield Line("gamma and balance, per cell of MAVR, one process", 1e3 * ours, "ms")
    yield Line("the same one by one on the decomposition", 1e3 * shared, "ms")
    yield Line("faster than one by one", shared / ours, "x")


def _circles() -> Points:
    import datasets

    data = datasets.three_circles(N, seed=SEED)
    assert data.y is not None
    given = np.full(data.n, -1)
    chosen = datasets.draw_labels(data.y, 3, "balanced", SEED)
    given[chosen] = data.y[chosen]
    return Points(data.X, given, data.y)


def _line(points: Points, row: list[dict[str, float]]) -> None:
    with threadpool_limits(limits=1):
        answer_cells(points, row, None, METHODS_SHOWN, unlabelled=True)


def _balanced(points: Points) -> tuple[float, float]:
    """Seconds per cell of a plane with balance: all at once, and some of them one by one."""
    x, y = Axis.between("gamma", 1e-2, 1e6, SIDE), Axis.between("balance", 1e-3, 1e3, SIDE)
    cells = [{"gamma": a, "balance": b} for b in y.values for a in x.values]
    took, _ = timed(partial(answer_cells, points, cells))
    graph, some = graph_of(Setting().graph, points.X), cells[:: len(cells) // (8 * PLAIN_CELLS)]
    spectrum_of(graph)

    def one_by_one() -> None:
        for cell in some:
            METHODS["mavr"].run(graph, points.Y, cell_setting(Setting(), cell, 3)[0].parameters)

    return took / len(cells), timed(one_by_one)[0] / len(some)


def _plain(points: Points, cells: list[dict[str, float]]) -> tuple[float, float]:
    """Seconds per cell, all of it and without the graph and its decomposition."""
    whole = solving = 0.0
    for cell in cells:
        start = time.perf_counter()
        setting = cell_setting(Setting(), cell, points.n_classes)[0]
        graph = graph_of(setting.graph, points.X)
        spectrum_of(graph)
        ready = time.perf_counter()
        for method in METHODS_SHOWN:
            METHODS[method].run(graph, points.Y, setting.parameters)
        end = time.perf_counter()
        whole, solving = whole + end - start, solving + end - ready
    return whole / len(cells), solving / len(cells)
