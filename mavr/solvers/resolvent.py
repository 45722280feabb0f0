"""The problem by elimination: one factorisation per distinct eigenvalue of P, no eigenvectors of Q.

    (gamma mu_j Q - rho I) g_j = z_j - balance 1 (B w)_j,   Z = YU,   H = G U'

It is exact where the eigenbasis is not (see `mavr.solvers.factor`), and cheaper when a graph is
solved only once: a Newton step for rho costs one Cholesky factorisation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.solvers.eigenbasis import Located
from mavr.solvers.factor import Factor, factor
from mavr.solvers.problem import Problem
from mavr.solvers.secular import find_root
from mavr.solvers.structure import EPS

Array = npt.NDArray[np.float64]

# A Newton step here costs a factorisation; the last one, to |H| = tau, is taken on H itself and
# leaves the square of this.
DIRECT_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Resolvent:
    """(gamma P (x) Q + balance C (x) 11' - rho I)^-1, with a factor per distinct mu."""

    problem: Problem
    factors: tuple[Factor, ...]

    @property
    def name(self) -> str:
        return self.factors[0].name

    def apply(self, Y: Array) -> Array:
        """The solution for a right-hand side Y : (n, c)."""
        relation = self.problem.relation
        G = self._spread([A.solve(Z) for A, Z in self._parts(Y)])
        if self.problem.balance:
            ones = self._ones[0]
            G = G - self._project @ G.sum(axis=0) * ones
        return G if relation.identity else G @ relation.U.T

    def bounded(self, Y: Array) -> tuple[Array, Array]:
        """The solution for a right-hand side Y : (n, c) and a bound of |error|, (n, c)."""
        relation = self.problem.relation
        solved = [A.bounded(Z) for A, Z in self._parts(Y)]
        G, error = self._spread([G for G, _ in solved]), self._spread([e for _, e in solved])
        if self.problem.balance:
            G, error = self._balanced(G, error)
        if relation.identity:
            return G, error
        U = np.abs(relation.U)
        rounding = 4 * len(U) * EPS * (np.abs(G) @ U.T)
        return G @ relation.U.T, error @ U.T + rounding

    def _parts(self, Y: Array) -> list[tuple[Factor, Array]]:
        """The factor of each distinct mu with its columns of YU."""
        relation = self.problem.relation
        Z = Y if relation.identity else Y @ relation.U
        groups = [Z[:, list(group)] for group in relation.groups]
        return list(zip(self.factors, groups, strict=True))

    def _spread(self, columns: list[Array]) -> Array:
        """One array per distinct mu, put in the places of its columns."""
        if len(columns) == 1 and columns[0].shape == self.problem.Y.shape:
            return columns[0]
        wide = np.empty(self.problem.Y.shape, dtype=columns[0].dtype)
        for part, group in zip(columns, self.problem.relation.groups, strict=True):
            wide[:, list(group)] = part
        return wide

    @cached_property
    def _ones(self) -> tuple[Array, Array]:
        """The solution for 1 in every column, without balance, and a bound of |error|."""
        unit = np.ones((self.problem.structure.n, 1))
        solved = [A.bounded(unit) for A in self.factors]
        return self._spread([o for o, _ in solved]), self._spread([e for _, e in solved])

    @cached_property
    def _project(self) -> Array:
        """Totals of G -> balance U'B w, (c, c)."""
        relation, balance = self.problem.relation, self.problem.balance
        turned = relation.U.T @ relation.B
        total = self._ones[0].sum(axis=0).astype(float)
        inverse = np.linalg.inv(np.eye(turned.shape[1]) + balance * (turned.T * total) @ turned)
        return np.asarray(balance * turned @ inverse @ turned.T)

    def _balanced(self, G: Array, error: Array) -> tuple[Array, Array]:
        ones, ones_error = self._ones
        shift = self._project @ G.sum(axis=0)
        # Errors of the totals pass through the projection; those of `ones` scale it.
        spread = error.sum(axis=0) + ones_error.sum(axis=0) * np.abs(shift)
        rounding = 8 * EPS * (np.abs(shift).sum() + np.abs(G).sum(axis=0))
        shift_error = np.abs(self._project) @ (spread + rounding) + 8 * EPS * np.abs(shift).sum()
        error = error + np.abs(shift) * ones_error + shift_error * ones
        error += 4 * EPS * (np.abs(G) + np.abs(shift) * ones)
        return G - shift * ones, error


def resolvent(problem: Problem, lowest: float, delta: float, dtype: Any = np.float64) -> Resolvent:
    """Factorise at rho = lowest - delta, below the lowest eigenvalue of gamma P (x) Q."""
    mu = [problem.relation.mu[group[0]] for group in problem.relation.groups]
    shift = delta - lowest
    return Resolvent(
        problem,
        tuple(factor(problem.structure, problem.gamma * m, shift, delta, dtype) for m in mu),
    )


Factorise = Callable[[float], Resolvent]


def recover(
    problem: Problem, located: Located, factorise: Factorise
) -> tuple[Array, Array, Located, str]:
    """H, a bound of |error|, rho and the name of the method, starting at the rho of `located`.

    Unless |H| = tau there already, Newton's method goes on with one factorisation a step.
    """
    tau = problem.tau
    if tau is None:
        inverse = factorise(located.delta)
        H, error = inverse.bounded(problem.Y)
        return H, error, located, inverse.name
    latest: list[tuple[Resolvent, Array, Array, Array]] = []

    def norm_and_slope(delta: float) -> tuple[float, float]:
        # dH/ddelta = -RH, so that d|H|/ddelta = -H'RH / |H|.
        inverse = factorise(delta)
        H, error = inverse.bounded(problem.Y)
        RH = inverse.apply(H)
        latest[:] = [(inverse, H, error, RH)]
        norm = float(np.linalg.norm(H))
        return norm, -float((H * RH).sum()) / norm if norm else 0.0

    high = float(np.linalg.norm(problem.Y)) / tau
    root = find_root(
        norm_and_slope, problem.least_delta(), high, tau, DIRECT_TOLERANCE, located.delta
    )
    inverse, H, error, RH = latest[0]
    slope = float((H * RH).sum()) / root.norm
    step = (root.norm - tau) / slope
    # delta is known as well as |H| is, and the step leaves its square.
    unsure = float(np.linalg.norm(error)) / slope + 4 * step * step / root.delta
    located = replace(located, delta=root.delta + step, steps=located.steps + root.steps)
    return H - step * RH, error + unsure * np.abs(RH), located, inverse.name
