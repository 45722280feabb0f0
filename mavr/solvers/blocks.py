"""Thin blocks of columns: orthonormal factors, and conjugate gradients on all columns as one.

Columns that share their matrix share what is found of it, too: each is approached in the space of
all of them (block conjugate gradients: O'Leary 1980, made stable by an orthonormal factor of the
residuals in each step: Dubrulle 2001). The few lowest eigenvectors of a graph with clusters, which
hold up a single column, are found in a few steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import get_blas_funcs

from mavr.arrays import Array, parts

# Doubles or single precision.
Thin = npt.NDArray[Any]

# Of columns of length 1, the part that others do not explain: above the first, one pass of
# Cholesky's method leaves columns orthogonal to 1e-10, above the second a second pass does. In
# single precision they are orthogonal to 1e-5.
WELL_APART, APART = {8: 1e-3, 4: 0.1}, {8: 1e-6, 4: 3e-3}
# Columns that others explain but for this part add nothing.
DEPENDENT = 1e-13
# Steps without progress after which there is no more to gain.
MAX_STALLED = 200


def independent(B: Array) -> tuple[Array, Array]:
    """V : (n, r) orthonormal and R : (r, m) with B = V R, r the rank of B : (n, m)."""
    U, size, W = np.linalg.svd(B, full_matrices=False)
    rank = int((size > DEPENDENT * max(size.max(initial=0.0), 1e-300)).sum())
    return np.ascontiguousarray(U[:, :rank]), size[:rank, None] * W[:rank]


def factored(X: Array) -> tuple[Array, Array]:
    """V : (n, r) orthonormal and R : (r, r), an upper triangle, with X = V R.

    By Cholesky's factor of X'X, which takes two products; by reflections where columns of X are
    nearly dependent, or 0.
    """
    V = X.copy()
    return V, _orthonormalise(V)


def gram(X: Thin, Y: Thin) -> Array:
    """X'Y of two thin blocks, summed in doubles."""
    # Not by NumPy, which makes X'X half at a time: that is slower where it is small.
    [times] = get_blas_funcs(("gemm",), (X, Y))
    total = np.zeros((X.shape[1], Y.shape[1]))
    for rows in parts(X):
        total += times(1.0, X[rows].T, Y[rows].T, trans_b=True)
    return total


def _orthonormalise(X: Thin) -> Array:
    """Make columns orthonormal, in place, and return R."""
    R, size = np.eye(X.shape[1]), X.dtype.itemsize
    for least in (APART[size], WELL_APART[size]):
        found = _cholesky(gram(X, X), np.finfo(X.dtype).tiny, least)
        if found is None:
            break
        factor, apart = found
        inverse = np.linalg.inv(factor).astype(X.dtype)
        for rows in parts(X):
            X[rows] = X[rows] @ inverse
        R = factor @ R
        if apart > WELL_APART[size]:
            return R
    X[:], rest = np.linalg.qr(X)
    return np.asarray(rest @ R)


def _cholesky(G: Array, tiny: float, least: float) -> tuple[Array, float] | None:
    """The upper factor of X'X, and how far columns are apart; None if that is too little."""
    length = np.sqrt(G.diagonal())
    if not np.isfinite(length).all() or length.min(initial=np.inf) < tiny**0.5:
        return None
    try:
        factor = np.asarray(np.linalg.cholesky(G / length / length[:, None]).T, dtype=float)
    except np.linalg.LinAlgError:
        return None
    apart = float(factor.diagonal().min(initial=1.0))
    return (factor * length, apart) if apart > least else None


def block_gradients(
    A: Any, R: Array, goal: Array, max_steps: int, beside: Array | None = None
) -> Thin:
    """X : (n, m) near A^-1 R, all columns as one.

    Parameters
    ----------
    A : (n, n) sparse, symmetric and positive definite, of diagonal 1 or so. Steps are taken in its
        precision.
    R : (n, m)
    goal : (m,) norms that residuals are to come down to.
    max_steps : after which it ends anyway.
    beside : (n, k) more columns for the space that all are approached in, of length 1.
    """
    m, kind = R.shape[1], A.dtype
    if beside is not None:
        R = np.hstack([R, beside * np.linalg.norm(R, axis=0).max()])
    V, C = factored(R)
    C, V = C[:, :m], V.astype(kind, copy=False)
    D, X = V.copy(), np.zeros((len(R), m), dtype=kind)
    # A is symmetric: by columns, no sum has to wait for the one before.
    by_columns = A.T
    best, stalled = np.inf, 0
    for _ in range(max_steps):
        # The residual is V C, and V is orthonormal.
        worst = float((np.linalg.norm(C, axis=0) / goal).max())
        best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
        if worst <= 1 or stalled > MAX_STALLED or not np.isfinite(worst):
            break
        AD = by_columns @ D
        try:
            step = np.linalg.inv(gram(D, AD))
        except np.linalg.LinAlgError:
            break
        along, back = (step @ C).astype(kind), step.astype(kind)
        for rows in parts(V):
            V[rows] -= AD[rows] @ back
        turn = _orthonormalise(V)
        onward = turn.T.astype(kind)
        for rows in parts(V):
            X[rows] += D[rows] @ along
            np.add(V[rows], D[rows] @ onward, out=D[rows])
        C = turn @ C
    return X
