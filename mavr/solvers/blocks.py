"""Thin blocks of columns: orthonormal factors, and conjugate gradients on all columns as one.

Columns that share their matrix share what is found of it, too: each is approached in the space of
all of them (block conjugate gradients: O'Leary 1980, made stable by an orthonormal factor of the
residuals in each step: Dubrulle 2001). The few lowest eigenvectors of a graph with clusters, which
hold up a single column, are found in a few steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mavr.arrays import Array

# Of columns of length 1, the part that others do not explain: above the first, one pass of
# Cholesky's method leaves columns orthogonal to 1e-10, above the second a second pass does.
WELL_APART, APART = 1e-3, 1e-6
# Columns that others explain but for this part add nothing.
DEPENDENT = 1e-13
# Rows of a product that are taken at once.
ROWS = 2_048
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
    V, _, R = factored_within(X.copy(), np.empty_like(X))
    return V, R


def factored_within(X: Array, spare: Array) -> tuple[Array, Array, Array]:
    """`factored` in the memory of X and of another array: V, the one that is free now, and R."""
    R = np.eye(X.shape[1])
    for least in (APART, WELL_APART):
        found = _cholesky(X, least)
        if found is None:
            break
        factor, apart = found
        np.matmul(X, np.linalg.inv(factor), out=spare)
        X, spare, R = spare, X, factor @ R
        if apart > WELL_APART:
            return X, spare, R
    V, rest = np.linalg.qr(X)
    X[:] = V
    return X, spare, rest @ R


def _cholesky(X: Array, least: float) -> tuple[Array, float] | None:
    """The upper factor of X'X, and how far columns are apart; None if that is too little."""
    G = X.T @ X
    length = np.sqrt(G.diagonal())
    if not np.isfinite(length).all() or length.min(initial=np.inf) < 1e-150:
        return None
    try:
        factor = np.asarray(np.linalg.cholesky(G / length / length[:, None]).T, dtype=float)
    except np.linalg.LinAlgError:
        return None
    apart = float(factor.diagonal().min(initial=1.0))
    return (factor * length, apart) if apart > least else None


def block_gradients(A: Any, R: Array, goal: Array, max_steps: int) -> Array:
    """X : (n, m) near A^-1 R, all columns as one.

    Parameters
    ----------
    A : (n, n) sparse, symmetric and positive definite, of diagonal 1 or so.
    R : (n, m)
    goal : (m,) norms that residuals are to come down to.
    max_steps : after which it ends anyway.
    """
    V, C = factored(R)
    D, X, times = V.copy(), np.zeros_like(R), Slices(A)
    AD, spare = np.empty_like(R), np.empty_like(R)
    best, stalled = np.inf, 0
    for _ in range(max_steps):
        # The residual is V C, and V is orthonormal.
        worst = float((np.linalg.norm(C, axis=0) / goal).max())
        best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
        if worst <= 1 or stalled > MAX_STALLED:
            break
        times.into(D, AD)
        try:
            step = np.linalg.inv(D.T @ AD)
        except np.linalg.LinAlgError:
            break
        X += np.matmul(D, step @ C, out=spare)
        V -= np.matmul(AD, step, out=spare)
        V, spare, turn = factored_within(V, spare)
        np.matmul(D, turn.T, out=AD)
        AD += V
        D, AD = AD, D
        C = turn @ C
    return X


class Slices:
    """A sparse matrix in slices of rows.

    Products go into memory that is there: fresh memory may cost more than the product.
    """

    def __init__(self, A: Any) -> None:
        self._parts = [A[i : i + ROWS] for i in range(0, A.shape[0], ROWS)]

    def into(self, X: Array, found: Array) -> None:
        """AX, written to another array."""
        for k, part in enumerate(self._parts):
            found[k * ROWS : (k + 1) * ROWS] = part @ X
