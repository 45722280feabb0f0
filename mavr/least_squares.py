"""Laplacian regularised least squares (Belkin, Niyogi and Sindhwani 2006).

    alpha = (J K + lambda_A l I + lambda_I l / n^2 L K)^-1 Y,   H = K alpha

with K the kernel (the similarity with its diagonal of 1), L = D - W, J = diag(labelled), l labels.
With B = lambda_A I + lambda_I / n^2 L K and G = K B^-1, the Woodbury identity gives

    H = G_:l (l I + G_ll)^-1 Y_l,

kernel ridge regression with the "deformed" kernel G, which knows the graph and no labels. So G is
prepared once, and new labels cost one l x l system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import solve as dense_solve

from mavr import validation as valid
from mavr.graphs.graph import Graph
from mavr.graphs.laplacians import laplacian
from mavr.solvers.solution import Solution, Status
from mavr.solvers.structure import EPS, Structure, inspect
from mavr.ties import decide

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DeformedKernel:
    """G = K (lambda_A I + lambda_I / n^2 L K)^-1, (n, n), and the structure of L."""

    G: Array
    structure: Structure
    lambda_A: float
    lambda_I: float

    @property
    def nbytes(self) -> int:
        return self.G.nbytes


def deform(W: npt.ArrayLike, lambda_A: float = 1e-3, lambda_I: float = 99.0) -> DeformedKernel:
    """Prepare LapRLS for a similarity W : (n, n), dense or sparse."""
    lambda_A = valid.positive("lambda_A", lambda_A)
    lambda_I = valid.non_negative("lambda_I", lambda_I)
    if sp.issparse(W):
        valid.dense_size(W.shape[0])  # type: ignore[union-attr]
        W = W.toarray()  # type: ignore[union-attr]
    L = laplacian(W, "unnormalized")
    n = len(L)
    K = np.array(W, dtype=float)
    np.fill_diagonal(K, 1.0)
    B = lambda_I / n**2 * (L @ K)
    B.flat[:: n + 1] += lambda_A
    # G = K B^-1, that is B' G' = K; G is symmetric.
    G = dense_solve(B, K, transposed=True, overwrite_a=True, check_finite=False)
    G = (G + G.T) / 2
    G.flags.writeable = False
    return DeformedKernel(G, inspect(L), lambda_A, lambda_I)


def kernel_of(graph: Graph, lambda_A: float, lambda_I: float) -> DeformedKernel:
    """The deformed kernel of a graph; the last few are kept with it."""
    return graph.once(_deformed, lambda_A, lambda_I)


def _deformed(graph: Graph, lambda_A: float, lambda_I: float) -> DeformedKernel:
    return deform(graph.W, lambda_A, lambda_I)


def laprls(kernel: DeformedKernel, Y: npt.ArrayLike) -> Solution:
    """LapRLS for one-hot labels Y : (n, c). `rho` and `alpha` have no meaning here and are NaN."""
    structure = kernel.structure
    Y = valid.labels(Y, structure.n)
    labelled = np.flatnonzero(Y.any(axis=1))
    l = len(labelled)
    system = kernel.G[np.ix_(labelled, labelled)] + l * np.eye(l)
    weights = dense_solve(system, Y[labelled], assume_a="sym")
    across = kernel.G[:, labelled]
    H = across @ weights
    # Componentwise rounding of the last product, and the system's error carried through it.
    bound = 8 * structure.n * EPS * (np.abs(across) @ np.abs(weights))
    bound += structure.n * EPS * np.abs(kernel.G).max() * np.abs(weights).sum(axis=0)
    reached = np.zeros(structure.n_components, dtype=bool)
    reached[structure.component[labelled]] = True
    unreached = ~reached[structure.component]
    decision = decide(H, bound, unreached, ())
    norm2 = float((H * H).sum())
    LH = structure.times(H)
    fit = float(((Y - H)[labelled] ** 2).sum()) / l
    ridge = kernel.lambda_A * float((weights * H[labelled]).sum())
    smooth = kernel.lambda_I / structure.n**2 * float((H * LH).sum())
    return Solution(
        H=H,
        rho=float("nan"),
        labels=decision.labels,
        ties=decision.ties,
        uncertain=decision.uncertain,
        unreached=unreached,
        volume=float((H * LH).sum()) / norm2 if norm2 > 0 else 0.0,
        objective=fit + ridge + smooth,
        residual=float(np.abs(system @ weights - Y[labelled]).max()),
        n_iter=0,
        status=Status.OPTIMAL,
        error_bound=bound.max(axis=1),
        method="kernel ridge",
        alpha=float("nan"),
    )
