"""Graph Laplacians.

    unnormalized  L = D - W
    normalized    L = I - D^-1/2 W D^-1/2

A point without any neighbour has L_ii = 0 in both, as in Chung's definition, so that every
connected component has exactly one zero eigenvalue and any label reaches the lowest eigenspace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr import validation as valid
from mavr.arrays import Array
from mavr.graphs.partitions import diagonal_and_null_vector, is_partitioned, laplacian_of

KINDS = ("normalized", "unnormalized")


class Laplacian(np.ndarray):
    """A dense Laplacian that remembers its null vector v: 1, or sqrt(d) for the normalized one.

    Where pieces of a graph hang together by less than 1e-16, rounding Q to doubles loses how v
    continues from one to the next; at extreme gamma or tau the responses depend on it.
    """

    null_vector: Array | None = None

    def __array_finalize__(self, other: Any) -> None:
        self.null_vector = getattr(other, "null_vector", None)


@dataclass(frozen=True)
class LaplacianPower:
    """L^power of a sparse L, which is never formed: it would fill up.

    It is what `mavr.solve` takes for Q.

    >>> L = laplacian(sp.csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), kind="unnormalized")
    >>> LaplacianPower(L, 2) @ np.array([1.0, 0.0, 0.0])
    array([ 2., -3.,  1.])
    """

    L: Any
    power: int

    @property
    def shape(self) -> tuple[int, int]:
        return (int(self.L.shape[0]), int(self.L.shape[1]))

    @property
    def nbytes(self) -> int:
        """Memory held, for bounding a cache."""
        return int(self.L.data.nbytes + self.L.indices.nbytes + self.L.indptr.nbytes)

    def __matmul__(self, X: Any) -> Any:
        for _ in range(self.power):
            X = self.L @ X
        return X

    def toarray(self) -> Array:
        """Dense, for small n."""
        found: Array = np.linalg.matrix_power(self.L.toarray(), self.power)
        return (found + found.T) / 2


def laplacian(W: npt.ArrayLike, kind: str = "normalized", self_loops: bool = False) -> Any:
    """Laplacian of a similarity; dense in, dense out; sparse in, sparse (CSR) out; a dask.array of
    sparse partitions in, partitions out (`mavr.graphs.partitions`).

    The diagonal of W is ignored. `self_loops` puts W_ii = 1 in its place: the degrees grow by 1,
    which the normalized Laplacian sees and the unnormalized one does not.

    >>> laplacian([[0, 1, 0], [1, 0, 1], [0, 1, 0]], kind="unnormalized")
    Laplacian([[ 1., -1.,  0.],
               [-1.,  2., -1.],
               [ 0., -1.,  1.]])
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if is_partitioned(W):
        return laplacian_of(W, kind == "normalized", self_loops)
    W = valid.square("W", W)
    lowest = W.min()
    if lowest < 0:
        raise ValueError(f"W must be >= 0, got a smallest entry of {lowest:.3g}; clip it at 0")
    W = _without_diagonal(W)
    normalized, others = kind == "normalized", np.asarray(W.sum(axis=1)).ravel()
    diagonal, v = diagonal_and_null_vector(others, normalized, self_loops)
    # 1/sqrt(d_i d_j) as two factors: the product of two small degrees may underflow.
    off = _scaled(W, 1 / v) if normalized else W
    if sp.issparse(off):
        Q = sp.csr_array(sp.diags_array(diagonal) - off)
    else:
        Q = (0.0 - off).view(Laplacian)  # 0 - x, not -x: no negative zeros
        np.fill_diagonal(Q, diagonal)
    Q.null_vector = v
    return Q


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
