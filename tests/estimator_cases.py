"""What several tests of the estimators run over."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import mavr


def kernel(A, B):
    return rbf_kernel(A, B, gamma=8.0)


ALL_SIMILARITIES = ["gaussian", "local_scaling", "knn", "cosine", kernel]
CLASSES = [
    mavr.MAVRClassifier,
    mavr.LGCClassifier,
    mavr.BAVRClassifier,
    mavr.LapRLSClassifier,
]


def with_labels(y, rate, seed):
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(np.flatnonzero(y == j))[:rate] for j in np.unique(y)]
    return np.where(np.isin(np.arange(len(y)), np.concatenate(chosen)), y, -1)


def mean_error(X, truth, rate, seeds, **setting):
    """Of MAVRClassifier on points without label, over several draws."""
    found = []
    for seed in seeds:
        y = with_labels(truth, rate, seed)
        answer = mavr.MAVRClassifier(**setting).fit(X, y).transduction_
        found.append(np.mean((answer != truth)[y == -1]))
    return float(np.mean(found))
