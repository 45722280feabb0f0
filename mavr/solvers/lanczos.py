"""Every gamma, tau, balance and P at once: Krylov spaces of L, shared by all shifts.

    L V = V T + rest,    (a L^p + delta I)^-1 y  ~  |y| V (a T^p + delta I)^-1 e_1

The space of the powers of L on a label y does not depend on a, p or delta. Kept, it makes a change
of gamma, tau, balance or P a product with V; and norms need not even that: with y_i the columns of
Y and 1 for the balance, all of

    y_i' A^-q y_k,   y_i' A^-q 1,   1' A^-q 1

are read off T and the labelled rows of V (Gauss quadrature: Golub and Meurant 2010). The vectors
are not made orthogonal again: the recurrence of three terms is that of conjugate gradients, with
their convergence. Parts along null vectors are known and left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

Array = npt.NDArray[np.float64]

# Steps that are taken, and stored, together.
CHUNK = 32
# Memory that the bases of one labelling may take.
MAX_BYTES = 2 * 1024**3


@dataclass(eq=False)
class Krylov:
    """Bases from the columns of Y and from 1, grown as shifts ask for it.

    L : (n, n) sparse Laplacian, Q its power; null_basis : (n, components) its null vectors;
    along : (components, c + 1) parts of Y and 1 in them; size : (c + 1,) norms of the rest;
    chunks : (c + 1, CHUNK, n) basis vectors each; alpha, beta : (steps, c + 1) of T.
    """

    L: Any
    power: int
    null_basis: Any
    Y: Array
    size: Array = field(init=False)
    along: Array = field(init=False)
    chunks: list[Array] = field(default_factory=list)
    alpha: list[Array] = field(default_factory=list)
    beta: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        B = np.column_stack([self.Y, np.ones(len(self.Y))])
        N = self.null_basis
        self.along = N.T @ B
        B = B - N @ self.along
        # What is left of a right-hand side that is a null vector is rounding.
        norm = np.linalg.norm(B, axis=0)
        whole = np.sqrt(norm**2 + (self.along**2).sum(axis=0))
        self.size = np.where(norm > 1e-13 * whole, norm, 0.0)
        self._next = np.divide(B, self.size, out=np.zeros_like(B), where=self.size > 0)
        self._last = np.zeros_like(B)
        self._labelled = np.flatnonzero(self.Y.any(axis=1))
        self._moments: list[Array] = []
        self._schur: tuple[list[Array], list[Array]] | None = None

    @property
    def steps(self) -> int:
        return len(self.alpha)

    @property
    def nbytes(self) -> int:
        return sum(chunk.nbytes for chunk in self.chunks)

    @property
    def full(self) -> bool:
        """No room for another chunk."""
        return self.nbytes + 8 * CHUNK * self._next.size > MAX_BYTES

    def grow(self) -> None:
        """Lanczos's recurrence for one more chunk."""
        L, N = self.L, self.null_basis
        chunk = np.empty((self._next.shape[1], CHUNK, len(self._next)))
        rows = self._labelled
        for k in range(CHUNK):
            V = self._next
            chunk[:, k] = V.T
            # y_i' v for every label, (c, c + 1).
            self._moments.append(self.Y[rows].T @ V[rows])
            X = L @ V
            if self.beta:
                X -= self.beta[-1] * self._last
            alpha = np.einsum("ij,ij->j", V, X)
            X -= alpha * V
            X -= N @ (N.T @ X)
            beta = np.sqrt(np.einsum("ij,ij->j", X, X))
            self.alpha.append(alpha)
            self.beta.append(beta)
            # An exhausted space goes on with zeros, which add nothing.
            X *= np.divide(1.0, beta, out=np.zeros_like(beta), where=beta > 1e-14)
            self._last, self._next = V, X
        self.chunks.append(chunk)
        self._schur = None

    def _decomposed(self) -> tuple[list[Array], list[Array]]:
        """Eigenvalues and eigenvectors of each T."""
        if self._schur is None:
            alpha, beta = np.array(self.alpha), np.array(self.beta)[:-1]
            found = [eigh_tridiagonal(a, b) for a, b in zip(alpha.T, beta.T, strict=True)]
            self._schur = ([np.maximum(t, 0.0) for t, _ in found], [S for _, S in found])
        return self._schur

    def coefficients(self, j: int, a: float, delta: float, order: int = 1) -> Array:
        """(steps,) of (a L^p + delta)^-order b_j in its basis."""
        theta, S = self._decomposed()
        inverse = 1 / (a * theta[j] ** self.power + delta) ** order
        return np.asarray(self.size[j] * (S[j] @ (inverse * S[j][0])))

    def left(self, a: float, delta: float) -> float:
        """How far the bases are from (a L^p + delta)^-1, relative: the size of the last terms."""
        worst = 0.0
        for j in np.flatnonzero(self.size):
            y = np.abs(self.coefficients(int(j), a, delta))
            # The residual of a p-th power spreads over the last p vectors.
            last = y[-self.power :].max()
            worst = max(worst, float(last) * (a * self.beta[-1][j] + delta) / self.size[j])
        return worst

    def reach(self, shifts: list[tuple[float, float]], tolerance: float) -> bool:
        """Grow until all (a, delta) are met to a tolerance; False if there is no room."""
        while not self.steps or max(self.left(a, delta) for a, delta in shifts) > tolerance:
            if self.full:
                return False
            self.grow()
        return True

    def vectors(self, j: int, coefficients: Array) -> Array:
        """(n, m) combinations of the basis of b_j; coefficients : (steps, m)."""
        parts = [
            chunk[j].T @ coefficients[k * CHUNK : (k + 1) * CHUNK]
            for k, chunk in enumerate(self.chunks)
        ]
        return np.asarray(np.sum(parts, axis=0))

    def labels(self, a: Array, U: Array, delta: float, order: int = 1) -> Array:
        """(n, c) columns (a_j L^p + delta)^-order Y u_j."""
        c = self.Y.shape[1]
        X = self.null_basis @ (self.along[:, :-1] @ U) / delta**order
        for i in range(c):
            used = np.flatnonzero(U[i])
            if self.size[i] > 0 and len(used):
                of = {w: self.coefficients(i, float(w), delta, order) for w in set(a[used])}
                X[:, used] += self.vectors(i, np.stack([U[i, j] * of[a[j]] for j in used], axis=1))
        return np.asarray(X)

    def ones(self, a: Array, delta: float, order: int = 1) -> Array:
        """(n, m) columns (a_j L^p + delta)^-order 1."""
        X = np.repeat(self.null_basis @ self.along[:, [-1]] / delta**order, len(a), axis=1)
        if self.size[-1] > 0 and len(a):
            last = len(self.size) - 1
            of = [self.coefficients(last, float(w), delta, order) for w in a]
            X += self.vectors(last, np.stack(of, axis=1))
        return np.asarray(X)

    def moments(self, j: int, a: float, delta: float, order: int) -> Array:
        """(c,) y_i' (a L^p + delta)^-order b_j."""
        inside = np.array([m[:, j] for m in self._moments]).T
        null = self.along[:, :-1].T @ self.along[:, j] / delta**order
        return np.asarray(inside @ self.coefficients(j, a, delta, order) + null)

    def total(self, a: float, delta: float, order: int) -> float:
        """1' (a L^p + delta)^-order 1."""
        own = self.size[-1] * self.coefficients(len(self.size) - 1, a, delta, order)[0]
        return float(own + (self.along[:, -1] ** 2).sum() / delta**order)
