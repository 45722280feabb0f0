"""Problems that the tests of the theory share."""

from __future__ import annotations

import numpy as np

import datasets
import mavr
from mavr.graphs.graph import Graph
from mavr.theory import volume


def one_hot(y, labelled, c=3):
    Y = np.zeros((len(y), c))
    Y[labelled, y[labelled]] = 1.0
    return Y


def circles(seed=0, sigma=0.5, kind="normalized", n=300, l=3):
    data = datasets.three_circles(n=n, seed=seed)
    W = mavr.gaussian_similarity(data.X, sigma)
    labelled = datasets.draw_labels(data.y, l, "balanced", seed)
    return Graph(W, kind), one_hot(data.y, labelled), labelled


def random_form(n, rng, low=0.2, high=3.0):
    V, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return volume.form(rng.uniform(low, high, n), V)
