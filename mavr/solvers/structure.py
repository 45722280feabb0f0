"""What can be read off Q before solving: components, sign pattern, a positive null vector.

A Laplacian is an M-matrix (no positive off-diagonal entry) with a positive vector v, Q v = 0:
v = 1 for D - W and v = sqrt(d) for the normalized one. Both facts decide how accurately
responses can be recovered, see `mavr.solvers.factor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from mavr import validation as valid
from mavr.arrays import Array, Index, Integers, Mask, of_rows, parts
from mavr.graphs.laplacians import Laplacian, null_vector_of
from mavr.graphs.partitions import Partitions, is_partitioned, partitions
from mavr.solvers.null_vector import annihilates, positive_null_vector

# Entries of a dense Q that are taken at once.
BLOCK_ENTRIES = 2**20
# Edges that are summed at once.
BLOCK_EDGES = 2**14


@dataclass(frozen=True)
class Structure:
    """A symmetric positive semi-definite Q and its pattern.

    Q : (n, n) array, CSR or partitions;
    norm : upper bound of the largest eigenvalue of |Q|, hence of Q;
    component : (n,) component of the graph each point is in;
    m_matrix : no off-diagonal entry is positive;
    null_vector : (n,) v > 0 with Q v = 0, if Q is a Laplacian, else None;
    null_error : how far (Q v)_i / v_i may be from 0, apart from the rounding of Q itself;
    sparse : a dense Q with few entries, as CSR, for products;
    heard : a dense Q without the entries that no product in doubles hears of, dense or CSR;
    power : what stands for Q here is this power of it, which is never formed.
    """

    Q: Any
    norm: float
    component: Integers
    n_components: int
    m_matrix: bool
    null_vector: Array | None
    null_error: float
    sparse: Any = None
    heard: Any = None
    power: int = 1

    def times(self, H: Any) -> Any:
        """QH, to rounding: each entry of it by n eps |Q| |H|, not by so much of itself.

        In the precision of H where Q is sparse.
        """
        Q = next((A for A in (self.heard, self.sparse) if A is not None), self.Q)
        if sp.issparse(self.Q) and H.dtype != Q.dtype:
            Q = Q.astype(H.dtype)
        for _ in range(self.power):
            H = Q @ H
        return np.asarray(H)

    def times_exactly(self, H: Any) -> Any:
        """QH in the precision of H. A Laplacian is the one that has its null vector exactly."""
        QH = self._times_stored(H)
        exact = self.null_vector is not None and self.null_error == 0 and self.power == 1
        # In doubles what rounding does to the diagonal is no more than what it does to QH.
        return QH - self._excess * H if exact and H.dtype != np.float64 else QH

    @cached_property
    def _excess(self) -> Any:
        """(n, 1) what rounding adds to the diagonal of a Laplacian, (Q v)_i / v_i."""
        assert self.null_vector is not None
        v = self.null_vector[:, None].astype(np.longdouble)
        return self._times_stored(v) / v

    def _times_stored(self, H: Any) -> Any:
        return product(self.Q, H) if self.dense else self.times(H)

    def magnitudes(self, H: Array, QH: Any = None) -> Array:
        """At least |Q| |H|, which bounds what rounding does to QH; QH : where it is known.

        |Q| = 2D - Q, D its diagonal, as no entry off it is positive. With h = max(-H, 0) and m its
        largest quotient by the null vector v, -Qh <= D(mv - h), since (D - Q)v = Dv. Hence

            |Q| |H| = 2D|H| - QH - 2Qh <= 2D (max(H, 0) + mv) - QH.
        """
        if not (self.laplacian and sp.issparse(self.Q)):
            plain = replace(self, Q=abs(self.Q), sparse=None, heard=None)
            return np.asarray(plain.times(np.abs(H)))
        assert self.null_vector is not None
        twice, v = 2 * self.diagonal, self.null_vector[:, None]
        if QH is None or self.power > 1:
            H = np.abs(H)
            for _ in range(self.power):
                H = twice * H - self.Q @ H
            return H
        found, m = np.empty_like(H), max(0.0, -float((of_rows(np.minimum, H) / v[:, 0]).min()))
        for rows in parts(H):
            part = np.maximum(H[rows], 0.0, out=found[rows])
            part += m * v[rows]
            part *= twice[rows]
            part -= QH[rows]
        return found

    @cached_property
    def diagonal(self) -> Array:
        """(n, 1) of Q, or of L if Q is a power of it."""
        return np.asarray(self.Q.diagonal())[:, None]

    def energies(self, H: Array) -> Array:
        """h'Qh of each column; of a Laplacian a sum over its edges, so that it is never negative.

        h'Qh = sum_ij |Q_ij| v_i v_j (h_i / v_i - h_j / v_j)^2 / 2
        """
        if self.null_vector is None:
            return np.asarray(np.maximum((H * self.times(H)).sum(axis=0), 0.0))
        if self.power > 1:
            half = replace(self, power=self.power // 2).times(H)
            rest = replace(self, power=1)
            return rest.energies(half) if self.power % 2 else (half * half).sum(axis=0)
        v = self.null_vector
        X = H / v[:, None]
        if isinstance(self.Q, Partitions):
            return self.Q.energies(v, X)
        edges = self.Q if self.sparse is None else self.sparse
        if not sp.issparse(edges):
            return np.array([_dense_energy(np.asarray(edges), v, x) for x in X.T])
        edges = sp.triu(edges, k=1, format="coo")
        i, j = edges.coords
        weight, total = -edges.data * v[i] * v[j], np.zeros(X.shape[1])
        for k in range(0, len(i), BLOCK_EDGES):
            part = slice(k, k + BLOCK_EDGES)
            apart = X.take(i[part], axis=0)
            apart -= X.take(j[part], axis=0)
            apart *= apart
            total += weight[part] @ apart
        return total

    def unreached(self, labelled: Any) -> Mask:
        """(n,) points with none of the labelled ones in their component."""
        reached = np.zeros(self.n_components, dtype=bool)
        reached[self.component[labelled]] = True
        return np.asarray(~reached[self.component])

    def null_rows(self, points: Sequence[int]) -> Array:
        """(len(points), components): rows of the orthonormal null vectors, one per component."""
        assert self.null_vector is not None
        v, here = self.null_vector, self.component[list(points)]
        lengths = np.sqrt(np.bincount(self.component, v * v))
        rows = np.zeros((len(points), self.n_components))
        rows[np.arange(len(points)), here] = v[list(points)] / lengths[here]
        return rows

    def permuted(self, order: Index) -> Structure:
        """The structure of a sparse Q with its points in another order."""
        Q = sp.csr_array((self.Q.data, *narrow(self.Q)), shape=self.Q.shape)
        # Q is symmetric, and a transpose has its rows sorted.
        Q = Q[order].T.tocsr()[order]
        v = None if self.null_vector is None else self.null_vector[order]
        return replace(self, Q=Q, component=self.component[order], null_vector=v)

    @property
    def n(self) -> int:
        return int(self.Q.shape[0])

    @property
    def dense(self) -> bool:
        return isinstance(self.Q, np.ndarray)

    @property
    def terms(self) -> int:
        """Most entries in a row of Q."""
        if isinstance(self.Q, Partitions):
            return self.Q.facts.terms
        return self.n if self.dense else int(np.diff(self.Q.indptr).max())

    @cached_property
    def row_terms(self) -> Any:
        """(n, 1) entries in each row of Q; their most where rows are not at hand."""
        return np.diff(self.Q.indptr)[:, None] if sp.issparse(self.Q) else self.terms

    @property
    def laplacian(self) -> bool:
        """The lowest eigenvalue is 0, once per component, with a positive eigenvector."""
        return self.null_vector is not None


def product(A: Array, X: Any) -> Any:
    """AX in the precision of X, rows of A widened a few at a time."""
    if X.dtype == A.dtype:
        return A @ X
    step = max(1, BLOCK_ENTRIES // len(A))
    return np.concatenate([A[i : i + step].astype(X.dtype) @ X for i in range(0, len(A), step)])


def narrow(Q: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The indices of a CSR in four bytes: less to read in every product."""
    return Q.indices.astype(np.int32), Q.indptr.astype(np.int32)


