"""A preconditioner for sparse Laplacians of any shift: smoothed aggregation multigrid.

    (Q + s I) x = b,    Q v = 0,  v > 0

Points are gathered in aggregates, about one per neighbourhood, and each level is the Galerkin
product of the one before, for Q and for I: a shift s then costs nothing to change. The prolongation
keeps v, so that the nearly singular part of a small shift is solved on the coarsest level, exactly
(Vanek, Mandel and Brezina 1996). It is a preconditioner only: nothing here needs to be exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from mavr.arrays import Array, Index

# A level this small is decomposed, once for all shifts.
COARSEST = 500
MAX_LEVELS = 12
# Coarsening that leaves more than this share of the entries is not worth a level: the graph has no
# small cuts, and plain conjugate gradients are quick on it.
MAX_SHARE = 0.6
# The same before the prolongation is smoothed, which is quick to tell and fills up further.
MAX_ROUGH_SHARE = 0.25
# A level of more points with more of its m^2 entries than this is no longer a sparse one.
LARGE, MAX_DENSITY = 500, 0.15
# Aggregates that this is counted on.
COUNTED = 200
# Jacobi's step, relative to 1 / (largest eigenvalue of D^-1 Q), as usual for smoothed aggregation.
JACOBI = 4 / 3


@dataclass(frozen=True)
class Level:
    """One level: Q and mass M on it, their diagonals, and the way down.

    down : (n, m) prolongation from the next level; step : of Jacobi's iteration.
    """

    Q: Any
    M: Any
    diagonal: Array
    mass: Array
    step: float
    down: Any

    def times(self, X: Array, shift: Array) -> Array:
        """(Q + shift M) X, a shift for each column."""
        found = np.asarray(self.Q @ X)
        found += shift * (X if self.M is None else self.M @ X)
        return found

    def smooth(self, B: Array, shift: Array) -> Array:
        """One step of Jacobi's iteration from 0."""
        return np.asarray(B * (self.step / (self.diagonal + shift * self.mass)))


@dataclass(frozen=True)
class Multigrid:
    """Levels from fine to coarse, and the eigenvectors of the last: Q V = M V diag(lam)."""

    levels: tuple[Level, ...]
    lam: Array
    V: Array

    def apply(self, B: Array, shift: Array) -> Array:
        """One symmetric V-cycle for (Q + shift I) X = B; shift : one for each column of B."""
        # One shift for all columns is one column of quotients.
        return self._cycle(0, B, shift[:1] if np.ptp(shift) == 0 else shift)

    def _cycle(self, k: int, B: Array, shift: Array) -> Array:
        if k == len(self.levels):
            return np.asarray(self.V @ ((self.V.T @ B) / (self.lam[:, None] + shift)))
        level = self.levels[k]
        X = level.smooth(B, shift)
        rest = level.times(X, shift)
        coarse = self._cycle(k + 1, level.down.T @ np.subtract(B, rest, out=rest), shift)
        X += level.down @ coarse
        rest = level.times(X, shift)
        X += level.smooth(np.subtract(B, rest, out=rest), shift)
        return X

    @property
    def nbytes(self) -> int:
        parts = [part for level in self.levels for part in (level.Q, level.M, level.down)]
        held = sum(
            p.data.nbytes + p.indices.nbytes + p.indptr.nbytes for p in parts[1:] if p is not None
        )
        return int(held + self.V.nbytes)


