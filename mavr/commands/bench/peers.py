"""Peers on the same graph: LabelSpreading and Poisson learning, and draws of labels for all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array
from mavr.graphs.laplacians import laplacian

Peer = Callable[[Any, Array], Array | None]


def one_hot(y: npt.NDArray[Any], per_class: int, rng: np.random.Generator) -> Array:
    """Y : (n, c) with so many labels of each class, drawn at random."""
    classes = np.unique(y)
    Y = np.zeros((len(y), len(classes)))
    for j, name in enumerate(classes):
        Y[rng.choice(np.flatnonzero(y == name), per_class, replace=False), j] = 1.0
    return Y


def spreading(W: Any, Y: Array) -> Array:
    """LabelSpreading's iteration, converged: F <- alpha S F + (1 - alpha) Y."""
    S = -laplacian(W)
    S.setdiag(0.0)
    F = Y.copy()
    for _ in range(3000):
        following = 0.99 * (S @ F) + 0.01 * Y
        if np.abs(following - F).max() < 1e-9:
            break
        F = following
    return F


def _learned(name: str, W: Any, Y: Array) -> Array | None:
    """By the method of graphlearning with this name, if it is installed."""
    if find_spec("graphlearning") is None:
        return None
    method = getattr(import_module("graphlearning").ssl, name)
    rows = np.flatnonzero(Y.any(axis=1))
    return np.asarray(method(W).fit(rows, Y[rows].argmax(axis=1)))


poisson: Peer = partial(_learned, "poisson")
laplace: Peer = partial(_learned, "laplace")
PEERS: dict[str, Peer] = {
    "LabelSpreading, alpha = 0.99": spreading,
    "Poisson learning": poisson,
}