def inspect(Q: Any) -> Structure:
    """Structure of a symmetric Q : (n, n), dense or sparse."""
    if not isinstance(Q, Laplacian):
        return _inspected(Q, null_vector_of(Q))
    plain = _inspected(Q.L, null_vector_of(Q.L) if Q.null_vector is None else Q.null_vector)
    if Q.power == 1:
        return plain
    return replace(plain, power=Q.power, m_matrix=False, norm=plain.norm**Q.power)


def _inspected(Q: Any, hint: Array | None) -> Structure:
    """hint : its null vector as `mavr.laplacian` knows it, checked, not trusted: Q may have
    changed."""
    if is_partitioned(Q):
        return _inspect_partitions(partitions(Q))
    Q = valid.square("Q", Q)
    if sp.issparse(Q):
        Q = Q if Q.data.all() else without_zeros(Q)
        n_components, component = _sparse_components(Q)
        positive = np.count_nonzero(Q.data > 0)
    else:
        n_components, component = _dense_components(Q)
        positive = np.count_nonzero(Q > 0)
    m_matrix = positive == np.count_nonzero(Q.diagonal() > 0)
    norm = float(np.asarray(abs(Q).sum(axis=1)).max())
    v, error = positive_null_vector(Q, norm, hint) if m_matrix else (None, 0.0)
    if v is not None:
        # |Q| = D + S with S v = D v: its eigenvalues lie in [0, 2 max D].
        norm = min(norm, 2 * float(Q.diagonal().max()))
    return Structure(Q, norm, component, int(n_components), bool(m_matrix), v, error)


