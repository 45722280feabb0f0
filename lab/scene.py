"""From a view to what is drawn: points, graph, responses, colours. No Streamlit here.

Arrays named `full` have one entry per point that ever was, deleted ones included; the solver sees
only those alive.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from datasets import Dataset
from lab.marks import Marks
from lab.view import View
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity
from mavr.methods import METHODS
from mavr.settings import Parameters
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import state_of
from mavr.ties import split_ties as split_ties

Array = npt.NDArray[np.float64]

TIE, UNREACHED, WRONG, DISAGREE = 1, 2, 4, 8
GRID = 110
# Points that decide the shade of a cell; further ones have no visible weight.
SHADE_NEIGHBORS = 12
# Half the side of the shaded square, in units of the larger side of the data.
MARGIN = 0.75


@dataclass(frozen=True, eq=False)
class Scene:
    """A data set with the user's marks applied.

    points : (N, 2); truth : (N,) or None; alive : (N,); names : of all classes, extra ones
    included.
    """

    data: Dataset
    marks: Marks
    points: Array
    truth: npt.NDArray[np.int64] | None
    alive: npt.NDArray[np.bool_]
    names: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        return len(self.names)

    @property
    def paintable(self) -> bool:
        return not self.data.is_sparse and self.data.X.shape[1] == 2

    @cached_property
    def X(self) -> object:
        """Features of the points alive, (n, d)."""
        return self.points[self.alive] if self.paintable else self.data.X[self.alive]

    @cached_property
    def labels(self) -> npt.NDArray[np.int8]:
        """(N,) given class, -1 where there is none."""
        full = np.full(len(self.points), -1, dtype=np.int8)
        for i, j in self.marks.labels:
            if i < len(full) and self.alive[i] and j < self.n_classes:
                full[i] = j
        return full

    @cached_property
    def Y(self) -> Array:
        """(n, c) labels of the points alive."""
        given = self.labels[self.alive]
        Y = np.zeros((len(given), self.n_classes))
        rows = np.flatnonzero(given >= 0)
        Y[rows, given[rows]] = 1.0
        return Y

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """x0, x1, y0, y1 of the data set itself: painting does not move the frame."""
        base = self.data.points
        low, high = base.min(axis=0), base.max(axis=0)
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def compose(data: Dataset, marks: Marks) -> Scene:
    """Apply marks that may come from a link: what does not fit the data is left out."""
    n = data.n
    points = np.array(data.points)
    paintable = not data.is_sparse and data.X.shape[1] == 2
    truth = None if data.y is None else np.array(data.y)
    alive = np.ones(n, dtype=bool)
    if paintable and marks.painted:
        points, truth, alive = _painted(points, truth, alive, marks, data.n_classes + marks.extra)
    extra = tuple(f"new {k + 1}" if marks.extra > 1 else "new" for k in range(marks.extra))
    return Scene(data, marks, points, truth, alive, data.class_names + extra)


def _painted(
    points: Array,
    truth: npt.NDArray[np.int64] | None,
    alive: npt.NDArray[np.bool_],
    marks: Marks,
    n_classes: int,
) -> tuple[Array, npt.NDArray[np.int64] | None, npt.NDArray[np.bool_]]:
    for i, x, y in marks.moved:
        if i < len(points):
            points[i] = x, y
    if marks.added:
        points = np.vstack([points, [(x, y) for x, y, _ in marks.added]])
        alive = np.append(alive, np.ones(len(marks.added), dtype=bool))
        if truth is not None:
            classes = [j if j < n_classes else -1 for _, _, j in marks.added]
            truth = np.append(truth, classes)
    gone = [i for i in marks.deleted if i < len(points)]
    if len(gone) < alive.sum() - 2:
        alive[gone] = False
    return points, truth, alive


def build_graph(view: View, scene: Scene) -> Graph:
    """The graph of the points alive, its spectrum computed: the part that is worth caching."""
    n = int(scene.alive.sum())
    k = min(view.n_neighbors, n - 1)
    W = similarity(view.similarity, scene.X, sigma=view.sigma, n_neighbors=k)
    if sp.issparse(W) and n <= 1500:
        W = W.toarray()  # small enough that re-solving from a spectrum beats iterating
    graph = Graph(W, view.laplacian)
    _ = state_of(graph)
    return graph


@dataclass(frozen=True, eq=False)
class Shading:
    """Cells of a grid over the plane and how much each takes from the points around it."""

    weights: sp.csr_array
    bounds: tuple[float, float, float, float]
    shape: tuple[int, int]


def build_shading(view: View, scene: Scene) -> Shading | None:
    """Weights of the out-of-sample extension p(x) = sum_i w(x, x_i) p_i / sum_i w(x, x_i).

    w is the graph's similarity: its Gaussian, or the self-tuned one with the distance of the cell
    to its k-th neighbour. Points in more than two dimensions have no plane to shade.
    """
    if not scene.paintable:
        return None
    X = scene.points[scene.alive]
    x0, x1, y0, y1 = scene.bounds
    # A square that covers a panel of any shape, and a little more for panning.
    half = MARGIN * max(x1 - x0, y1 - y0, 1e-9)
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    bounds = (cx - half, cx + half, cy - half, cy + half)
    # Cell centres, first row on top, as an image is stored.
    xs = np.linspace(bounds[0], bounds[1], 2 * GRID + 1)[1::2]
    ys = np.linspace(bounds[3], bounds[2], 2 * GRID + 1)[1::2]
    cells = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    k = min(SHADE_NEIGHBORS, len(X))
    search = NearestNeighbors(n_neighbors=k).fit(X)
    distance, index = search.kneighbors(cells)
    if view.similarity == "gaussian":
        exponent = 0.5 * (distance / view.sigma) ** 2
    else:
        m = min(view.n_neighbors, k) - 1
        own = np.maximum(distance[:, [m]], 1e-12)
        scale = np.maximum(search.kneighbors(X)[0][:, m], 1e-12)
        exponent = 0.5 * distance**2 / (own * scale[index])
    # Relative to the nearest point: far from all points the nearest still decides.
    weight = np.exp(exponent.min(axis=1, keepdims=True) - exponent)
    rows = np.repeat(np.arange(len(cells)), k)
    matrix = sp.csr_array((weight.ravel(), (rows, index.ravel())), shape=(len(cells), len(X)))
    return Shading(matrix, bounds, (GRID, GRID))


@dataclass(frozen=True, eq=False)
class Answer:
    """One method's reply; full arrays, pred is -1 where unreached and -2 where deleted."""

    method: str
    title: str
    solution: Solution
    parameters: Parameters
    seconds: float
    pred: npt.NDArray[np.int8]
    confidence: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    H: npt.NDArray[np.float32]
    grid: npt.NDArray[np.int8] | None
    error: float | None
    n_tied: int
    n_unreached: int


