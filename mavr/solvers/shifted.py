"""Preconditioned conjugate gradients for (a_j Q + delta I) x_j = z_j, all columns together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.arrays import EPS, TINY, Array, parts
from mavr.solvers.blocks import block_gradients, gram
from mavr.solvers.sparse_state import MANY_POINTS, SparseState

MAX_ITERATIONS = 20_000
# Iterations without progress after which there is no more to gain.
MAX_STALLED = 500
# Times that a block starts again from its true residual.
MAX_RESTARTS = 8
# Of a residual, what one start in single precision leaves: it moves half the memory.
SINGLE = 2e-6
# Columns of a block in single precision: so many more than are asked for at least, and a multiple.
MORE, MULTIPLE = 2, 4
# Solutions that others explain but for this part of their squares tell nothing.
DISTINCT = 1e-6


def _random(R: Array) -> Array:
    """Columns beside R, of length 1: they have a part in every eigenvector, which labels may lack,
    and a block of a width that suits the processor is no slower for them."""
    more = MORE + -(R.shape[1] + MORE) % MULTIPLE
    found = np.random.default_rng(0).standard_normal((len(R), more), dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=0), dtype=float)


def _smoothest(X: Array, AX: Array) -> Array:
    """The combinations of solutions that are nearest to the lowest eigenvectors, of length 1.

    A block that starts again finds them once more, and much sooner if it begins with them.
    """
    more = MORE + -(X.shape[1] + MORE) % MULTIPLE
    theta, S = np.linalg.eigh(gram(X, X))
    S = S[:, theta > DISTINCT * theta[-1]] / np.sqrt(theta[theta > DISTINCT * theta[-1]])
    lowest = np.linalg.eigh(S.T @ gram(X, AX) @ S)[1][:, :more]
    return np.asarray(X @ (S @ lowest).astype(X.dtype), dtype=float)


def _inner(X: Array, Y: Array) -> Array:
    """x_j'y_j of each column, without an array for the products."""
    return np.asarray(np.einsum("ij,ij->j", X, Y))


def _norms(X: Array) -> Array:
    """|x_j| of each column."""
    return np.asarray(np.sqrt(_inner(X, X)))


@dataclass(frozen=True)
class Shifted:
    """weights_j Q + delta I for each column j."""

    state: SparseState
    weights: Array
    delta: float

    def times(self, X: Array) -> Array:
        found = np.asarray(self.state.structure.times(X))
        for rows in parts(X):
            found[rows] *= self.weights
            found[rows] += self.delta * X[rows]
        return found

    def preconditioned(self, R: Array) -> Array:
        """What makes an iteration short."""
        return self.state.precondition(R / self.weights, self.delta / self.weights)

    def iterate(self, Z: Array, start: Array | None, tolerance: float) -> tuple[Array, bool]:
        """X for a right-hand side Z, from where a start is given, and whether its residual came
        down to rounding or to the tolerance, relative to |z_j|."""
        # Exactly 0 where nothing is: the coarse levels would leave rounding there.
        here = self.state.reached_by(Z)
        R = Z if start is None else Z - self.times(start)
        lift = self._along_null(R)
        X, R = lift if start is None else start + lift, R - self.delta * lift
        if not here.all():
            X, R = here * X, here * R
        target = tolerance * np.maximum(_norms(Z), np.finfo(float).tiny)
        size = _norms(R)
        if (size <= np.maximum(target, self._floor(X))).all():
            return here * X, True
        if self._alike:
            return self._together(Z, X, R, target, here)
        S = self.preconditioned(R)
        D = S.copy()
        inner = _inner(R, S)
        best, stalled = np.inf, 0
        for _ in range(MAX_ITERATIONS):
            if (size <= target).all():
                return here * X, True
            # The recurrence keeps shrinking after the true residual has hit rounding.
            worst = float((size / target).max())
            best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
            if stalled > MAX_STALLED:
                break
            AD = self.times(D)
            curvature = _inner(D, AD)
            step = np.divide(inner, curvature, out=np.zeros_like(inner), where=curvature > 0)
            X += step * D
            R -= step * AD
            S = self.preconditioned(R)
            following = _inner(R, S)
            D *= np.divide(following, inner, out=np.zeros_like(inner), where=inner > 0)
            D += S
            inner = following
            size = _norms(R)
        return here * X, bool((size <= np.maximum(target, self._floor(X))).all())

    @property
    def _alike(self) -> bool:
        """All columns have one matrix, and nothing better than its diagonal to precondition it."""
        structure = self.state.structure
        plain = structure.power == 1 and sp.issparse(structure.Q)
        one = len(self.weights) > 1 and np.ptp(self.weights) == 0
        return bool(plain and one and self.state.levels is None)

    def _together(
        self, Z: Array, X: Array, R: Array, target: Array, here: npt.NDArray[np.bool_]
    ) -> tuple[Array, bool]:
        """`iterate` with all columns as one block, from X and its residual R."""
        root = 1 / np.sqrt(float(self.weights[0]) * self.state.structure.diagonal + self.delta)
        single = len(R) >= MANY_POINTS
        A, beside = self._scaled(root.ravel(), single), _random(R) if single else None
        for _ in range(MAX_RESTARTS):
            scaled, size = root * R, _norms(R)
            share = np.divide(target, size, out=np.ones_like(size), where=size > target)
            goal = np.maximum(share, SINGLE if single else 0.0) * _norms(scaled)
            found = block_gradients(A, scaled, np.maximum(goal, TINY), MAX_ITERATIONS, beside)
            X = X + root * found
            R = Z - self.times(X)
            lift = self._along_null(R)
            X += lift
            R -= self.delta * lift
            if not here.all():
                X, R = here * X, here * R
            before, size = size, _norms(R)
            if (size <= np.maximum(target, self._floor(X))).all():
                return X, True
            if not (size < before / 2).all():
                if not single:
                    break
                # Too nearly singular for single precision.
                A, single, beside = self._scaled(root.ravel()), False, None
            elif single:
                beside = _smoothest(found, scaled - root * R)
        return X, False

    def _scaled(self, root: Array, single: bool = False) -> Any:
        """The matrix of all columns with a diagonal of 1, in doubles or in single precision."""
        A = self.state.structure.Q.copy()
        A.data *= float(self.weights[0]) * root[A.indices]
        A.data *= np.repeat(root, np.diff(A.indptr))
        A += sp.diags_array(self.delta * root * root)
        return A.astype(np.float32) if single else A

    def _floor(self, X: Array) -> Array:
        """Residuals that are rounding."""
        size = self.weights * self.state.structure.norm + self.delta
        return np.asarray(4 * EPS * size * _norms(X))

    def _along_null(self, R: Array) -> Array:
        """The inverse of R's part along the null vectors."""
        N = self.state.null_basis
        return np.asarray(N @ (N.T @ R)) / self.delta
