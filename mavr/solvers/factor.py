"""Direct solves of (a Q + shift I) X = B that keep small responses right, for an M-matrix Q.

With B >= 0 every entry of X is >= 0 and many are tiny: 1e-20 where two rings hardly touch. An
eigenvector expansion leaves noise of 1e-16 there and with it wrong classes. Elimination does not:
off-diagonal entries of the factor are sums of terms of one sign, and only the pivots cancel. So
the error of X is what a small error e of the diagonal makes of it, entry by entry e A^-1 X.

- Cholesky: e is about n eps (a |Q| + shift).
- Subtraction-free elimination (Grassmann, Taksar and Heyman 1985), for a Laplacian: nothing cancels
  at all, e = 0 if the null vector is known, and the relative error is about n eps whatever
  the shift is. Slower, so it serves where Cholesky's error is no longer small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, log2
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from mavr.arrays import EPS, Array
from mavr.solvers.pivots import ERROR_FACTOR, solve_factored, subtraction_free_cholesky
from mavr.solvers.structure import Structure

# Cholesky's relative error, about e / shift, beyond which the subtraction-free elimination takes
# over.
CHOLESKY_ERROR_LIMIT = 1e-9
# Error of the diagonal, relative to the smallest eigenvalue, beyond which its effect is no longer
# linear and the bound would not hold.
DIAGONAL_ERROR_LIMIT = 1e-3
# Scaled matrices have entries up to 2 to this power.
LARGEST_EXPONENT = 980
# SciPy's LAPACK holds the interpreter's lock, 1 s for 2,500 points, and nobody else is served
# meanwhile. NumPy's lets it go, and costs little more from about here.
MAX_LOCKED = 1000
SUBTRACTION_FREE = "subtraction-free"


class NotDefinite(Exception):
    """Rounding has made a matrix indefinite whose smallest eigenvalue is nearly 0."""


@dataclass(frozen=True)
class Factor:
    """A factorised A = a Q + shift I, Q an M-matrix.

    relative : error of `solve(B)`, B >= 0, relative to each entry; diagonal : bound of the error of
    A's diagonal that the solve stands for; name : of the method.
    """

    solve: Callable[[Array], Array]
    relative: float
    diagonal: float
    name: str

    def bounded(self, B: Array, X: Array | None = None) -> tuple[Array, Array]:
        """X for a B of either sign, and a bound of |error|, both (n, m); X : what `solve` made."""
        X = self.solve(B) if X is None else X
        size = X if (B >= 0).all() else self.solve(np.abs(B))
        error = self.relative * size
        if self.diagonal:
            error += 1.01 * self.diagonal * self.solve(size)
        # Products below the smallest normal number have lost digits, or everything.
        return X, error + len(X) * np.finfo(X.dtype).tiny


def factor(
    structure: Structure, a: float, shift: float, smallest: float, dtype: Any = np.float64
) -> Factor:
    """Factorise a Q + shift I, whose smallest eigenvalue is at least `smallest` > 0.

    The method is chosen by its error bound. For a Laplacian shift = smallest. A wider dtype asks
    for more range and is served by subtraction-free elimination only.
    """
    n = structure.n
    rounding = n * EPS * (a * structure.norm + abs(shift))
    if not (structure.laplacian and shift > 0) and rounding > DIAGONAL_ERROR_LIMIT * smallest:
        raise NotDefinite
    laplacian = structure.laplacian and shift > 0
    if laplacian and dtype is not np.float64:
        return _in_wide_numbers(structure, a, shift, dtype)
    root = scale_root(a * structure.norm + abs(shift))
    A = np.multiply(structure.Q, root * a * root, order="C")
    if laplacian and rounding > CHOLESKY_ERROR_LIMIT * smallest:
        assert structure.null_vector is not None
        upper = subtraction_free_cholesky(A, structure.null_vector, root * shift * root).T
        error, diagonal = ERROR_FACTOR * n * EPS, a * structure.null_error
        return Factor(lambda B: solve_scaled(upper, root, B, 0), error, diagonal, SUBTRACTION_FREE)
    A.flat[:: n + 1] += root * shift * root
    L, lower = _cholesky(A)
    return Factor(lambda B: solve_scaled(L, root, B, lower), 4 * n * EPS, rounding, "Cholesky")


def _cholesky(A: Array) -> tuple[Array, int]:
    """The factor of a symmetric matrix as LAPACK keeps it, and whether it is the lower one."""
    if len(A) > MAX_LOCKED:
        try:
            return np.asarray(np.linalg.cholesky(A), dtype=np.float64).T, 0
        except np.linalg.LinAlgError:
            raise NotDefinite from None
    # A is symmetric, so its C-ordered rows are LAPACK's columns: no copy is made.
    L, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if info:
        raise NotDefinite
    return L, 1


def scale_root(size: float) -> float:
    """A power of 2 by whose square a matrix with entries up to `size` is scaled.

    Weights of far points are so small that their products fall below the normal doubles, where
    arithmetic takes a hundred times as long. A power of 2 keeps them normal and changes no digit.
    """
    return float(2.0 ** min(floor((LARGEST_EXPONENT - log2(size)) / 2), LARGEST_EXPONENT // 2))


def solve_scaled(L: Array, root: float, B: Array, lower: int = 1) -> Array:
    """A^-1 B with LL' = root^2 A; the scale goes in two halves, so that neither overflows.

    lower : 1 if L itself is given, 0 if L'.
    """
    half = dtrtrs(L, root * B, lower=lower, trans=1 - lower)[0]
    return np.asarray(dtrtrs(L, root * half, lower=lower, trans=lower)[0])


def _in_wide_numbers(structure: Structure, a: float, delta: float, dtype: Any) -> Factor:
    """Subtraction-free, for responses beyond the range of doubles."""
    assert structure.null_vector is not None
    v = structure.null_vector.astype(dtype)
    # a apart from Q: the product of both may lie outside of the doubles.
    L = subtraction_free_cholesky(structure.Q, v, dtype(delta) / dtype(a))
    error = ERROR_FACTOR * structure.n * float(np.finfo(dtype).eps)
    return Factor(
        lambda B: solve_factored(L, B) / dtype(a), error, a * structure.null_error, SUBTRACTION_FREE
    )
