"""Heavy work of one visitor does not silence the server for the others."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from lab.board.scene import build_graph, scene_of
from lab.board.view import fresh_view
from lab.data import Data
from mavr.arrays import EPS
from mavr.graphs.graph import graph_of
from mavr.settings import GraphSpec
from mavr.solvers import factor as factors
from mavr.solvers.factor import NotDefinite, factor
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import spectrum_of

POINTS = 1400


def longest_silence(work) -> tuple[float, float]:
    """Seconds that work takes, and the longest that another thread waits for the interpreter."""
    gaps, done = [], threading.Event()

    def tick() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.02)
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    done.set()
    thread.join()
    return took, max(gaps)


def test_a_large_graph_leaves_the_interpreter_to_others():
    view = fresh_view(Data("three_circles", (("n", POINTS),), 3))
    scene = scene_of(view, {})

    def work() -> None:
        graph = build_graph(GraphSpec(), scene)
        solve(spectrum_of(graph), scene.Y, tau=1.7)

    with threadpool_limits(1):
        took, silence = longest_silence(work)
    # With SciPy's decomposition it was all of the time.
    assert silence < 0.5 * took


@pytest.mark.parametrize("n", [60, 200])
def test_both_factors_give_the_same_answers(n, monkeypatch):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    structure = spectrum_of(graph_of(GraphSpec(), X)).structure
    B = rng.random((n, 3))
    here = factor(structure, 9.0, 1.0, 1.0)
    monkeypatch.setattr(factors, "MAX_LOCKED", 0)
    free = factor(structure, 9.0, 1.0, 1.0)
    dense = 9.0 * structure.Q + np.eye(n)
    expected = np.linalg.solve(dense, B)
    for found in (here, free):
        np.testing.assert_allclose(found.solve(B), expected, rtol=1e3 * n * EPS)
    with pytest.raises(NotDefinite):
        factors._cholesky(-np.eye(4))


def test_a_graph_that_does_not_fit_is_a_sentence(monkeypatch):
    monkeypatch.setenv("MAVR_MEMORY_MB", "10")
    scene = scene_of(fresh_view(Data("three_circles", (("n", 900),), 3)), {})
    with pytest.raises(ValueError, match="graphs of 900 points take 19 MB of memory"):
        build_graph(GraphSpec(), scene)
    small = scene_of(fresh_view(Data("three_circles", (("n", 90),), 3)), {})
    assert build_graph(GraphSpec(), small).W.shape == (90, 90)
