"""Several labels per point: label matrices, thresholds, and P from the labels' company.

A point has label j if H_ij >= T_j. What the labels of different points say about each other goes
into P. In gamma tr(H'QHP) = gamma sum_jk P_jk h_j'Qh_k a negative P_jk rewards responses of j and k
that vary together over the graph, so labels that are often together get a negative entry:

    P = I - s R / |R|_2,     R_jk = correlation of the labels j and k,  R_jj = 0

with 0 <= s < 1 and the spectral norm |R|_2. Its eigenvalues lie in [1 - s, 1 + s], whatever the
labels are, so P is positive definite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.arrays import Array, Mask

ZERO = ("auto", "unknown", "no")
STRENGTH = 0.5


def encode(Y: npt.ArrayLike, zero: str = "auto") -> Array:
    """Y : (n, c) with 1 has it, -1 has it not, 0 unknown.

    zero : what 0 means: "unknown", where -1 says "has it not"; "no", where NaN says "unknown";
    "auto" takes "no" if there is a NaN, else "unknown".

    >>> encode([[1, 0], [np.nan, np.nan]])
    array([[ 1., -1.],
           [ 0.,  0.]])
    >>> encode([[1, 0], [0, -1]])
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    if zero not in ZERO:
        raise ValueError(f"zero must be one of {', '.join(ZERO)}, got {zero!r}")
    Y = _dense(Y)
    if Y.ndim != 2 or Y.shape[1] < 1:
        raise ValueError(f"Y must have shape (n, c), one column per label, got {Y.shape}")
    unknown = np.isnan(Y)
    wrong = ~unknown & ~np.isin(Y, (-1.0, 0.0, 1.0))
    if wrong.any():
        raise ValueError(f"Y must hold -1, 0, 1 or NaN only, got {Y[wrong][0]:g}")
    if zero == "no" or (zero == "auto" and unknown.any()):
        Y[Y == 0] = -1.0
    Y[unknown] = 0.0
    return Y + 0.0


def _dense(Y: npt.ArrayLike) -> Array:
    """A copy of Y as floats."""
    return np.array(Y.toarray() if sp.issparse(Y) else Y, dtype=float)  # type: ignore[union-attr]


def known(Y: Array) -> Array:
    """Y as evidence, (n, c): +-1 what is known, 0 what is not.

    Without any -1, labels are only ever affirmed; then a label that a labelled point does not
    have counts as denied.
    """
    if (Y < 0).any():
        return Y
    labelled = Y.any(axis=1, keepdims=True)
    return np.where(labelled & (Y == 0), -1.0, Y)


def meaning(Y: npt.ArrayLike, zero: str = "auto") -> str:
    """What 0 means in Y: "no", "unknown", or "unlabelled".

    The last is that of a Y without any -1 or NaN: a row of zeros is unlabelled, and in other rows
    a label that is not affirmed counts as denied, see `known`.
    """
    denied = (encode(Y, zero) < 0).any()
    if zero == "no" or (zero == "auto" and np.isnan(_dense(Y)).any()):
        return "no"
    return "unknown" if denied else "unlabelled"


def evidence(Y: npt.ArrayLike, zero: str) -> Array:
    """Y as +-1 what is known, 0 what is not, by a meaning of 0 that more of Y has told."""
    if zero != "unlabelled":
        return encode(Y, zero)
    signed = encode(Y, "unknown")
    return np.where(signed.any(axis=1, keepdims=True) & (signed == 0), -1.0, signed)


def denied_rows(Y: npt.ArrayLike, zero: str = "auto") -> int:
    """The number of rows of -1 alone that look as if they were meant to be unlabelled.

    Those of a Y of several columns, without NaN, that has no 0 at all, or no -1 in other rows.
    `zero` = "unknown" says that -1 is meant.
    """
    Y = _dense(Y)
    if zero == "unknown" or Y.shape[1] < 2 or np.isnan(Y).any():
        return 0
    whole = (Y == -1).all(axis=1)
    others = Y[~whole]
    alike = (Y != 0).all() or not (others == -1).any()
    return int(whole.sum()) if len(others) and alike else 0


def frequencies(Y: Array) -> Array:
    """(c,) share of the points with each label among those where it is known, 0 if nowhere."""
    Y = known(Y)
    count = (Y != 0).sum(axis=0)
    return np.divide((Y > 0).sum(axis=0), count, out=np.zeros(Y.shape[1]), where=count > 0)


