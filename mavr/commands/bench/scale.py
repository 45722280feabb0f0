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

from mavr.arrays import Array
from mavr.commands.bench import growth, partitions, peers
from mavr.commands.bench.growth import Source
from mavr.commands.bench.timing import Line
from mavr.estimators.automatic import FINE, smoothness, smoothness_by_degree
from mavr.estimators.single import MAVRClassifier
from mavr.graphs.laplacians import Laplacian, laplacian
from mavr.graphs.search import recall, search
from mavr.graphs.similarities import knn_similarity
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.sparse_state import SparseState, prepare

Times = Array

SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
# Points of the graph that is solved in partitions.
PARTED = 100_000
NEIGHBORS = 10
# The named setting: gamma = "degree" with this Laplacian. One label per class asks for as much
# smoothing as there can be, twenty for little. Equally many labels of each class need no balance.
KIND, BALANCE = "unnormalized", 1.0
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
    times, found = _timed(call)
    return float(times[0]), found


def _file(name: str, X: Array, y: npt.NDArray[Any]) -> Iterator[Line]:
    seconds, found = _cpu(lambda: search(X, NEIGHBORS))
    yield Line(f"{name}: neighbours", seconds, "s")
    yield Line(f"{name}: recall of neighbours", recall(X, found[0]), "", LEAST_RECALL)
    W = knn_similarity(X, NEIGHBORS)
    for rate in RATES:
        yield from _compared(f"{name}, {rate} per class", W, y, rate)
    yield from _changes(name, W, peers.one_hot(y, RATES[1], np.random.default_rng(0)))
    W = knn_similarity(X, FINE.n_neighbors, FINE.width)
    for rate in RATES:
        yield from _compared(f"{name}, estimator's graph, {rate} per class", W, y, rate)


def _compared(title: str, W: Any, y: npt.NDArray[Any], rate: int) -> Iterator[Line]:
    """Mean error and seconds of every method over the draws.

    MAVR's error must be the least, and it must be quicker than every peer that is not worse.
    """
    beside = {**peers.PEERS, "Laplace learning": peers.laplace}
    others = {"MAVR, auto": _usual, "MAVR, normalized, gamma = 99": _fixed}
    calls = {"MAVR": _named, **others, **beside}
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
    own = means["MAVR"][0]
    best = min(error for what, (error, _) in means.items() if what != "MAVR")
    equals = [means[what][1] for what in beside if what in means and means[what][0] <= own]
    for what, (error, seconds) in means.items():
        most = {"MAVR": (best, min(equals, default=None))}.get(what, (None, None))
        yield Line(f"{title}: error of {what}", float(error), "%", most=most[0])
        yield Line(f"{title}: {what}", float(seconds), "s", most=most[1])


def _reach(Y: Array) -> tuple[int, int]:
    """Points, and how many are labelled."""
    return len(Y), int(Y.any(axis=1).sum())


def _gamma(W: Any, Y: Array) -> float:
    return smoothness_by_degree(*_reach(Y), float(W.sum()) / len(Y))


def _named(W: Any, Y: Array) -> Array:
    return solve(laplacian(W, KIND), Y, None, _gamma(W, Y), None, BALANCE).H


def _usual(W: Any, Y: Array) -> Array:
    """As `MAVRClassifier()` does."""
    usual = MAVRClassifier()
    Q = laplacian(W, usual.laplacian)
    return solve(Q, Y, None, smoothness(*_reach(Y)), usual.tau, usual.balance).H


def _fixed(W: Any, Y: Array) -> Array:
    return solve(laplacian(W), Y, gamma=99.0, balance=BALANCE).H


def _changes(name: str, W: Any, Y: Array) -> Iterator[Line]:
    """The first solve on a kept state, and a change of gamma and of tau."""
    L, l = laplacian(W), int(Y.any(axis=1).sum())
    settings = {
        "the named setting": (laplacian(W, KIND), _gamma(W, Y)),
        "normalized, gamma = 99": (L, 99.0),
        "normalized squared, gamma = 99": (Laplacian(L, 2), 99.0),
    }
    for what, (Q, gamma) in settings.items():
        for tau in (None, float(np.sqrt(l))):
            title = f"{name}, {what}" + ("" if tau is None else ", tau")
            yield from _change(title, Q, Y, gamma, tau)


def _change(title: str, Q: Any, Y: Array, gamma: float, tau: float | None) -> Iterator[Line]:
    def at(state: SparseState, gamma: float, tau: float | None) -> tuple[Times, Solution]:
        return _timed(partial(solve, state, Y, None, gamma, tau, BALANCE))

    made, state = _timed(lambda: prepare(Q))
    first, s = at(state, gamma, tau)
    first += made
    yield Line(f"{title}: first solve with its state", float(first[0]), "s")
    yield Line(f"{title}: classes left open per 1000", 1e3 * float(s.uncertain.mean()), "")
    changes = {"gamma": at(state, gamma / 3, tau)[0]}
    if tau is not None:
        changes["tau"] = at(state, gamma / 3, tau / 2)[0]
    for what, again in changes.items():
        faster = first / again
        yield Line(f"{title}: a change of {what}", float(again[0]), "s")
        yield Line(f"{title}: a change of {what}, times faster", float(faster[0]), "x", FASTER)
        yield Line(f"{title}: a change of {what}, times faster by the clock", float(faster[1]), "x")
    yield Line(f"{title}: memory of the state", state.nbytes / 1024**2, "MB")


def _timed(call: Callable[[], Any]) -> tuple[Times, Any]:
    """Seconds of the processor and of the clock."""
    start = np.array([time.process_time(), time.perf_counter()])
    found = call()
    return np.array([time.process_time(), time.perf_counter()]) - start, found
