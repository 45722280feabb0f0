"""The positive vector v with Q v = 0 of a Laplacian Q: known and checked, or computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse.linalg import splu

from mavr.arrays import EPS, TINY, Array


def positive_null_vector(Q: Any, norm: float, hint: Array | None) -> tuple[Array | None, float]:
    """(v, error) of an M-matrix Q; v is None if its lowest eigenvalue is not 0."""
    n = Q.shape[0]
    for v in (hint, np.ones(n)):
        if v is not None and v.shape == (n,) and (v > 0).all() and annihilates(Q, v):
            # Known, not computed: what is left is the rounding of a matrix whose v is exact.
            return v, 0.0
    # Only a multiple of I - D^-1/2 W D^-1/2, with 0 for isolated points, is worth a factorisation.
    diagonal = Q.diagonal()
    if not np.isin(diagonal, (0.0, diagonal.max())).all():
        return None, 0.0
    return _inverse_iterated(Q, norm)


def annihilates(Q: Any, v: Array) -> bool:
    return bool((np.abs(Q @ v) <= 8 * len(v) * EPS * (Q.diagonal() * v)).all())


def _inverse_iterated(Q: Any, norm: float) -> tuple[Array | None, float]:
    # (Q + shift I)^-1 > 0 keeps v positive and shrinks every other part by shift / lambda. Pieces
    # joined more weakly than the shift keep the scale they have: Q as rounded knows no better.
    n = Q.shape[0]
    shift = 8 * n * EPS * max(norm, TINY)
    invert = _inverse(Q, shift)
    v = np.ones(n)
    for _ in range(4):
        v = invert(v) if invert else -v
        if not (v > 0).all():
            return None, 0.0
        v = v / v.max()
    # Collatz and Wielandt: the lowest eigenvalue lies between the least and greatest quotient.
    error = float(np.abs((Q @ v) / v).max()) + n * EPS * norm
    return (v, error) if error <= 8 * shift else (None, 0.0)


def _inverse(Q: Any, shift: float) -> Callable[[Array], Array] | None:
    """(Q + shift I)^-1, or None where it is not positive definite."""
    n = Q.shape[0]
    if sp.issparse(Q):
        solve: Callable[[Array], Array] = symmetric_lu(Q + shift * sp.eye_array(n)).solve
        return solve
    A = np.array(Q)
    A.flat[:: n + 1] += shift
    L, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    return None if info else lambda b: np.asarray(dpotrs(L, b, lower=1)[0])


def symmetric_lu(A: Any) -> Any:
    """Sparse elimination with diagonal pivots only: for an M-matrix, nothing but pivots cancels."""
    options = {"SymmetricMode": True}
    return splu(sp.csc_array(A), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
