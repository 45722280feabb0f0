"""Responses at labelled points as they would be without their own label.

A labelled point pulls its own response towards its label, so on labelled points the responses lie
further apart than elsewhere: what is learned from them must leave the point out. At fixed rho the
responses are linear in the labels, vec H = M^-1 vec Y with

    M = gamma P (x) Q + balance C (x) 11' - rho I,

so leaving out the labels of point i subtracts [M^-1]_ii Y_i, a (c, c) block times its labels.
With P = U diag(mu) U', C = BB', A_j = (gamma mu_j Q - rho I)^-1 and the Woodbury identity,

    [M^-1]_ii = U diag(A_j,ii) U' - E_i N E_i',   E_i = U diag((A_j 1)_i),

N being the projection of `mavr.solvers.balance`, with the totals 1'A_j 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mavr.solvers.balance import balance_projection
from mavr.solvers.problem import relate
from mavr.solvers.solution import Solution, Status
from mavr.solvers.spectrum import Spectrum

Array = npt.NDArray[np.float64]


def left_out(
    spectrum: Spectrum,
    solution: Solution,
    Y: Array,
    P: Array,
    gamma: float,
    balance: float = 0.0,
) -> Array:
    """(l, c) responses at the labelled points, in their order, each without its own labels.

    `solution` must be the one of the same Y, P, gamma and balance. rho stays as it is.
    """
    labelled = np.flatnonzero(Y.any(axis=1))
    if solution.status is Status.HARD_CASE:
        return np.array(solution.H[labelled])  # rho is a pole: M has no inverse
    relation = relate(P)
    inverse = 1.0 / (np.multiply.outer(spectrum.lam, gamma * relation.mu) - float(solution.rho))
    V, U = spectrum.V[labelled], relation.U
    own = (((V * V) @ inverse) * (Y[labelled] @ U)) @ U.T
    if balance and len(P) > 1:
        ones = V @ (spectrum.ones[:, None] * inverse)
        project = balance_projection(relation, balance, (spectrum.ones**2) @ inverse)
        own -= (ones * ((ones * (Y[labelled] @ U)) @ project.T)) @ U.T
    return np.asarray(solution.H[labelled] - own)
