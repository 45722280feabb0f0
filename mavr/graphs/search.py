"""The k nearest neighbours of many points, exactly or nearly so.

Exact search is by trees in low dimension and by brute force in high dimension, where 70,000 points
of 784 numbers take minutes. There, candidates are looked for among the leading principal components
and ranked by their distances in full. How many of the true neighbours that finds is measured on a
sample; if they are too few, the search is exact after all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

SEARCHES = ("auto", "exact")
# Up to so many points, or so many numbers of each, exact search is quick.
MANY_POINTS = 20_000
MANY_FEATURES = 128
# Principal components, and candidates for each neighbour asked for.
COMPONENTS = 48
CANDIDATES = 4
# Points whose covariance stands for that of all, and points that the recall is measured on.
SAMPLE = 5_000
TRIED = 256
LEAST_RECALL = 0.985
# Numbers that are gathered at once.
BLOCK = 1 << 24


def search(X: Array, k: int, how: str = "auto") -> tuple[Array, Index]:
    """Distances to the k nearest neighbours of each point, increasing, and their indices.

    Parameters
    ----------
    X : (n, d) array
    k : neighbours, the point itself left out.
    how : "exact", or "auto", which may miss one neighbour in a hundred where n and d are large.

    Returns
    -------
    distance, index : (n, k) each.
    """
    if how not in SEARCHES:
        raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {how!r}")
    n, d = X.shape
    if how == "auto" and n > MANY_POINTS and d > MANY_FEATURES and CANDIDATES * k < n:
        found = projected(X, k)
        if recall(X, found[1]) >= LEAST_RECALL:
            return found
    distance, index = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    return distance, index


def projected(X: Array, k: int, seed: int = 0) -> tuple[Array, Index]:
    """The nearest of `CANDIDATES` times k candidates, found among the principal components."""
    narrow = X.astype(np.float32)
    rows = np.random.default_rng(seed).permutation(len(X))[:SAMPLE]
    mean = narrow[rows].mean(axis=0)
    V = np.linalg.eigh(np.cov((narrow[rows] - mean).T))[1][:, -COMPONENTS:]
    Z = (narrow - mean) @ V.astype(np.float32)
    finder = NearestNeighbors(n_neighbors=CANDIDATES * k, algorithm="brute").fit(Z)
    candidates = finder.kneighbors(return_distance=False)
    return _ranked(X, narrow, candidates, k)


def _ranked(X: Array, narrow: Any, candidates: Index, k: int) -> tuple[Array, Index]:
    """The k nearest candidates of each point; distances in full precision."""
    n, d = X.shape
    distance, index = np.empty((n, k)), np.empty((n, k), dtype=np.intp)
    step = max(1, BLOCK // (candidates.shape[1] * d))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        apart = narrow[candidates[rows]] - narrow[rows, None]
        near = np.einsum("ijk,ijk->ij", apart, apart).argpartition(k - 1, axis=1)[:, :k]
        chosen = np.take_along_axis(candidates[rows], near, axis=1)
        exact = X[chosen] - X[rows, None]
        length = np.sqrt(np.einsum("ijk,ijk->ij", exact, exact))
        order = length.argsort(axis=1, kind="stable")
        distance[rows] = np.take_along_axis(length, order, axis=1)
        index[rows] = np.take_along_axis(chosen, order, axis=1)
    return distance, index


def recall(X: Array, index: Index, seed: int = 1) -> float:
    """The share of true neighbours among those found, on a sample of the points."""
    rows = np.random.default_rng(seed).permutation(len(X))[:TRIED]
    finder = NearestNeighbors(n_neighbors=index.shape[1] + 1, algorithm="brute").fit(X)
    true = finder.kneighbors(X[rows], return_distance=False)
    found = [
        len(np.intersect1d(index[i], t[t != i][: index.shape[1]]))
        for i, t in zip(rows, true, strict=True)
    ]
    return float(np.mean(found)) / index.shape[1]
