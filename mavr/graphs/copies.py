"""Points that lie on each other: on a graph they are one neighbour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from mavr.arrays import Index


@dataclass(frozen=True)
class Copies:
    """Which of n points are equal.

    Attributes
    ----------
    of : (n,) the distinct point that each is, numbered as they first come.
    rank : (n,) how many equal ones come before.
    members : (n,) the points, by distinct point and rank.
    start, count : (m,) where the copies of a distinct point begin in `members`, and their number.
    """

    of: Index
    rank: Index
    members: Index
    start: Index
    count: Index

    @property
    def first(self) -> Index:
        """(m,) the first copy of each distinct point."""
        return self.members[self.start]

    def member(self, point: Index, turn: Index) -> Index:
        """A copy of each of these distinct points, of many all in turn."""
        return self.members[self.start[point] + turn % self.count[point]]

    def chords(self) -> tuple[Index, Index]:
        """Pairs of copies by which all of a point are joined, each by few and none far away.

        The copies lie on a ring; each is joined to those 1, 2, 4, ... steps further.
        """
        pairs = []
        step = 1
        while step < self.count.max():
            i = np.flatnonzero(self.count[self.of] > step)
            pairs.append((i, self.member(self.of[i], self.rank[i] + step)))
            step *= 2
        rows, columns = zip(*pairs, strict=True)
        return np.concatenate(rows), np.concatenate(columns)


def copies_of(X: Any) -> Copies | None:
    """Which rows of X, dense or sparse, are equal; None if no two are."""
    n = X.shape[0]
    known: dict[bytes, int] = {}
    row = _digests(X)
    of = np.array([known.setdefault(row(i), len(known)) for i in range(n)], dtype=np.intp)
    if len(known) == n:
        return None
    members, count = of.argsort(kind="stable"), np.bincount(of)
    start = count.cumsum() - count
    rank = np.empty(n, dtype=np.intp)
    rank[members] = np.arange(n) - start.repeat(count)
    return Copies(of, rank, members, start, count)


def joined(W: Any, copies: Copies) -> Any:
    """Similarities (m, m) of the distinct points as those of all n, CSR.

    Each point has a copy of each neighbour of what it equals, and some copies of itself, to which
    its similarity is 1.
    """
    n = len(copies.of)
    A = sp.coo_array(W[copies.of])
    rows, columns = copies.chords()
    weight = np.concatenate([A.data, np.ones(len(rows))])
    columns = np.concatenate([copies.member(A.col, copies.rank[A.row]), columns])
    one_way = sp.csr_array((weight, (np.concatenate([A.row, rows]), columns)), shape=(n, n))
    return sp.csr_array(one_way.maximum(one_way.T))


def find_rows(X: Any, Z: Any, first: Index | None = None) -> Index:
    """(m,) for each row of Z a row of X that equals it, -1 where there is none.

    first : (n,) an order in which the rows of X are asked; as they are if None.
    """
    if sp.issparse(X) != sp.issparse(Z):
        X, Z = sp.csr_array(X), sp.csr_array(Z)
    old, new = _digests(X), _digests(Z)
    known: dict[bytes, int] = {}
    for i in range(X.shape[0]) if first is None else first.tolist():
        known.setdefault(old(i), i)
    return np.array([known.get(new(i), -1) for i in range(Z.shape[0])], dtype=np.intp)


def _digests(X: Any) -> Callable[[int], bytes]:
    """What tells row i of X from every other."""
    row = _row_bytes(X)
    return lambda i: blake2b(row(i), digest_size=16).digest()


def _row_bytes(X: Any) -> Callable[[int], bytes]:
    if sp.issparse(X):
        A = sp.csr_array(X, copy=True)
        A.sum_duplicates()
        A.eliminate_zeros()

        def sparse_row(i: int) -> bytes:
            inside = slice(A.indptr[i], A.indptr[i + 1])
            return bytes(A.indices[inside].astype(np.int64).tobytes() + A.data[inside].tobytes())

        return sparse_row
    B = np.ascontiguousarray(X) + 0.0  # -0.0 becomes 0.0
    return lambda i: bytes(B[i].tobytes())
