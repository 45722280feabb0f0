"""What "auto" means: settings that follow the points and the labels, see docs/defaults.md.

    points            neighbours   width   power of the Laplacian   gamma, times n / l
    shapes, D <= 4    20           0.2     1                        15
    clouds, D > 4     12           0.5     2                        5
    fine clouds       12           0.3     1                        5

D is the dimension of the points. A shape has many neighbours, which count the less the further they
are, so that its outline is followed and nothing is cut off. In a cloud all neighbours are about
equally far, so they count about alike, and a single power lets responses spike at the labels. Some
clouds have fine outlines all the same, images of digits among them: held-out labels tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.arrays import Array, Mask
from mavr.graphs.dimension import intrinsic_dimension
from mavr.graphs.graph import Graph
from mavr.settings import GAMMA
from mavr.solvers.solution import Solution

Labels = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Kind:
    """What "auto" means for points of one kind, chosen by measurement: see docs/defaults.md.

    Attributes
    ----------
    n_neighbors, width : of a self-tuned similarity.
    power : of its Laplacian.
    reach : gamma is so many times n / l.
    """

    n_neighbors: int
    width: float
    power: int
    reach: float


# A fine cloud is a cloud but for its width, so that its graph is made of the same neighbours.
SHAPE, CLOUD, FINE = Kind(20, 0.2, 1, 15.0), Kind(12, 0.5, 2, 5.0), Kind(12, 0.3, 1, 5.0)
# Squares of distances in units of the width, of a fine cloud to those of another.
FINER = (CLOUD.width / FINE.width) ** 2
MOST_DIMENSIONS = 4.0
# More points are taken for a fine cloud, and no proportions are looked for: the answer is quicker,
# and on images better.
MANY_POINTS = 5_000
# Labels for each class without which nothing is held out.
LEAST_LABELS = 2
# So many labels for each class beyond the first make the proportions that are found count half.
HALF_TRUSTED = 2


def kind_of(X: Array) -> tuple[Kind, float | None]:
    """The kind of the points X : (n, d), and their dimension if it was looked at."""
    if len(X) > MANY_POINTS:
        return FINE, None
    dimension = intrinsic_dimension(X)
    return (CLOUD if dimension > MOST_DIMENSIONS else SHAPE), dimension


def finer(graph: Graph) -> Graph:
    """The graph of a cloud as a fine one: weights exp(-r^2 / 2 w^2) of another width w."""
    W = sp.csr_array(graph.W, copy=True)
    W.data **= FINER
    W.eliminate_zeros()
    return Graph(W, graph.kind, FINE.power, graph.self_loops)


def enough_labels(Y: Array) -> bool:
    """Whether labels Y : (n, c) can be held out: two for each class on average."""
    return bool(Y.any(axis=1).sum() >= LEAST_LABELS * Y.shape[1])


def mistakes(Y: Array, answer: Callable[[Array], Labels]) -> Mask:
    """(l,) labelled points whose class is not found without them.

    Every other label of each class is held out, then the rest; the only label of a class stays.

    Y : (n, c) labels; answer : from such labels to (n,) classes.
    """
    labelled = np.flatnonzero(Y.any(axis=1))
    classes = Y[labelled].argmax(axis=1)
    same = classes[:, None] == classes
    turn, alone = np.tril(same, -1).sum(axis=1) % 2, same.sum(axis=1) == 1
    wrong = np.zeros(len(labelled), dtype=bool)
    for half in (0, 1):
        out = (turn == half) & ~alone
        if out.any():
            kept = Y.copy()
            kept[labelled[out]] = 0.0
            wrong[out] = answer(kept)[labelled[out]] != classes[out]
    return wrong


def skill(wrong: Mask, c: int) -> float:
    """Of c equally frequent classes: 1 where none is wrong, 0 where guesses would do as well.

    >>> skill(np.array([False, False, False, True]), 2)
    0.5
    """
    return max(0.0, float(1 - wrong.mean() * c / (c - 1)))


def classes_of(Y: Array) -> Labels:
    """(n,) classes of labels Y : (n, c), -1 without."""
    return np.where(Y.any(axis=1), Y.argmax(axis=1), -1)


def settled_classes(solution: Solution, Y: Array) -> Labels:
    """(n,) classes of labels Y : (n, c) and else of an answer, -1 where that is not decided."""
    decided = ~(solution.ties | solution.unreached)
    return np.where(Y.any(axis=1), Y.argmax(axis=1), np.where(decided, solution.labels, -1))


def found_proportions(solution: Solution, Y: Array, missed: Callable[[], Mask]) -> Array | None:
    """Proportions of the classes that an answer finds; None if the labels tell more.

    Labels that were drawn by chance have different counts, and these know the proportions. Equal
    counts, r for each class, were made so and know nothing of the points without label. Then the
    shares q of all points that the solution gives to the classes do, the more the better it is:
    (1 - a) / c + a q,  a = s^2 (r - 1) / (r - 1 + 2),  s : the skill at held-out labels.

    missed : (l,) labelled points whose class such answers do not find without them.
    """
    counts = (Y > 0).sum(axis=0)
    r, c = int(counts[0]), len(counts)
    if len(Y) > MANY_POINTS or c < 2 or r < 2 or (counts != r).any():
        return None
    classes = settled_classes(solution, Y)
    settled = classes >= 0
    shares = np.bincount(classes[settled], minlength=c) / settled.sum()
    trust = skill(missed(), c) ** 2 * (r - 1) / (r - 1 + HALF_TRUSTED)
    return np.asarray((1 - trust) / c + trust * shares)


def smoothness(n: int, n_labelled: int, size: float = 1.0, reach: float = FINE.reach) -> float:
    """The "auto" of gamma: the fewer of the n points are labelled, the further a label reaches.

    size : of Q, d^p for the power p > 1 of an unnormalized Laplacian of mean degree d.
    """
    return reach * n / (max(n_labelled, 1) * size)


def smoothness_by_degree(n: int, n_labelled: int, degree: float) -> float:
    """The "degree" of gamma: one rule for weights of every size; degree : the mean of Q's diagonal.

    Chosen by measurement where a label has hundreds of points to reach, see docs/scale.md; where it
    has fewer, it smoothes too little.
    """
    return float((n / max(n_labelled, 1)) ** 1.5 / (100 * degree))


def gamma_of(name: Any, graph: Graph, labelled: int, kind: Kind = FINE) -> float:
    """The number behind a name of gamma, for points of a kind."""
    n = graph.n
    if name not in ("auto", "degree"):
        raise ValueError(f'gamma must be a number, "auto" or "degree", got {name!r}')
    plain = graph.kind == "unnormalized" and (graph.power > 1 or name == "degree")
    degree = float(graph.W.sum()) / n if plain else 1.0
    # Weights of no size at all: any gamma will do.
    size = degree**graph.power or 1.0
    if name == "auto":
        return GAMMA.clamped(smoothness(n, labelled, size, kind.reach))
    return GAMMA.clamped(smoothness_by_degree(n, labelled, size))
