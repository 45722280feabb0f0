"""The solver core: (a) against LabelSpreading, (b) against a fresh start, (c) against its two
matrix products, (d) as n grows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from mavr.arrays import Array, Integers
from mavr.commands.bench.timing import Line, best_times
from mavr.commands.reading import data_sets
from mavr.graphs.laplacians import laplacian
from mavr.graphs.similarities import gaussian_similarity, local_scaling_similarity
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import Spectrum, decompose

ALPHA = 0.99
GAMMA = ALPHA / (1 - ALPHA)
# LabelSpreading stops when a step changes less than this. Steps shrink by alpha, so that what is
# left to change is the step / (1 - alpha): 1e-6, as closely as the tests compare the two.
TOLERANCE = 1e-6 * (1 - ALPHA)
DEFAULT_TOLERANCE = 1e-3
# Widths at which the eigenbasis settles every class, and at which it never does.
WIDE, NARROW = 3.0, 0.25
GROWTH = (250, 500, 1000, 2000)


@dataclass(frozen=True)
class Setup:
    """A graph with its labels, one per class drawn with seed 0."""

    W: Array
    y: Integers
    S: Spectrum
    Y: Array

    def resolve(self, spectrum: Spectrum | None = None) -> Solution:
        """MAVR for one setting of labels and parameters; the spectrum is ready if not given."""
        tau = float(np.sqrt(self.Y.sum()))
        return solve(spectrum or self.S, self.Y, gamma=GAMMA, tau=tau)

    def label_spreading(self, tol: float = TOLERANCE) -> LabelSpreading:
        """scikit-learn's LGC on the same W, run to convergence."""
        model = LabelSpreading(kernel=lambda A, B: self.W, alpha=ALPHA, max_iter=1_000_000, tol=tol)
        return model.fit(np.zeros((len(self.W), 1)), self.y)


def _setup(W: Array, classes: Integers) -> Setup:
    rng = np.random.default_rng(0)
    c = int(classes.max()) + 1
    labelled = [int(rng.choice(np.flatnonzero(classes == j))) for j in range(c)]
    y = np.full(len(W), -1)
    y[labelled] = classes[labelled]
    Y = (y[:, None] == np.arange(c)).astype(float)
    return Setup(W, y, decompose(laplacian(W)), Y)


def circles(n: int, sigma: float = 0.5) -> Setup:
    """3circles at the paper's defaults, where the eigenbasis cannot settle every class."""
    data = data_sets().three_circles(n=n, seed=0)
    return _setup(gaussian_similarity(data.X, sigma), np.asarray(data.y))


def digits() -> Setup:
    """scikit-learn's digits with local scaling."""
    X, y = load_digits(return_X_y=True)
    return _setup(local_scaling_similarity(X), y)


def lines() -> list[Line]:
    """Every ratio, from one run."""
    small, large, thousand = circles(300), digits(), circles(1000)
    return [
        *_against_label_spreading("3circles", small, 10.0),
        *_against_label_spreading("digits", large, 1.0),
        *_against_fresh_start("3circles", thousand, 20.0),
        *_against_fresh_start("narrow", circles(1000, NARROW), None),
        *_against_products("3circles", small),
        *_against_products("digits", large),
        *_growth(),
    ]


def _title(letter: str, text: str, name: str, setup: Setup) -> str:
    return f"({letter}) {text}, {name} n = {len(setup.W)}, {setup.resolve().method}"


def _against_label_spreading(name: str, setup: Setup, least: float) -> list[Line]:
    early = partial(setup.label_spreading, DEFAULT_TOLERANCE)
    best = best_times(
        {
            "re-solve": setup.resolve,
            "LabelSpreading": setup.label_spreading,
            "LabelSpreading stopped at its default tol": early,
        }
    )
    title = _title("a", "LabelSpreading / re-solve", name, setup)
    ratio = best["LabelSpreading"] / best["re-solve"]
    return [Line(title, ratio, "x", least), *_milliseconds(best)]


def _against_fresh_start(name: str, setup: Setup, least: float | None) -> list[Line]:
    Q = laplacian(setup.W)
    fresh = "decompose + solve"
    best = best_times({"re-solve": setup.resolve, fresh: lambda: setup.resolve(decompose(Q))})
    title = _title("b", f"{fresh} / re-solve", name, setup)
    return [Line(title, best[fresh] / best["re-solve"], "x", least), *_milliseconds(best)]


def _against_products(name: str, setup: Setup) -> list[Line]:
    V, Y = setup.S.V, setup.Y
    best = best_times({"re-solve": setup.resolve, "two products": lambda: V @ (V.T @ Y)})
    title = _title("c", "re-solve / its two n x n x c products", name, setup)
    ratio = best.pop("re-solve") / best["two products"]
    return [Line(title, ratio, "x"), *_milliseconds(best)]


def _milliseconds(times: Mapping[str, float]) -> list[Line]:
    return [Line(f"    {what}", 1e3 * taken, "ms") for what, taken in times.items()]


def _growth() -> list[Line]:
    found = []
    for name, sigma in (("wide", WIDE), ("narrow", NARROW)):
        setups = {str(n): circles(n, sigma) for n in GROWTH}
        best = best_times({n: setup.resolve for n, setup in setups.items()})
        for n, setup in setups.items():
            found.append(Line(_title("d", "re-solve", name, setup), 1e3 * best[n], "ms"))
        slope = np.polyfit(np.log(GROWTH), np.log([best[str(n)] for n in GROWTH]), 1)[0]
        found.append(Line("    exponent of n", float(slope), ""))
    return found
