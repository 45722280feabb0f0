"""The estimators as they come, beside their peers as they come, on data nobody tunes for.

Every set is scaled as its users would (standardised columns, or pixels in [0, 1]). Labels are drawn
with 1, 2, 5 and 20 for each class, and once by chance, 5 for each class on average and at least
one. Sets that are made are made anew for each draw: the methods are compared on such points, not on
one sample of them. The error is taken on the points without label. Each estimator has its defaults,
the peers of graphlearning the graph of 10 nearest neighbours that docs/digits.md gives them.

The defaults were chosen on other draws of the sets that are not marked, see docs/defaults.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import ttest_rel
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from mavr.arrays import Array
from mavr.commands.bench.sets import LARGE, Labels, Points, draw, file_sets, own_sets
from mavr.commands.bench.timing import Line
from mavr.estimators import BAVRClassifier, LapRLSClassifier, LGCClassifier, MAVRClassifier
from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS
from mavr.settings import GraphSpec

Predict = Callable[[Labels], Labels]  # (n,) labels with -1 for unknown -> (n,) classes

RATES: tuple[int | str, ...] = (1, 2, 5, 20, "5 by chance")
FIRST_SEED = 70_000
DRAWS = 10
# Large sets have fewer draws, and methods of ours whose time grows with n c are left out there.
LARGE_DRAWS = 5
SIGNIFICANT = 0.05
OURS = "MAVR"


@dataclass(frozen=True)
class Result:
    """error : (rates, draws) of each method on one set; rates beyond the set's size are NaN."""

    points: Points
    error: dict[str, Array]


def compare(points: Points, draws: int | None = None, seed: int = FIRST_SEED) -> Result:
    """All methods on the same draws of one set."""
    draws = draws or (LARGE_DRAWS if len(points.y) >= LARGE else DRAWS)
    error: dict[str, Array] = {}
    for d in range(draws):
        shown = points.anew(seed + d)
        if not d or points.make:
            methods = _methods(shown.X)
        for r, rate in enumerate(RATES):
            y = draw(shown.y, rate, seed + d)
            if y is None:
                continue
            rest = y == -1
            for name, predict in methods.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # peers that stop early, and collapses
                    wrong = np.mean(predict(y)[rest] != shown.y[rest])
                error.setdefault(name, np.full((len(RATES), draws), np.nan))[r, d] = wrong
    return Result(points, error)


def _methods(X: Array) -> dict[str, Predict]:
    """Ours and the peers that are there, by name, on the same points."""
    large = len(X) >= LARGE
    ours = {name: make for name, make in OUR_METHODS.items() if not large or name in QUICK}
    made = {name: make(X) for name, make in {**ours, **PEERS}.items()}
    return {name: predict for name, predict in made.items() if predict}


def best_peer(result: Result, r: int) -> tuple[str, float]:
    """The peer with the lowest error at a rate, and the p of ours being worse, 1 if it is not."""
    means = {name: result.error[name][r].mean() for name in PEERS if name in result.error}
    best = min(means, key=lambda name: float(means[name]))
    ours, theirs = result.error[OURS][r], result.error[best][r]
    if not ours.mean() > theirs.mean():
        return best, 1.0
    return best, float(ttest_rel(ours, theirs).pvalue)


def lines(files: Iterable[Path] = (), names: Iterable[str] | None = None) -> Iterable[Line]:
    """The comparison, set by set; names : of the sets that need no file, all if None."""
    known = own_sets()
    unknown = set(names or ()) - {points.name for points in known}
    if unknown:
        listed = ", ".join(points.name for points in known)
        raise ValueError(f"no set is called {min(unknown)}; there are {listed}")
    results = []
    chosen = [points for points in known if names is None or points.name in names]
    for points in [*chosen, *file_sets(files)]:
        results.append(compare(points))
        yield from _set_lines(results[-1])
    ours = overall(results, OURS)
    peers = {name: overall(results, name) for name in PEERS if name in results[0].error}
    yield Line("all sets and rates: MAVR", 100 * ours, "%")
    for name, mean in peers.items():
        yield Line(f"all sets and rates: {name}", 100 * mean, "%")
    p = [best_peer(result, r)[1] for result in results for r in rates_of(result)]
    before, after = int(sum(np.array(p) < SIGNIFICANT)), significant_by_holm(p)
    yield Line(f"cells (†) of {len(p)} where the best peer is better", before, "")
    yield Line("of them after Holm's correction for their number", after, "")
    gap = 100 * (min(peers.values()) - ours)
    yield Line("mean error of the best peer less ours", gap, "%", 0.0)


