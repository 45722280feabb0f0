"""Graph Laplacians.

    unnormalized  L = D - W
    normalized    L = I - D^-1/2 W D^-1/2

A point without any neighbour has L_ii = 0 in both, as in Chung's definition, so that every
connected component has exactly one zero eigenvalue and any label reaches the lowest eigenspace.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr import validation as valid
from mavr.arrays import Array
from mavr.graphs.partitions import diagonal_and_null_vector, is_partitioned, laplacian_of

KINDS = ("normalized", "unnormalized")


@dataclass(frozen=True, eq=False)
class Laplacian:
    """A power of a Laplacian L, as `mavr.solve` takes it for Q, and what L's entries do not say.

    A power of a sparse L is never formed: it would fill up.

    Attributes
    ----------
    L : (n, n) dense or sparse
    power : int
    null_vector : (n,) array or None
        v > 0 with L v = 0, where it is known: 1, or sqrt(d) of the normalized Laplacian. Where
        pieces of a graph hang together by less than 1e-16, rounding L to doubles loses how v
        continues from one to the next; at extreme gamma or tau the responses depend on it.

    Examples
    --------
    >>> L = laplacian(sp.csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), kind="unnormalized")
    >>> Laplacian(L, 2) @ np.array([1.0, 0.0, 0.0])
    array([ 2., -3.,  1.])
    """

    L: Any
    power: int = 1
    null_vector: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return (int(self.L.shape[0]), int(self.L.shape[1]))

    @property
    def nbytes(self) -> int:
        """Memory held, for bounding a cache."""
        if not sp.issparse(self.L):
            return int(self.L.nbytes)
        return int(self.L.data.nbytes + self.L.indices.nbytes + self.L.indptr.nbytes)

    def __matmul__(self, X: Any) -> Any:
        for _ in range(self.power):
            X = self.L @ X
        return X

    def toarray(self) -> Array:
        """Dense, for small n."""
        L = self.L.toarray() if sp.issparse(self.L) else self.L
        if self.power == 1:
            return np.array(L)
        found: Array = np.linalg.matrix_power(L, self.power)
        return (found + found.T) / 2

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.toarray().astype(dtype or float, copy=False)


# Null vectors of the matrices that `laplacian` has returned, by identity, while these live: a plain
# matrix cannot carry one. A solver checks what it finds here: the matrix may have changed.
_NULL_VECTORS: dict[int, Array] = {}


def null_vector_of(Q: Any) -> Array | None:
    """The null vector of a matrix that `laplacian` has returned; None of any other."""
    return _NULL_VECTORS.get(id(Q))


def laplacian(W: npt.ArrayLike, kind: str = "normalized", self_loops: bool = False) -> Any:
    """Laplacian of a similarity; dense in, dense out; sparse in, sparse (CSR) out; a dask.array of
    sparse partitions in, partitions out (`mavr.graphs.partitions`).

    The diagonal of W is ignored. `self_loops` puts W_ii = 1 in its place: the degrees grow by 1,
    which the normalized Laplacian sees and the unnormalized one does not.

    >>> laplacian([[0, 1, 0], [1, 0, 1], [0, 1, 0]], kind="unnormalized")
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    if is_partitioned(W):
        return laplacian_of(W, _checked(kind) == "normalized", self_loops)
    found = graph_laplacian(W, kind, self_loops)
    assert found.null_vector is not None
    _NULL_VECTORS[id(found.L)] = found.null_vector
    weakref.finalize(found.L, _NULL_VECTORS.pop, id(found.L)).atexit = False
    return found.L


def graph_laplacian(
    W: npt.ArrayLike, kind: str = "normalized", self_loops: bool = False
) -> Laplacian:
    """`laplacian` with its null vector."""
    normalized = _checked(kind) == "normalized"
    W = valid.square("W", W)
    lowest = W.min()
    if lowest < 0:
        raise ValueError(f"W must be >= 0, got a smallest entry of {lowest:.3g}; clip it at 0")
    W = _without_diagonal(W)
    diagonal, v = diagonal_and_null_vector(
        np.asarray(W.sum(axis=1)).ravel(), normalized, self_loops
    )
    # 1/sqrt(d_i d_j) as two factors: the product of two small degrees may underflow.
    off = _scaled(W, 1 / v) if normalized else W
    if sp.issparse(off):
        return Laplacian(sp.csr_array(sp.diags_array(diagonal) - off), null_vector=v)
    L = 0.0 - off  # not -off: no negative zeros
    np.fill_diagonal(L, diagonal)
    return Laplacian(L, null_vector=v)


def _checked(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return kind


def _without_diagonal(W: Any) -> Any:
    if sp.issparse(W):
        W = W - sp.diags_array(W.diagonal())
        W.eliminate_zeros()
        return sp.csr_array(W)
    W = W.copy()
    np.fill_diagonal(W, 0.0)
    return W


def _scaled(W: Any, root: Array) -> Any:
    """W_ij root_i root_j, exactly symmetric."""
    if sp.issparse(W):
        D = sp.diags_array(root)
        S = D @ W @ D
        return sp.csr_array((S + S.T) / 2)
    S = W * root
    S *= root[:, None]
    return (S + S.T) / 2
