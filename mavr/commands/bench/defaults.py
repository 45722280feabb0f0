"""The estimators as they come, beside their peers as they come, on data nobody tunes for.

Every set is scaled as its users would (standardised columns, or pixels in [0, 1]). Labels are drawn
with 1, 2, 5 and 20 for each class, and once by chance, 5 for each class on average and at
least one. The error is taken on the points without label. Each estimator has its defaults, the
peers of graphlearning the graph of 10 nearest neighbours that docs/digits.md gives them.

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
import numpy.typing as npt
import scipy.sparse as sp
from scipy.stats import ttest_rel
from sklearn import datasets as toys
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from mavr.arrays import Array
from mavr.commands.bench.timing import Line
from mavr.estimators import BAVRClassifier, LapRLSClassifier, LGCClassifier, MAVRClassifier
from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS
from mavr.settings import GraphSpec

Labels = npt.NDArray[np.int_]
Predict = Callable[[Labels], Labels]  # (n,) labels with -1 for unknown -> (n,) classes

RATES: tuple[int | str, ...] = (1, 2, 5, 20, "5 by chance")
FIRST_SEED = 50_000
DRAWS = 10
# Large sets have fewer draws, and methods of ours whose time grows with n c are left out there.
LARGE_DRAWS = 5
LARGE = 1000
SIGNIFICANT = 0.05
OURS = "MAVR"
# Sets that took part in the choice of the defaults, by name or name of file.
CHOSEN_ON = (
    *("digits", "wine", "cancer", "iris", "circles", "moons", "blobs", "usps", "20news_w100"),
    *("zelnik1", "zelnik2", "zelnik3", "zelnik5"),
)


@dataclass(frozen=True)
class Points:
    """A labelled set."""

    name: str
    X: Array
    y: Labels

    @property
    def title(self) -> str:
        return self.name if self.name in CHOSEN_ON else f"{self.name}*"


@dataclass(frozen=True)
class Result:
    """error : (rates, draws) of each method on one set; rates beyond the set's size are NaN."""

    points: Points
    error: dict[str, Array]


def own_sets() -> list[Points]:
    """The sets that need no file."""
    import datasets

    digits = toys.load_digits()
    rows = np.random.default_rng(0).permutation(len(digits.target))[:LARGE]
    found = [Points("digits", digits.data[rows] / 16, digits.target[rows])]
    for name in ("wine", "breast_cancer", "iris"):
        data = getattr(toys, f"load_{name}")()
        X = StandardScaler().fit_transform(data.data)
        found.append(Points(name.removeprefix("breast_"), X, data.target))
    circles = datasets.three_circles(n=300, noise=0.5, seed=0)
    assert circles.y is not None
    found.append(Points("circles", circles.X, circles.y))
    found.append(Points("moons", *toys.make_moons(300, noise=0.1, random_state=0)))
    blobs = toys.make_blobs(600, centers=5, n_features=10, cluster_std=4, random_state=0)[:2]
    found.append(Points("blobs", *blobs))
    # No number of the defaults was set on these.
    rolled = toys.make_classification(
        600, 20, n_informative=6, n_classes=4, class_sep=1.5, random_state=1
    )
    found.append(Points("mixture", *rolled))
    sizes = [300, 100, 35]
    unequal = toys.make_blobs(sizes, n_features=8, cluster_std=4, random_state=3)[:2]
    found.append(Points("unequal", *unequal))
    return found


def file_sets(files: Iterable[Path], most: int | None = LARGE) -> list[Points]:
    """NPZ files with X and y, divided by their largest entry; at most 1000 points by default."""
    from datasets import from_npz

    found = []
    for file in files:
        data = from_npz(file)
        if data.y is None:
            raise ValueError(f"{file.name} has no y, one class a point; this comparison needs it")
        rows = np.random.default_rng(0).permutation(data.n)[:most]
        X = data.X[rows].toarray() if sp.issparse(data.X) else np.asarray(data.X)[rows]
        # In single precision the peers' kernel underflows to a graph without edges.
        X = X.astype(float)
        found.append(Points(file.stem, X / np.abs(X).max(), data.y[rows]))
    return found


def draw(y: Labels, rate: int | str, seed: int) -> Labels | None:
    """(n,) y with -1 for what is not drawn; None if a class is too small."""
    rng = np.random.default_rng(seed)
    places = [rng.permutation(np.flatnonzero(y == j)) for j in np.unique(y)]
    if isinstance(rate, int):
        if min(len(p) for p in places) <= rate:
            return None
        chosen = np.concatenate([p[:rate] for p in places])
    else:
        # One for each class, the others by chance.
        first = np.array([p[0] for p in places])
        rest = rng.permutation(np.setdiff1d(np.arange(len(y)), first))
        chosen = np.concatenate([first, rest[: 4 * len(places)]])
    return np.where(np.isin(np.arange(len(y)), chosen), y, -1)


def compare(points: Points, draws: int | None = None, seed: int = FIRST_SEED) -> Result:
    """All methods on the same draws of one set."""
    large = len(points.y) >= LARGE
    draws = draws or (LARGE_DRAWS if large else DRAWS)
    ours = {name: make for name, make in OUR_METHODS.items() if not large or name in QUICK}
    methods = {name: make(points.X) for name, make in {**ours, **PEERS}.items()}
    error = {name: np.full((len(RATES), draws), np.nan) for name, m in methods.items() if m}
    for r, rate in enumerate(RATES):
        for d in range(draws):
            y = draw(points.y, rate, seed + d)
            if y is None:
                continue
            rest = y == -1
            for name in error:
                predict = methods[name]
                assert predict is not None
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # peers that stop early, and collapses
                    error[name][r, d] = np.mean(predict(y)[rest] != points.y[rest])
    return Result(points, error)


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
