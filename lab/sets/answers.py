"""From a view to label sets: responses with P and with I, thresholds, what is undecided.

No Streamlit here.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler

from datasets import Dataset
from datasets.model import plane
from lab.board.view import fitted
from lab.cache import CACHE
from lab.sets.labels import Signs, given, signs
from lab.sets.scores import curves, ranking_loss, scores
from lab.sets.view import LabelView, preset, source_of
from mavr import multilabel
from mavr.arrays import Array, Mask
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity_of
from mavr.methods import prior_of
from mavr.multilabel import THRESHOLDS, co_occurrence
from mavr.settings import GraphSpec, Parameters, norm
from mavr.solvers.leave_one_out import left_out
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import spectrum_of

GRID = 201
NAMES = {"co-occurrence": "Learned P", "own": "Your own P"}
IDENTITY = "P = I"


@dataclass(frozen=True, eq=False)
class Answer:
    """Label sets with one P; T : (c,); has, undecided : (n, c), none where a point is unreached.

    An entry is undecided if its response is nearer to the threshold than its error bound.
    """

    title: str
    P: Array
    solution: Solution
    T: Array
    has: Mask
    undecided: Mask
    seconds: float
    scores: dict[str, float] | None

    def wrong(self, truth: Signs) -> Mask:
        """(n,) points whose label set is not the true one, as far as that is known."""
        return np.asarray(((truth != 0) & ((truth > 0) != self.has)).any(axis=1))

    @property
    def n_undecided(self) -> int:
        return int(self.undecided.any(axis=1).sum())

    @property
    def n_unreached(self) -> int:
        return int(self.solution.unreached.sum())


@dataclass(frozen=True, eq=False)
class Result:
    """What the board shows; answers : with P and with I, none where nothing is labelled."""

    data: Dataset
    given: Signs
    places: Array
    answers: tuple[Answer, ...]

    @property
    def P(self) -> Array:
        return self.answers[0].P


def graph_key(view: LabelView) -> tuple[Any, ...]:
    """Which graph: the points and how they are joined."""
    return ("label set graph", view.data, view.standardise, view.setting.graph.key)


def compute(view: LabelView, files: Mapping[str, Dataset]) -> Result:
    """Label sets with the view's P and with P = I."""
    data = source_of(view, files)
    graph = CACHE.get(
        graph_key(view), lambda: build_graph(view.setting.graph, features(view, data))
    )
    places = CACHE.get(("places", view.data, view.standardise), lambda: _places(view, data))
    Y = given(data, view.labels)
    if not Y.any():
        return Result(data, Y, places, ())
    P = relation(view, Y.astype(float))
    both = tuple(answer(view, graph, data, Y, p) for p in (P, np.eye(len(P))))
    return Result(data, Y, places, both)


def features(view: LabelView, data: Dataset) -> Any:
    """What the graph is made of."""
    return standardised(data.X) if view.standardise else data.X


def build_graph(spec: GraphSpec, X: Any) -> Graph:
    """The graph of points with features X, decomposed."""
    W = similarity_of(spec, X)
    dense = W.toarray() if hasattr(W, "toarray") else W
    graph = Graph(dense, spec.laplacian, spec.power, spec.self_loops)
    spectrum_of(graph)
    return graph


def _places(view: LabelView, data: Dataset) -> Array:
    """(n, 2) where the points are drawn, in the features that the graph is made of."""
    if data.X.shape[1] <= 2:
        return data.points
    found = plane(standardised(data.X)) if view.standardise else data.points
    # Main axes have no common unit: both fill the panel.
    return standardised(found)


def standardised(X: Any) -> Array:
    """Every feature with mean 0 and variance 1; one that never varies is 0."""
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    return np.asarray(StandardScaler().fit_transform(dense))


def relation(view: LabelView, Y: Array) -> Array:
    """P of the view for the labels Y; an own P of another size is none."""
    c, own = Y.shape[1], view.setting.parameters.P
    if view.relation == "own" and own is not None and len(own) == c:
        return np.array(own)
    return co_occurrence(Y, view.strength)


def parameters(view: LabelView, c: int) -> Parameters:
    """Those of the view, proportions for c labels."""
    p = view.setting.parameters
    return replace(p, class_prior=fitted(p.class_prior, c))


def asked(data: Dataset, Y: Signs) -> Mask:
    """(n,) points that are judged: nothing is given, and all their labels are known."""
    return ~Y.any(axis=1) & (signs(data) != 0).all(axis=1)