def _set_lines(result: Result) -> Iterable[Line]:
    for name, error in result.error.items():
        marks = [name == OURS and is_worse(result, r) for r in range(len(RATES))]
        means = zip(error.mean(axis=1), marks, strict=True)
        cells = " / ".join(f"{100 * e:.1f}{'†' if worse else ''}" for e, worse in means)
        yield Line(f"{result.points.title}, {name}: {cells}", 100 * float(np.nanmean(error)), "%")
    for r in rates_of(result):
        best, p = best_peer(result, r)
        yield Line(f"    {RATES[r]}: best peer {best}, p", p, "")


def overall(results: Sequence[Result], name: str) -> float:
    """The mean error over sets and rates, each counted alike."""
    return float(np.nanmean([result.error[name].mean(axis=1) for result in results]))


def rates_of(result: Result) -> list[int]:
    """Places in RATES of those that the set is large enough for."""
    return np.flatnonzero(~np.isnan(result.error[OURS][:, 0])).tolist()


def is_worse(result: Result, r: int) -> bool:
    """Whether the best peer is significantly better than ours at a rate."""
    return best_peer(result, r)[1] < SIGNIFICANT


def significant_by_holm(p: Sequence[float]) -> int:
    """How many of the tests are significant if the chance of a single false one is 5 %.

    Holm (1979): the i-th smallest p must be below 0.05 / (m - i + 1), and all smaller ones as well.

    Examples
    --------
    >>> significant_by_holm([0.04, 0.001, 0.02]), significant_by_holm([0.04, 0.02])
    (3, 2)
    """
    allowed = SIGNIFICANT / np.arange(len(p), 0, -1)
    passed = np.sort(np.asarray(p, dtype=float)) < allowed
    return int(np.logical_and.accumulate(passed).sum())


# Ours


def _fitted(X: Array) -> Predict:
    """MAVR, whose graph depends on the labels."""
    return lambda y: np.asarray(MAVRClassifier().fit(X, y).transduction_)


def _ours(model: Any, X: Array) -> Predict:
    """An estimator with its parameters, the graph made once for all draws."""
    graph = model._graph(X)
    dense = Graph(graph.W.toarray() if graph.sparse else graph.W, graph.kind, graph.power)
    return partial(_predict, model, dense)


def _predict(model: Any, graph: Graph, y: Labels) -> Labels:
    Y = (y[:, None] == np.unique(y[y >= 0])).astype(float)
    return np.asarray(METHODS[model.method].run(graph, Y, model._parameters(graph, Y)).labels)


# Peers


def _scikit_learn(model: Any, X: Array) -> Predict:
    return lambda y: np.asarray(model.fit(X, y).transduction_)


def _self_training(X: Array) -> Predict:
    model = SelfTrainingClassifier(LogisticRegression(max_iter=300))
    return lambda y: np.asarray(model.fit(X, y).predict(X))


def _graphlearning(name: str, X: Array) -> Predict | None:
    try:
        package = import_module("graphlearning")
    except ImportError:
        return None
    W = sp.csr_matrix(graph_of(GraphSpec.of("knn", n_neighbors=10), X).W)
    # On a graph in pieces Poisson's conjugate gradients do not end; its other solver does.
    apart = name == "poisson" and sp.csgraph.connected_components(W, directed=False)[0] > 1
    model = getattr(package.ssl, name)(W, **({"solver": "gradient_descent"} if apart else {}))

    def predict(y: Labels) -> Labels:
        known = np.flatnonzero(y >= 0)
        return np.asarray(model.fit_predict(known, y[known]))

    return predict


OUR_METHODS: dict[str, Callable[[Array], Predict | None]] = {
    OURS: _fitted,
    "LGC": lambda X: _ours(LGCClassifier(), X),
    "BAVR": lambda X: _ours(BAVRClassifier(), X),
    "LapRLS": lambda X: _ours(LapRLSClassifier(), X),
    "MAVR, the paper's setting": lambda X: _ours(MAVRClassifier.paper(), X),
}
QUICK = (OURS, "LGC")
PEERS: dict[str, Callable[[Array], Predict | None]] = {
    "LabelSpreading": partial(_scikit_learn, LabelSpreading()),
    "LabelSpreading, α = 0.99": partial(_scikit_learn, LabelSpreading(alpha=0.99)),
    "LabelPropagation": partial(_scikit_learn, LabelPropagation()),
    "self-training": _self_training,
    "graphlearning, Laplace": partial(_graphlearning, "laplace"),
    "graphlearning, Poisson": partial(_graphlearning, "poisson"),
}
