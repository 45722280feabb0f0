"""Distances between points, and the scale of each point's neighbourhood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist

from mavr import validation as valid
from mavr.arrays import Array, Index
from mavr.graphs.cells import nobody
from mavr.graphs.copies import Copies, copies_of
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
    copies : which points are equal; None if no two are.
    """

    rows: Index
    columns: Index
    distance: Array
    scale: Array
    copies: Copies | None = None


def nearest_neighbors(
    X: Array, k: int, how: str = "auto", progress: Callable[[float], None] = nobody
) -> Neighbors:
    """The k nearest neighbours of each point, found as `mavr.graphs.search` says.

    Neighbours are distinct points. A point has for neighbours a copy of each of the k nearest of
    them, the k-th of which is its scale, and some copies of itself: copies neither fall out of the
    graph nor take the place of neighbours.
    """
    n = len(X)
    distance, index = search(X, k, how, progress)
    copies = None if distance[:, 0].all() else copies_of(X)
    if copies is None:
        rows = np.repeat(np.arange(n), k)
        return Neighbors(rows, index.ravel(), distance.ravel(), distance[:, -1].copy())
    of, first, (rows, columns) = copies.of, copies.first, copies.chords()
    k = min(k, len(first) - 1)
    if k == 0:
        return Neighbors(rows, columns, np.zeros(len(rows)), np.ones(n), copies)
    distance, index = search(X[first], k, how, progress)
    others = copies.member(index[of], copies.rank[:, None])
    return Neighbors(
        np.concatenate([np.repeat(np.arange(n), k), rows]),
        np.concatenate([others.ravel(), columns]),
        np.concatenate([distance[of].ravel(), np.zeros(len(rows))]),
        distance[of, -1],
        copies,
    )
