"""Similarities: how alike two points are, as a symmetric W >= 0 with W_ii = 0.

    Gaussian       W_ij = exp(-|x_i - x_j|^2 / (2 sigma^2))
    local scaling  W_ij = exp(-|x_i - x_j|^2 / (2 s_i s_j)),   s_i = distance to the k-th neighbour
    cosine         W_ij = cos(x_i, x_j) if each is among the k nearest neighbours of the other
    kNN            local scaling, kept only where one is among the k nearest neighbours of the other

The first two are dense, the last two sparse (CSR).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import NearestNeighbors

from mavr import _validation as valid

Array = npt.NDArray[np.float64]


def gaussian_similarity(X: npt.ArrayLike, sigma: float) -> Array:
    """Dense Gaussian similarity.

    X : (n, d) array; sigma : width, in the units of X. Returns W : (n, n).

    >>> gaussian_similarity([[0.0], [1.0]], sigma=1.0).round(4)
    array([[0.    , 0.6065],
           [0.6065, 0.    ]])
    """
    sigma = valid.positive("sigma", sigma)
    # One triangle is enough. Dividing twice keeps sigma^2 from underflow.
    W: Array = squareform(np.exp(-0.5 * (_pair_distances(X) / sigma) / sigma))
    return W


def local_scaling_similarity(X: npt.ArrayLike, n_neighbors: int = 7) -> Array:
    """Dense self-tuning similarity of Zelnik-Manor and Perona (2004). Returns W : (n, n)."""
    d2 = _squared_distances(X)
    k = valid.neighbors(n_neighbors, len(d2))
    scale = _local_scales(np.sort(np.sqrt(d2), axis=1)[:, 1:], k)
    W = np.exp(-0.5 * (d2 / scale) / scale[:, None])
    np.fill_diagonal(W, 0.0)
    return (W + W.T) / 2


def cosine_similarity(X: npt.ArrayLike, n_neighbors: int = 7) -> Any:
    """Sparse cosine similarity over mutual k nearest neighbours; X may be sparse.

    A negative cosine is no similarity and is dropped. Returns W : (n, n) CSR.
    """
    X = valid.points(X, allow_sparse=True)
    k = valid.neighbors(n_neighbors, X.shape[0])
    # A row of zeros has no direction: cosine 0 to everything, so it stays isolated.
    search = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(X)
    nearest = search.kneighbors_graph(mode="distance")
    nearest.data = np.maximum(1.0 - nearest.data, 0.0)
    W = sp.csr_array(nearest.minimum(nearest.T))
    W.eliminate_zeros()
    return W


def knn_similarity(X: npt.ArrayLike, n_neighbors: int = 10) -> Any:
    """Sparse self-tuned similarity over k nearest neighbours, for large n; W : (n, n) CSR."""
    X = valid.points(X)
    n = X.shape[0]
    k = valid.neighbors(n_neighbors, n)
    distance, index = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    scale = _local_scales(distance, k)
    rows = np.repeat(np.arange(n), k)
    columns = index.ravel()
    weight = np.exp(-0.5 * (distance.ravel() ** 2 / scale[rows]) / scale[columns])
    one_way = sp.csr_array((weight, (rows, columns)), shape=(n, n))
    W = sp.csr_array(one_way.maximum(one_way.T))
    W.eliminate_zeros()
    return W


# What a select box offers: name -> (function, its one parameter).
SIMILARITIES: dict[str, tuple[Callable[..., Any], str]] = {
    "gaussian": (gaussian_similarity, "sigma"),
    "local_scaling": (local_scaling_similarity, "n_neighbors"),
    "cosine": (cosine_similarity, "n_neighbors"),
    "knn": (knn_similarity, "n_neighbors"),
}


def similarity(name: str, X: npt.ArrayLike, *, sigma: float = 0.5, n_neighbors: int = 7) -> Any:
    """The similarity of that name, with the one of the two parameters that it takes."""
    if name not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)}, got {name!r}")
    function, parameter = SIMILARITIES[name]
    return function(X, **{parameter: {"sigma": sigma, "n_neighbors": n_neighbors}[parameter]})


def _squared_distances(X: npt.ArrayLike) -> Array:
    d2: Array = squareform(_pair_distances(X))
    return d2


def _pair_distances(X: npt.ArrayLike) -> Array:
    """Squared distances, one of each pair, as `scipy.spatial.distance` condenses them."""
    X = valid.points(X)
    valid.dense_size(X.shape[0])
    # pdist subtracts coordinates; the faster |x|^2 - 2xy + |y|^2 cancels for near duplicates.
    d2: Array = pdist(X, "sqeuclidean")
    return d2


def _local_scales(sorted_distances: Array, k: int) -> Array:
    """Distance of each point to its k-th neighbour, never 0.

    sorted_distances : (n, m) array, increasing, the point itself left out. More than k duplicates
    of a point give distance 0; then the nearest distinct point sets its scale, so that duplicates
    stay joined to the rest. Where all known neighbours are duplicates, the median scale of the
    other points stands in.
    """
    scale = sorted_distances[:, k - 1].copy()
    usual = np.median(scale[scale > 0]) if scale.any() else 1.0
    for i in np.flatnonzero(scale == 0):
        distinct = sorted_distances[i][sorted_distances[i] > 0]
        scale[i] = distinct[0] if distinct.size else usual
    return scale
