"""A sparse matrix in partitions, for a graph that does not fit one machine.

    Q X = (Q_1 X; Q_2 X; ...),    Q_k : some rows of Q, kept by a worker of Dask

A `dask.array` whose blocks are sparse, whole in the second direction. What solving takes of a large
Q are its products with thin blocks X : (n, c); those are sent to the partitions and their products
come back. Everything else, inner products among it, is done on thin blocks where `solve` is called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mavr.arrays import Array, Index, Integers


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows of a symmetric sparse matrix, as delayed CSR arrays.

    blocks : (rows, n) each; starts : where their rows begin, and n; null_vector : (n,) v with
    Qv = 0, if it is known; absolute : what stands here is |Q|.
    """

    blocks: tuple[Any, ...]
    starts: tuple[int, ...]
    null_vector: Array | None = None
    absolute: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return (self.starts[-1], self.starts[-1])

    def tasks(self, function: Callable[..., Any], *thin: Any) -> list[Any]:
        """`function(block, start, *thin)` for each block, still to be done."""
        there = [sent(x) for x in thin]
        task = import_module("dask").delayed(function, pure=False)
        return [task(b, s, *there) for b, s in zip(self.blocks, self.starts, strict=False)]

    def each(self, function: Callable[..., Any], *thin: Any) -> list[Any]:
        """`function(block, start, *thin)` where the blocks are, in their order."""
        return list(import_module("dask").compute(*self.tasks(function, *thin)))

    def __matmul__(self, X: Any) -> Any:
        return np.concatenate(self.each(_magnitudes if self.absolute else _product, X))

    def __abs__(self) -> Partitions:
        return replace(self, absolute=True)

    def diagonal(self) -> Array:
        return self.facts.diagonal

    @cached_property
    def facts(self) -> Facts:
        """Read off the blocks once."""
        parts = self.each(_facts)
        joined = np.concatenate([pairs for *_, pairs in parts], axis=1)
        n = self.starts[-1]
        graph = sp.coo_array((np.ones(joined.shape[1], dtype=bool), tuple(joined)), shape=(n, n))
        count, component = connected_components(graph, directed=False)
        return Facts(
            diagonal=np.concatenate([d for d, *_ in parts]),
            terms=max(t for _, t, *_ in parts),
            highest=max(h for _, _, h, _ in parts),
            component=component,
            n_components=int(count),
        )

    def energies(self, v: Array, X: Array) -> Array:
        """sum_ij -Q_ij v_i v_j (x_i - x_j)^2 / 2 of each column."""
        return np.asarray(np.sum(self.each(_energies, v, X), axis=0))


@dataclass(frozen=True, eq=False)
class Facts:
    """diagonal : (n,); terms : most entries in a row; highest : largest entry off the diagonal;
    component : (n,) of the graph; n_components : their number.
    """

    diagonal: Array
    terms: int
    highest: float
    component: Integers
    n_components: int


def is_partitioned(Q: Any) -> bool:
    """Whether it is in partitions, or a dask.array, which need not be installed."""
    return isinstance(Q, Partitions) or type(Q).__module__.partition(".")[0] == "dask"


def partitions(Q: Any) -> Partitions:
    """The partitions of a dask.array Q : (n, n), held in the memory of the workers from now on."""
    if isinstance(Q, Partitions):
        return Q
    if Q.ndim != 2 or Q.shape[0] != Q.shape[1]:
        raise ValueError(f"Q must be a square matrix, got shape {Q.shape}")
    if len(Q.chunks[1]) > 1:
        raise ValueError("Q must have whole rows in its chunks; use Q.rechunk({1: -1})")
    starts = np.concatenate([[0], np.cumsum(Q.chunks[0])])
    blocks = import_module("dask").persist(*Q.to_delayed().ravel())
    held = Partitions(tuple(blocks), tuple(int(s) for s in starts))
    x, y = np.random.default_rng(0).normal(size=(2, Q.shape[0]))
    Qx, Qy = (held @ np.stack([x, y], axis=1)).T
    if abs(x @ Qy - y @ Qx) > 1e-10 * (np.abs(x) @ np.abs(Qy) + np.abs(y) @ np.abs(Qx)):
        raise ValueError("Q must be symmetric; both directions of an edge need the same weight")
    return held


