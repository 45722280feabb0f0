"""From a view to its points, its graph and the cells between the points. No Streamlit here.

Arrays named `full` have one entry per point that ever was, deleted ones included; the solver sees
only those alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from datasets import Dataset, draw_labels
from lab.board import shelf
from lab.board.frame import bounds_of, holding
from lab.board.marks import Marks
from lab.board.view import View
from lab.cache import CACHE, fitting
from lab.data import load
from mavr.arrays import Array
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity_of
from mavr.settings import GraphSpec
from mavr.solvers.sparse_state import state_of

# Up to here a dense graph can be decomposed while somebody waits.
MAX_DENSE = 3000
MAX_SOLVED_DENSE = 1500
# Similarities known to be dense before they are made, and the matrices of such a graph: W, Q and
# the eigenvectors.
DENSE, DENSE_COPIES = ("gaussian", "local_scaling"), 3
# Of a sparse graph per point and neighbour: an edge is in W and Q, mostly twice, and in the levels
# of a multigrid.
SPARSE_BYTES = 60
# Cells along a side of the shaded square; fewer while a hand moves.
GRID, COARSE_GRID = 110, 44
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
    def labels(self) -> npt.NDArray[np.int16]:
        """(N,) given class, -1 where there is none."""
        full = np.full(len(self.points), -1, dtype=np.int16)
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
        """x0, x1, y0, y1 of what shows all points.

        Painting does not move the frame of the data set itself until a point leaves it.
        """
        bounds = bounds_of(self.data.points)
        painted = self.paintable and self.marks.painted
        return holding(bounds, self.points[self.alive]) if painted else bounds


def scene_of(view: View, uploads: Mapping[str, Dataset]) -> Scene:
    """The points of a view. Raises DataError where its file is missing."""
    return compose(load(view.data, uploads), view.marks)


def compose(data: Dataset, marks: Marks) -> Scene:
    """Apply marks that may come from a link: what does not fit the data is left out."""
    points = np.array(data.points)
    truth = None if data.y is None else np.array(data.y)
    extra = tuple(f"new {k + 1}" if marks.extra > 1 else "new" for k in range(marks.extra))
    alive = np.ones(data.n, dtype=bool)
    plain = Scene(data, marks, points, truth, alive, data.class_names + extra)
    return _painted(plain) if plain.paintable and marks.painted else plain


def _painted(plain: Scene) -> Scene:
    """With what was moved, added and deleted."""
    marks, points, truth, alive = plain.marks, plain.points, plain.truth, plain.alive
    for i, x, y in marks.moved:
        if i < len(points):
            points[i] = x, y
    if marks.added:
        points = np.vstack([points, [(x, y) for x, y, _ in marks.added]])
        alive = np.append(alive, np.ones(len(marks.added), dtype=bool))
        if truth is not None:
            classes = [j if j < plain.n_classes else -1 for _, _, j in marks.added]
            truth = np.append(truth, classes)
    gone = [i for i in marks.deleted if i < len(points)]
    if len(gone) < alive.sum() - 2:
        alive[gone] = False
    return replace(plain, points=points, truth=truth, alive=alive)


def drawn_labels(
    scene: Scene, count: int, how: str, seed: int, withheld: Iterable[int] = ()
) -> tuple[tuple[int, int], ...]:
    """Labels drawn at random where the true classes are known. Raises DataError."""
    assert scene.truth is not None
    y = np.where(scene.alive, scene.truth, -1)
    return tuple((int(i), int(y[i])) for i in draw_labels(y, count, how, seed, withheld))


def graph_key(view: View) -> tuple[Any, ...]:
    """Which graph: the points and how they are joined."""
    return ("graph", view.data, view.marks.places, view.setting.graph.key)


def suited(view: View, n: int) -> View:
    """The view with a sparse graph where its own would be dense and the points are many."""
    if n <= MAX_DENSE or view.setting.graph.similarity not in DENSE:
        return view
    return replace(view, setting=view.setting.having(similarity="knn"))


def graph(view: View, scene: Scene) -> Graph:
    """The graph of the points alive, ready to be solved; cached."""
    return CACHE.get(graph_key(view), lambda: build_graph(view.setting.graph, scene))


def check_size(spec: GraphSpec, n: int) -> None:
    """Raises ValueError, a sentence, where a graph is known to take too much memory."""
    if spec.similarity in DENSE:
        fitting(DENSE_COPIES * 8 * n**2, f"graphs of {n} points")
    elif n > MAX_SOLVED_DENSE:
        k = min(int(spec.arguments.get("n_neighbors", 10)), n)
        fitting(SPARSE_BYTES * k * n, f"graphs of {n} points with {k} neighbours each")


def _nobody(stage: str) -> None:
    """Who is told of stages that nobody waits for."""


def build_graph(spec: GraphSpec, scene: Scene, tell: Callable[[str], None] = _nobody) -> Graph:
    """tell : is told what is being done."""
    n = int(scene.alive.sum())
    check_size(spec, n)
    tell("finding neighbours")

    def make() -> Any:
        return similarity_of(
            spec, scene.X, lambda share: tell(f"finding neighbours, {100 * share:.0f} %")
        )

    W = shelf.kept(spec, scene.X, make) if n > MAX_DENSE else make()
    if sp.issparse(W) and n <= MAX_SOLVED_DENSE:
        W = W.toarray()  # small enough that re-solving from a spectrum beats iterating
    if not sp.issparse(W) and n > MAX_DENSE:
        raise ValueError(
            f"{n} points are too many for this similarity; choose Nearest neighbours, sparse"
        )
    made = Graph(W, spec.laplacian, spec.power, spec.self_loops)
    tell("preparing the graph" if made.sparse else "decomposing the graph")
    state_of(made)
    return made


def shading(view: View, scene: Scene, coarse: bool = False) -> Shading | None:
    """The weights of the cells between the points; cached."""
    if not (view.shade and scene.paintable):
        return None
    side = COARSE_GRID if coarse else GRID
    # Every width of the similarity has the same neighbours.
    around = ("cells", side, view.data, view.marks.places)
    return CACHE.get(
        shading_key(view, side),
        lambda: weighed(view.setting.graph, CACHE.get(around, lambda: find_cells(scene, side))),
    )


def shading_key(view: View, side: int = GRID) -> tuple[Any, ...]:
    """Which cells: the points, how they are joined, and how many cells along a side."""
    return ("shading", side, *graph_key(view)[1:])


@dataclass(frozen=True)
class Plane:
    """The square that is shaded, x0, x1, y0, y1, and its cells along each side."""

    bounds: tuple[float, float, float, float]
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Shading:
    """How much each cell of the plane takes from the points around it."""

    weights: sp.csr_array
    plane: Plane


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a grid, the points nearest to each, and how far these are.

    distance, index : (cells, k); between : (n, k), of the points themselves to their neighbours.
    """

    bounds: tuple[float, float, float, float]
    side: int
    distance: Array
    index: npt.NDArray[np.int32]
    between: Array


