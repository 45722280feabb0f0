"""Growth with n: graph, state, solve and re-solve, in time and memory, beside the peers.

Points in the plane from a thousand up, then every file with X and y that is given. Times are those
of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.commands.bench.timing import Line
from mavr.graphs.laplacians import laplacian
from mavr.graphs.search import recall, search
from mavr.graphs.similarities import knn_similarity
from mavr.methods import lgc
from mavr.solvers.solver import solve
from mavr.solvers.sparse_state import prepare

Array = npt.NDArray[np.float64]

SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
NEIGHBORS = 10
# The named setting for many points: balanced, unconstrained, the normalized Laplacian.
GAMMA, BALANCE = 99.0, 1.0
# Required of a change of gamma or tau on kept Krylov spaces, and of classes that stay open.
FASTER, OPEN = 20.0, 1e-3
RATES = (1, 5, 20)
DRAWS = 3


def lines(data: Iterable[Path] = (), points: int = 64_000) -> Iterator[Line]:
    """Growth in the plane up to a number of points; a table for each file."""
    yield from _growth([n for n in SIZES if n <= points])
    for path in data:
        with np.load(path) as held:
            X, y = held["X"].astype(float), held["y"]
        yield from _file(path.stem, X / max(1.0, float(np.abs(X).max())), y)


def _cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def _growth(sizes: list[int]) -> Iterator[Line]:
    taken: dict[str, list[float]] = {}
    for n in sizes:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 2))
        y = (np.arctan2(X[:, 1], X[:, 0]) // (2 * np.pi / 3)).astype(int) + 2
        Y = _labels(y, 3, rng)
        for what, value, unit in _plane(X, Y):
            yield Line(f"plane, n = {n}: {what}", value, unit)
            taken.setdefault(what, []).append(value)
    for what, values in taken.items():
        if len(values) > 2 and min(values) > 0:
            exponent = np.polyfit(np.log(sizes[1:]), np.log(values[1:]), 1)[0]
            yield Line(f"plane: exponent of n, {what}", float(exponent), "")


def _plane(X: Array, Y: Array) -> Iterator[tuple[str, float, str]]:
    seconds, W = _cpu(lambda: knn_similarity(X, NEIGHBORS))
    yield "graph", seconds, "s"
    Q = laplacian(W)
    tau = float(np.sqrt(Y.sum()))
    tracemalloc.start()
    seconds, s = _cpu(lambda: solve(Q, Y, gamma=GAMMA, tau=tau, balance=BALANCE))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield "solve with tau and balance", seconds, "s"
    yield "peak memory of it", peak / 1024**2, "MB"
    yield "classes left open per 1000", 1e3 * float(s.uncertain.mean()), ""
    yield "LGC", _cpu(lambda: lgc(Q, Y))[0], "s"
    yield "LabelSpreading, alpha = 0.99", _cpu(lambda: _spreading(W, Y))[0], "s"


def _labels(y: npt.NDArray[Any], per_class: int, rng: np.random.Generator) -> Array:
    classes = np.unique(y)
    Y = np.zeros((len(y), len(classes)))
    for j, name in enumerate(classes):
        Y[rng.choice(np.flatnonzero(y == name), per_class, replace=False), j] = 1.0
    return Y


def _spreading(W: Any, Y: Array) -> Array:
    """LabelSpreading's iteration, converged: F <- alpha S F + (1 - alpha) Y."""
    S = -laplacian(W)
    S.setdiag(0.0)
    F = Y.copy()
    for _ in range(3000):
        following = 0.99 * (S @ F) + 0.01 * Y
        if np.abs(following - F).max() < 1e-9:
            break
        F = following
    return F


def _poisson(W: Any, Y: Array) -> Array | None:
    """graphlearning's Poisson learning, if it is installed."""
    if find_spec("graphlearning") is None:
        return None
    gl: Any = import_module("graphlearning")
    rows = np.flatnonzero(Y.any(axis=1))
    model = gl.ssl.poisson(W)
    return np.asarray(model.fit(rows, Y[rows].argmax(axis=1)))


def _file(name: str, X: Array, y: npt.NDArray[Any]) -> Iterator[Line]:
    seconds, found = _cpu(lambda: search(X, NEIGHBORS))
    yield Line(f"{name}: neighbours", seconds, "s")
    yield Line(f"{name}: recall of neighbours", recall(X, found[0]), "")
    W = knn_similarity(X, NEIGHBORS)
    names = np.unique(y)
    for rate in RATES:
        totals: dict[str, list[tuple[float, float]]] = {}
        for draw in range(DRAWS):
            Y = _labels(y, rate, np.random.default_rng(draw))
            rest = ~Y.any(axis=1)
            for what, call in _peers(W, Y).items():
                seconds, H = _cpu(call)
                if H is not None:
                    error = 100 * float((names[H.argmax(axis=1)] != y)[rest].mean())
                    totals.setdefault(what, []).append((error, seconds))
        for what, values in totals.items():
            error, seconds = np.mean(values, axis=0)
            yield Line(f"{name}, {rate} per class: error of {what}", float(error), "%")
            yield Line(f"{name}, {rate} per class: {what}", float(seconds), "s")
    yield from _changes(name, W, _labels(y, RATES[1], np.random.default_rng(0)))


def _peers(W: Any, Y: Array) -> dict[str, Callable[[], Array | None]]:
    def ours() -> Array:
        return solve(laplacian(W), Y, gamma=GAMMA, balance=BALANCE).H

    return {
        "MAVR": ours,
        "Poisson": lambda: _poisson(W, Y),
        "LabelSpreading": lambda: _spreading(W, Y),
    }


def _changes(name: str, W: Any, Y: Array) -> Iterator[Line]:
    """The first solve on a kept state, and a change of gamma and of tau."""
    state = prepare(laplacian(W))
    tau = float(np.sqrt(Y.sum()))
    for what, norm in (("gamma", None), ("gamma with tau", tau)):
        first, s = _cpu(partial(solve, state, Y, None, GAMMA, norm, BALANCE))
        again, _ = _cpu(partial(solve, state, Y, None, GAMMA / 3, norm, BALANCE))
        yield Line(f"{name}: a change of {what}", again, "s")
        if norm is None:
            yield Line(f"{name}: faster than the first solve", first / again, "x", FASTER)
        yield Line(f"{name}: classes left open per 1000", 1e3 * float(s.uncertain.mean()), "")
    yield Line(f"{name}: memory of the state", state.nbytes / 1024**2, "MB")
