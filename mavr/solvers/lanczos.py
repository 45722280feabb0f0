"""Every gamma, tau, balance and P at once: one Krylov space of L for all labels and shifts.

    L V = V T + rest,    (a L^p + delta I)^-1 B  ~  V (a T^p + delta I)^-1 E_1 R

with B = [Y 1] = V_1 R and V = [V_1 V_2 ...], blocks of as many columns. The space of the powers of
L on B does not depend on a, p or delta. Kept, it makes a change of gamma, tau, balance or P a
product with V; and norms need not even that: all of

    y_i' A^-q y_k,   y_i' A^-q 1,   1' A^-q 1

are read off T and the labelled rows of V (Gauss quadrature: Golub and Meurant 2010). The columns
share one space (block Lanczos: Golub and Underwood 1977), so that each is approached from all of
them: the lowest eigenvectors of a graph with clusters, which hold up a single column, are found in
a few steps. Blocks are not made orthogonal to those before the last two: the recurrence, and with
it the residual, holds without. Parts along null vectors are known and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from threading import RLock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded, eig_banded

from mavr.solvers.blocks import factored, independent

Array = npt.NDArray[np.float64]
Found = TypeVar("Found")

# Steps that are taken, and stored, together.
CHUNK = 8
# Memory that the bases of one labelling may take.
MAX_BYTES = 2 * 1024**3
# A space of so many times n dimensions has no more to find, whatever rounding says.
MAX_TURNS = 6
# Shifts whose coefficients are remembered.
REMEMBERED = 32


def _alone(method: Callable[..., Found]) -> Callable[..., Found]:
    """One thread at a time: another one's setting may make the space grow."""

    @wraps(method)
    def locked(self: Krylov, *given: Any) -> Found:
        with self._lock:
            return method(self, *given)

    return locked


