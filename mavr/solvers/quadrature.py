"""|H| and its slope for any rho, from a Krylov space alone: no vector of n numbers is touched.

In the basis U of P a column of H is h_j = g_j - w_j o_j, with g_j = A_j^-1 z_j, o_j = A_j^-1 1 and
w from the class balance (`mavr.solvers.balance`). With R the resolvent,

    |H|^2 = sum_j |g_j|^2 - 2 w_j g_j'o_j + w_j^2 |o_j|^2,    -d|H| / ddelta = H'RH / |H|,

and every product is one of z'A^-q z, z'A^-q 1 and 1'A^-q 1 for q = 1, 2, 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.solvers.balance import balance_projection
from mavr.solvers.problem import Problem
from mavr.solvers.subspace import Subspace


@dataclass(frozen=True)
class Products:
    """z_j'A_j^-q z_j, z_j'A_j^-q 1 and 1'A_j^-q 1 at one delta, (c,) each, for q = 1, 2, 3."""

    zz: tuple[Array, ...]
    z1: tuple[Array, ...]
    one: tuple[Array, ...]


def norm_and_slope(problem: Problem, space: Subspace, delta: float) -> tuple[float, float]:
    """|H| and d|H| / ddelta at rho = -delta."""
    p = _products(problem, space, delta)
    (_, zz2, zz3), (s, z2, z3), (t, d2, d3) = p.zz, p.z1, p.one
    w = np.zeros_like(s)
    w2 = np.zeros_like(s)
    if problem.balance:
        projection = balance_projection(problem.relation, problem.balance, t)
        w = projection @ s
        # RH is assembled in the same way, from A^-1 h.
        w2 = projection @ (z2 - w * d2)
    norm = float(np.sqrt((zz2 - 2 * w * z2 + w * w * d2).sum()))
    along = (zz3 - 2 * w * z3 - w2 * z2 + w * w * d3 + w * w2 * d2).sum()
    return norm, -float(along) / norm


def _products(problem: Problem, space: Subspace, delta: float) -> Products:
    relation = problem.relation
    c = len(relation.mu)
    zz, z1, one = (tuple(np.empty(c) for _ in range(3)) for _ in range(3))
    for group in relation.groups:
        a = problem.gamma * float(relation.mu[group[0]])
        U = relation.U[:, list(group)]
        for q in range(3):
            among = space.moments(a, delta, q + 1)
            zz[q][list(group)] = (U * (among[:, :-1] @ U)).sum(axis=0)
            z1[q][list(group)] = among[:, -1] @ U if problem.balance else 0.0
            one[q][list(group)] = space.total(a, delta, q + 1) if problem.balance else 0.0
    return Products(zz, z1, one)
