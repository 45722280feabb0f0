"""What can be read off Q before solving: components, sign pattern, a positive null vector.

A Laplacian is an M-matrix (no positive off-diagonal entry) with a positive vector v, Q v = 0:
v = 1 for D - W and v = sqrt(d) for the normalized one. Both facts decide how accurately
responses can be recovered, see `mavr.elimination`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import connected_components

Array = npt.NDArray[np.float64]
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Structure:
    """A symmetric positive semi-definite Q and its pattern.

    Q : (n, n) array or CSR; norm : upper bound of its largest eigenvalue;
    component : (n,) component of the graph each point is in;
    m_matrix : no off-diagonal entry is positive; laplacian : its lowest eigenvalue is 0,
    once per component, with a positive eigenvector.
    """

    Q: Any
    norm: float
    component: npt.NDArray[np.int_]
    n_components: int
    m_matrix: bool
    laplacian: bool

    @property
    def n(self) -> int:
        return int(self.Q.shape[0])

    @cached_property
    def null_vector(self) -> Array:
        """v > 0 with Q v = 0 up to rounding, each component scaled to maximum 1.

        Two inverse iterations: (Q + eps' I)^-1 keeps v positive, because Q is an M-matrix, and
        shrinks everything else by eps' / lambda_2. Pieces so weakly joined that lambda_2 < eps'
        keep the scale that they have; any such v is exact for a Q that differs by rounding.
        """
        v = np.ones(self.n)
        if sp.issparse(self.Q) or np.abs(self.Q.sum(axis=1)).max() <= self.n * EPS * self.norm:
            return v
        shifted = np.array(self.Q)
        shifted.flat[:: self.n + 1] += 1e-8 * max(self.norm, np.finfo(float).tiny)
        factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
        for _ in range(2):
            v = cho_solve(factor, v, check_finite=False)
            largest = np.zeros(self.n_components)
            np.maximum.at(largest, self.component, v)
            v = v / largest[self.component]
        return v


def inspect(Q: Any) -> Structure:
    """Structure of a Q that `mavr._validation.square` has passed."""
    diagonal = Q.diagonal()
    if sp.issparse(Q):
        off_diagonal = Q - sp.diags_array(diagonal)
        n_components, component = connected_components(off_diagonal, directed=False)
        row_sum = np.asarray(abs(Q).sum(axis=1)).ravel()
        m_matrix = bool(off_diagonal.max() <= 0)
        off_sum = np.asarray(off_diagonal.sum(axis=1)).ravel()
    else:
        n_components, component = _dense_components(Q)
        row_sum = np.abs(Q).sum(axis=1)
        # The matrix less its diagonal has no positive entry: its positive part is the diagonal's.
        m_matrix = bool(np.maximum(Q, 0.0).sum() == np.maximum(diagonal, 0.0).sum())
        off_sum = Q.sum(axis=1) - diagonal
    norm = float(row_sum.max())
    laplacian = m_matrix and _is_laplacian(diagonal, off_sum)
    if laplacian and not np.allclose(diagonal + off_sum, 0, atol=len(diagonal) * EPS * norm):
        norm = min(norm, 2.0)  # normalized: eigenvalues lie in [0, 2]
    return Structure(Q, norm, component, int(n_components), m_matrix, laplacian)


def _dense_components(Q: Array) -> tuple[int, npt.NDArray[np.int_]]:
    # Most graphs here are complete or nearly so: one row without zeros settles it.
    if (Q[0] != 0).all() or len(Q) == 1:
        return 1, np.zeros(len(Q), dtype=int)
    count, component = connected_components(sp.csr_array(Q != 0), directed=False)
    return int(count), component


def _is_laplacian(diagonal: Array, off_sum: Array) -> bool:
    """Zero row sums, or the unit diagonal of I - D^-1/2 W D^-1/2 (0 at isolated points)."""
    scale = max(float(diagonal.max()), np.finfo(float).tiny)
    if np.abs(diagonal + off_sum).max() <= 8 * len(diagonal) * EPS * scale:
        return True
    isolated = off_sum == 0
    return bool((diagonal[~isolated] == 1).all() and (diagonal[isolated] == 0).all())