def correlations(Y: Array) -> Array:
    """R : (c, c), correlation of each pair of labels over the points where both are known.

    The diagonal is 0, and so is a pair of which one label never varies.
    """
    Y = known(Y)
    both = (Y != 0).astype(float)
    count = both.T @ both
    mean = np.divide(Y.T @ both, count, out=np.zeros_like(count), where=count > 0)
    product = np.divide(Y.T @ Y, count, out=np.zeros_like(count), where=count > 0)
    # Labels are +-1, so the variance over the common points is 1 - mean^2.
    spread = np.sqrt(np.maximum(1 - mean**2, 0.0) * np.maximum(1 - mean.T**2, 0.0))
    R = np.divide(product - mean * mean.T, spread, out=np.zeros_like(count), where=spread > 0)
    np.fill_diagonal(R, 0.0)
    return np.asarray((R + R.T) / 2)


def co_occurrence(Y: npt.ArrayLike, strength: float = STRENGTH) -> Array:
    """P : (c, c) from the label matrix Y : (n, c) of -1, 0, 1; strength in [0, 1).

    >>> co_occurrence([[1, 1], [-1, -1], [0, 0]])
    array([[ 1. , -0.5],
           [-0.5,  1. ]])
    """
    if not 0 <= strength < 1:
        raise ValueError(f"strength must be in [0, 1) to keep P positive definite, got {strength}")
    R = correlations(np.asarray(Y, dtype=float))
    size = np.linalg.norm(R, 2)
    P = np.eye(len(R))
    return P if size == 0 else P - strength * R / size


def learned_threshold(responses: Array, Y: Array, per_label: bool = True) -> Array:
    """(c,) thresholds with the largest F1 on labelled points, or one for all: largest micro F1.

    responses : (l, c) at the labelled points, best without their own labels
    (`mavr.solvers.leave_one_out`); Y : (l, c) their labels. A threshold lies halfway between two
    neighbouring responses. A label that all labelled points have is given to all points, one that
    none has to none.
    """
    Y = known(Y)
    if not per_label:
        used = Y != 0
        return np.full(Y.shape[1], _best_cut(responses[used], Y[used] > 0))
    pairs = zip(responses.T, Y.T, strict=True)
    return np.array([_best_cut(h[y != 0], y[y != 0] > 0) for h, y in pairs])


def frequency_threshold(responses: Array, frequency: Array, per_label: bool = True) -> Array:
    """(c,) thresholds that give each label to its share of the points, or one for all labels.

    responses : (m, c) at the points to predict; frequency : (c,), see `frequencies`. A common
    threshold gives the points as many labels as the frequencies add up to.
    """
    m, c = responses.shape
    if not per_label:
        return np.full(c, _top_cut(responses.ravel(), float(frequency.sum()) * m))
    return np.array([_top_cut(responses[:, j], frequency[j] * m) for j in range(c)])


# Name -> function of (held-out responses, labels there, responses to predict, per label?).
THRESHOLDS: dict[str, Callable[[Array, Array, Array, bool], Array]] = {
    "learned": lambda held_out, Y, rest, each: learned_threshold(held_out, Y, each),
    "frequency": lambda held_out, Y, rest, each: frequency_threshold(rest, frequencies(Y), each),
}


def _best_cut(h: Array, positive: Mask) -> float:
    if not positive.any():
        return np.inf
    if positive.all():
        return -np.inf
    order = np.argsort(-h, kind="stable")
    h, positive = h[order], positive[order]
    hits = np.cumsum(positive)
    # Cutting after the k-th largest: F1 = 2 hits / (k + all positives).
    f1 = 2 * hits / (np.arange(1, len(h) + 1) + hits[-1])
    # A cut between equal responses is none; after the last there is always one.
    f1[:-1][h[:-1] == h[1:]] = -1.0
    return _between(h, int(f1.argmax()) + 1)


def _top_cut(h: Array, count: float) -> float:
    return _between(-np.sort(-h), min(max(round(count), 0), len(h)))


def _between(h: Array, k: int) -> float:
    """A threshold that the first k of the decreasing h reach."""
    if k == 0:
        return np.inf
    if k == len(h):
        return float(h[-1])
    middle = float((h[k - 1] + h[k]) / 2)
    # Halfway between neighbouring doubles rounds to one of them.
    return middle if middle > h[k] else float(h[k - 1])
