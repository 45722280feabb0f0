"""The k nearest neighbours of many points, exactly or nearly so.

Exact search is by trees in low dimension and by brute force in high dimension, where 70,000 points
of 784 numbers take minutes. There, points are gathered in cells (`mavr.graphs.cells`): candidates
are looked for in the cells nearby, among the leading principal components, and ranked by their
distances in full. How many of the true neighbours that finds is measured on a sample first; cells
further away are taken in until they are enough, and if all are too few, the search is exact.
"""

from __future__ import annotations

from collections.abc import Callable

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
    distance, index = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    return distance, index


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
        exact = X[chosen] - X[own]
        length = np.sqrt(np.einsum("ijk,ijk->ij", exact, exact))
        order = length.argsort(axis=1, kind="stable")
        distance[part] = np.take_along_axis(length, order, axis=1)
        index[part] = np.take_along_axis(chosen, order, axis=1)
    return distance, index


def _radius(X: Array, rows: Index, k: int) -> Array:
    """(len(rows),) distance from a few points to their k-th neighbours."""
    finder = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(X)
    found = finder.kneighbors(X[rows], return_distance=False)
    # Subtracted anew: brute force finds squares by |x|^2 - 2xy + |y|^2, which cancels.
    return np.asarray(np.linalg.norm(X[found] - X[rows, None], axis=2).max(axis=1))


def _share(distance: Array, radius: Array) -> float:
    """The share of those found that are neighbours; of equally far ones, any will do."""
    return float((distance <= (1 + 1e-9) * radius[:, None]).mean())


def recall(X: Array, distance: Array, seed: int = 1) -> float:
    """The share of true neighbours among those found, on a sample of the points."""
    rows = np.random.default_rng(seed).permutation(len(X))[:TRIED]
    return _share(distance[rows], _radius(X, rows, distance.shape[1]))