def answer(view: LabelView, graph: Graph, data: Dataset, given: Signs, P: Array) -> Answer:
    """Solve, find the thresholds, judge. `given` must hold a label."""
    Y = given.astype(float)
    labelled = Y.any(axis=1)
    p = parameters(view, Y.shape[1])
    start = time.perf_counter()
    tau = norm(p.tau, int(labelled.sum()))
    solution = solve(spectrum_of(graph), Y, P, p.gamma, tau, p.balance, prior_of(p, Y))
    seconds = time.perf_counter() - start
    T = thresholds(view, graph, solution, Y, P)
    reached = ~solution.unreached[:, None]
    far = np.abs(solution.H - T) > solution.error_bound[:, None]
    has = (T <= solution.H) & reached
    judged = asked(data, given)
    found = None
    if judged.any():
        truth = signs(data)[judged] > 0
        found = scores(margins(solution, T)[judged], solution.H[judged], truth)
    identity = bool((np.eye(len(P)) == P).all())
    title = IDENTITY if identity else NAMES[view.relation]
    return Answer(title, P, solution, T, has, ~far & reached, seconds, found)


def thresholds(
    view: LabelView, graph: Graph, solution: Solution, Y: Array, P: Array
) -> npt.NDArray[np.float64]:
    """(c,) as the rule says; labelled points are judged without their own labels."""
    c = Y.shape[1]
    if view.rule == "preset":
        return preset(view, c)
    p, labelled = parameters(view, c), Y.any(axis=1)
    rest = ~labelled & ~solution.unreached
    rest = rest if rest.any() else labelled
    held_out = left_out(spectrum_of(graph), solution, Y, P, p.gamma, p.balance, prior_of(p, Y))
    return THRESHOLDS[view.rule](held_out, Y[labelled], solution.H[rest], view.per_label)


def margins(solution: Solution, T: Array) -> Array:
    """H - T, with -inf where no label reaches: such a point gets none."""
    return np.where(solution.unreached[:, None], -np.inf, solution.H - T)


@dataclass(frozen=True, eq=False)
class Curves:
    """x : thresholds, or shifts of thresholds that differ between the labels; now : the one in
    use; values : a curve per measure."""

    x: Array
    now: float
    shifted: bool
    values: dict[str, Array]


def metric_curves(a: Answer, data: Dataset, given: Signs) -> Curves | None:
    """The measures over the threshold; None where there is nothing to judge."""
    judged = asked(data, given)
    if not judged.any():
        return None
    shifted = len(np.unique(a.T)) > 1
    base = a.T if shifted else np.zeros_like(a.T)
    M = margins(a.solution, base)[judged]
    now = 0.0 if shifted else float(a.T[0])
    finite = M[np.isfinite(M)]
    ends = [*(np.quantile(finite, (0.005, 0.995)) if len(finite) else ()), now]
    ends = [e for e in ends if np.isfinite(e)] or [0.0]
    low, high = min(ends), max(ends)
    pad = 0.04 * (high - low) or 1.0
    x = np.linspace(low - pad, high + pad, GRID)
    x = np.unique(np.append(x, now)) if np.isfinite(now) else x
    truth = signs(data)[judged] > 0
    values = curves(M, truth, x)
    values["ranking"] = np.full(len(x), ranking_loss(a.solution.H[judged], truth))
    return Curves(x, now, shifted, values)


def reach(answers: Sequence[Answer], given: Signs) -> float:
    """Half the range of the threshold slider: 1, 2 or 5 times a power of ten above all responses
    of points without labels, so that it rarely changes."""
    rest = ~given.any(axis=1)
    sizes = [np.abs(a.solution.H[rest]).max() for a in answers if rest.any()]
    most = max([float(s) for s in sizes if s > 0], default=1.0)
    power = 10.0 ** np.floor(np.log10(most))
    return float(next(k * power for k in (1, 2, 5, 10) if k * power >= most))


def unseen_sets(a: Answer, given: Signs) -> dict[tuple[int, ...], int]:
    """Predicted label sets that no labelled point has, and how often, the most frequent first.

    The empty set, which few would call one, is left out.
    """
    full = (multilabel.known(given.astype(float)) != 0).all(axis=1)
    seen = {tuple(np.flatnonzero(row > 0).tolist()) for row in given[full]}
    rest = ~given.any(axis=1) & ~a.undecided.any(axis=1)
    found = Counter(tuple(np.flatnonzero(row).tolist()) for row in a.has[rest])
    return {labels: k for labels, k in found.most_common() if labels and labels not in seen}
