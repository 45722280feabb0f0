"""Ties between interchangeable classes, told apart by clustering: ours, not the paper's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering

from mavr.solvers.solution import Solution


def split_ties(solution: Solution, W: Any, seed: int = 0) -> npt.NDArray[np.int64] | None:
    """Labels with interchangeable classes told apart; None where nothing is tied.

    The points whose best class is one of a group of interchangeable classes are clustered into as
    many groups, by spectral clustering on the same similarity.

    Parameters
    ----------
    solution : with its ties.
    W : (n, n) similarity of the graph, dense or sparse.
    seed : of the clustering.
    """
    labels = np.array(solution.labels)
    found = False
    for group in solution.interchangeable:
        members = np.flatnonzero(solution.ties & np.isin(labels, group))
        if len(members) < 2 * len(group):
            continue
        A = W[members][:, members].toarray() if sp.issparse(W) else W[np.ix_(members, members)]
        # A trace of similarity everywhere keeps the graph in one piece, as the method asks.
        model = SpectralClustering(
            len(group), affinity="precomputed", assign_labels="cluster_qr", random_state=seed
        )
        cluster = model.fit_predict(np.asarray(A) + 1e-10)
        # Numbered by their first point, so that the colours do not depend on the algorithm's order.
        order = np.argsort([np.flatnonzero(cluster == k)[0] for k in range(len(group))])
        rank = np.empty(len(group), dtype=int)
        rank[order] = np.arange(len(group))
        labels[members] = np.array(group)[rank[cluster]]
        found = True
    return labels if found else None