def diagonal_and_null_vector(
    others: Array, normalized: bool, self_loops: bool
) -> tuple[Array, Array]:
    """Of a Laplacian; others : (n,) sums of the weights to all other points."""
    if not normalized:
        return others, np.ones(len(others))
    degree = others + 1.0 if self_loops else others
    alone = degree == 0
    # With self-loops 1 - 1 / d_i, the loop being a part of the degree d_i; as a quotient, since a
    # difference would lose the digits of a small weight. Without them it is exactly 1.
    diagonal = np.divide(others, degree, out=np.zeros_like(others), where=~alone)
    return diagonal, np.where(alone, 1.0, np.sqrt(degree))


def laplacian_of(W: Any, normalized: bool, self_loops: bool) -> Partitions:
    """The Laplacian of a similarity in partitions; see `mavr.laplacian`."""
    W = partitions(W)
    lowest = min(W.each(_lowest))
    if lowest < 0:
        raise ValueError(f"W must be >= 0, got a smallest entry of {lowest:.3g}; clip it at 0")
    others = np.asarray(W @ np.ones(W.shape[0])) - W.diagonal()
    diagonal, v = diagonal_and_null_vector(others, normalized, self_loops)
    blocks = import_module("dask").persist(*W.tasks(_laplacian, 1 / v, diagonal))
    return replace(W, blocks=tuple(blocks), null_vector=v)


def sent(X: Any) -> Any:
    """To the workers of a cluster, if there is one."""
    if "distributed" in sys.modules:
        try:
            return sys.modules["distributed"].get_client().scatter(X, hash=False)
        except ValueError:  # no cluster: threads of this process see X
            pass
    return X


# What is done to one partition, where it is.


def _product(block: Any, start: int, X: Any) -> Any:
    return block.astype(X.dtype, copy=False) @ X


def _magnitudes(block: Any, start: int, X: Any) -> Any:
    return abs(block) @ X


def _lowest(block: Any, start: int) -> float:
    return float(block.min())


def _facts(block: Any, start: int) -> tuple[Array, int, float, Index]:
    i, j, data = _entries(block, start)
    own = i == j
    diagonal = np.zeros(block.shape[0])
    diagonal[i[own] - start] = data[own]
    highest = float(data[~own].max(initial=-np.inf))
    terms = int(np.bincount(i - start, minlength=1).max())
    # Which points hang together here: each with one of its own.
    n = block.shape[1]
    edges = sp.coo_array((np.ones(len(i), dtype=bool), (i, j)), shape=(n, n))
    component = connected_components(edges, directed=False)[1]
    first = np.unique(component, return_index=True)[1][component]
    joined = np.flatnonzero(first != np.arange(n))
    return diagonal, terms, highest, np.stack([joined, first[joined]])


def _energies(block: Any, start: int, v: Array, X: Array) -> Array:
    i, j, data = _entries(block, start)
    weight = -0.5 * data * v[i] * v[j]
    return np.array([weight @ (x[i] - x[j]) ** 2 for x in X.T])


def _laplacian(block: Any, start: int, root: Array, diagonal: Array) -> Any:
    i, j, data = _entries(block, start)
    apart = i != j
    i, j, data = i[apart], j[apart], data[apart]
    # Either order of the factors, so that the result is exactly symmetric.
    off = -0.5 * (data * root[i] * root[j] + data * root[j] * root[i])
    here = np.arange(start, start + block.shape[0])
    values = np.concatenate([off, diagonal[here]])
    places = (np.concatenate([i, here]) - start, np.concatenate([j, here]))
    return sp.csr_array((values, places), shape=block.shape)


def _entries(block: Any, start: int) -> tuple[Index, Index, Array]:
    """Rows, columns and values of a block, as they are in the whole."""
    entries = sp.coo_array(block)
    i, j = entries.coords
    return i.astype(np.intp) + start, j.astype(np.intp), entries.data
