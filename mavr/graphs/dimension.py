"""The dimension of a set of points as its neighbours see it.

    1 / D = mean of log(t_k / t_j)   over points and j < k,   t_j = distance to the j-th neighbour

In D dimensions a ball has a volume that grows with t^D, so the t_j^D of a point lie evenly between
0 and t_k^D. It is the estimate of Levina and Bickel (2004), averaged as MacKay and Ghahramani do.
"""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from mavr.arrays import Array

NEAREST = 12
# Points that are asked for their neighbours; of more, so many by chance.
SAMPLE = 500


def intrinsic_dimension(X: Array, seed: int = 0) -> float:
    """The dimension of the points X : (n, d), at least 1 and at most d.

    Copies of a point say nothing, and are left out. Fewer than three points, or copies of one
    alone, have dimension 1.

    Examples
    --------
    >>> line = np.linspace(0, 1, 200)[:, None] * np.ones(5)
    >>> 1.0 <= intrinsic_dimension(line) < 2.0
    True
    """
    n, d = X.shape
    k = min(NEAREST, n - 1)
    if k < 2:
        return 1.0
    rows = np.random.default_rng(seed).permutation(n)[:SAMPLE]
    found = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X[rows])[0]
    # The nearest of all is the point itself, or a copy of it.
    last, inner = found[:, -1:], found[:, 1:-1]
    apart = inner > 0
    ratio = np.log(np.divide(last, inner, out=np.ones_like(inner), where=apart))
    total = float(ratio.sum())
    if total == 0.0:
        # All neighbours are equally far, as in very many dimensions; or there are none.
        return float(d) if apart.any() else 1.0
    return float(np.clip(apart.sum() / total, 1.0, d))
