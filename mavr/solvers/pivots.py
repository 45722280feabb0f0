"""Cholesky's factor of a shifted Laplacian without a subtraction, at nearly Cholesky's speed.

    Q + eps I = L L',    v > 0,  Q v = 0

Only the pivots of an M-matrix cancel. But the row sums of the matrix, weighted with v, are known:
(Q + eps I) v = eps v, and elimination keeps them as sums of positive terms. So each pivot is read
off its row instead of the diagonal (Grassmann, Taksar and Heyman 1985), and every entry of L has a
relative error of order n machine epsilons, whatever eps is. The symmetric form halves the
work and leaves all but the pivots of a block to matrix products. Long doubles, which LAPACK does
not know, are served as well, for their range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import dtrsm

Array = npt.NDArray[Any]

# Rows whose pivots are found one by one.
BLOCK = 48
# Relative error of the entries of (L L')^-1 B, B >= 0, in units of n machine epsilons.
ERROR_FACTOR = 8


def subtraction_free_cholesky(Q: Array, v: Array, eps: float) -> Array:
    """L : (n, n), lower triangle, of Q + eps I for a Laplacian Q with Q v = 0, v : (n,) > 0.

    All is of the type of v.
    """
    n = len(v)
    # W = -L but for the diagonal: >= 0, so that everything below only adds.
    W = np.zeros((n, n), dtype=v.dtype)
    excess, solved = eps * v, np.empty_like(v)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        here, rest, done = slice(start, stop), slice(stop, n), slice(0, start)
        # What the columns of this block are when all before it are eliminated.
        columns = W[start:, done] @ W[here, done].T
        columns -= np.minimum(Q[start:, here], 0.0)
        below = columns[stop - start :]
        excess_here = excess[here] + W[here, done] @ solved[done]
        diagonal = _factor_block(columns[: stop - start], excess_here + v[rest] @ below, v[here])
        # The inverse of the block itself could fall below the doubles.
        solved[here] = _substituted(diagonal, excess_here[:, None])[:, 0]
        W[rest, here] = _substituted(diagonal, below.T).T
        W[here, here] = -diagonal
    return np.negative(W, out=W)


def _factor_block(off: Array, total: Array, v: Array) -> Array:
    """Factor of the M-matrix M with off-diagonal entries -off and M v = total."""
    k = len(v)
    # The totals are one more row: elimination treats them like any other.
    A = np.vstack([off, total])
    weights = np.append(v, v.dtype.type(1))
    W = np.zeros((k + 1, k), dtype=v.dtype)
    pivots = np.empty_like(v)
    for i in range(k):
        # Column i below the diagonal at its turn; what the row has beyond it is the same numbers.
        column = W[i + 1 :, :i] @ W[i, :i]
        column += A[i + 1 :, i]
        pivots[i] = pivot = np.sqrt((column @ weights[i + 1 :]) / v[i])
        np.divide(column, pivot, out=W[i + 1 :, i])
    L = -W[:k]
    L.flat[:: k + 1] = pivots
    return L


def _substituted(L: Array, B: Array) -> Array:
    """L^-1 B for a lower triangle L with entries <= 0 below its diagonal."""
    if L.dtype == np.float64:
        return np.asarray(dtrsm(1.0, L, B, lower=1))
    X = np.array(B)
    for i in range(len(L)):
        X[i] = (X[i] - L[i, :i] @ X[:i]) / L[i, i]
    return X


def solve_factored(L: Array, B: Array) -> Array:
    """(L L')^-1 B in the type of L, for B >= 0 by sums of positive numbers alone."""
    backwards = slice(None, None, -1)
    X = _substituted(L, np.asarray(B, dtype=L.dtype))
    return _substituted(L.T[backwards, backwards], X[backwards])[backwards]
