"""The class-balance term, once for every way to solve.

    (gamma P (x) Q - rho I + balance C (x) 11') vec H = vec Y,    C = BB' = I - pp'/|p|^2

It is of rank c - 1. In the basis U of P let g_j be the solution without balance, 1_j the one whose
right-hand side is all ones, and t_j = 1'1_j its total. The Woodbury identity leaves one system of
size c - 1,

    (I + balance B'U diag(t) U'B) w = B'U s,   s_j = 1'g_j,

and takes from each g_j the multiple balance (U'B w)_j of 1_j.
"""

from __future__ import annotations

import numpy as np

from mavr.arrays import Array
from mavr.solvers.problem import Relation


def balance_projection(relation: Relation, weight: float, totals: Array) -> Array:
    """(c, c) matrix that maps the sums s to the multiples balance U'B w.

    Parameters
    ----------
    relation : of the classes.
    weight : balance, > 0.
    totals : (c,) the t_j.
    """
    turned = relation.U.T @ relation.B
    K = np.eye(turned.shape[1]) + weight * (turned.T * totals) @ turned
    return np.asarray(weight * turned @ np.linalg.solve(K, turned.T))
