"""Distances between points, and the scale of each point's neighbourhood."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist

from mavr import validation as valid

Array = npt.NDArray[np.float64]


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