def parameters(view: View, n_labelled: int, P: Array, *, right: bool = False) -> Parameters:
    """What a method is run with; tau becomes a number here."""
    own = right and view.own
    factor = view.tau_2 if own else view.tau
    return Parameters(
        gamma=view.gamma_2 if own else view.gamma,
        tau=factor,
        balance=view.balance_2 if own else view.balance,
        P=tuple(tuple(row) for row in P.tolist()),
        lambda_A=view.lambda_A,
        lambda_I=view.lambda_I,
    )


def answer(
    method: str, p: Parameters, graph: Graph, scene: Scene, shading: Shading | None
) -> Answer:
    """Run one method and turn its responses into what the canvas draws."""
    start = time.perf_counter()
    solution = METHODS[method].run(graph, scene.Y, p)
    seconds = time.perf_counter() - start
    return present(method, p, solution, seconds, scene, shading)


def present(
    method: str,
    p: Parameters,
    solution: Solution,
    seconds: float,
    scene: Scene,
    shading: Shading | None,
) -> Answer:
    alive, N = scene.alive, len(scene.alive)
    pred = np.full(N, -2, dtype=np.int8)
    pred[alive] = solution.labels
    confidence = np.zeros(N, dtype=np.uint8)
    confidence[alive] = np.round(255 * relative_margin(solution.H)).astype(np.uint8)
    flags = np.zeros(N, dtype=np.uint8)
    flags[alive] = TIE * solution.ties + UNREACHED * solution.unreached
    error = None
    if scene.truth is not None:
        asked = alive & (scene.labels < 0) & (scene.truth >= 0)
        # An undecided point is not a right answer, whatever class breaks the tie.
        wrong = asked & ((pred != scene.truth) | (flags & TIE > 0))
        flags[wrong] |= WRONG
        error = float(wrong.sum() / asked.sum()) if asked.any() else None
    H = np.zeros((N, scene.n_classes), dtype=np.float32)
    H[alive] = solution.H
    return Answer(
        method=method,
        title=METHODS[method].title,
        solution=solution,
        parameters=p,
        seconds=seconds,
        pred=pred,
        confidence=confidence,
        flags=flags,
        H=H,
        grid=_shade(shading, solution),
        error=error,
        n_tied=int(solution.ties.sum()),
        n_unreached=int(solution.unreached.sum()),
    )


def relative_margin(H: Array) -> Array:
    """(best - second) / (|best| + |second|) of each point, 0..1: the confidence that is shown."""
    if H.shape[1] == 1:
        return np.ones(len(H))
    top = np.partition(H, -2, axis=1)[:, -2:]
    size = np.abs(top).sum(axis=1)
    margin = np.divide(top[:, 1] - top[:, 0], size, out=np.zeros(len(H)), where=size > 0)
    return np.minimum(margin, 1.0)


def _shade(shading: Shading | None, solution: Solution) -> npt.NDArray[np.int8] | None:
    if shading is None:
        return None
    H = np.maximum(solution.H, 0.0)
    # Each point votes with its shares, so that a far point with small responses counts like any.
    # A point whose responses are all negative votes for its class; a tied or unreached one not at
    # all.
    rows = np.arange(len(H))
    negative = (H.sum(axis=1) == 0) & ~solution.unreached
    H[rows[negative], solution.labels[negative]] = 1.0
    total = H.sum(axis=1, keepdims=True)
    share = np.divide(H, total, out=np.zeros_like(H), where=total > 0)
    share[solution.unreached | solution.ties] = 0.0
    vote = shading.weights @ share
    best = vote.argmax(axis=1)
    most = vote[np.arange(len(vote)), best]
    return np.where(most > 0, best, -1).astype(np.int8)


def mark_disagreement(left: Answer, right: Answer) -> int:
    """Flag points that the two methods answer differently; how many there are."""
    differ = (left.pred != right.pred) & (left.pred != -2)
    left.flags[differ] |= DISAGREE
    right.flags[differ] |= DISAGREE
    return int(differ.sum())
