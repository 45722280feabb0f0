"""Responses at points outside the graph.

    h(x) = sum_i w(x, x_i) H_i / sum_i w(x, x_i)

minimises sum_i w(x, x_i) |h - H_i|^2: it is the response of a new point without label if the old
points keep theirs. The weight w is the similarity the graph was made with; each row of weights
is divided by its largest entry, so that a point far from all others still sees the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from mavr import validation as valid
from mavr.arrays import Array, Index, Mask
from mavr.graphs.distances import local_scales, nearest_neighbors
from mavr.graphs.search import Nearest, nearest
from mavr.settings import GraphSpec

# Entries of one block of new points x old points: 32 MB of doubles.
BLOCK_ENTRIES = 1 << 22


Weights = Callable[[Any], Any]


@dataclass(frozen=True)
class NeighborWeights:
    """See `neighbor_weights`; a class, so that another width is another scale.

    first : (m,) the old points that are searched, those that no earlier one equals.
    """

    search: Nearest
    first: Index
    scale: Array

    def __call__(self, Z: Any) -> Any:
        distance, index = self.search(Z)
        index = self.first[index]
        weights = _scaled_weights(distance, distance[:, [-1]], self.scale[index])
        return _rows(weights, index, len(self.scale))


@dataclass(frozen=True)
class CalledWeights:
    """A function of two sets of points, called with the new and the old ones."""

    function: Callable[[Any, Any], Any]
    X: Any

    def __call__(self, Z: Any) -> Any:
        return checked_rows(self.function(Z, self.X), Z.shape[0], self.X.shape[0])


@dataclass(frozen=True)
class GivenWeights:
    """The new points are given as rows of similarities to the old ones."""

    n: int

    def __call__(self, Z: Any) -> Any:
        return checked_rows(Z, Z.shape[0], self.n)


def gaussian_weights(X: Any, sigma: float) -> Weights:
    """Of the same width sigma as the graph."""
    return partial(_gaussian, X, sigma)


def _gaussian(X: Array, sigma: float, Z: Any) -> Array:
    d2 = cdist(Z, X, "sqeuclidean")
    d2 -= d2.min(axis=1, keepdims=True)
    weights: Array = np.exp(-0.5 * (d2 / sigma) / sigma)
    return weights


def local_scaling_weights(X: Any, n_neighbors: int, width: float) -> Weights:
    """Scaled by the old points' scales and the new point's distance to its k-th neighbour."""
    scale = local_scales(np.sort(cdist(X, X), axis=1)[:, 1:], n_neighbors)
    return partial(_locally_scaled, X, scale * width**2, n_neighbors)


def _locally_scaled(X: Array, scale: Array, k: int, Z: Any) -> Array:
    distance = cdist(Z, X)
    own = np.partition(distance, k - 1, axis=1)[:, [k - 1]]
    return _scaled_weights(distance, own, scale)


def neighbor_weights(X: Any, n_neighbors: int, width: float) -> Weights:
    """Local scaling, kept for the k nearest old points only, of which no two are equal."""
    near = nearest_neighbors(X, n_neighbors)
    first = np.arange(len(X)) if near.copies is None else near.copies.first
    search = nearest(X[first], min(n_neighbors, len(first)))
    return NeighborWeights(search, first, near.scale * width**2)


def cosine_weights(X: Any, n_neighbors: int) -> Weights:
    """Cosines to the k nearest old points; negative ones count as none."""
    search = NearestNeighbors(n_neighbors=n_neighbors, metric="cosine", algorithm="brute").fit(X)
    return partial(_cosines, search, X.shape[0])


def _cosines(search: NearestNeighbors, n: int, Z: Any) -> Any:
    distance, index = search.kneighbors(Z)
    return _rows(np.maximum(1.0 - distance, 0.0), index, n)


def _joined(function: Callable[..., Any], X: Any, arguments: Mapping[str, Any], Z: Any) -> Any:
    """A similarity without weights of its own: it is made of the new and the old points."""
    both = sp.vstack([Z, X]).tocsr() if sp.issparse(X) else np.vstack([Z, X])
    m = Z.shape[0]
    return checked_rows(function(both, **arguments)[:m][:, m:], m, X.shape[0])


def weights_of(spec: GraphSpec, X: Any) -> Weights:
    """The weights of new points that belong to the graph of a spec on the points X."""
    arguments = spec.arguments_for(X.shape[0])
    if spec.about.extend is None:
        return partial(_joined, spec.about.function, X, arguments)
    made: Weights = spec.about.extend(X, **arguments)
    return made


def extend(weights: Weights, Z: Any, H: Array, unreached: Mask) -> tuple[Array, Mask]:
    """Responses of new points, and which of them see no point that a label has reached.

    Z : (m, d) new points; H : (n, c) responses; unreached : (n,) of the old points.
    Returns (m, c) and (m,).
    """
    m, n = Z.shape[0], len(H)
    step = max(1, BLOCK_ENTRIES // n)
    blocks = [_average(weights(Z[i : i + step]), H, unreached) for i in range(0, m, step)]
    return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])


def checked_rows(W: Any, m: int, n: int) -> Any:
    """W as (m, n) finite non-negative weights, dense or CSR."""
    W = sp.csr_array(W, dtype=float) if sp.issparse(W) else np.asarray(W, dtype=float)
    if W.shape != (m, n):
        raise ValueError(f"similarities must have shape ({m}, {n}), new x training, got {W.shape}")
    values: Any = W.data if sp.issparse(W) else W
    valid._finite("similarities", values)
    lowest = W.min()
    if lowest < 0:
        raise ValueError(f"similarities must be >= 0, got {lowest:.3g}; clip them at 0")
    return W


def _average(W: Any, H: Array, unreached: Mask) -> tuple[Array, Mask]:
    total = np.asarray(W.sum(axis=1)).reshape(-1, 1)
    responses = np.divide(W @ H, total, out=np.zeros((W.shape[0], H.shape[1])), where=total > 0)
    return responses, np.asarray(W @ (~unreached).astype(float)).ravel() == 0


def _scaled_weights(distance: Array, own: Array, scale: Array) -> Array:
    """exp(-d^2 / (2 s s_i)), the largest of each row 1; own : (m, 1), scale : (n,) or (m, n)."""
    # A new point on top of k old ones has scale 0; any positive one gives those all the weight.
    own = np.maximum(own, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        exponent = np.minimum((distance / own) * (distance / scale), np.finfo(float).max)
    exponent -= exponent.min(axis=1, keepdims=True)
    weights: Array = np.exp(-0.5 * exponent)
    return weights


def _rows(values: Array, index: Index, n: int) -> Any:
    m, k = index.shape
    rows = np.repeat(np.arange(m), k)
    return sp.csr_array((values.ravel(), (rows, index.ravel())), shape=(m, n))
