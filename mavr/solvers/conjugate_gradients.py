"""Large sparse Q: conjugate gradients, one column per class direction, Q never made dense.

    (gamma mu_j Q - rho I) g_j = z_j

All columns iterate together, so that each step is one sparse product. For the constrained problem
Newton's method finds rho, each step starting from the last responses. The error is bounded entry
by entry: A = gamma mu_j Q + delta I of a Laplacian has A^-1 >= 0 and A^-1 v = v / delta for its
null vector v, so that |A^-1 r| <= max_i (|r_i| / v_i) v / delta on each component.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.solvers.constraint import Responses, constrained
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier, Resolvent
from mavr.solvers.structure import EPS

Array = npt.NDArray[np.float64]

RESIDUAL_TOLERANCE = 1e-14
# For corrections and bounds a few digits are enough: what they leave is bounded itself.
CORRECTION_TOLERANCE = 1e-5
BOUND_TOLERANCE = 1e-4
MAX_ITERATIONS = 20_000
# Iterations without progress after which there is no more to gain.
MAX_STALLED = 500
NEWTON_TOLERANCE = 1e-11
# A norm further off than this has not been reached: one more Newton step would leave its square.
NORM_LIMIT = 1e-6


@dataclass
class Gradients(Resolvent):
    """Conjugate gradients at one rho.

    starts : solutions of the same solves at a nearby rho, to start from; solved : those of this
    one; reached : whether each came to its tolerance.
    """

    problem: Problem
    multiplier: Multiplier
    starts: list[Array] = field(default_factory=list)
    solved: list[Array] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "conjugate gradients"

    def columns(self, Z: Array) -> Array:
        return self._solve(Z, self.problem.relation.mu)

    @cached_property
    def ones(self) -> Array:
        """Solved once for each distinct mu."""
        relation = self.problem.relation
        distinct = np.array([relation.mu[group[0]] for group in relation.groups])
        solved = self._solve(np.ones((self.problem.structure.n, len(distinct))), distinct)
        wide = np.empty(self.problem.Y.shape)
        for k, group in enumerate(relation.groups):
            wide[:, list(group)] = solved[:, [k]]
        return wide

    def _solve(self, Z: Array, mu: Array) -> Array:
        turn = len(self.solved)
        start = self.starts[turn] if turn < len(self.starts) else np.zeros_like(Z)
        X, reached = self._shifted(mu).iterate(Z, start, RESIDUAL_TOLERANCE)
        self.solved.append(X)
        self.reached.append(reached)
        return X

    def correct(self, R: Array) -> Array:
        Z = self.turned(R)
        A = self._shifted(self.problem.relation.mu)
        return self.assemble(A.iterate(Z, np.zeros_like(Z), CORRECTION_TOLERANCE)[0])

    def _shifted(self, mu: Array) -> Shifted:
        structure = self.problem.structure
        return Shifted(structure.Q, self.problem.gamma * mu, self.multiplier.delta, structure.norm)

    def dominate(self, Z: Array) -> Array:
        # An approximate solution is exact but for what its residual leaves, bounded by v.
        A = self._shifted(self.problem.relation.mu)
        X = np.maximum(A.iterate(Z, np.zeros_like(Z), BOUND_TOLERANCE)[0], 0.0)
        AX = A.times(X)
        # |Q| = 2 diag(Q) - Q for a Laplacian.
        size = 2 * (A.weights * A.diagonal + A.delta) * X - AX + Z
        terms = int(np.diff(A.Q.indptr).max()) + 8
        left = np.abs(Z - AX) + terms * EPS * size
        return np.minimum(X + self._by_null_vector(left), self._by_null_vector(Z))

    def _by_null_vector(self, Z: Array) -> Array:
        """max_i (z_i / v_i) v / delta, the maximum taken on each component."""
        structure = self.problem.structure
        assert structure.null_vector is not None
        v = structure.null_vector[:, None]
        top = np.zeros((structure.n_components, Z.shape[1]))
        np.maximum.at(top, structure.component, Z / v)
        return np.asarray(top[structure.component] * v / self.multiplier.delta)


@dataclass
class WarmStarts:
    """Makes resolvents, each starting from the solutions of the one before."""

    problem: Problem
    last: Gradients | None = None

    def __call__(self, multiplier: Multiplier) -> Gradients:
        starts = self.last.solved if self.last else []
        self.last = Gradients(self.problem, multiplier, starts)
        return self.last


def by_gradients(problem: Problem) -> tuple[Responses, bool, tuple[float, ...]]:
    """Responses with |H| = tau up to a tolerance, whether they converged, and the deltas tried."""
    low = problem.least_delta()
    negative = bool((problem.Y < 0).any())
    if negative:
        low = max(low, problem.structure.n * EPS * problem.size)
    start = Multiplier(0.0, 1.0 if problem.tau is None else low)
    make = WarmStarts(problem)
    found, steps = constrained(problem, start, make, low, NEWTON_TOLERANCE)
    if problem.tau is not None and negative and found.norm < problem.tau / 2:
        raise ValueError(
            f"the positive and negative labels in Y cancel on the whole graph, and tau = "
            f"{problem.tau:g} is more than the rest can reach; lower tau or pass Q.toarray()"
        )
    assert make.last is not None
    # The first solve is that of H, the second, with a balance, that of the ones; slopes follow.
    reached = all(make.last.reached[: 2 if problem.balance else 1])
    if problem.tau is not None:
        reached = reached and abs(found.norm / problem.tau - 1) <= NORM_LIMIT
    return found, reached, steps


@dataclass(frozen=True)
class Shifted:
    """weights_j Q + delta I for each column j; norm : of |Q|."""

    Q: Any
    weights: Array
    delta: float
    norm: float

    @cached_property
    def diagonal(self) -> Array:
        return np.asarray(self.Q.diagonal())[:, None]

    def times(self, X: Array) -> Array:
        return np.asarray(self.weights * (self.Q @ X) + self.delta * X)

    def iterate(self, Z: Array, start: Array, tolerance: float) -> tuple[Array, bool]:
        """X for a right-hand side Z, and whether its residual came down to rounding or to the
        tolerance, relative to |z_j|."""
        preconditioner = 1.0 / (self.weights * self.diagonal + self.delta)
        X, R = start, Z - self.times(start)
        target = tolerance * np.maximum(np.linalg.norm(Z, axis=0), np.finfo(float).tiny)
        S = preconditioner * R
        D = S.copy()
        inner = (R * S).sum(axis=0)
        best, stalled = np.inf, 0
        for _ in range(MAX_ITERATIONS):
            size = np.linalg.norm(R, axis=0)
            if (size <= target).all():
                return X, True
            # The recurrence keeps shrinking after the true residual has hit rounding.
            worst = float((size / target).max())
            best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
            if stalled > MAX_STALLED:
                break
            AD = self.times(D)
            curvature = (D * AD).sum(axis=0)
            step = np.divide(inner, curvature, out=np.zeros_like(inner), where=curvature > 0)
            X = X + step * D
            R = R - step * AD
            S = preconditioner * R
            following = (R * S).sum(axis=0)
            D = S + np.divide(following, inner, out=np.zeros_like(inner), where=inner > 0) * D
            inner = following
        floor = 4 * EPS * (self.weights * self.norm + self.delta) * np.linalg.norm(X, axis=0)
        return X, bool((size <= np.maximum(target, floor)).all())
