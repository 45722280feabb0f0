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

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import cho_factor, solve_triangular

from mavr import validation as valid
from mavr.arrays import Array, Index
from mavr.solvers.balance import balance_projection
from mavr.solvers.problem import relate
from mavr.solvers.solution import Solution, Status
from mavr.solvers.spectrum import Spectrum, decompose

# Factorisations that take less time than the eigenvectors, about.
MAX_FACTORS = 8


def left_out(
    state: Any,
    solution: Solution,
    Y: Array,
    P: Array,
    gamma: float,
    balance: float = 0.0,
    prior: npt.ArrayLike | None = None,
) -> Array:
    """Responses at the labelled points, each without its own labels. rho stays as it is.

    Parameters
    ----------
    state : Spectrum, or Q : (n, n) dense or sparse, which is factorised.
    solution : of the same Y, P, gamma, balance and prior.
    Y : (n, c) labels.
    P : (c, c) class relation.
    gamma, balance : weights.
    prior : (c,) proportions that the balance term heeds, equal by default.

    Returns
    -------
    H : (l, c), the labelled points in their order.
    """
    labelled = np.flatnonzero(Y.any(axis=1))
    if solution.status is Status.HARD_CASE:
        return np.array(solution.H[labelled])  # rho is a pole: M has no inverse
    relation = relate(P, None if prior is None else valid.shares(prior, len(P)))
    U = relation.U
    parts = _parts(state, labelled, gamma, relation.mu, float(solution.rho), bool(balance))
    own = (parts.diagonal * (Y[labelled] @ U)) @ U.T
    if balance and len(P) > 1:
        project = balance_projection(relation, balance, parts.total)
        own -= (parts.ones * ((parts.ones * (Y[labelled] @ U)) @ project.T)) @ U.T
    return np.asarray(solution.H[labelled] - own)


@dataclass(frozen=True)
class Parts:
    """Of A_j at the labelled points: diagonal (l, c), A_j 1 (l, c) and 1'A_j 1 (c,)."""

    diagonal: Array
    ones: Array
    total: Array


def _parts(
    state: Any, labelled: Index, gamma: float, mu: Array, rho: float, balanced: bool
) -> Parts:
    distinct, place = np.unique(mu, return_inverse=True)
    if not isinstance(state, Spectrum):
        if rho < 0 and len(distinct) <= MAX_FACTORS:
            found = [_factorised(state, labelled, gamma * m, rho, balanced) for m in distinct]
            return Parts(
                np.stack([f.diagonal for f in found], axis=1)[:, place],
                np.stack([f.ones for f in found], axis=1)[:, place],
                np.array([f.total for f in found])[place],
            )
        state = decompose(state)
    inverse = 1.0 / (np.multiply.outer(state.lam, gamma * mu) - rho)
    V = state.V[labelled]
    ones = V @ (state.ones[:, None] * inverse)
    return Parts((V * V) @ inverse, ones, (state.ones**2) @ inverse)


def _factorised(Q: Any, labelled: Index, weight: float, rho: float, balanced: bool) -> Parts:
    """The same for one A = (weight Q - rho I)^-1 = (R'R)^-1: A_ii = |R'^-1 e_i|^2."""
    A = weight * (Q.toarray() if sp.issparse(Q) else np.array(Q))
    n = len(A)
    A.flat[:: n + 1] -= rho
    R = cho_factor(A, lower=False, overwrite_a=True, check_finite=False)[0]
    columns = np.zeros((n, len(labelled)), order="F")
    columns[labelled, np.arange(len(labelled))] = 1.0
    half = solve_triangular(R, columns, trans="T", overwrite_b=True, check_finite=False)
    diagonal = np.einsum("ij,ij->j", half, half)
    if not balanced:
        return Parts(diagonal, np.zeros_like(diagonal), np.zeros(()))
    one = solve_triangular(R, np.ones(n), trans="T", check_finite=False)
    return Parts(diagonal, half.T @ one, np.asarray(one @ one))