def multigrid(Q: Any, v: Array, seed: int = 0) -> Multigrid | None:
    """Levels for a sparse Laplacian with null vector v; None where coarsening does not pay."""
    rng = np.random.default_rng(seed)
    levels: list[Level] = []
    M: Any = None
    while Q.shape[0] > COARSEST:
        if len(levels) == MAX_LEVELS:
            return None
        found = _prolongation(Q, v, rng)
        if found is None:
            return None
        down, coarse_v = found
        coarse = sp.csr_array(down.T @ Q @ down)
        if _filled(coarse.nnz, len(coarse_v), Q.nnz, MAX_SHARE):
            return None
        mass = np.ones((len(v), 1)) if M is None else M.diagonal()[:, None]
        diagonal = Q.diagonal()[:, None]
        largest = max(_radius(Q, diagonal), 1.0 if M is None else _radius(M, mass))
        levels.append(Level(Q, M, diagonal, mass, JACOBI / largest, down))
        M = sp.csr_array(down.T @ down if M is None else down.T @ M @ down)
        Q, v = coarse, coarse_v
    lam, V = eigh(Q.toarray(), np.eye(len(v)) if M is None else M.toarray())
    return Multigrid(tuple(levels), np.maximum(lam, 0.0), V)


def _prolongation(Q: Any, v: Array, rng: np.random.Generator) -> tuple[Any, Array] | None:
    """(n, m) smoothed prolongation, and the null vector on the coarse level; None if it fills."""
    aggregate = _aggregates(Q, rng)
    n, m = len(v), int(aggregate.max()) + 1
    length = np.sqrt(np.bincount(aggregate, v * v, minlength=m))
    T = sp.csr_array((v / length[aggregate], aggregate, np.arange(n + 1)), shape=(n, m))
    # Smoothed on both sides, aggregates are joined over three edges.
    for reach, share in ((1, MAX_ROUGH_SHARE), (3, MAX_SHARE)):
        if _filled(_entries(Q, T, reach, rng), m, Q.nnz, share):
            return None
    QT = Q @ T
    diagonal = Q.diagonal()
    # An isolated point has a row of zeros and needs no smoothing.
    inverse = np.divide(1.0, diagonal, out=np.zeros(n), where=diagonal > 0)
    step = JACOBI / _radius(Q, diagonal[:, None])
    return sp.csr_array(T - sp.diags_array(step * inverse) @ QT), length


def _filled(entries: float, m: int, before: int, share: float) -> bool:
    """Whether a coarse level of m points has too many entries, beside the level before or m^2."""
    return entries > share * before or (m > LARGE and entries > MAX_DENSITY * m * m)


def _entries(Q: Any, T: Any, reach: int, rng: np.random.Generator) -> float:
    """How many entries T'Q^reach T has, counted for some of its rows."""
    m = T.shape[1]
    chosen = rng.permutation(m)[:COUNTED]
    some = sp.csr_array(sp.csr_array(T.T)[chosen])
    for _ in range(reach):
        some = some @ Q
    return float((some @ T).nnz * m / len(chosen))


def _radius(A: Any, diagonal: Array) -> float:
    """An upper bound of the largest eigenvalue of D^-1 A, by the rows of |A|."""
    rows = np.asarray(abs(A).sum(axis=1))
    d = diagonal.ravel()
    return float(np.divide(rows, d, out=np.ones_like(rows), where=d > 0).max())


def _aggregates(Q: Any, rng: np.random.Generator) -> Index:
    """(n,) aggregate of each point: a root, its neighbours, and who is left beside them.

    Roots are a maximal set of points with no two closer than three edges, by random priorities.
    """
    n = Q.shape[0]
    pattern = sp.csr_array(Q + sp.eye_array(n) * (1.0 + abs(Q.diagonal()).max()))
    start, index = pattern.indptr[:-1], pattern.indices
    priority = rng.permutation(n).astype(np.int64) + 1
    root = np.zeros(n, dtype=bool)
    free = np.ones(n, dtype=bool)
    while free.any():
        value = np.where(free, priority, 0)
        for _ in range(2):
            value = np.maximum.reduceat(value[index], start)
        found = free & (value == priority)
        root |= found
        near = found
        for _ in range(2):
            near = np.logical_or.reduceat(near[index], start)
        free &= ~near
    number = np.full(n, -1)
    number[root] = np.arange(int(root.sum()))
    for _ in range(2):
        # A neighbour's number, the largest where there are several.
        joined = np.maximum.reduceat(number[index], start)
        number = np.where(number >= 0, number, joined)
    return number
