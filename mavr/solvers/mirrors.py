"""Classes that P treats alike while the labels do not: their differences have an equation.

If exchanging j and k leaves P unchanged, (e_j - e_k) is an eigenvector of P, and

    (gamma mu Q - rho I) (h_j - h_k) = y_j - y_k,      mu = P_jj - P_jk.

Where the two classes repel each other, mu is small and the difference dies out much faster than the
responses themselves: it drowns in their rounding, though x = (gamma mu Q - rho I)^-1 y is known to
a relative error at every point. So classes of such a group are compared by x, not by h.
"""

from __future__ import annotations

import numpy as np

from mavr import relations
from mavr.arrays import EPS
from mavr.solvers.elimination import Eliminated
from mavr.solvers.resolvent import Multiplier
from mavr.ties import Mirror


def mirrors_of(inverse: Eliminated, moved: Multiplier, unsure: float) -> tuple[Mirror, ...]:
    """The groups of classes that are compared by their differences.

    Parameters
    ----------
    inverse : factors of an M-matrix, near the multiplier.
    moved : the multiplier itself.
    unsure : how far its delta may be from the exact one.
    """
    problem = inverse.problem
    if problem.balance or problem.relation.identity:
        return ()
    off = abs(moved.delta - inverse.multiplier.delta) + unsure
    # Beyond this the effect of another delta is not linear.
    if not off < 1e-3 * moved.delta:
        return ()
    return tuple(
        _mirror(inverse, group, off) for group in relations.exchangeable(problem.relation.P)
    )


def _mirror(inverse: Eliminated, group: list[int], off: float) -> Mirror:
    """x of each class, and its error: of the solve, of delta, and of mu, which is rounded."""
    problem, relation = inverse.problem, inverse.problem.relation
    mu = float(relation.P[group[0], group[0]] - relation.P[group[0], group[1]])
    at = int(np.abs(relation.mu - mu).argmin())
    (A,) = [f for f, g in zip(inverse.factors, relation.groups, strict=True) if at in g]
    Y = problem.Y[:, group]
    X, error = A.bounded(Y)
    size = X if (Y >= 0).all() else A.solve(np.abs(Y))
    again = A.solve(size)
    # With another mu, gamma mu Q A^-1 x = x + rho A^-1 x.
    apart = abs(float(relation.mu[at]) - mu) + 4 * EPS * relation.norm
    error = error + 1.01 * apart / mu * (size + abs(inverse.multiplier.rho) * again)
    return Mirror(tuple(group), X, error + 1.01 * off * again)
