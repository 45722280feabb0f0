"""One Krylov space of L for all labels and shifts, grown step by step and kept.

    L V = V T + rest,    V_1 R = B = [Y 1],    V = [V_1 V_2 ...], blocks of as many columns.

The space of the powers of L on B does not depend on gamma, tau, balance, P or the power of L: what
is read off it is in `mavr.solvers.subspace`. The columns share one space (block Lanczos: Golub and
Underwood 1977), so that each is approached from all of them: the lowest eigenvectors of a graph
with clusters, which hold up a single column, are found in a few steps. Blocks are not made
orthogonal to those before the last two: the recurrence, and with it the residual, holds without.
Parts along null vectors are known and left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from threading import RLock
from typing import Any

import numpy as np

from mavr.arrays import Array
from mavr.solvers.blocks import factored, independent
from mavr.solvers.subspace import Subspace

# Steps that are taken together.
CHUNK = 4
# Columns that are stored together: products with wide rows are quicker.
WIDE = 528
# Memory that the bases of one labelling may take.
MAX_BYTES = 2 * 1024**3
# A space of so many times n dimensions has no more to find, whatever rounding says.
MAX_TURNS = 6


@dataclass(eq=False)
class Krylov:
    """The space of the columns of Y and 1, grown as shifts ask for it.

    L : (n, n) sparse Laplacian, Q its power; null_basis : (n, components) its null vectors;
    along : (components, c + 1) parts of Y and 1 in them; size : (c + 1,) norms of the rest;
    stored : (n, span r) basis vectors each, the last one filled as far as steps go; alpha, beta :
    (r, r) blocks of T, on the diagonal and below it; inside : (c, r) products of the labels with a
    block of V.
    """

    L: Any
    power: int
    null_basis: Any
    Y: Array
    size: Array = field(init=False)
    along: Array = field(init=False)
    stored: list[Array] = field(default_factory=list)
    alpha: list[Array] = field(default_factory=list)
    beta: list[Array] = field(default_factory=list)
    inside: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = RLock()
        B = np.column_stack([self.Y, np.ones(len(self.Y))])
        N = self.null_basis
        self.along = N.T @ B
        B = B - N @ self.along
        # Once more: sums over n points are off by more than the last digit, and what they leave of
        # a null vector would be a column of its own, of which L makes nothing but rounding.
        left = N.T @ B
        self.along = self.along + left
        B -= N @ left
        # What is left of a right-hand side that is a null vector is rounding.
        norm = np.linalg.norm(B, axis=0)
        whole = np.sqrt(norm**2 + (self.along**2).sum(axis=0))
        self.size = np.where(norm > 1e-13 * whole, norm, 0.0)
        B = np.divide(B, self.size, out=np.zeros_like(B), where=self.size > 0)
        self._next, first = independent(B)
        self.first = first * self.size
        self._last = np.zeros_like(self._next)
        self._labelled = np.flatnonzero(self.Y.any(axis=1))
        self._parts: dict[int, Subspace] = {}
        # The hardest shift that was met, the chunks that it took, and to which tolerance.
        self._met = (np.inf, 0, 1.0)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_lock"} | {"_parts": {}}

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
    def span(self) -> int:
        """Steps that are stored together."""
        # Labels that the graph cannot tell apart from a constant leave no column at all.
        return CHUNK * max(1, WIDE // (CHUNK * max(1, self.width)))

    @property
    def nbytes(self) -> int:
        return sum(V.nbytes for V in self.stored)

    @property
    def full(self) -> bool:
        """No room for another chunk, or no use of it."""
        exhausted = self.steps * self.width > MAX_TURNS * len(self.Y) + CHUNK
        more = 8 * self.span * self._next.size if self.steps % self.span == 0 else 0
        return exhausted or self.nbytes + more > MAX_BYTES

    def grow(self) -> None:
        """Lanczos's recurrence for one more chunk."""
        L, N = self.L, self.null_basis
        rows, shape = self._labelled, (len(self._next), self.span, self.width)
        if self.steps % self.span == 0:
            self.stored.append(np.empty((shape[0], shape[1] * shape[2])))
        room = self.stored[-1].reshape(shape)
        for _ in range(CHUNK):
            V = self._next
            room[:, self.steps % self.span] = V
            self.inside.append(self.Y[rows].T @ V[rows])
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

    def reach(
        self, shifts: list[tuple[float, float]], tolerance: float, grown: float = np.inf
    ) -> Subspace | None:
        """As much of the space as meets all (a, delta) to a tolerance; None if there is no room.

        grown : a tolerance that a space which has to grow is to meet.
        """
        # One thread at a time: another one's setting may make the space grow.
        with self._lock:
            if not self.width:
                return self._part(0)
            hardest = max(a / delta for a, delta in shifts)
            count = self._expected(hardest, tolerance)
            while max(self._part(count).left(a, delta) for a, delta in shifts) > tolerance:
                if count * CHUNK == self.steps:
                    if self.full:
                        return None
                    self.grow()
                    tolerance = min(tolerance, grown)
                count += 1
            if self._met[0] < hardest or not self._met[1]:
                self._met = (hardest, count, tolerance)
            return self._part(count)

    def _expected(self, hardest: float, tolerance: float) -> int:
        """Chunks that a shift should take, or one less: steps grow as the root of a / delta, and
        as the digits do."""
        met, count, least = self._met
        share = min(1.0, (hardest / met) ** (0.5 / self.power)) if count else 0.0
        share *= min(1.0, np.log(tolerance) / np.log(least)) if count else 0.0
        return max(0, ceil(share * count) - 1)

    def _part(self, count: int) -> Subspace:
        """The space of so many chunks."""
        if count not in self._parts:
            steps, wide = count * CHUNK, self.span * self.width
            ends = [steps * self.width - k * wide for k in range(len(self.stored))]
            self._parts[count] = Subspace(
                self.power,
                self.null_basis,
                self.along,
                self.size,
                self.first,
                tuple(V[:, :end] for V, end in zip(self.stored, ends, strict=True) if end > 0),
                self.alpha[:steps],
                self.beta[:steps],
                self.inside[:steps],
            )
        return self._parts[count]
