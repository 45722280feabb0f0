"""Points that lie apart, whose edges all weigh next to nothing.

Such a point follows no neighbour. What brings the classes to their proportions (the balance term)
moves all responses alike, and would decide its class. One edge that counts gives it the class of
its nearest neighbour, and leads from no cluster to another.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mavr.graphs.graph import Graph

# So much weighs the strongest edge of a point at least. Measured, see docs/defaults.md.
LEAST_WEIGHT = 0.01


def held(graph: Graph) -> Graph:
    """The graph, but that the strongest edges of each point weigh `LEAST_WEIGHT` or more."""
    W = sp.csr_array(graph.W)
    if not W.nnz:
        return graph
    strongest = W.max(axis=1).toarray().ravel().repeat(np.diff(W.indptr))
    loose = (W.data == strongest) & (W.data < LEAST_WEIGHT)
    if not loose.any():
        return graph
    weights = np.where(loose, LEAST_WEIGHT, W.data)
    one_way = sp.csr_array((weights, W.indices, W.indptr), shape=W.shape)
    return replace(graph, W=one_way.maximum(one_way.T))
