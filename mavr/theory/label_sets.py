"""Label sets from responses, Section 3.2: point i gets {j : H_ij >= T_h}.

The text reads H_ij > 0 as "has the label", H_ij < 0 as "has it not", and asks for a threshold T_h
that is "either preset or learned", since the two are imbalanced. Two facts make T_h matter:

    Y in {0, 1}      For P = I and a Laplacian Q, gamma Q - rho is an M-matrix: its inverse has no
                     negative entry, and none that is 0 within a component. With Y >= 0 every label
                     that a component has seen gets H_ij > 0 all over it, so T_h = 0 gives it to
                     every point there.
    Y in {-1, 0, 1}  Responses have both signs, but a label that few points have has more -1 than 1,
                     and its responses lean towards "has it not".

A learned T_h has the largest F1 on the labelled points, each seen without its own label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr import multilabel
from mavr.arrays import Array, Mask
from mavr.solvers.leave_one_out import left_out
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import Spectrum


@dataclass(frozen=True)
class Responses:
    """H : (n, c); learned : (c,) thresholds per label; common : one learned for all labels."""

    H: Array
    learned: Array
    common: float


def coded(sets: npt.ArrayLike, labelled: npt.ArrayLike, denied: bool) -> Array:
    """Y : (n, c) of the labelled points' label sets; denied : -1 for a label they do not have."""
    sets = np.asarray(sets, dtype=bool)
    Y = np.zeros(sets.shape)
    rows = np.asarray(labelled)
    Y[rows] = np.where(sets[rows], 1.0, -1.0 if denied else 0.0)
    return Y


def respond(spectrum: Spectrum, Y: Array, gamma: float, tau: float) -> Responses:
    """MAVR with P = I, and the thresholds that its labelled points teach."""
    found = solve(spectrum, Y, gamma=gamma, tau=tau)
    rows = np.flatnonzero(Y.any(axis=1))
    held_out = left_out(spectrum, found, Y, np.eye(Y.shape[1]), gamma)
    each = multilabel.learned_threshold(held_out, Y[rows])
    common = multilabel.learned_threshold(held_out, Y[rows], per_label=False)
    return Responses(found.H, each, float(common[0]))


def predict(H: Array, threshold: npt.ArrayLike) -> Mask:
    """{j : H_ij >= T_h} as a table; threshold : one for all labels or one each."""
    return np.asarray(np.asarray(H) >= np.asarray(threshold))


@dataclass(frozen=True)
class Score:
    """hamming : share of wrong entries; f1 : micro-averaged; mean_size : labels per point."""

    hamming: float
    f1: float
    mean_size: float


def score(predicted: Mask, sets: Mask) -> Score:
    """Against the true label sets."""
    hits = int((predicted & sets).sum())
    total = int(predicted.sum() + sets.sum())
    return Score(
        float((predicted != sets).mean()),
        2 * hits / total if total else 1.0,
        float(predicted.sum(axis=1).mean()),
    )
