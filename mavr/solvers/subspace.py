"""Every gamma, tau, balance and P at once, in the first steps of one Krylov space.

    L V = V T + rest,    (a L^p + delta I)^-1 B  ~  V (a T^p + delta I)^-1 E_1 R

with B = [Y 1] = V_1 R. Kept, the space makes a change of gamma, tau, balance or P a product with V,
of as many steps as the change needs; and norms need not even that: all of

    y_i' A^-q y_k,   y_i' A^-q 1,   1' A^-q 1

are read off T and the labelled rows of V (Gauss quadrature: Golub and Meurant 2010).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded, eig_banded

from mavr.arrays import Array

# Shifts whose coefficients are remembered.
REMEMBERED = 8
# Multiplications of a thin product up to which BLAS does not copy the large factor first.
SMALL_PRODUCT = 1_000_000


@dataclass(eq=False)
class Subspace:
    """The first steps of a Krylov space; the fields are those of `mavr.solvers.lanczos.Krylov`."""

    power: int
    null_basis: Any
    along: Array
    size: Array
    first: Array
    stored: tuple[Array, ...]
    alpha: list[Array]
    beta: list[Array]
    inside: list[Array]

    def __post_init__(self) -> None:
        # Of each instance, and safe for several threads.
        self._inverse = lru_cache(REMEMBERED)(self._inverse_at)
        self.coefficients = lru_cache(3 * REMEMBERED)(self._coefficients_at)

    @property
    def width(self) -> int:
        """Columns of a block."""
        return len(self.first)

    @property
    def steps(self) -> int:
        return len(self.alpha)

    @cached_property
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

    @cached_property
    def _form(self) -> Array:
        """The lower band of T^p."""
        return _raised(self._band, self.power)

    def _inverse_at(self, a: float, delta: float) -> Callable[[Array], Array]:
        """(a T^p + delta I)^-1."""
        form = a * self._form
        form[0] += delta
        try:
            factor = cholesky_banded(form, overwrite_ab=True, lower=True, check_finite=False)
        except LinAlgError:
            # Rounding has made an eigenvalue near 0 a negative one.
            theta, S = eig_banded(self._band, lower=True)
            scale = a * np.maximum(theta, 0.0)[:, None] ** self.power + delta
            return lambda X: np.asarray(S @ ((S.T @ X) / scale))
        return lambda X: np.asarray(cho_solve_banded((factor, True), X, check_finite=False))

    def _coefficients_at(self, a: float, delta: float, order: int) -> Array:
        """(steps r, c + 1) of (a L^p + delta)^-order B in the basis."""
        if order == 0:
            start = np.zeros((self.steps * self.width, len(self.size)))
            start[: self.width] = self.first
            return start
        return self._inverse(a, delta)(self.coefficients(a, delta, order - 1))

    def left(self, a: float, delta: float) -> float:
        """How far the bases are from (a L^p + delta)^-1, relative: the residual."""
        if not self.steps:
            return np.inf
        r, p = self.width, self.power
        last, used = self.coefficients(a, delta, 1), self.size > 0
        if p == 1:
            out = np.linalg.norm(self.beta[-1] @ last[-r:], axis=0)
        else:
            # That of a p-th power spreads over the last p blocks.
            out = np.linalg.norm(last[-p * r :], axis=0) * p * (2 * self._largest) ** (p - 1)
            out *= float(np.linalg.norm(self.beta[-1], 2))
        return float((a * out[used] / self.size[used]).max())

    @cached_property
    def _largest(self) -> float:
        """Of the norms of T's diagonal blocks."""
        return float(np.linalg.norm(np.array(self.alpha), 2, axis=(1, 2)).max())

    def columns(self, a: Array, U: Array, b: Array, delta: float, order: int = 1) -> Array:
        """(n, len(a) + len(b)): (a_j L^p + delta)^-order Y u_j, then (b_j L^p + delta)^-order 1."""
        weights = np.concatenate([a, b])
        # Each of them as a combination of the columns of Y and 1.
        parts = np.zeros((len(self.size), len(weights)))
        parts[:-1, : len(a)], parts[-1, len(a) :] = U, 1.0
        X = np.asarray(self.null_basis @ (self.along @ parts / delta**order))
        inside = np.empty((self.steps * self.width, len(weights)))
        for w in set(weights) if self.width else ():
            same = weights == w
            inside[:, same] = self.coefficients(float(w), delta, order) @ parts[:, same]
        if self.stored:
            self._add_product(inside, X)
        return X

    def _add_product(self, inside: Array, X: Array) -> None:
        """X + V times coefficients, in X: some rows at a time.

        Not by two threads: they wait for each other, and take a tenth more of the processor.
        """
        ends = np.cumsum([V.shape[1] for V in self.stored])
        parts = np.split(inside, ends[:-1])
        many = max(64, SMALL_PRODUCT // parts[0].size)
        for start in range(0, len(X), many):
            rows = slice(start, start + many)
            for V, part in zip(self.stored, parts, strict=True):
                X[rows] += V[rows] @ part

    def moments(self, a: float, delta: float, order: int) -> Array:
        """(c, c + 1): y_i' (a L^p + delta)^-order b_j, the last b_j being 1."""
        null = self.along[:, :-1].T @ self.along / delta**order
        if not self.width:
            return np.asarray(null)
        return np.asarray(self._labels @ self.coefficients(a, delta, order) + null)

    @cached_property
    def _labels(self) -> Array:
        """(c, steps r) products of the labels with the basis."""
        return np.hstack(self.inside)

    def total(self, a: float, delta: float, order: int) -> float:
        """1' (a L^p + delta)^-order 1."""
        null = float((self.along[:, -1] ** 2).sum() / delta**order)
        if not self.width:
            return null
        start = self.coefficients(a, delta, order)[: self.width, -1]
        return float(self.first[:, -1] @ start) + null


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
