"""Distances between points, and the scale of each point's neighbourhood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist
from sklearn.neighbors import NearestNeighbors

from mavr import validation as valid
from mavr.arrays import Array, Index
from mavr.graphs.cells import nobody
from mavr.graphs.search import search


def pair_distances(X: npt.ArrayLike) -> Array:
    """Squared distances, one of each pair, as `scipy.spatial.distance` condenses them."""
    X = valid.points(X)
    valid.dense_size(X.shape[0])
    # pdist subtracts coordinates; the faster |x|^2 - 2xy + |y|^2 cancels for near duplicates.
    d2: Array = pdist(X, "sqeuclidean")
    return d2


def local_scales(sorted_distances: Array, k: int) -> Array:
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


@dataclass(frozen=True)
class Neighbors:
    """Pairs of neighbours among n points, each in one or both directions.

    Attributes
    ----------
    rows, columns : (m,) the point and its neighbour.
    distance : (m,) between them.
    scale : (n,) distance of each point to its k-th neighbour, never 0.
    """

    rows: Index
    columns: Index
    distance: Array
    scale: Array


def nearest_neighbors(
    X: Array, k: int, how: str = "auto", progress: Callable[[float], None] = nobody
) -> Neighbors:
    """The k nearest neighbours of each point, found as `mavr.graphs.search` says.

    More than k copies of a point have only each other for neighbours. They are joined to the first
    of them and to the first copies of the k nearest distinct points, the k-th of which is their
    scale: copies do not fall out of the graph.
    """
    n = len(X)
    distance, index = search(X, k, how, progress)
    rows, columns, length = np.repeat(np.arange(n), k), index.ravel(), distance.ravel()
    scale = distance[:, -1].copy()
    buried = np.flatnonzero(scale == 0)
    if len(buried):
        distinct, first = np.unique(X, axis=0, return_index=True)
        # The nearest distinct point is the point itself.
        count = min(k + 1, len(distinct))
        d, i = NearestNeighbors(n_neighbors=count).fit(distinct).kneighbors(X[buried])
        scale[buried] = d[:, -1] if count > 1 else 1.0
        rows = np.concatenate([rows, np.repeat(buried, count)])
        columns = np.concatenate([columns, first[i].ravel()])
        length = np.concatenate([length, d.ravel()])
        once = np.unique(rows * n + columns, return_index=True)[1]
        rows, columns, length = rows[once], columns[once], length[once]
    other = rows != columns
    return Neighbors(rows[other], columns[other], length[other], scale)