@dataclass(eq=False)
class Krylov:
    """The space of the columns of Y and 1, grown as shifts ask for it.

    L : (n, n) sparse Laplacian, Q its power; null_basis : (n, components) its null vectors;
    along : (components, c + 1) parts of Y and 1 in them; size : (c + 1,) norms of the rest;
    chunks : (n, CHUNK, r) basis vectors each; alpha, beta : (r, r) blocks of T, on the diagonal and
    below it.
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
        self._lock = RLock()
        B = np.column_stack([self.Y, np.ones(len(self.Y))])
        N = self.null_basis
        self.along = N.T @ B
        B = B - N @ self.along
        # What is left of a right-hand side that is a null vector is rounding.
        norm = np.linalg.norm(B, axis=0)
        whole = np.sqrt(norm**2 + (self.along**2).sum(axis=0))
        self.size = np.where(norm > 1e-13 * whole, norm, 0.0)
        B = np.divide(B, self.size, out=np.zeros_like(B), where=self.size > 0)
        self._next, first = independent(B)
        self._first = first * self.size
        self._last = np.zeros_like(self._next)
        self._labelled = np.flatnonzero(self.Y.any(axis=1))
        self._inside: list[Array] = []
        self._solved: dict[tuple[float, float], tuple[Callable[[Array], Array], list[Array]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_lock"} | {"_solved": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    @property
    def width(self) -> int:
        """Columns of a block."""
        return self._next.shape[1]

    @property
    def steps(self) -> int:
        return len(self.alpha)

    @property
    def nbytes(self) -> int:
        return sum(chunk.nbytes for chunk in self.chunks)

    @property
    def full(self) -> bool:
        """No room for another chunk, or no use of it."""
        exhausted = self.steps * self.width > MAX_TURNS * len(self.Y) + CHUNK
        return exhausted or self.nbytes + 8 * CHUNK * self._next.size > MAX_BYTES

    @_alone
    def grow(self) -> None:
        """Lanczos's recurrence for one more chunk."""
        L, N = self.L, self.null_basis
        chunk = np.empty((len(self._next), CHUNK, self.width))
        rows = self._labelled
        for k in range(CHUNK):
            V = self._next
            chunk[:, k] = V
            # y_i' v for every label, (c, r).
            self._inside.append(self.Y[rows].T @ V[rows])
            X = np.asarray(L @ V)
            if self.beta:
                X -= self._last @ self.beta[-1].T
            alpha = V.T @ X
            X -= V @ alpha
            X -= N @ (N.T @ X)
            self._last = V
            self._next, beta = factored(X)
            self.alpha.append((alpha + alpha.T) / 2)
            self.beta.append(beta)
        self.chunks.append(chunk)
        self._solved.clear()

    def _band(self) -> Array:
        """The lower band of T."""
        r, steps = self.width, self.steps
        band = np.zeros((r + 1, steps, r))
        i, j = np.tril_indices(r)
        band[i - j, :, j] = np.array(self.alpha)[:, i, j].T
        # Its blocks below the diagonal are upper triangles. The last leads out, and is not read.
        i, j = np.triu_indices(r)
        band[r + i - j, :, j] = np.array(self.beta)[:, i, j].T
        return band.reshape(r + 1, steps * r)

    def _inverse(self, a: float, delta: float) -> Callable[[Array], Array]:
        """(a T^p + delta I)^-1."""
        band = self._band()
        form = a * _raised(band, self.power)
        form[0] += delta
        try:
            factor = cholesky_banded(form, lower=True, check_finite=False)
        except LinAlgError:
            # Rounding has made an eigenvalue near 0 a negative one.
            theta, S = eig_banded(band, lower=True)
            scale = a * np.maximum(theta, 0.0)[:, None] ** self.power + delta
            return lambda X: np.asarray(S @ ((S.T @ X) / scale))
        return lambda X: np.asarray(cho_solve_banded((factor, True), X, check_finite=False))

    @_alone
    def coefficients(self, a: float, delta: float, order: int = 1) -> Array:
        """(steps r, c + 1) of (a L^p + delta)^-order B in the basis."""
        if (a, delta) not in self._solved:
            while len(self._solved) >= REMEMBERED:
                self._solved.pop(next(iter(self._solved)))
            start = np.zeros((self.steps * self.width, len(self.size)))
            start[: self.width] = self._first
            self._solved[a, delta] = (self._inverse(a, delta), [start])
        inverse, found = self._solved[a, delta]
        while len(found) <= order:
            found.append(inverse(found[-1]))
        return found[order]

    @_alone
    def left(self, a: float, delta: float) -> float:
        """How far the bases are from (a L^p + delta)^-1, relative: the residual."""
        r, p = self.width, self.power
        last, used = self.coefficients(a, delta), self.size > 0
        if p == 1:
            out = np.linalg.norm(self.beta[-1] @ last[-r:], axis=0)
        else:
            # That of a p-th power spreads over the last p blocks.
            largest = max(float(np.linalg.norm(A, 2)) for A in self.alpha)
            out = np.linalg.norm(last[-p * r :], axis=0) * p * (2 * largest) ** (p - 1)
            out *= float(np.linalg.norm(self.beta[-1], 2))
        return float((a * out[used] / self.size[used]).max())

    @_alone
    def reach(self, shifts: list[tuple[float, float]], tolerance: float) -> bool:
        """Grow until all (a, delta) are met to a tolerance; False if there is no room."""
        if not self.width:
            return True
        while not self.steps or max(self.left(a, delta) for a, delta in shifts) > tolerance:
            if self.full:
                return False
            self.grow()
        return True

    @_alone
    def columns(self, a: Array, U: Array, b: Array, delta: float, order: int = 1) -> Array:
        """(n, len(a) + len(b)): (a_j L^p + delta)^-order Y u_j, then (b_j L^p + delta)^-order 1."""
        weights = np.concatenate([a, b])
        # Each of them as a combination of the columns of Y and 1.
        parts = np.zeros((len(self.size), len(weights)))
        parts[:-1, : len(a)], parts[-1, len(a) :] = U, 1.0
        X = np.asarray(self.null_basis @ (self.along @ parts)) / delta**order
        if not self.width:
            return X
        inside = np.empty((self.steps * self.width, len(weights)))
        for w in set(weights):
            same = weights == w
            inside[:, same] = self.coefficients(float(w), delta, order) @ parts[:, same]
        step = CHUNK * self.width
        for k, chunk in enumerate(self.chunks):
            X += chunk.reshape(len(X), step) @ inside[k * step : (k + 1) * step]
        return X

    @_alone
    def moments(self, a: float, delta: float, order: int) -> Array:
        """(c, c + 1): y_i' (a L^p + delta)^-order b_j, the last b_j being 1."""
        null = self.along[:, :-1].T @ self.along / delta**order
        if not self.width:
            return np.asarray(null)
        return np.asarray(np.hstack(self._inside) @ self.coefficients(a, delta, order) + null)

    @_alone
    def total(self, a: float, delta: float, order: int) -> float:
        """1' (a L^p + delta)^-order 1."""
        null = float((self.along[:, -1] ** 2).sum() / delta**order)
        if not self.width:
            return null
        start = self.coefficients(a, delta, order)[: self.width, -1]
        return float(self._first[:, -1] @ start) + null


def _raised(band: Array, power: int) -> Array:
    """The lower band of T^power."""
    if power == 1:
        return band
    width, size = len(band), band.shape[1]
    lower = sp.dia_array((band, -np.arange(width)), shape=(size, size)).tocsr()
    T = lower + lower.T - sp.diags_array(band[0])
    raised = T
    for _ in range(power - 1):
        raised = raised @ T
    found = np.zeros((power * (width - 1) + 1, size))
    for k in range(min(len(found), size)):
        found[k, : size - k] = raised.diagonal(-k)
    return found
