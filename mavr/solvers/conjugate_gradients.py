"""Large sparse Q: preconditioned conjugate gradients, one column per class direction.

    (gamma mu_j Q - rho I) g_j = z_j

All columns iterate together, so that each step is one sparse product; Q is never made dense, nor is
a power of it formed. The part along Q's null vectors is known in closed form and taken out first.
For the constrained problem Newton's method finds rho, each step starting from the last responses.
Bounds of the error are in `mavr.solvers.comparison`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mavr.solvers.comparison import Comparison, comparison
from mavr.solvers.constraint import Responses, constrained
from mavr.solvers.problem import Problem
from mavr.solvers.quadrature import norm_and_slope
from mavr.solvers.resolvent import Multiplier, Resolvent
from mavr.solvers.secular import find_root
from mavr.solvers.shifted import Shifted
from mavr.solvers.sparse_state import SparseState
from mavr.solvers.structure import EPS
from mavr.solvers.subspace import Subspace

Array = npt.NDArray[np.float64]

RESIDUAL_TOLERANCE = 1e-11
# A large gamma brings the responses of a point together, which takes more digits to tell apart.
LEAST_TOLERANCE, CLOSENESS = 1e-13, 1e-8
# Of Krylov spaces as they grow: a few steps more, once, leave room for other settings.
KRYLOV_TOLERANCE = 1e-13
# For corrections and slopes a few digits are enough: what they leave is corrected or bounded.
CORRECTION_TOLERANCE = 1e-8
# The last step to |H| = tau is taken on H itself and leaves the square of this.
NEWTON_TOLERANCE = 1e-6
# While rho is looked for, digits of H beyond those that its norm is off by are wasted.
ROUGH_TOLERANCES = (1e-4, 1e-7)
# A norm is met to so many times the tolerance of residuals, and a slope needs no more digits.
LOOSER = 10
# A norm further off than this has not been reached: one more Newton step would leave its square.
NORM_LIMIT = 1e-6
# Rows that are looked at together.
ROWS = 4_096
# Residuals up to so many units in the last place are rounding, and that of the totals.
ROUNDING = 32


@dataclass
class Gradients(Resolvent):
    """Conjugate gradients at one rho.

    start : the solution at a nearby rho, to begin with; space : a Krylov space of the labels, if
    there is one, which then holds the solution; tolerance : of residuals; moved : columns of the
    slope, or of one nearby; solved : (n, c + distinct mu) for the labels and, with balance, for
    ones, side by side so that they share every product; reached : whether they came to it.
    """

    problem: Problem
    multiplier: Multiplier
    state: SparseState
    start: Array | None = None
    space: Subspace | None = None
    tolerance: float = RESIDUAL_TOLERANCE
    moved: Array | None = None
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
        start = np.zeros_like(B) if self.start is None else self.start
        self.solved, self.reached = A.iterate(B, start, self.tolerance)
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
        """The same without a Krylov space, from where it has come to."""
        return replace(self, start=self.solved, space=None, moved=None)

    def smoothed(self, R: Array) -> Array:
        """A rough `apply` for a residual R: what is local is about right."""
        A = self.shifted(self.problem.relation.mu)
        return self.assemble(A.preconditioned(self.turned(R)))

    @cached_property
    def ones(self) -> Array:
        """Solved once for each distinct mu, with the labels."""
        return np.asarray(self.solved[:, self._group_columns])

    @cached_property
    def _group_columns(self) -> npt.NDArray[np.intp]:
        """(c,) the column of `solved` with the ones of each column's mu."""
        c = self.problem.Y.shape[1]
        of_column = np.empty(c, dtype=np.intp)
        for k, group in enumerate(self.problem.relation.groups):
            of_column[list(group)] = c + k
        return of_column

    def _weights(self, mu: Array) -> Array:
        return np.asarray(self.problem.gamma * mu)

    def slope(self, H: Array) -> Array:
        if not self.space:
            Z = self.turned(H)
            begin = np.zeros_like(Z) if self.moved is None else self.moved
            A = self.shifted(self.problem.relation.mu)
            self.moved = A.iterate(Z, begin, self._corrected)[0]
            return self.assemble(self.moved)
        # H = G - w ones, and both have their derivatives in the same space.
        both = self._read_off(self.space, H.shape[1], 2)
        G = both[:, : H.shape[1]]
        if self.problem.balance:
            w = self.projection @ self.solved[:, : H.shape[1]].sum(axis=0)
            G = G - w * both[:, self._group_columns]
        return self.assemble(G)

    @property
    def distinct(self) -> Array:
        """The distinct eigenvalues of P, in the order of its groups."""
        relation = self.problem.relation
        return np.array([relation.mu[group[0]] for group in relation.groups])

    def correct(self, R: Array) -> Array:
        Z = self.turned(R)
        A = self.shifted(self.problem.relation.mu)
        return self.assemble(A.iterate(Z, np.zeros_like(Z), self._corrected)[0])

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
        return self._by_norm(Z) if entries is None else np.minimum(self._by_norm(Z), entries)

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
        # Some rows at a time: fresh memory costs more than quotients.
        v, parts = v[:, None], range(0, len(Z), ROWS)
        most = np.max([(Z[i : i + ROWS] / v[i : i + ROWS]).max(axis=0) for i in parts], axis=0)
        return np.asarray(most / least * v)

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
        return relation.back(np.minimum(most, self.through_balance(entries)))

    def bound_of_totals(self, sums: Array, along: Array) -> Array:
        """A bound of |apply(1 a')| for a = C x + y with |x| <= sums and |y| <= along, (n, c).

        The balance itself keeps such a right-hand side small: without it there would be n / delta.
        """
        relation = self.problem.relation
        C = np.eye(len(relation.mu)) - np.outer(relation.prior, relation.prior)
        turned = relation.U.T @ C
        weights = self.problem.balance * self.ones.sum(axis=0)
        X = np.linalg.inv(np.eye(len(C)) + weights[:, None] * (turned @ relation.U))
        size = np.abs(X @ turned) @ sums + np.abs(X @ relation.U.T) @ along
        return relation.back(np.abs(self.ones) * size)


