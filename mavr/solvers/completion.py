"""Faint responses from strong ones: what the eigenbasis cannot tell, at a fraction of the cost.

Responses H in the eigenbasis are known to +-e, the same for all points, which says nothing where
they are below e. Let F be those points, R the others, and A = a Q - rho I an M-matrix. Then

    A_FF H_F = Y_F + B H_R,    B = -A_FR >= 0,    A_FF^-1 >= 0

and with H_R known to +-e, H_F is known to +-e w,  w = A_FF^-1 B 1: as far from the labels as a
response is faint, so is its error. Only A_FF is factorised, which is small where most are strong.

Before that, e itself is made small: most of it is the rounding of the residual, which costs little
to compute in long doubles where few entries of Q are heard of.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mavr.arrays import EPS, Array, Index
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.factor import NotDefinite, factor
from mavr.solvers.problem import Problem
from mavr.solvers.report import Answer

# A response is faint below so many times its error: of the others it is below a 10,000th. Where two
# classes are so close that this does not tell them apart, more are called faint: what a point
# hears of the others' errors falls as they are further away.
FAINT, FAINTER = 1e4, 1e6
# Below so many points, or with a larger share of faint ones, the whole is factorised as quickly.
MIN_POINTS, MAX_SHARE = 500, 0.7
# Entries of Q between far points are so small that their products leave the normal doubles.
SCALE = 2.0**400


def completable(problem: Problem) -> bool:
    """Whether H >= 0, column by column, Q being an M-matrix, and there are many points."""
    plain = problem.relation.identity and not problem.balance and bool((problem.Y >= 0).all())
    return plain and problem.structure.n >= MIN_POINTS


def completed(basis: Eigenbasis, answer: Answer, faint: float = FAINT) -> Answer | None:
    """An answer of the eigenbasis with its faint responses found anew; None where that is no gain.

    For a problem that is `completable`; faint : below so many times their error.
    """
    # H >= 0: what is below 0 is rounding.
    e, H = float(answer.error.max()), np.maximum(answer.H, 0.0)
    F = np.flatnonzero(H.max(axis=1) < faint * e)
    if not np.isfinite(e) or not 0 < len(F) <= MAX_SHARE * len(H):
        return None
    try:
        found = _completed(basis, answer, H, F, e)
    except NotDefinite:
        return None
    error = np.full(H.shape, e)
    H[F], error[F] = found
    return replace(answer, H=H, error=error, method="eigenbasis, completed", residual=None)


def sharpened(basis: Eigenbasis, answer: Answer) -> Answer | None:
    """The same responses with the bound of their residual in long doubles; None where Q is full."""
    problem, multiplier = basis.problem, answer.multiplier
    structure = problem.structure
    Q = structure.sparse if structure.heard is None else structure.heard
    if not sp.issparse(Q):
        return None
    # What is not heard of is below EPS^2 |Q|, less than the rounding of a long double.
    wide, H = np.longdouble, answer.H.astype(np.longdouble)
    rho = wide(multiplier.lowest) - wide(multiplier.delta)
    a = wide(problem.gamma * float(problem.relation.mu[0]))
    R = a * (Q.astype(wide) @ H) - rho * H - problem.Y
    size = float(np.linalg.norm(R.astype(float)))
    # The entries of Q are rounded themselves: it is that far from the graph's own Laplacian.
    of_Q = 8 * EPS * (problem.size + abs(multiplier.rho)) * float(np.linalg.norm(answer.H))
    error = basis.error(multiplier, size + of_Q, answer.H, eps=float(np.finfo(wide).eps))
    return replace(answer, error=np.full((1, 1), error), residual=size)


def _completed(
    basis: Eigenbasis, answer: Answer, H: Array, F: Index, e: float
) -> tuple[Array, Array]:
    """H_F and a bound of |error|; H : the responses, those of F are not read."""
    problem, multiplier = basis.problem, answer.multiplier
    structure, a = problem.structure, problem.gamma * float(problem.relation.mu[0])
    rows = structure.Q[F]
    # Strong responses and, in the last column, 1 for each of them.
    strong = np.column_stack([H, np.ones(len(H))])
    strong[F] = 0.0
    right = (rows * (-a * SCALE)) @ strong
    right[:, :-1] += SCALE * problem.Y[F]
    part = replace(structure, Q=rows[:, F], null_vector=None)
    shift = multiplier.delta - multiplier.lowest
    inverse = factor(part, a, shift, multiplier.delta - basis.width)
    X, error = inverse.bounded(right)
    X, error = X / SCALE, error / SCALE + len(H) * np.finfo(float).tiny
    faint, w = X[:, :-1], X[:, -1:] + error[:, -1:]
    # Sums of terms of one sign, each rounded: relative to the sum.
    bound = error[:, :-1] + 2 * (len(H) + 8) * EPS * faint + 1.01 * e * w
    if problem.tau is not None:
        # delta is known as well as |H| is: A_FF^-1 H_F is how H_F moves with it.
        moved = inverse.solve(SCALE * (faint + bound)) / SCALE
        bound += 1.01 * basis.unsure_delta(multiplier, e) * moved
    return faint, bound