def without_zeros(Q: Any) -> Any:
    """A sparse Q without the zeros that it stores: they would pass for edges."""
    Q = Q.copy()
    Q.eliminate_zeros()
    return Q


def _inspect_partitions(Q: Partitions) -> Structure:
    facts = Q.facts
    v = np.ones(Q.shape[0]) if Q.null_vector is None else Q.null_vector
    if facts.highest > 0 or not annihilates(Q, v):
        raise ValueError(
            "a Q in partitions must be a graph Laplacian: use mavr.laplacian(W), which takes a W "
            "in partitions"
        )
    norm = 2 * float(facts.diagonal.max())
    return Structure(Q, norm, facts.component, facts.n_components, True, v, 0.0)


def _sparse_components(Q: Any) -> tuple[int, Integers]:
    # Most graphs here are in one piece, which one search tells.
    if len(breadth_first_order(Q, 0, return_predecessors=False)) == Q.shape[0]:
        return 1, np.zeros(Q.shape[0], dtype=np.int32)
    # Q is symmetric: its strong components are its components, and no transpose is needed.
    count, component = connected_components(Q, connection="strong")
    return int(count), component


def _dense_components(Q: Array) -> tuple[int, Integers]:
    # Most graphs here are complete or nearly so: one row without zeros settles it.
    if (Q[0] != 0).all() or len(Q) == 1:
        return 1, np.zeros(len(Q), dtype=int)
    edges = Q != 0
    columns = np.ascontiguousarray(np.nonzero(edges)[1], dtype=np.int32)
    ends = np.cumsum([0, *np.count_nonzero(edges, axis=1)], dtype=np.int32)
    adjacency = sp.csr_array((np.ones(len(columns)), columns, ends), shape=Q.shape)
    count, component = connected_components(adjacency, connection="strong")
    return int(count), component


def _dense_energy(Q: Array, v: Array, x: Array) -> float:
    """Half the sum of |Q_ij| v_i v_j (x_i - x_j)^2; the diagonal adds nothing."""
    step = max(1, BLOCK_ENTRIES // len(v))
    total = 0.0
    for start in range(0, len(v), step):
        rows = slice(start, start + step)
        squares = (x[rows, None] - x) ** 2
        squares *= Q[rows]
        total -= float(v[rows] @ (squares @ v))
    return total / 2
