"""The four losses of Section 4.1, each minimised under |H| = tau, for P = I.

    1  sum over all points   |y_i - r_i|^2        3  sum over all points   -y_i' r_i
    2  over labelled points  |y_i - r_i|^2        4  over labelled points  -y_i' r_i

r_i is the i-th row of H. Adding gamma tr(H'QH) and dropping what is constant on the sphere:

    1        -2 <Y, H> + gamma tr(H'QH)
    2        -2 <Y, H> + tr(H'(gamma Q + J)H),   J_ii = 1 for a labelled point, else 0
    3 and 4    -<Y, H> + gamma tr(H'QH)

3 and 4 are the same function, since y_i = 0 without a label. Twice the last line is the first with
2 gamma in the place of gamma: losses 1 and 3 have the same minimum only if their gammas differ by
this factor. Loss 2 is another problem: the sum of |r_i|^2 over the labelled points is not constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import decompose

LOSSES = (1, 2, 3, 4)


def loss(which: int, Y: Array, H: Array) -> float:
    """The loss itself."""
    labelled = Y.any(axis=1) if which in (2, 4) else np.ones(len(Y), dtype=bool)
    Y, H = Y[labelled], H[labelled]
    return float(((Y - H) ** 2).sum() if which in (1, 2) else -(Y * H).sum())


def objective(which: int, Q: Array, Y: Array, H: Array, gamma: float) -> float:
    """The loss plus gamma tr(H'QH)."""
    return loss(which, Y, H) + gamma * float((H * (Q @ H)).sum())


def minimise(which: int, Q: Array, Y: Array, gamma: float, tau: float) -> Solution:
    """The minimum of one loss plus the volume term on the sphere."""
    if which == 1:
        return solve(decompose(Q), Y, gamma=gamma, tau=tau)
    if which == 2:
        J = np.diag(Y.any(axis=1).astype(float))
        return solve(decompose(gamma * Q + J), Y, gamma=1.0, tau=tau)
    # -<Y, H> = -2 <Y/2, H>
    return solve(decompose(Q), Y / 2, gamma=gamma, tau=tau)


@dataclass(frozen=True)
class Comparison:
    """Solutions of the four losses at one gamma, and of loss 1 at 2 gamma.

    distances : |H_1 - H_k| / tau for k = 2, 3, 4; to_doubled : the same for loss 3 and loss 1 at
    2 gamma; differ : points whose class is another than that of loss 1.
    """

    solutions: tuple[Solution, ...]
    distances: tuple[float, ...]
    to_doubled: float
    differ: tuple[int, ...]


def compare(Q: Array, Y: Array, gamma: float, tau: float) -> Comparison:
    """All four losses on one problem."""
    found = tuple(minimise(k, Q, Y, gamma, tau) for k in LOSSES)
    doubled = minimise(1, Q, Y, 2 * gamma, tau)
    first = found[0]
    return Comparison(
        found,
        tuple(float(np.linalg.norm(s.H - first.H)) / tau for s in found[1:]),
        float(np.linalg.norm(found[2].H - doubled.H)) / tau,
        tuple(int((s.labels != first.labels).sum()) for s in found[1:]),
    )