def find_cells(scene: Scene, side: int) -> Cells:
    """The grid over the plane; points in more than two dimensions have no plane to shade."""
    X = scene.points[scene.alive]
    x0, x1, y0, y1 = scene.bounds
    # A square that covers a panel of any shape, and a little more for panning.
    half = MARGIN * max(x1 - x0, y1 - y0, 1e-9)
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    bounds = (cx - half, cx + half, cy - half, cy + half)
    # Cell centres, first row on top, as an image is stored.
    xs = np.linspace(bounds[0], bounds[1], 2 * side + 1)[1::2]
    ys = np.linspace(bounds[3], bounds[2], 2 * side + 1)[1::2]
    cells = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    search = NearestNeighbors(n_neighbors=min(SHADE_NEIGHBORS, len(X))).fit(X)
    distance, index = search.kneighbors(cells)
    between = np.asarray(search.kneighbors(X)[0])
    return Cells(bounds, side, distance, index.astype(np.int32), between)


def weighed(spec: GraphSpec, cells: Cells) -> Shading:
    """Weights of the out-of-sample extension p(x) = sum_i w(x, x_i) p_i / sum_i w(x, x_i).

    w is the graph's similarity: its Gaussian, or the self-tuned one with the distance of the cell
    to its k-th neighbour.
    """
    distance, index = cells.distance, cells.index
    k = index.shape[1]
    if spec.similarity == "gaussian":
        exponent = 0.5 * (distance / spec.value("sigma")) ** 2
    else:
        m = min(spec.arguments.get("n_neighbors", k), k) - 1
        own = np.maximum(distance[:, [m]], 1e-12)
        scale = np.maximum(cells.between[:, m], 1e-12)
        exponent = 0.5 * distance**2 / (own * scale[index])
    # Relative to the nearest point: far from all points the nearest still decides.
    weight = np.exp(exponent.min(axis=1, keepdims=True) - exponent)
    starts = np.arange(0, index.size + 1, k, dtype=np.int32)
    shape = (len(index), len(cells.between))
    matrix = sp.csr_array((weight.ravel(), index.ravel(), starts), shape=shape)
    return Shading(matrix, Plane(cells.bounds, (cells.side, cells.side)))


def build_shading(spec: GraphSpec, scene: Scene) -> Shading:
    """The weights of the cells between the points of a scene."""
    return weighed(spec, find_cells(scene, GRID))
