"""Candidates for the nearest neighbours of many points: cells of a few hundred, looked at together.

Points are projected on their leading principal components and gathered around centres. For the
points of a cell the candidates are those of the cells whose centres are nearest: one product of two
matrices in single precision, and the smallest entries of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Index

Single = npt.NDArray[np.float32]

# Principal components, and points whose covariance stands for that of all.
COMPONENTS = 64
SAMPLE = 5_000
# Points in a cell on average; points of each, and rounds, that the centres are found with.
MEMBERS = 128
DRAWN = 32
ROUNDS = 6
# Entries of a product, and of a block of distances, that are held at once.
BLOCK = 1 << 21


def nobody(share: float) -> None:
    """Who is told how much is done when nobody waits."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Z : (n, m) points; own : (n,) cell of each; order : points by cell; starts : (cells + 1,)
    where each begins; centres : (cells, m); place : (n,) of each point in its cell.
    """

    Z: Single
    own: Index
    order: Index
    starts: Index
    centres: Single
    place: Index

    def candidates(
        self, rows: Index, count: int, reach: int, progress: Callable[[float], None] = nobody
    ) -> Index:
        """(len(rows), count) near points of each row among at least `reach`, itself left out."""
        found = np.empty((len(rows), count), dtype=np.intp)
        by_cell = np.argsort(self.own[rows], kind="stable")
        cells, first = np.unique(self.own[rows][by_cell], return_index=True)
        for cell, members, done in zip(cells, np.split(by_cell, first[1:]), first, strict=True):
            progress(done / len(rows))
            columns = self._around(int(cell), max(reach, count + 1))
            step = max(1, BLOCK // len(columns))
            for start in range(0, len(members), step):
                part = members[start : start + step]
                found[part] = columns[self._nearest(int(cell), rows[part], columns, count)]
        return found

    def _around(self, cell: int, reach: int) -> Index:
        """Points of the cell, then of those around it, until they are enough."""
        C = self.centres
        order = np.argsort(((C - C[cell]) ** 2).sum(axis=1), kind="stable")
        # Its own first, even if another has the same centre: `place` counts on it.
        order = np.concatenate([[cell], order[order != cell]])
        total = np.cumsum(np.diff(self.starts)[order])
        used = order[: np.searchsorted(total, reach) + 1]
        return np.concatenate([self.order[self.starts[c] : self.starts[c + 1]] for c in used])

    def _nearest(self, cell: int, rows: Index, columns: Index, count: int) -> Index:
        # Seen from the centre, |z|^2 / 2 - z'x loses few digits.
        A, B = self.Z[rows] - self.centres[cell], self.Z[columns] - self.centres[cell]
        fold = max(1, int(np.sqrt(len(columns) / count)))
        width = max(-(-len(columns) // fold), count)
        wide = np.zeros((fold * width, B.shape[1] + 1), dtype=np.float32)
        wide[: len(B), :-1] = -B
        wide[: len(B), -1] = 0.5 * np.einsum("ij,ij->i", B, B)
        wide[len(B) :, -1] = np.finfo(np.float32).max
        D = np.column_stack([A, np.ones(len(A), dtype=np.float32)]) @ wide.T
        D[np.arange(len(rows)), self.place[rows]] = np.inf
        return _smallest(D.reshape(len(rows), fold, width), count)


def _smallest(D: Single, count: int) -> Index:
    """(r, count) places of the smallest entries of each row of D : (r, fold, width).

    They lie in the columns with the smallest minima: a row is partitioned in two short pieces.
    """
    r, fold, width = D.shape
    column = _first(D.min(axis=1), count)
    inner = D[np.arange(r)[:, None], :, column].reshape(r, -1)
    among = _first(inner, count)
    return np.asarray(among % fold * width + np.take_along_axis(column, among // fold, axis=1))


def _first(D: Single, count: int) -> Index:
    if count == D.shape[1]:
        return np.broadcast_to(np.arange(count), D.shape)
    return np.asarray(D.argpartition(count - 1, axis=1)[:, :count])


def gather(X: Single, seed: int = 0) -> Cells:
    """Cells of points X : (n, d), centred."""
    rng = np.random.default_rng(seed)
    n = len(X)
    Z = X
    if X.shape[1] > COMPONENTS:
        drawn = X[rng.permutation(n)[:SAMPLE]]
        Z = X @ np.linalg.eigh(drawn.T @ drawn)[1][:, -COMPONENTS:]
    count = max(1, n // MEMBERS)
    drawn = Z[rng.permutation(n)[: DRAWN * count]]
    centres = drawn[:count].copy()
    for _ in range(ROUNDS):
        own = _assigned(drawn, centres)
        members = np.bincount(own, minlength=count)
        order = np.argsort(own, kind="stable")
        some = members > 0
        starts = (np.cumsum(members) - members)[some]
        centres[some] = np.add.reduceat(drawn[order], starts) / members[some, None]
    own = _assigned(Z, centres)
    order = np.argsort(own, kind="stable")
    starts = np.searchsorted(own[order], np.arange(count + 1))
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) - starts[own[order]]
    return Cells(Z, own, order, starts, centres, place)


def _assigned(Z: Single, centres: Single) -> Index:
    """(n,) the nearest centre of each point."""
    half = 0.5 * np.einsum("ij,ij->i", centres, centres)
    step = max(1, BLOCK // len(centres))
    parts = [Z[i : i + step] @ centres.T - half for i in range(0, len(Z), step)]
    return np.concatenate([part.argmax(axis=1) for part in parts])
