"""The inverse of the whole quadratic form at one rho, behind one interface.

    (gamma P (x) Q + balance C (x) 11' - rho I) vec H = vec Y,    rho = lowest - delta

With P = U diag(mu) U', Z = YU and H = GU' it falls apart into one system for each column,

    (gamma mu_j Q - rho I) g_j = z_j,

but for the class balance (`mavr.solvers.balance`). How a column is solved is all that differs:
in the eigenbasis of Q, by elimination, or by conjugate gradients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mavr.arrays import Array, column_sums
from mavr.solvers.balance import balance_projection
from mavr.solvers.problem import Problem


@dataclass(frozen=True)
class Multiplier:
    """rho = lowest - delta, found in these steps; lowest is the least eigenvalue of the form.

    `fill` is the hard case's step along the lowest eigenvector, delta being 0 there.
    """

    lowest: float
    delta: float
    steps: tuple[float, ...] = ()
    fill: float = 0.0

    @property
    def rho(self) -> float:
        return self.lowest - self.delta


class Resolvent(ABC):
    """(gamma P (x) Q + balance C (x) 11' - rho I)^-1."""

    problem: Problem
    multiplier: Multiplier

    @property
    @abstractmethod
    def name(self) -> str:
        """Of the method."""

    @abstractmethod
    def columns(self, Z: Array) -> Array:
        """G : (n, c) with (gamma mu_j Q - rho I) g_j = z_j."""

    @abstractmethod
    def dominate(self, Z: Array) -> Array:
        """An upper bound of |(gamma mu_j Q - rho I)^-1| z_j, entry by entry, for Z >= 0."""

    @cached_property
    def ones(self) -> Array:
        """The columns for a right-hand side of ones, (n, c)."""
        return self.columns(np.ones(self.problem.Y.shape))

    @cached_property
    def totals_of_ones(self) -> Array:
        """1'o_j of each column o_j of `ones`, (c,)."""
        return np.asarray(self.ones.sum(axis=0).astype(float))

    def along_ones(self, w: Array) -> Array:
        """w_j o_j, (n, c)."""
        return w * self.ones

    @cached_property
    def projection(self) -> Array:
        """Sums of the columns to multiples of `ones`, (c, c)."""
        return balance_projection(self.problem.relation, self.problem.balance, self.totals_of_ones)

    def apply(self, Y: Array) -> Array:
        """H for a right-hand side Y : (n, c)."""
        return self.assemble(self.columns(self.turned(Y)))

    def turned(self, Y: Array) -> Array:
        """YU."""
        relation = self.problem.relation
        return Y if relation.identity else np.asarray(Y @ relation.U)

    def assemble(self, G: Array) -> Array:
        """H from its columns, which are without balance."""
        relation = self.problem.relation
        if self.problem.balance:
            G = G - self.along_ones(self.projection @ column_sums(G))
        return G if relation.identity else np.asarray(G @ relation.U.T)

    def correct(self, R: Array) -> Array:
        """`apply` for a residual R, where a few digits are enough."""
        return self.apply(R)

    def slope(self, H: Array) -> Array:
        """-dH / ddelta = `apply` for H, to a few digits."""
        return self.correct(H)

    def bound(self, R: Array) -> Array:
        """A bound of |apply(Y)| for every Y with |Y| <= R, entry by entry."""
        relation = self.problem.relation
        return relation.back(self.through_balance(self.dominate(relation.across(R))))

    def through_balance(self, E: Array) -> Array:
        """A bound of what the balance makes of columns that are bounded by E."""
        if not self.problem.balance:
            return E
        level = self.along_ones(np.abs(self.projection) @ column_sums(E))
        np.abs(level, out=level)
        level += E
        return level
