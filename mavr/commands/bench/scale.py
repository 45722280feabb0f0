"""Many points: neighbours, growth with n, and errors and seconds beside the peers.

Points in the plane from a thousand up, then every file with X and y that is given. Times are those
of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.commands.bench import growth, partitions, peers
from mavr.commands.bench.growth import Source
from mavr.commands.bench.timing import Line
from mavr.graphs.laplacians import laplacian
from mavr.graphs.search import recall, search
from mavr.graphs.similarities import knn_similarity
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.sparse_state import SparseState, prepare

Array = npt.NDArray[np.float64]

SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
# Points of the graph that is solved in partitions.
PARTED = 100_000
NEIGHBORS = 10
# The named setting for many points. A norm that does not grow with the labels makes rho do: only
# gamma tau counts, and the more labels there are, the less is smoothed. Equally many labels of
# each class need no balance with this Laplacian. Chosen on draw 100 of MNIST's labels.
KIND, GAMMA, TAU, BALANCE = "unnormalized", 10.0, 1.0, 1.0
# Required of a change of gamma or tau on kept Krylov spaces, and of the neighbours.
FASTER, LEAST_RECALL = 20.0, 0.98
RATES = (1, 5, 20)
DRAWS = 5


def lines(data: Iterable[Path] = (), points: int = 64_000) -> Iterator[Line]:
    """Growth in the plane up to a number of points; tables for each file."""
    yield from growth.lines(Source(), [n for n in SIZES if n <= points])
    if points >= PARTED:
        yield from partitions.lines(PARTED)
    for path in data:
        source = Source(path)
        with np.load(path) as held:
            n = len(held["y"])
        yield from growth.lines(source, [*(m for m in SIZES if m < n), n])
        yield from _file(source.name, *source.points(n))


def _cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def _file(name: str, X: Array, y: npt.NDArray[Any]) -> Iterator[Line]:
    seconds, found = _cpu(lambda: search(X, NEIGHBORS))
    yield Line(f"{name}: neighbours", seconds, "s")
    yield Line(f"{name}: recall of neighbours", recall(X, found[0]), "", LEAST_RECALL)
    W = knn_similarity(X, NEIGHBORS)
    for rate in RATES:
        yield from _compared(f"{name}, {rate} per class", W, y, rate)
    yield from _changes(name, W, peers.one_hot(y, RATES[1], np.random.default_rng(0)))


def _compared(title: str, W: Any, y: npt.NDArray[Any], rate: int) -> Iterator[Line]:
    """Mean error and seconds of every method over the draws; MAVR's error must be the least."""
    others = {"MAVR, normalized, unconstrained": _unconstrained, **peers.PEERS}
    calls = {"MAVR": _named, **others}
    totals: dict[str, list[tuple[float, float]]] = {what: [] for what in calls}
    names = np.unique(y)
    for draw in range(DRAWS):
        Y = peers.one_hot(y, rate, np.random.default_rng(draw))
        rest = ~Y.any(axis=1)
        for what, call in calls.items():
            seconds, H = _cpu(partial(call, W, Y))
            if H is not None:
                error = 100 * float((names[H.argmax(axis=1)] != y)[rest].mean())
                totals[what].append((error, seconds))
    means = {what: np.mean(values, axis=0) for what, values in totals.items() if values}
    best = min(error for what, (error, _) in means.items() if what != "MAVR")
    for what, (error, seconds) in means.items():
        most = best if what == "MAVR" else None
        yield Line(f"{title}: error of {what}", float(error), "%", most=most)
        yield Line(f"{title}: {what}", float(seconds), "s")


def _named(W: Any, Y: Array) -> Array:
    return solve(laplacian(W, KIND), Y, None, GAMMA, TAU, BALANCE).H


def _unconstrained(W: Any, Y: Array) -> Array:
    return solve(laplacian(W), Y, gamma=99.0, balance=BALANCE).H


def _changes(name: str, W: Any, Y: Array) -> Iterator[Line]:
    """The first solve on a kept state, and a change of gamma and of tau."""

    def at(state: SparseState, gamma: float, tau: float | None) -> tuple[float, Solution]:
        return _cpu(partial(solve, state, Y, None, gamma, tau, BALANCE))

    for what, norm in (("gamma", None), ("gamma with tau", TAU)):
        state = prepare(laplacian(W, KIND))
        first, s = at(state, GAMMA, norm)
        again, _ = at(state, GAMMA / 3, norm)
        yield Line(f"{name}: first solve, then a change of {what}", first, "s")
        yield Line(f"{name}: a change of {what}", again, "s")
        yield Line(f"{name}: a change of {what}, times faster", first / again, "x", FASTER)
        yield Line(f"{name}: classes left open per 1000", 1e3 * float(s.uncertain.mean()), "")
    again, _ = at(state, GAMMA / 3, TAU / 2)
    yield Line(f"{name}: a change of tau", again, "s")
    yield Line(f"{name}: a change of tau, times faster", first / again, "x", FASTER)
    yield Line(f"{name}: memory of the state", state.nbytes / 1024**2, "MB")
