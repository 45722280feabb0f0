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


def held_out(X, y, setting, view=lambda X, part: X):
    """(l,) labelled points found wrong, each half of the labels of a class held out once.

    view : from the points and the labels that are left to the points that are fitted.
    """
    wrong = np.zeros(len(y), dtype=bool)
    for half in (0, 1):
        out = np.concatenate([np.flatnonzero(y == j)[half::2] for j in np.unique(y[y >= 0])])
        part = y.copy()
        part[out] = -1
        answer = mavr.MAVRClassifier(**setting, class_prior="labels").fit(view(X, part), part)
        wrong[out] = answer.transduction_[out] != y[out]
    return wrong[y >= 0]


def mean_error(X, truth, rate, seeds, **setting):
    """Of MAVRClassifier on points without label, over several draws."""
    found = []
    for seed in seeds:
        y = with_labels(truth, rate, seed)
        answer = mavr.MAVRClassifier(**setting).fit(X, y).transduction_
        found.append(np.mean((answer != truth)[y == -1]))
    return float(np.mean(found))
