"""The k nearest neighbours of many points, exactly or nearly so.

Exact search is by trees in low dimension and by brute force in high dimension. Brute force finds
squares by |x|^2 - 2xy + |y|^2, which cancels far from 0 and leaves copies apart; so it sees the
points about their mean, and their distances are taken anew, by differences.

By brute force 70,000 points of 784 numbers take minutes. There, points are gathered in cells
(`mavr.graphs.cells`): candidates are looked for in the cells nearby, among the leading principal
components, and ranked by their distances in full. How many of the true neighbours that finds is
measured on a sample first; cells further away are taken in until they are enough, and if all are
too few, the search is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

from mavr.arrays import Array, Index
from mavr.graphs.cells import Cells, gather, nobody

SEARCHES = ("auto", "exact")
# Up to so many points exact search is quick, up to so many numbers of each trees are.
MANY_POINTS = 20_000
MANY_FEATURES = 15
# Candidates for each neighbour asked for, and points that they are first looked for among.
CANDIDATES = 4
REACH = 16_000
# Points that the recall is measured on.
TRIED = 512
LEAST_RECALL = 0.985
# Numbers that are gathered at once.
BLOCK = 1 << 22
# Equally far points beyond so many are not told apart further.
WIDEST = 1024
# Of a distance that brute force has found, relative to it.
NOISE = 1e-6
# Numbers of points times this one, modulo 2^64, are in no order of theirs (Knuth's golden ratio).
MIXER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Nearest:
    """The k nearest of the points X to others, found exactly. See `nearest`."""

    X: Array
    k: int
    centre: Array
    found: NearestNeighbors

    def __call__(self, Z: Array | None = None) -> tuple[Array, Index]:
        """Distances, increasing, and indices, (m, k) each.

        Z : (m, d) the points that are asked; None for those of X, each among the others.
        """
        if _by_force(self.X):
            return self._forced(Z)
        index = self.found.kneighbors(Z, self.k, return_distance=False)
        return measured(self.X, self.X if Z is None else Z, index)

    def _forced(self, Z: Array | None) -> tuple[Array, Index]:
        """By brute force, of equally far points the same ones on every machine.

        Left to itself it takes those that its threads come to first. So more are asked for, until
        the last is further away than the k-th.
        """
        alone = Z is None
        Z = self.X if Z is None else Z
        k, most = self.k, min(WIDEST, len(self.X) - alone)
        distance, index = np.empty((len(Z), k)), np.empty((len(Z), k), dtype=np.intp)
        left, width = np.arange(len(Z)), k
        while len(left):
            width = min(2 * width, most)
            d, i = self._ranked(Z[left], left if alone else None, width)
            distance[left], index[left] = d[:, :k], i[:, :k]
            far, last = d[:, k - 1], d[:, -1]
            left = left[(far > 0) & (last <= (1 + NOISE) * far) & (width < most)]
        return distance, index

    def _ranked(self, Z: Array, own: Index | None, width: int) -> tuple[Array, Index]:
        """The nearest `width` by distance, equally far ones as if by chance.

        own : points that the rows of Z are, which are not to be found; None if new ones.
        """
        asked = width + (own is not None)
        index = self.found.kneighbors(Z - self.centre, asked, return_distance=False)
        length, index = measured(self.X, Z, index)
        pair = index
        if own is not None:
            length[index == own[:, None]] = np.inf
            pair = index + own[:, None]
        order = np.lexsort((pair.astype(np.uint64) * MIXER, length))[:, :width]
        return np.take_along_axis(length, order, axis=1), np.take_along_axis(index, order, axis=1)


def nearest(X: Array, k: int) -> Nearest:
    """A search among the points X : (n, d) for the k nearest."""
    forced = _by_force(X)
    centre = X.mean(axis=0) if forced else np.zeros(X.shape[1])
    found = NearestNeighbors(n_neighbors=k, algorithm="brute" if forced else "kd_tree")
    return Nearest(X, k, centre, found.fit(X - centre))


def _by_force(X: Array) -> bool:
    """Whether brute force is quicker than a tree."""
    return X.shape[1] > MANY_FEATURES


def measured(X: Array, Z: Array, index: Index) -> tuple[Array, Index]:
    """Distances from each row of Z to points of X, by differences, and these, in their order."""
    m, k = index.shape
    length = np.empty((m, k))
    step = max(1, BLOCK // (k * X.shape[1]))
    for start in range(0, m, step):
        part = slice(start, start + step)
        apart = X[index[part]] - Z[part, None]
        length[part] = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    order = length.argsort(axis=1, kind="stable")
    return np.take_along_axis(length, order, axis=1), np.take_along_axis(index, order, axis=1)


def search(
    X: Array, k: int, how: str = "auto", progress: Callable[[float], None] = nobody
) -> tuple[Array, Index]:
    """Distances to the k nearest others of each point, increasing, and their indices, (n, k) each.

    how : "exact", or "auto", which may miss one neighbour in a hundred where n and d are large;
    progress : is told the share that is done, from 0 to 1, where the search is not exact.
    """
    if how not in SEARCHES:
        raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {how!r}")
    n, d = X.shape
    if how == "auto" and n > MANY_POINTS and d > MANY_FEATURES and CANDIDATES * k < n:
        found = projected(X, k, progress=progress)
        if found is not None:
            return found
    return nearest(X, k)()


def projected(
    X: Array, k: int, seed: int = 0, progress: Callable[[float], None] = nobody
) -> tuple[Array, Index] | None:
    """The nearest of `CANDIDATES` times k candidates; None if too few of them are neighbours."""
    narrow = (X - X.mean(axis=0)).astype(np.float32)
    cells = gather(narrow, seed)
    sample = np.random.default_rng(seed).permutation(len(X))[:TRIED]
    radius = _radius(X, sample, k)
    reach = REACH
    while _share(_ranked(X, narrow, cells, sample, k, reach)[0], radius) < LEAST_RECALL:
        if reach >= len(X):
            return None
        reach *= 2
    return _ranked(X, narrow, cells, np.arange(len(X)), k, reach, progress)


def _ranked(
    X: Array,
    narrow: npt.NDArray[np.float32],
    cells: Cells,
    rows: Index,
    k: int,
    reach: int,
    progress: Callable[[float], None] = nobody,
) -> tuple[Array, Index]:
    """The k nearest candidates of each of these points; distances in full precision."""
    candidates = cells.candidates(rows, CANDIDATES * k, reach, progress)
    distance, index = np.empty((len(rows), k)), np.empty((len(rows), k), dtype=np.intp)
    step = max(1, BLOCK // (candidates.shape[1] * X.shape[1]))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        own, others = rows[part, None], candidates[part]
        apart = narrow[others]
        apart -= narrow[own]
        near = np.einsum("ijk,ijk->ij", apart, apart).argpartition(k - 1, axis=1)[:, :k]
        chosen = np.take_along_axis(others, near, axis=1)
        distance[part], index[part] = measured(X, X[rows[part]], chosen)
    return distance, index


def _radius(X: Array, rows: Index, k: int) -> Array:
    """(len(rows),) distance from a few points to their k-th neighbours."""
    return nearest(X, k + 1)(X[rows])[0][:, -1]


def _share(distance: Array, radius: Array) -> float:
    """The share of those found that are neighbours; of equally far ones, any will do."""
    return float((distance <= (1 + 1e-9) * radius[:, None]).mean())


def recall(X: Array, distance: Array, seed: int = 1) -> float:
    """The share of true neighbours among those found, on a sample of the points."""
    rows = np.random.default_rng(seed).permutation(len(X))[:TRIED]
    return _share(distance[rows], _radius(X, rows, distance.shape[1]))
