"""Graph Laplacians.

    unnormalized  L = D - W
    normalized    L = I - D^-1/2 W D^-1/2

A point without any neighbour has L_ii = 0 in both, as in Chung's definition, so that every
connected component has exactly one zero eigenvalue and any label reaches the lowest eigenspace.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr import _validation as valid

KINDS = ("normalized", "unnormalized")


def laplacian(W: npt.ArrayLike, kind: str = "normalized") -> Any:
    """Laplacian of a similarity; dense in, dense out; sparse in, sparse (CSR) out.

    >>> laplacian([[0, 1, 0], [1, 0, 1], [0, 1, 0]], kind="unnormalized")
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    W = valid.square("W", W)
    lowest = W.min()
    if lowest < 0:
        raise ValueError(f"W must be >= 0, got a smallest entry of {lowest:.3g}; clip it at 0")
    W = _without_diagonal(W)
    degree = np.asarray(W.sum(axis=1)).ravel()
    if kind == "unnormalized":
        diagonal = degree
        off = W
    else:
        diagonal = (degree > 0).astype(float)
        # 1/sqrt(d_i d_j) as two factors: the product of two small degrees may underflow.
        inverse_root = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
        off = _scaled(W, inverse_root)
    if sp.issparse(off):
        return sp.csr_array(sp.diags_array(diagonal) - off)
    Q = 0.0 - off  # 0 - x, not -x: no negative zeros
    np.fill_diagonal(Q, diagonal)
    return Q


def _without_diagonal(W: Any) -> Any:
    if sp.issparse(W):
        W = W - sp.diags_array(W.diagonal())
        W.eliminate_zeros()
        return sp.csr_array(W)
    W = W.copy()
    np.fill_diagonal(W, 0.0)
    return W


def _scaled(W: Any, root: npt.NDArray[np.float64]) -> Any:
    """W_ij root_i root_j, exactly symmetric."""
    if sp.issparse(W):
        D = sp.diags_array(root)
        S = D @ W @ D
        return sp.csr_array((S + S.T) / 2)
    S = W * root
    S *= root[:, None]
    return (S + S.T) / 2
