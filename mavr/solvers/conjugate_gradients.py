"""Large sparse Q: preconditioned conjugate gradients, one column per class direction.

    (gamma mu_j Q - rho I) g_j = z_j

All columns iterate together, so that each step is one sparse product; Q is never made dense, nor is
a power of it formed. The part along Q's null vectors is known in closed form and taken out first.
How rho is found is in `mavr.solvers.sparse_search`.
Bounds of the error are in `mavr.solvers.comparison`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mavr.arrays import EPS, Array, column_sums, parts
from mavr.solvers.comparison import Comparison, comparison
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier, Resolvent
from mavr.solvers.shifted import Shifted
from mavr.solvers.sparse_state import SparseState
from mavr.solvers.subspace import Subspace

RESIDUAL_TOLERANCE = 1e-11
# For corrections and slopes a few digits are enough: what they leave is corrected or bounded.
CORRECTION_TOLERANCE = 1e-8
# A norm is met to so many times the tolerance of residuals, and a slope needs no more digits.
LOOSER = 10
# Residuals up to so many units in the last place are rounding, and that of the totals.
ROUNDING = 32


@dataclass
class Gradients(Resolvent):
    """Conjugate gradients at one rho.

    start : the solution at a nearby rho, to begin with; space : a Krylov space of the labels, if
    there is one, which then holds the solution; tolerance : of residuals; moved : columns of the
    slope, or of one nearby; closest : a tolerance to go on to where classes stay open, further :
    the space for it;
    solved : (n, c + distinct mu) for the labels and, with balance, for ones, side by side so that
    they share every product; reached : whether they came to it.
    """

    problem: Problem
    multiplier: Multiplier
    state: SparseState
    start: Array | None = None
    space: Subspace | None = None
    tolerance: float = RESIDUAL_TOLERANCE
    moved: Array | None = None
    closest: float | None = None
    further: Callable[[], Subspace | None] | None = None
    solved: Array = field(init=False)
    reached: bool = False

    @property
    def name(self) -> str:
        return "conjugate gradients"

    def columns(self, Z: Array) -> Array:
        if self.space:
            self.solved, self.reached = self._read_off(self.space, Z.shape[1], 1), True
            return self.solved[:, : Z.shape[1]]
        distinct = self._apart
        B = np.column_stack([Z, np.ones((len(Z), len(distinct)))])
        A = self.shifted(np.concatenate([self.problem.relation.mu, distinct]))
        self.solved, self.reached = A.iterate(B, self.start, self.tolerance)
        return self.solved[:, : Z.shape[1]]

    def _read_off(self, space: Subspace, c: int, order: int) -> Array:
        """The columns for the labels and for ones."""
        relation, ones = self.problem.relation, self._weights(self._apart)
        weights = self._weights(relation.mu)
        X = space.columns(weights, relation.U, ones, self.multiplier.delta, order)
        here = self.state.reached_by(self.turned(self.problem.Y))
        if not here.all():
            # Exactly 0 where nothing is.
            X[:, :c] *= here
        return X

    @property
    def _apart(self) -> Array:
        """The eigenvalues of P for which ones are solved, too."""
        return self.distinct if self.problem.balance else np.empty(0)

    def holds(self, left: float | None) -> bool:
        """Whether the norm of a residual is what a Krylov space promised, or rounding."""
        problem = self.problem
        goal = LOOSER * self.tolerance * float(np.linalg.norm(problem.Y))
        size = (problem.size + self.multiplier.delta) * float(np.linalg.norm(self.solved))
        return left is not None and left <= max(goal, ROUNDING * EPS * size)

    def iterated(self) -> Gradients:
        """The same without a Krylov space, from where it has come to, as close as it may get."""
        tolerance = self.closest or self.tolerance
        return replace(
            self, start=self.solved, space=None, moved=None, tolerance=tolerance, closest=None
        )

    def closer(self) -> Gradients:
        """The same as close as it may get, further in the space if there is one."""
        space = self.further() if self.space and self.further else None
        if space is None or self.closest is None:
            return self.iterated()
        return replace(self, space=space, tolerance=self.closest, closest=None)

    def smoothed(self, R: Array) -> Array:
        """A rough `apply` for a residual R: what is local is about right."""
        A = self.shifted(self.problem.relation.mu)
        return self.assemble(A.preconditioned(self.turned(R)))

    @cached_property
    def ones(self) -> Array:
        """Solved once for each distinct mu, with the labels: as many columns."""
        return np.ascontiguousarray(self.solved[:, self.problem.Y.shape[1] :])

    @cached_property
    def totals_of_ones(self) -> Array:
        return np.asarray(column_sums(self.ones) @ self._members)

    def along_ones(self, w: Array) -> Array:
        return np.asarray(self.ones @ (w * self._members))

    @cached_property
    def _members(self) -> Array:
        """(distinct mu, c): whether a column has this mu."""
        relation = self.problem.relation
        return np.equal.outer(self.distinct, relation.mu).astype(float)

    def _weights(self, mu: Array) -> Array:
        return np.asarray(self.problem.gamma * mu)

    def slope(self, H: Array) -> Array:
        if not self.space:
            Z = self.turned(H)
            A = self.shifted(self.problem.relation.mu)
            self.moved = A.iterate(Z, self.moved, self._corrected)[0]
            return self.assemble(self.moved)
        # H = G - w ones, and both have their derivatives in the same space.
        both = self._read_off(self.space, H.shape[1], 2)
        G = both[:, : H.shape[1]]
        if self.problem.balance:
            w = self.projection @ column_sums(self.solved[:, : H.shape[1]])
            G = G - both[:, H.shape[1] :] @ (w * self._members)
        return self.assemble(G)

    @property
    def distinct(self) -> Array:
        """The distinct eigenvalues of P, in the order of its groups."""
        relation = self.problem.relation
        return np.array([relation.mu[group[0]] for group in relation.groups])

    def correct(self, R: Array) -> Array:
        Z = self.turned(R)
        A = self.shifted(self.problem.relation.mu)
        return self.assemble(A.iterate(Z, None, self._corrected)[0])

    @property
    def _corrected(self) -> float:
        """A residual of H has digits to lose, a slope on the way to rho has more."""
        return max(CORRECTION_TOLERANCE, LOOSER**3 * self.tolerance)

    def shifted(self, mu: Array) -> Shifted:
        """gamma mu_j Q - rho I."""
        return Shifted(self.state, self._weights(mu), self.multiplier.delta)

    @cached_property
    def comparison(self) -> Comparison | None:
        """What bounds the error entry by entry; None where only the norm does."""
        if self.problem.balance or self.problem.structure.power > 1:
            return None
        return comparison(self.problem, self.shifted(self.distinct))

    def dominate(self, Z: Array) -> Array:
        entries = self._by_null_vector(Z)
        if entries is None:
            return self._by_norm(Z)
        return np.minimum(entries, self._by_norm(Z), out=entries)

    def _by_norm(self, Z: Array) -> Array:
        """The smallest eigenvalue of each column's matrix is delta, its null vectors' own."""
        flat = np.sqrt(np.einsum("ij,ij->j", Z, Z)) / self.multiplier.delta
        return np.broadcast_to(flat, Z.shape)

    def _by_null_vector(self, Z: Array) -> Array | None:
        """A^-1 >= 0 and A v = delta v: |A^-1 z| <= max(|z| / v) v / delta; None for powers."""
        structure, relation = self.problem.structure, self.problem.relation
        v = structure.null_vector
        assert v is not None
        least = self.multiplier.delta - self._weights(relation.mu) * structure.null_error
        if not structure.m_matrix or structure.power > 1 or (least <= 0).any():
            return None
        # Long rows are quicker to compare than short ones.
        most = np.max([(Z[rows].T.copy() / v[rows]).max(axis=1) for rows in parts(Z)], axis=0)
        return np.outer(v, most / least)

    def bound(self, R: Array) -> Array:
        if not self.problem.balance:
            return super().bound(R)
        relation = self.problem.relation
        Z = relation.across(R)
        # C is positive semi-definite: with the balance the form is delta at least, too, as a whole.
        most = float(np.linalg.norm(Z)) / self.multiplier.delta
        entries = self._by_null_vector(Z)
        if entries is None:
            return relation.back(np.full(Z.shape, most))
        return relation.back(np.minimum(self.through_balance(entries), most, out=entries))

    def bound_of_totals(self, sums: Array, along: Array) -> Array:
        """A bound of |apply(1 a')| for a = C x + y with |x| <= sums and |y| <= along, (n, c).

        The balance itself keeps such a right-hand side small: without it there would be n / delta.
        """
        relation = self.problem.relation
        C = np.eye(len(relation.mu)) - np.outer(relation.prior, relation.prior)
        turned = relation.U.T @ C
        weights = self.problem.balance * self.totals_of_ones
        X = np.linalg.inv(np.eye(len(C)) + weights[:, None] * (turned @ relation.U))
        size = np.abs(X @ turned) @ sums + np.abs(X @ relation.U.T) @ along
        return relation.back(np.abs(self.along_ones(size)))
