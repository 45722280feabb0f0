"""What is known of a sparse Q before any label: its structure, null vectors and preconditioner.

It is to a sparse graph what the Spectrum is to a dense one: computed once, kept with the graph, and
handed to `solve` in place of Q.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from mavr.arrays import Array, Index
from mavr.graphs.graph import Graph
from mavr.solvers.lanczos import MAX_BYTES, Krylov
from mavr.solvers.multigrid import Multigrid, multigrid
from mavr.solvers.spectrum import Spectrum, spectrum_of
from mavr.solvers.structure import Structure, inspect, narrow

# Below so many points a thin block fits the cache in any order.
MANY_POINTS = 8_000
# Entries of Q that four bytes can count.
MAX_ENTRIES = 2**31 - 1
# Krylov spaces of fewer steps than these are of no use.
LEAST_STEPS = 96
# Graphs with small cuts need more steps the larger they are; above so many points multigrid is
# quicker, and above a few times as many they do not fit.
MANY_STEPS = 20_000
# From so many points on, neighbours that are further apart than this share of all points, in the
# best order there is, tell at once that a graph has no small cuts.
MANY_LEVELS, FAR_APART = 50_000, 1 / 12


@dataclass(frozen=True, eq=False)
class SparseState:
    """A sparse Laplacian or a power of it, prepared for solving.

    kept : for several solves, so that it pays to keep Krylov spaces;
    placed : the points are in an order that is good for products.
    """

    structure: Structure
    kept: bool = True
    placed: bool = False
    _bases: dict[bytes, Krylov] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        return self.structure.n

    @cached_property
    def order(self) -> Index | None:
        """Points so that neighbours are near each other, and products find them in the cache.

        None where they are left as they come.
        """
        Q = self.structure.Q
        if self.placed or self.n < MANY_POINTS or not sp.issparse(Q) or Q.nnz > MAX_ENTRIES:
            return None
        pattern = sp.csr_array((Q.data, *narrow(Q)), shape=Q.shape)
        return np.asarray(reverse_cuthill_mckee(pattern, symmetric_mode=True), dtype=np.intp)

    @cached_property
    def arranged(self) -> SparseState:
        """The same with its points in that order: what is solved with."""
        if self.order is None:
            return self
        return SparseState(self.structure.permuted(self.order), self.kept, placed=True)

    @cached_property
    def null_basis(self) -> Any:
        """(n, components) orthonormal null vectors, sparse."""
        structure = self.structure
        assert structure.null_vector is not None
        # Scaled to maximum 1 on each component, since squares may underflow.
        top = np.zeros(structure.n_components)
        np.maximum.at(top, structure.component, structure.null_vector)
        v = structure.null_vector / top[structure.component]
        length = np.sqrt(np.bincount(structure.component, v * v))
        shape = (structure.n, structure.n_components)
        entries = (v / length[structure.component], structure.component, np.arange(shape[0] + 1))
        return sp.csr_array(entries, shape=shape)

    def reached_by(self, Z: Array) -> npt.NDArray[np.bool_]:
        """(n, m), or (1, m) if all is one: whether a column has an entry in a point's component."""
        if self.structure.n_components == 1:
            return np.asarray(Z.any(axis=0, keepdims=True))
        anywhere = (self.null_basis.T @ (Z != 0)) > 0
        return np.asarray(anywhere[self.structure.component])

    @cached_property
    def levels(self) -> Multigrid | None:
        """The multigrid of the Laplacian, None where it does not pay."""
        if self.arranged is not self:
            return self.arranged.levels
        assert self.structure.null_vector is not None
        if not sp.issparse(self.structure.Q) or (self.placed and _far_apart(self.structure.Q)):
            return None  # partitions are not coarsened, and without small cuts there is no gain
        return multigrid(self.structure.Q, self.structure.null_vector)

    def precondition(self, B: Array, shift: Array) -> Array:
        """An approximate (Q + shift I)^-1 B, symmetric; shift : one for each column.

        For Q = L^p it is (L + s)^-p with s^p the shift: (lam + s)^p / (lam^p + s^p) lies between 1
        and 2^(p-1).
        """
        power = self.structure.power
        if self.levels is None:
            return np.asarray(B / (self.structure.diagonal**power + shift))
        root = shift ** (1 / power)
        for _ in range(power):
            B = self.levels.apply(B, root)
        return B

    def krylov(self, Y: Array) -> Krylov | None:
        """The Krylov spaces of a labelling, kept for the next solve; None where multigrid is
        quicker, or where they take too much memory."""
        if self.order is not None:
            return self.arranged.krylov(Y[self.order])
        if 8 * self.n * (Y.shape[1] + 1) * LEAST_STEPS > MAX_BYTES:
            return None
        if (self.n > MANY_STEPS or not self.kept) and self.levels is not None:
            return None
        key = _name(Y)
        if key not in self._bases:
            self._bases.clear()  # one labelling at a time: they are large
            self._bases[key] = Krylov(self.structure.Q, self.structure.power, self.null_basis, Y)
        return self._bases[key]

    def shared(self, Y: Array) -> Krylov | Multigrid | None:
        """What all solves of a labelling share, made if it is not there."""
        return self.krylov(Y) or self.levels

    def knows(self, Y: Array) -> bool:
        """Whether the Krylov spaces of a labelling are kept: another setting is nearly free."""
        if self.order is not None:
            return self.arranged.knows(Y[self.order])
        return _name(Y) in self._bases

    def adopt(self, other: SparseState) -> None:
        """Keep the Krylov spaces that another state of the same Q has built."""
        mine = self.arranged._bases
        mine.clear()
        mine.update(other.arranged._bases)

    @property
    def nbytes(self) -> int:
        """Memory held beside Q, for bounding a cache."""
        inner = self.__dict__.get("arranged", self)
        if inner is not self:
            Q = inner.structure.Q
            held = Q.data.nbytes + Q.indices.nbytes + Q.indptr.nbytes
            return int(inner.nbytes + 32 * self.n + held)
        found = self.__dict__.get("levels")
        held = found.nbytes if found is not None else 0
        return 32 * self.n + held + sum(basis.nbytes for basis in self._bases.values())


