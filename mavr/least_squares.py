"""Laplacian regularised least squares (Belkin, Niyogi and Sindhwani 2006).

    minimise  |Y_l - H_l|^2 / l + lambda_A tr(H'K^-1 H) + lambda_I / n^2 tr(H'LH)

    M alpha = Y,   M = J K + l B,   B = lambda_A I + lambda_I / n^2 L K,   H = K alpha

with K the kernel (the similarity with its diagonal of 1), L = D - W, J = diag(labelled), l labels.
The Woodbury identity gives, with the "deformed" kernel G = K B^-1,

    alpha = B^-1_:l w,   (l I + G_ll) w = Y_l,   w = (Y_l - H_l) / l

so Z = B^-1 is prepared once for a graph, and new labels cost one l x l system.

K is near to singular and responses may be 1e-50, so nothing is said by the norm of a residual. The
error bound is entry by entry: errors are M^-1 times the residual, and |K B^-1| is at most
|KZ| (I + E + E^2 + ...) with E = |I - BZ|, whose entries fall off from point to point as those of Z
do. Where the residual in doubles leaves a class open it is computed again in long doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import inv
from scipy.linalg import solve as dense_solve

from mavr import validation as valid
from mavr.arrays import EPS, TINY, Array, Index, Mask
from mavr.graphs.graph import Graph
from mavr.graphs.laplacians import laplacian
from mavr.solvers.solution import Solution, Status
from mavr.solvers.structure import Structure, inspect, product
from mavr.ties import Decision, decide

# Corrections of alpha by its residual; each gains about ten digits.
REFINEMENTS = 2


@dataclass(frozen=True)
class DeformedKernel:
    """What LapRLS needs of a graph, without labels.

    Attributes
    ----------
    K : (n, n) kernel.
    Z : (n, n) inverse of B = lambda_A I + lambda_I / n^2 L K, as computed.
    G : (n, n) KZ, as computed.
    defect : (n, n) |I - BZ|, as computed.
    structure : of L.
    """

    K: Array
    Z: Array
    G: Array
    defect: Array
    structure: Structure
    lambda_A: float
    lambda_I: float

    @property
    def nbytes(self) -> int:
        """Memory held, for bounding a cache."""
        return 4 * self.K.nbytes

    @cached_property
    def degree(self) -> Array:
        return np.asarray(self.structure.Q.diagonal())[:, None]

    @property
    def smoothness(self) -> float:
        """lambda_I / n^2."""
        return self.lambda_I / self.structure.n**2

    def times_B(self, alpha: Any, H: Any) -> Any:
        """B alpha with H = K alpha, in the precision of both."""
        WH = product(self.K, H) - H
        return self.lambda_A * alpha + self.smoothness * (self.degree * H - WH)

    def size_B(self, A: Array) -> Array:
        """A bound of |B| A for A >= 0, terms of B taken one by one."""
        KA = self.K @ A
        return self.lambda_A * A + self.smoothness * (self.degree * KA + self.K @ KA)

    def deformed_bound(self, T: Array) -> Array:
        """A bound of |K B^-1| T for T >= 0, (n, m); infinite where Z is no inverse of B."""
        # What underflows counts as the smallest number.
        first = self._defect_bound(T) + self.structure.n * TINY
        ratio = float((self._defect_bound(first) / first).max())
        if not ratio < 0.5:
            return np.full_like(T, np.inf)
        T = T + first / (1 - ratio)
        rounding = self.structure.n * EPS
        return np.asarray(np.abs(self.G) @ T + rounding * (self.K @ (np.abs(self.Z) @ T)))

    def _defect_bound(self, T: Array) -> Array:
        """A bound of |I - BZ| T, B taken exactly: what was computed, and its rounding."""
        rounding = (2 * self.structure.n + 8) * EPS
        return np.asarray(self.defect @ T + rounding * self.size_B(np.abs(self.Z) @ T))


def deform(W: npt.ArrayLike, lambda_A: float = 1e-3, lambda_I: float = 99.0) -> DeformedKernel:
    """Prepare LapRLS for a similarity.

    Parameters
    ----------
    W : (n, n) similarity, dense or sparse; the kernel is W with a diagonal of 1.
    lambda_A : weight of the norm in the kernel's space, > 0.
    lambda_I : weight of the smoothness on the graph, >= 0.
    """
    lambda_A = valid.positive("lambda_A", lambda_A)
    lambda_I = valid.non_negative("lambda_I", lambda_I)
    if sp.issparse(W):
        valid.dense_size(W.shape[0], valid.DENSE_ONLY)  # type: ignore[union-attr]
        W = W.toarray()  # type: ignore[union-attr]
    structure = inspect(laplacian(W, "unnormalized"))
    n = structure.n
    K = np.array(W, dtype=float)
    np.fill_diagonal(K, 1.0)
    B = lambda_I / n**2 * (np.asarray(structure.Q) @ K)
    B.flat[:: n + 1] += lambda_A
    Z = inv(B, check_finite=False)
    G = K @ Z
    defect = B @ Z
    defect.flat[:: n + 1] -= 1.0
    np.abs(defect, out=defect)
    for array in (K, Z, G, defect):
        array.flags.writeable = False
    return DeformedKernel(K, Z, G, defect, structure, lambda_A, lambda_I)


def kernel_of(graph: Graph, lambda_A: float, lambda_I: float) -> DeformedKernel:
    """The deformed kernel of a graph, to be kept with it: `graph.once(kernel_of, ...)`."""
    return deform(graph.W, lambda_A, lambda_I)


@dataclass(frozen=True)
class Labelling:
    """One system M alpha = Y.

    Y : (n, c); labelled : rows with a label; system : (l, l) l I + G_ll.
    """

    kernel: DeformedKernel
    Y: Array
    labelled: Index

    @property
    def count(self) -> int:
        return len(self.labelled)

    @cached_property
    def system(self) -> Array:
        G = self.kernel.G[np.ix_(self.labelled, self.labelled)]
        return np.asarray((G + G.T) / 2 + self.count * np.eye(self.count))

    def weights(self) -> Array:
        """w, (l, c)."""
        return np.asarray(dense_solve(self.system, self.Y[self.labelled], assume_a="sym"))

    def correction(self, residual: Array) -> Array:
        """M^-1 residual, (n, c), as doubles have it."""
        Z = self.kernel.Z
        first = Z @ residual
        at_labels = self.kernel.K[self.labelled] @ first
        second = dense_solve(self.system, at_labels, assume_a="sym")
        return np.asarray(first - Z[:, self.labelled] @ second) / self.count

    def residual(self, alpha: Any, H: Any) -> tuple[Any, Array]:
        """Y - M alpha with H = K alpha, and a bound of |residual| with its rounding, (n, c)."""
        R = self.Y - self.count * self.kernel.times_B(alpha, H)
        R[self.labelled] -= H[self.labelled]
        A = np.abs(alpha).astype(float)
        size = self.count * self.kernel.size_B(A) + np.abs(self.Y)
        size[self.labelled] += self.kernel.K[self.labelled] @ A
        unit = float(np.finfo(alpha.dtype).eps)
        rounding = (2 * self.kernel.structure.n + 16) * unit * size
        return R, np.abs(R).astype(float) + rounding

    def error(self, alpha: Any, residual_bound: Array) -> Array:
        """A bound of |error| of H = K alpha, (n, c).

        K M^-1 R = (GR - G_:l S^-1 (GR)_l) / l with S = l I + G_ll, all but R as computed and a
        little off. G is positive semi-definite, so that |S^-1| <= 1 / l.
        """
        kernel, n, l = self.kernel, self.kernel.structure.n, self.count
        unit = np.zeros((n, 1))
        unit[self.labelled] = 1.0
        moved = kernel.deformed_bound(np.hstack([residual_bound, unit]))
        first, size = moved[:, :-1], np.abs(kernel.G[:, self.labelled])
        # How far the columns of G may be from the exact ones, together; and what that does to S^-1.
        off = moved[:, -1:] - size.sum(axis=1, keepdims=True)
        inverse = np.abs(inv(self.system)) + float(off[self.labelled].max()) / l**2
        second = inverse @ first[self.labelled]
        error = (first + size @ second + off * second.max(axis=0)) / l
        rounding = 2 * n * float(np.finfo(alpha.dtype).eps)
        return np.asarray(
            1.01 * error + rounding * (kernel.K @ np.abs(alpha).astype(float)) + n * TINY
        )


def laprls(kernel: DeformedKernel, Y: npt.ArrayLike) -> Solution:
    """LapRLS for one-hot labels.

    Parameters
    ----------
    kernel : of the graph, from `deform`.
    Y : (n, c) labels.

    Returns
    -------
    Solution : `rho` and `alpha` have no meaning here and are NaN. `objective` is Belkin's
        functional at H, `volume` is tr(H'LH) / |H|^2.
    """
    structure = kernel.structure
    Y = valid.labels(Y, structure.n)
    labelling = Labelling(kernel, Y, np.flatnonzero(Y.any(axis=1)))
    unreached = structure.unreached(labelling.labelled)
    w = labelling.weights()
    alpha = np.asarray(kernel.Z[:, labelling.labelled] @ w)
    H = kernel.K @ alpha
    R, residual_bound = labelling.residual(alpha, H)
    bound = labelling.error(alpha, residual_bound)
    decision = decide(H, bound, unreached, ())
    if not decision.certain:
        H, bound = _refined(labelling, alpha)
        decision = decide(H, bound, unreached, ())
    return _report(labelling, H.astype(float), bound, R, decision, unreached)


def _refined(labelling: Labelling, alpha: Array) -> tuple[Any, Array]:
    """H in long doubles, and a bound of |error|."""
    wide = alpha.astype(np.longdouble)
    for _ in range(REFINEMENTS):
        H = product(labelling.kernel.K, wide)
        R, _ = labelling.residual(wide, H)
        wide = wide + labelling.correction(R.astype(float))
    H = product(labelling.kernel.K, wide)
    _, residual_bound = labelling.residual(wide, H)
    return H, labelling.error(wide, residual_bound)


def _report(
    labelling: Labelling,
    H: Array,
    bound: Array,
    residual: Array,
    decision: Decision,
    unreached: Mask,
) -> Solution:
    structure, labelled = labelling.kernel.structure, labelling.labelled
    missed = (labelling.Y - H)[labelled]
    # Both regularisers together are tr(w'G w) = tr(w'H_l), with w = (Y_l - H_l) / l.
    objective = float((missed * missed).sum() + (missed * H[labelled]).sum()) / labelling.count
    norm2 = float((H * H).sum())
    return Solution(
        H=H,
        rho=float("nan"),
        labels=decision.labels,
        ties=decision.ties,
        uncertain=decision.uncertain,
        unreached=unreached,
        volume=float(structure.energies(H).sum()) / norm2 if norm2 > 0 else 0.0,
        objective=objective,
        residual=float(np.abs(residual).max() / np.abs(labelling.Y).max()),
        n_iter=0,
        status=Status.UNCERTAIN if decision.uncertain.any() else Status.OPTIMAL,
        error_bound=bound.max(axis=1),
        method="kernel ridge",
        alpha=float("nan"),
    )
