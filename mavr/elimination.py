"""Direct solves of (a Q + shift I) X = B that keep small responses right.

On an M-matrix with B >= 0 every entry of X is >= 0 and many are tiny: 1e-20 where two rings
hardly touch. An eigenvector expansion leaves noise of 1e-16 there and with it wrong classes.
Elimination does not: off-diagonal entries of the factor are sums of terms of one sign, and only the
pivots cancel. So each entry of X has a small *relative* error.

- Cholesky: relative error about n eps (a |Q| + shift) / shift, the growth of the pivots'
cancellation. - Subtraction-free elimination (Grassmann, Taksar and Heyman 1985), for a Laplacian:
nothing cancels at
  all, the relative error is about n eps whatever the shift is. Slower, so it serves where
  Cholesky's bound is no longer small.

For a Q that is not an M-matrix only the usual bound relative to the norm holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dpotrf, dpotrs

from mavr.structure import EPS, Structure

Array = npt.NDArray[np.float64]

# Cholesky's relative error beyond which the subtraction-free elimination takes over.
CHOLESKY_ERROR_LIMIT = 1e-8
# Rows eliminated together: large enough for matrix products, small enough for the loop inside.
BLOCK = 48


class _Solve(Protocol):
    def __call__(self, B: Array) -> Array: ...


@dataclass(frozen=True)
class Factor:
    """A factorised a Q + shift I.

    relative : each entry of `solve(B)` for B >= 0 is right to this relative error (M-matrix);
    absolute : otherwise it is right to this error times the largest entry of the solution.
    """

    solve: _Solve
    relative: float
    absolute: float
    name: str

    def signed(self, B: Array) -> tuple[Array, Array]:
        """X for a B of either sign, and a bound of |error|, both (n, m)."""
        if (B >= 0).all():
            X = self.solve(B)
            return X, self.error(X)
        m = B.shape[1]
        parts = self.solve(np.hstack([np.maximum(B, 0.0), np.maximum(-B, 0.0)]))
        X, size = parts[:, :m] - parts[:, m:], parts[:, :m] + parts[:, m:]
        return X, self.error(size)

    def error(self, size: Array) -> Array:
        bound: Array = self.relative * np.abs(size)
        return bound + self.absolute * np.abs(size).max(initial=0.0) if self.absolute else bound


def factor(structure: Structure, a: float, shift: float, smallest: float) -> Factor:
    """Factorise a Q + shift I, whose smallest eigenvalue is at least `smallest` > 0.

    The method is chosen by its error bound. For a Laplacian shift = smallest.
    """
    n = structure.n
    growth = 4 * n * EPS * (a * structure.norm + abs(shift)) / smallest
    if structure.laplacian and shift > 0 and growth > CHOLESKY_ERROR_LIMIT:
        return _subtraction_free(structure, a, shift)
    A = np.multiply(structure.Q, a, order="C")
    A.flat[:: n + 1] += shift
    # A is symmetric, so its C-ordered rows are LAPACK's columns: no copy is made.
    L, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if info:
        raise ValueError(
            f"Q must be positive semi-definite: {a:.3g} Q + {shift:.3g} I is not definite; "
            "use a Laplacian, or raise the diagonal of Q"
        )

    def solve(B: Array) -> Array:
        X, _ = dpotrs(L, B, lower=1)
        return np.asarray(X)

    if structure.m_matrix:
        return Factor(solve, growth, 0.0, "Cholesky")
    return Factor(solve, 0.0, growth, "Cholesky")


def _subtraction_free(structure: Structure, a: float, delta: float) -> Factor:
    # With v > 0, Q v = 0: diag(1/v) (a Q + delta I) diag(v) has row sums delta, known exactly, and
    # off-diagonal entries a Q_ij v_j / v_i, a times the steps of a random walk. That is all the
    # elimination needs, and nothing in it is large or small beyond a and delta.
    v = structure.null_vector
    off = np.maximum(-structure.Q, 0.0) * v / v[:, None] * a
    np.fill_diagonal(off, 0.0)
    eliminated = partial(eliminate, off, np.full(structure.n, delta))

    def solve(B: Array) -> Array:
        return v[:, None] * eliminated(B / v[:, None])

    return Factor(solve, 8 * structure.n * EPS, 0.0, "subtraction-free")


def eliminate(off: Array, excess: Array, B: Array) -> Array:
    """Solve (diag(excess + off 1) - off) X = B without a subtraction.

    off : (n, n) array >= 0, zero diagonal; excess : (n,) array >= 0; B : (n, m) array >= 0.
    Rows are eliminated in blocks. With the block's own matrix M_1 the rest is again of the same
    kind: off += A_21 M_1^-1 A_12, excess += A_21 M_1^-1 excess_1, B += A_21 M_1^-1 B_1.
    """
    n = len(off)
    off, excess, X = off.copy(), excess.copy(), B.copy()
    blocks = [slice(k, min(k + BLOCK, n)) for k in range(0, n, BLOCK)]
    for block in blocks:
        rest = slice(block.stop, n)
        A12, A21 = off[block, rest], off[rest, block]
        right = np.hstack([A12, excess[block, None], X[block]])
        solved = _eliminate_block(off[block, block], excess[block] + A12.sum(axis=1), right)
        split = n - block.stop
        off[rest, rest] += A21 @ solved[:, :split]
        excess[rest] += A21 @ solved[:, split]
        X[rest] += A21 @ solved[:, split + 1 :]
        # Kept for the way back: x_1 = M_1^-1 A_12 x_2 + M_1^-1 b_1.
        off[block, rest] = solved[:, :split]
        X[block] = solved[:, split + 1 :]
        # Self-loops the update made are no part of an off-diagonal sum.
        off.flat[block.stop * (n + 1) :: n + 1] = 0.0
    for block in reversed(blocks):
        rest = slice(block.stop, n)
        X[block] += off[block, rest] @ X[rest]
    return X


def _eliminate_block(off: Array, excess: Array, B: Array) -> Array:
    """`eliminate` row by row, for one block."""
    k = len(off)
    off, excess, X = off.copy(), excess.copy(), B.copy()
    pivot = np.empty(k)
    for i in range(k):
        later = slice(i + 1, k)
        pivot[i] = excess[i] + off[i, later].sum()
        weight = off[later, i] / pivot[i]
        off[later, later] += weight[:, None] * off[i, later]
        off.flat[(i + 1) * (k + 1) :: k + 1] = 0.0
        excess[later] += weight * excess[i]
        X[later] += weight[:, None] * X[i]
    for i in reversed(range(k)):
        X[i] = (X[i] + off[i, i + 1 :] @ X[i + 1 :]) / pivot[i]
    return X
