"""The dimension of a set of points as its neighbours see it.

    1 / D = mean of log(t_k / t_j)   over points and j < k,   t_j = distance to the j-th neighbour

In D dimensions a ball has a volume that grows with t^D, so the t_j^D of a point lie evenly between
0 and t_k^D. It is the estimate of Levina and Bickel (2004), averaged as MacKay and Ghahramani do.
"""

from __future__ import annotations

import numpy as np

from mavr.arrays import Array
from mavr.graphs.copies import copies_of
from mavr.graphs.search import nearest

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
    # The nearest of all is the point itself.
    found = nearest(X, k + 1)(X[rows])[0][:, 1:]
    copies = None if found.all() else copies_of(X)
    if copies is not None:
        return intrinsic_dimension(X[copies.first], seed)
    ratio = np.log(found[:, -1:] / found[:, :-1])
    total = float(ratio.sum())
    if total == 0.0:
        # All neighbours are equally far, as in very many dimensions.
        return float(d)
    return float(np.clip(ratio.size / total, 1.0, d))
