"""Cholesky's factor of a shifted Laplacian without a subtraction, at nearly Cholesky's speed.

    Q + eps I = L L',    v > 0,  Q v = 0

Only the pivots of an M-matrix cancel. But the row sums of the matrix, weighted with v, are known:
(Q + eps I) v = eps v, and elimination keeps them as sums of positive terms. So each pivot is read
off its row instead of the diagonal (Grassmann, Taksar and Heyman 1985), and every entry of L has a
relative error of order n machine epsilons, whatever eps is. The symmetric form halves the
work and leaves all but the pivots of a block to matrix products.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import dtrsm

Array = npt.NDArray[np.float64]

# Rows whose pivots are found one by one.
BLOCK = 32
# Relative error of the entries of (L L')^-1 B, B >= 0, in units of n machine epsilons.
ERROR_FACTOR = 8


def subtraction_free_cholesky(Q: Array, v: Array, eps: float) -> Array:
    """L : (n, n), lower triangle, of Q + eps I for a Laplacian Q with Q v = 0, v : (n,) > 0."""
    n = len(v)
    off = np.maximum(-Q, 0.0)
    excess = eps * v
    L = np.zeros((n, n), order="F")
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        here, rest = slice(start, stop), slice(stop, n)
        total = excess[here] + off[here, rest] @ v[rest]
        diagonal = _factor_block(off[here, here], total, v[here])
        L[here, here] = diagonal
        # L_here^-1 >= 0, so these solves only add.
        solved = dtrsm(1.0, diagonal, np.column_stack([off[here, rest], excess[here]]), lower=1)
        ahead = solved[:, :-1]
        L[rest, here] = -ahead.T
        excess[rest] += ahead.T @ solved[:, -1]
        off[rest, rest] += ahead.T @ ahead
    return L


def _factor_block(off: Array, total: Array, v: Array) -> Array:
    """Factor of the M-matrix M with off-diagonal entries -off and M v = total."""
    k = len(v)
    # The totals are one more row: elimination treats them like any other.
    A = np.vstack([off, total])
    weights = np.append(v, 1.0)
    W = np.zeros((k + 1, k))
    pivots = np.empty(k)
    for i in range(k):
        # Column i below the diagonal at its turn; what the row has beyond it is the same numbers.
        column = W[i + 1 :, :i] @ W[i, :i]
        column += A[i + 1 :, i]
        pivots[i] = pivot = sqrt((column @ weights[i + 1 :]) / v[i])
        np.divide(column, pivot, out=W[i + 1 :, i])
    L = -W[:k]
    L.flat[:: k + 1] = pivots
    return L
