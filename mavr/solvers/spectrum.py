"""The eigen-decomposition Q = V diag(lam) V': what is done once per graph and cached.

It sees neither labels nor parameters. With it, a re-solve for new labels, gamma, tau, P or balance
costs two products with an n x n matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mavr import validation as valid
from mavr.arrays import EPS, Array
from mavr.graphs.graph import Graph
from mavr.graphs.laplacians import Laplacian
from mavr.solvers.structure import Structure, inspect

# Share of entries that are not 0 up to which a product with CSR takes less time.
SPARSE = 0.12


@dataclass(frozen=True)
class Spectrum:
    """Q and its eigen-decomposition; every array is read-only, so that sessions may share it.

    lam : (n,) eigenvalues, increasing, never negative; V : (n, n) eigenvectors in columns;
    ones : (n,) coordinates of the all-ones vector, for the class-balance term.
    """

    structure: Structure
    lam: Array
    V: Array
    ones: Array

    @property
    def Q(self) -> Array:
        return np.asarray(self.structure.Q)

    @property
    def n(self) -> int:
        return len(self.lam)

    def combined(self, G: Array) -> Array:
        """V G : (n, k), for coordinates G : (n, k).

        Taken as (G'V')', BLAS needs half the time where k is small; the numbers are the same.
        """
        return np.ascontiguousarray((G.T @ self.V.T).T)

    @property
    def nbytes(self) -> int:
        """Memory held, for bounding a cache."""
        heard = self.structure.heard
        kept = 0 if heard is None else (heard.data if sp.issparse(heard) else heard).nbytes
        return self.Q.nbytes + self.V.nbytes + int(kept)


def decompose(Q: Any) -> Spectrum:
    """Decompose a symmetric positive semi-definite Q : (n, n).

    >>> decompose(np.array([[1.0, -1.0], [-1.0, 1.0]])).lam
    array([0., 2.])
    """
    if sp.issparse(Q.L if isinstance(Q, Laplacian) else Q):
        valid.dense_size(Q.shape[0], valid.DENSE_ONLY)
    if not isinstance(Q, Laplacian) or Q.power == 1:
        return diagonalise(inspect(Q))
    # L^p has the eigenvectors of L. Its small eigenvalues are powers of those of L, which are known
    # better than they can be read off L^p: lam^p may be far below rounding.
    plain, whole = decompose(replace(Q, power=1)), Q.toarray()
    return _frozen(inspect(whole), whole, plain.lam**Q.power, plain.V)


def diagonalise(structure: Structure) -> Spectrum:
    """Decompose a Q whose structure is known."""
    # A copy: it becomes read-only.
    Q = structure.Q.toarray() if sp.issparse(structure.Q) else np.array(structure.Q)
    # numpy's releases the interpreter's lock, scipy's does not.
    lam, V = np.linalg.eigh(Q)
    V = np.asfortranarray(V)  # columns are read together
    noise = 8 * len(lam) * EPS * max(structure.norm, np.finfo(float).tiny)
    if lam[0] < -noise:
        raise ValueError(
            f"Q must be positive semi-definite, got smallest eigenvalue {lam[0]:.3g}; "
            "use a Laplacian, or raise the diagonal of Q"
        )
    # Rounding leaves zeros as +-1e-17. A Laplacian has exactly one per component; elsewhere a
    # negative value is noise.
    lam = np.maximum(lam, 0.0)
    if structure.laplacian:
        lam[: structure.n_components] = 0.0
    return _frozen(structure, Q, lam, V)


def _frozen(structure: Structure, Q: Array, lam: Array, V: Array) -> Spectrum:
    known = replace(structure, Q=Q, sparse=_sparse(Q), heard=_heard(Q, structure.norm))
    spectrum = Spectrum(known, lam, V, V.T @ np.ones(len(lam)))
    for array in (Q, lam, V, spectrum.ones):
        array.flags.writeable = False
    return spectrum


def _sparse(Q: Array) -> Any:
    """Q as CSR where that makes products faster: neighbour graphs, and their squares."""
    return sp.csr_array(Q) if np.count_nonzero(Q) <= SPARSE * Q.size else None


def _heard(Q: Array, norm: float) -> Any:
    """Q without entries below eps^2 of its norm, None if it has none: a Gaussian of far points.

    In a product all of them together are less than eps of its rounding. Many are subnormal, and
    with those arithmetic takes a hundred times as long.
    """
    faint = np.abs(Q) < EPS * EPS * norm
    if not (Q[faint] != 0).any():
        return None
    kept = np.where(faint, 0.0, Q)
    found = _sparse(kept)
    return kept if found is None else found


def spectrum_of(graph: Graph) -> Spectrum:
    """The decomposition of a graph's Q, computed once; a sparse Q is made dense for it."""
    return graph.once(_decomposed)


def _decomposed(graph: Graph) -> Spectrum:
    return decompose(replace(graph.L, power=graph.power))