def _far_apart(Q: Any) -> bool:
    """Whether neighbours in a graph of many points are far apart in the order they have."""
    n = Q.shape[0]
    if n < MANY_LEVELS:
        return False
    row = np.repeat(np.arange(n, dtype=np.int32), np.diff(Q.indptr))
    return bool(np.abs(Q.indices - row).mean() > FAR_APART * n)


def _name(Y: Array) -> bytes:
    """Names a labelling."""
    rows = np.flatnonzero(Y.any(axis=1))
    return rows.tobytes() + Y[rows].tobytes() + bytes(str(Y.shape), "ascii")


def prepare(Q: Any) -> SparseState:
    """Prepare a sparse Laplacian, or a power of one, for several solves.

    Parameters
    ----------
    Q : (n, n) sparse, from `mavr.laplacian`.

    Returns
    -------
    SparseState, to be passed to `mavr.solve` in place of Q.
    """
    return prepared(inspect(Q))


def prepared(structure: Structure, kept: bool = True) -> SparseState:
    """The state of a Q whose structure is known."""
    if structure.dense or not structure.laplacian:
        raise ValueError(
            "a sparse Q must be a graph Laplacian (mavr.laplacian(W)); else pass Q.toarray()"
        )
    return SparseState(structure, kept)


def state_of(graph: Graph) -> Spectrum | SparseState:
    """What `solve` should be given, computed once for a graph."""
    return graph.once(_prepared) if graph.sparse else spectrum_of(graph)


def _prepared(graph: Graph) -> SparseState:
    return prepare(graph.Q)