@dataclass
class WarmStarts:
    """Makes resolvents, each starting from the solution of the one before."""

    problem: Problem
    state: SparseState
    space: Subspace | None = None
    tolerance: float = RESIDUAL_TOLERANCE
    last: Gradients | None = None

    def __call__(self, multiplier: Multiplier) -> Gradients:
        start, moved = (self.last.solved, self.last.moved) if self.last else (None, None)
        self.last = Gradients(
            self.problem, multiplier, self.state, start, self.space, self.tolerance, moved
        )
        return self.last


def by_gradients(problem: Problem, state: SparseState) -> tuple[Responses, bool, tuple[float, ...]]:
    """Responses with |H| = tau up to a tolerance, whether they converged, and the deltas tried."""
    low = problem.least_delta()
    negative = bool((problem.Y < 0).any())
    if negative:
        low = max(low, problem.structure.n * EPS * problem.size)
    start = Multiplier(0.0, 1.0 if problem.tau is None else low)
    space = _shared(problem, state, start.delta)
    make = WarmStarts(problem, state, space, _tolerance(problem))
    found, steps = None, ()
    if space and problem.tau is not None:
        found = _located(problem, space, make, low)
        start, steps = found.resolvent.multiplier, (found.resolvent.multiplier.delta,)
    if found is None or abs(found.norm / (problem.tau or 1.0) - 1) > NEWTON_TOLERANCE:
        found, steps = _looked_for(problem, make, start, low)
    if problem.tau is not None and negative and found.norm < problem.tau / 2:
        raise ValueError(
            f"the positive and negative labels in Y cancel on the whole graph, and tau = "
            f"{problem.tau:g} is more than the rest can reach; lower tau or pass Q.toarray()"
        )
    assert make.last is not None
    reached = make.last.reached
    if problem.tau is not None:
        reached = reached and abs(found.norm / problem.tau - 1) <= NORM_LIMIT
    return found, reached, steps


def _located(problem: Problem, space: Subspace, make: WarmStarts, low: float) -> Responses:
    """Responses at the rho that quadrature finds."""
    assert problem.tau is not None
    high = float(np.linalg.norm(problem.Y)) / problem.tau
    at = partial(norm_and_slope, problem, space)
    delta = find_root(at, low, high, problem.tau).delta
    resolvent = make(Multiplier(0.0, delta))
    return Responses(resolvent, resolvent.apply(problem.Y), -at(delta)[1])


def _looked_for(
    problem: Problem, make: WarmStarts, start: Multiplier, low: float
) -> tuple[Responses, tuple[float, ...]]:
    """Responses by iterations, with more digits the nearer rho is."""
    tried: tuple[float, ...] = ()
    if problem.tau is not None and not make.space:
        for tolerance in ROUGH_TOLERANCES:
            rough = replace(make, tolerance=tolerance)
            _, more = constrained(problem, start, rough, low, LOOSER * tolerance)
            assert rough.last is not None
            make.last, start, tried = rough.last, rough.last.multiplier, (*tried, *more)
    found, steps = constrained(problem, start, make, low, NEWTON_TOLERANCE)
    return found, (*tried, *steps)


def _tolerance(problem: Problem, delta: float = 1.0) -> float:
    """Of the residuals of this problem."""
    closer = CLOSENESS * delta / (problem.gamma * problem.relation.norm)
    return float(np.clip(closer, LEAST_TOLERANCE, RESIDUAL_TOLERANCE))


def _shared(problem: Problem, state: SparseState, delta: float) -> Subspace | None:
    """A Krylov space of the labels, far enough for this delta; None if it does not get there."""
    # A single setting without a norm to find needs no space to be kept; a power is far better in
    # the space of L than by conjugate gradients on it.
    alone = not state.kept and problem.tau is None and problem.structure.power == 1
    krylov = None if alone else state.krylov(problem.Y)
    if krylov is None:
        return None
    shifts = [(problem.gamma * float(mu), delta) for mu in set(problem.relation.mu)]
    return krylov.reach(shifts, _tolerance(problem, delta), KRYLOV_TOLERANCE)
