"""Checks at the public edge: what was wrong, the value, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.arrays import Array

Sparse = Any  # csr_matrix or csr_array: scipy ships no types

# One dense n x n matrix of doubles. A solve holds about four of them.
MAX_DENSE_BYTES = 2 * 1024**3
MAX_DENSE_POINTS = int((MAX_DENSE_BYTES / 8) ** 0.5)
# The fourth powers of such numbers are numbers.
MOST_ENTRY = 1e70


def positive(name: str, value: float, remedy: str = "") -> float:
    """A finite number above zero."""
    value = _number(name, value)
    if not value > 0:
        raise ValueError(f"{name} must be > 0{remedy}, got {value:g}")
    return value


def non_negative(name: str, value: float) -> float:
    """A finite number, zero allowed."""
    value = _number(name, value)
    if value < 0:
        raise ValueError(f"{name} must be >= 0, got {value:g}; use 0 to switch it off")
    return value


def _number(name: str, value: float) -> float:
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    return value


def shares(prior: npt.ArrayLike, c: int) -> Array:
    """Proportions of c classes, none negative and not all 0; the largest is near 1."""
    found = np.asarray(prior, dtype=float)
    if found.shape != (c,):
        raise ValueError(f"prior must have {c} entries, one per class, got shape {found.shape}")
    _finite("prior", found)
    if found.min() < 0 or not found.any():
        raise ValueError(f"prior must be >= 0 and not all 0, got {found.tolist()}")
    # Squares of small numbers would underflow; a power of two rounds nothing.
    return np.asarray(np.ldexp(found, -int(np.frexp(found.max())[1])))


def neighbors(n_neighbors: int, n: int) -> int:
    """A count of neighbours that n points can supply."""
    if int(n_neighbors) != n_neighbors or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be a whole number >= 1, got {n_neighbors!r}")
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors must be below the number of points, got {n_neighbors} for {n} points; "
            f"use at most {n - 1}"
        )
    return int(n_neighbors)


def points(X: npt.ArrayLike | Sparse, *, allow_sparse: bool = False) -> Any:
    """X as a finite (n, d) float array, or CSR where sparse input is allowed."""
    if sp.issparse(X):
        if not allow_sparse:
            raise ValueError(
                "X is sparse; use mavr.cosine_similarity, or pass X.toarray() if it fits in memory"
            )
        X = sp.csr_array(X, dtype=float)
        _finite("X", X.data)
    else:
        X = np.asarray(X, dtype=float)
        if X.ndim != 2:
            raise ValueError(f"X must have shape (n, d), got {X.shape}; use X.reshape(-1, 1)")
        _finite("X", X)
    if X.shape[0] < 1 or X.shape[1] < 1:
        raise ValueError(f"X must have at least one row and one column, got shape {X.shape}")
    return X


def moderate(X: Array) -> None:
    """Refuse points whose squares, or the squares of these, leave the range of numbers."""
    size = float(np.abs(X).max())
    if size and not 1 / MOST_ENTRY <= size <= MOST_ENTRY:
        raise ValueError(
            f"X must have a largest entry between {1 / MOST_ENTRY:g} and {MOST_ENTRY:g}, got "
            f"{size:.3g}; scale its columns (sklearn.preprocessing.StandardScaler)"
        )


SPARSE_REMEDY = 'use similarity="knn" (mavr.knn_similarity), which is sparse'
DENSE_ONLY = (
    "this needs a dense matrix of a sparse graph: use MAVR or LGC, with tau=None where labels are "
    "denied, or fewer points"
)


def dense_size(n: int, remedy: str = SPARSE_REMEDY) -> None:
    """Refuse an n x n dense matrix that would not fit."""
    if n > MAX_DENSE_POINTS:
        raise ValueError(
            f"{n} points need a dense {n} x {n} matrix of {n * n * 8 / 1024**3:.1f} GiB, "
            f"the limit is {MAX_DENSE_POINTS} points; {remedy}"
        )


def square(name: str, A: npt.ArrayLike | Sparse) -> Any:
    """A finite symmetric matrix, dense array or CSR, made exactly symmetric."""
    if sp.issparse(A):
        A = sp.csr_array(A, dtype=float)
        A.sum_duplicates()
        values = A.data
    else:
        A = np.asarray(A, dtype=float)
        values = A
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, got shape {A.shape}")
    if not sp.issparse(A):
        dense_size(A.shape[0])
    _finite(name, values)
    mirror: Any = A.T
    if sp.issparse(A):
        mirror = mirror.tocsr()
        if _same(A, mirror):
            return A
    gap = abs(A - mirror).max()
    if gap == 0:
        return A
    if gap > 1e-10 * abs(A).max():
        raise ValueError(
            f"{name} must be symmetric, its entries differ from their mirror by up to {gap:.3g}; "
            f"use ({name} + {name}.T) / 2"
        )
    return (A + mirror) / 2


def _same(A: Any, B: Any) -> bool:
    """Whether two CSR matrices with sorted indices hold the very same entries."""
    parts = ((A.indptr, B.indptr), (A.indices, B.indices), (A.data, B.data))
    return all(np.array_equal(one, other) for one, other in parts)


def labels(Y: npt.ArrayLike, n: int) -> Array:
    """Y as a finite (n, c) float array with at least one label."""
    if sp.issparse(Y):
        Y = Y.toarray()  # type: ignore[union-attr]
    Y = np.asarray(Y, dtype=float)
    if Y.ndim != 2 or Y.shape[0] != n or Y.shape[1] < 1:
        raise ValueError(
            f"Y must have shape ({n}, c), one row per point and one column per class, got {Y.shape}"
        )
    _finite("Y", Y)
    if not Y.any():
        raise ValueError("Y has no label at all (every entry is 0); label at least one point")
    return Y


def _finite(name: str, values: Array) -> None:
    # One pass without a mask: NaN and infinity both survive a sum, and a finite overflow is
    # caught by looking again before complaining.
    if np.isfinite(values.sum()):
        return
    bad = ~np.isfinite(values)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must be finite, got {values[where]} at {where}; "
            "remove or fill such entries first"
        )
