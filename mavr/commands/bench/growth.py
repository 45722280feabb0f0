"""Growth with n: seconds and memory of graph, state, solves and peers, with exponents.

Every size is measured in a process of its own, so that the peak of its resident memory is that of
this size. Seconds are those of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array
from mavr.commands.bench import peers
from mavr.commands.bench.timing import Line
from mavr.graphs.laplacians import laplacian
from mavr.graphs.similarities import knn_similarity
from mavr.solvers.solver import solve
from mavr.solvers.sparse_state import prepare

NEIGHBORS = 10
LABELS_PER_CLASS = 5
GAMMA, BALANCE = 99.0, 1.0
# Exponents are fitted to sizes from here on: below, what a call costs at all counts more.
LARGE = 4_000
# Required: memory of any size, and classes that stay open per 1000 points.
MAX_GIB, MAX_OPEN = 16.0, 1.0


@dataclass(frozen=True)
class Stage:
    """What was done, processor seconds of it, and the peak of resident memory up to its end."""

    what: str
    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Source:
    """Points of a file with X and y, n of them; or n points in the plane."""

    path: Path | None = None

    @property
    def name(self) -> str:
        return self.path.stem if self.path else "plane"

    def points(self, n: int) -> tuple[Array, npt.NDArray[Any]]:
        rng = np.random.default_rng(0)
        if self.path is None:
            X = rng.normal(size=(n, 2))
            return X, (np.arctan2(X[:, 1], X[:, 0]) // (2 * np.pi / 3)).astype(int) + 2
        with np.load(self.path) as held:
            chosen = rng.permutation(len(held["y"]))[:n]
            X, y = held["X"][chosen].astype(float), held["y"][chosen]
        return X / max(1.0, float(np.abs(X).max())), y


def lines(source: Source, sizes: list[int]) -> Iterator[Line]:
    """A line for each size and stage, then exponents."""
    taken: dict[str, list[float]] = {}
    for n in sizes:
        stages, left_open = _apart(measure, source, n, tuple(peers.PEERS))
        for stage in stages:
            yield Line(f"{source.name}, n = {n}: {stage.what}", stage.seconds, "s")
            taken.setdefault(stage.what, []).append(stage.seconds)
        peak = max(s.peak_mb for s in stages if s.what not in peers.PEERS)
        taken.setdefault("peak memory", []).append(peak)
        what = f"{source.name}, n = {n}"
        yield Line(f"{what}: peak memory with the points", peak / 1024, "GiB", most=MAX_GIB)
        yield Line(f"{what}: classes left open per 1000", left_open, "", most=MAX_OPEN)
    large = [n for n in sizes if n >= LARGE]
    for what, values in taken.items():
        if len(large) > 1 and len(values) == len(sizes):
            fitted = np.polyfit(np.log(large), np.log(values[-len(large) :]), 1)[0]
            yield Line(f"{source.name}: exponent of n, {what}", float(fitted), "")


def _apart(call: Callable[..., Any], *arguments: Any) -> Any:
    """In a fresh process: memory that another size has taken is not given back."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, *arguments).result()


def measure(source: Source, n: int, beside: tuple[str, ...]) -> tuple[list[Stage], float]:
    """The stages at one size, peers among them, and classes left open per 1000 points."""
    X, y = source.points(n)
    Y = peers.one_hot(y, LABELS_PER_CLASS, np.random.default_rng(1))
    tau = float(np.sqrt(Y.sum()))
    stages: list[Stage] = []

    def timed(what: str, call: Callable[[], Any]) -> Any:
        start = time.process_time()
        found = call()
        if found is not None:
            stages.append(Stage(what, time.process_time() - start, _peak_mb()))
        return found

    W = timed("graph", lambda: knn_similarity(X, NEIGHBORS))
    state = timed("state", lambda: _state(W))
    kept = timed(
        "first solve, tau and balance", partial(solve, state, Y, None, GAMMA, tau, BALANCE)
    )
    timed("another gamma", partial(solve, state, Y, None, GAMMA / 3, tau, BALANCE))
    left_open = 1e3 * float(kept.uncertain.mean())
    del state, kept
    for what in beside:
        timed(what, partial(peers.PEERS[what], W, Y))
    return stages, left_open


def _state(W: Any) -> Any:
    state = prepare(laplacian(W))
    # Made when it is first asked for.
    _ = state.levels
    return state


def _peak_mb() -> float:
    """The most resident memory that this process has had; nan where the system does not say."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: there, a process begins with the peak of the one that started it.
        [peak] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return float(peak.split()[1]) / 1024
    if sys.platform == "win32":
        return float("nan")
    resource: Any = import_module("resource")
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak_bytes) / 1024**2
