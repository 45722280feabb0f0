"""Similarities: how alike two points are, as a symmetric W >= 0 with W_ii = 0.

    Gaussian       W_ij = exp(-|x_i - x_j|^2 / (2 sigma^2))
    local scaling  W_ij = exp(-|x_i - x_j|^2 / (2 w^2 s_i s_j)),   s_i = distance to k-th neighbour
    cosine         W_ij = cos(x_i, x_j) if each is among the k nearest neighbours of the other
    kNN            local scaling, kept only where one is among the k nearest neighbours of the other

The first two are dense, the last two sparse (CSR). The paper prints local scaling with w = 1;
Zelnik-Manor and Perona (2004), who introduced it, have no 2 in the exponent: w = 1/sqrt(2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.spatial.distance import squareform
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_memory

from mavr import validation as valid
from mavr.arrays import Array
from mavr.graphs import extension
from mavr.graphs.cells import nobody
from mavr.graphs.copies import copies_of, joined
from mavr.graphs.distances import local_scales, nearest_neighbors, pair_distances
from mavr.settings import GraphSpec, Number, Similarity, register_similarity

SIGMA = Number(
    "sigma",
    "Width",
    "σ",
    "Points closer than about 2σ count as similar.",
    1e-9,
    1e9,
    0.5,
    shown=(0.02, 20.0),
)
NEIGHBORS = Number(
    "n_neighbors",
    "Neighbours",
    "k",
    "How many nearest points set a point's scale or edges.",
    1,
    1000,
    7,
    shown=(1, 60),
    link="k",
    logarithmic=False,
    whole=True,
)
WIDTH = Number(
    "width",
    "Relative width",
    "w",
    "Width of the self-tuned similarity in units of the local scales. The paper has 1, "
    "Zelnik-Manor and Perona 0.71; smaller keeps dense and sparse regions further apart.",
    1e-3,
    1e3,
    1.0,
    shown=(0.1, 10.0),
    link="w",
)


def gaussian_similarity(X: npt.ArrayLike, sigma: float) -> Array:
    """Dense Gaussian similarity.

    Parameters
    ----------
    X : (n, d) array
    sigma : width, in the units of X.

    Returns
    -------
    W : (n, n) array

    Examples
    --------
    >>> gaussian_similarity([[0.0], [1.0]], sigma=1.0).round(4)
    array([[0.    , 0.6065],
           [0.6065, 0.    ]])
    """
    sigma = valid.positive("sigma", sigma)
    # One triangle is enough. Dividing twice keeps sigma^2 from underflow.
    W: Array = squareform(np.exp(-0.5 * (pair_distances(X) / sigma) / sigma))
    return W


def local_scaling_similarity(X: npt.ArrayLike, n_neighbors: int = 7, width: float = 1.0) -> Array:
    """Dense self-tuned similarity.

    Parameters
    ----------
    X : (n, d) array
    n_neighbors : k, whose distance is the scale of a point.
    width : w, in units of the scales; 1 as the paper prints it, 1/sqrt(2) for the formula of
        Zelnik-Manor and Perona (2004).

    Returns
    -------
    W : (n, n) array
    """
    d2 = squareform(pair_distances(X))
    k = valid.neighbors(n_neighbors, len(d2))
    scale = local_scales(np.sort(np.sqrt(d2), axis=1)[:, 1:], k) * valid.positive("width", width)
    W = np.exp(-0.5 * (d2 / scale) / scale[:, None])
    np.fill_diagonal(W, 0.0)
    return (W + W.T) / 2


def cosine_similarity(X: npt.ArrayLike, n_neighbors: int = 7) -> Any:
    """Sparse cosine similarity over mutual k nearest neighbours.

    A negative cosine is no similarity and is dropped. Points in the same direction are one
    neighbour, and are joined.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    n_neighbors : k.

    Returns
    -------
    W : (n, n) CSR
    """
    X = valid.points(X, allow_sparse=True)
    k = valid.neighbors(n_neighbors, X.shape[0])
    X = normalize(X)
    copies = copies_of(X)
    if copies is None:
        return _mutual_cosines(X, k)
    m = len(copies.count)
    W = _mutual_cosines(X[copies.first], min(k, m - 1)) if m > 1 else sp.csr_array((1, 1))
    return joined(W, copies)


def _mutual_cosines(X: Any, k: int) -> Any:
    # A row of zeros has no direction: cosine 0 to all that is not a copy of it.
    search = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(X)
    nearest = search.kneighbors_graph(mode="distance")
    nearest.data = np.maximum(1.0 - nearest.data, 0.0)
    W = sp.csr_array(nearest.minimum(nearest.T))
    W.eliminate_zeros()
    return W


def knn_similarity(
    X: npt.ArrayLike,
    n_neighbors: int = 10,
    width: float = 1.0,
    search: str = "auto",
    memory: Any = None,
    progress: Callable[[float], None] = nobody,
) -> Any:
    """Sparse self-tuned similarity over k nearest neighbours, for large n.

    Parameters
    ----------
    X : (n, d) array
    n_neighbors : k.
    width : as in `local_scaling_similarity`.
    search : "auto", or "exact"; above 20,000 points of more than 15 features the first may miss
        one neighbour in a hundred, and takes a fraction of the time.
    memory : a folder, or a `joblib.Memory`, that keeps the neighbours by the content of X.
    progress : is told the share of neighbours that are found, from 0 to 1.

    Returns
    -------
    W : (n, n) CSR
    """
    X = valid.points(X)
    n = X.shape[0]
    k = valid.neighbors(n_neighbors, n)
    find = check_memory(memory).cache(nearest_neighbors, ignore=["progress"])
    near = find(X, k, search, progress)
    scale = near.scale * valid.positive("width", width)
    weight = np.exp(-0.5 * (near.distance**2 / scale[near.rows]) / scale[near.columns])
    # Numbers of points in four bytes: whatever is done with the graph reads less.
    places = (near.rows.astype(np.int32), near.columns.astype(np.int32))
    one_way = sp.csr_array((weight, places), shape=(n, n))
    W = sp.csr_array(one_way.maximum(one_way.T))
    W.eliminate_zeros()
    return W


for _similarity in (
    Similarity(
        "gaussian",
        "Gaussian, width σ",
        "Falls off with the distance, by one width for all points.",
        gaussian_similarity,
        (SIGMA,),
        extension.gaussian_weights,
    ),
    Similarity(
        "local_scaling",
        "Self-tuned (local scaling)",
        "Every point has a width of its own: the distance to its k-th neighbour.",
        local_scaling_similarity,
        (NEIGHBORS, WIDTH),
        extension.local_scaling_weights,
    ),
    Similarity(
        "cosine",
        "Cosine, mutual neighbours",
        "The cosine of the angle between two points, if each is a neighbour of the other.",
        cosine_similarity,
        (NEIGHBORS,),
        extension.cosine_weights,
        features=False,
    ),
    Similarity(
        "knn",
        "Nearest neighbours, sparse",
        "Self-tuned, between neighbours only: for many points.",
        knn_similarity,
        (replace(NEIGHBORS, usual=10), WIDTH),
        extension.neighbor_weights,
    ),
):
    register_similarity(_similarity)


def similarity_of(spec: GraphSpec, X: Any, progress: Callable[[float], None] = nobody) -> Any:
    """The similarity matrix that a spec makes of the points X : (n, d).

    `progress` is told the share that is done by a similarity that knows it.
    """
    arguments = spec.arguments_for(X.shape[0])
    if "progress" in signature(spec.about.function).parameters:
        arguments["progress"] = progress
    return spec.about.function(X, **arguments)
