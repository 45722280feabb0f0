"""The resolvent by elimination: one factorisation per distinct eigenvalue of P, none of Q.

It is exact where the eigenbasis is not (see `mavr.solvers.factor`), and cheaper when a graph is
solved only once: a Newton step for rho costs one Cholesky factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mavr.arrays import EPS, Array
from mavr.solvers.factor import DIAGONAL_ERROR_LIMIT, Factor, NotDefinite, factor
from mavr.solvers.null_vector import symmetric_lu
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier, Resolvent


@dataclass(frozen=True)
class Eliminated(Resolvent):
    """A factor per distinct mu."""

    problem: Problem
    multiplier: Multiplier
    factors: tuple[Factor, ...]

    @property
    def name(self) -> str:
        return self.factors[0].name

    def columns(self, Z: Array) -> Array:
        return self._joined([A.solve(part) for A, part in self._parts(Z)])

    def dominate(self, Z: Array) -> Array:
        G, error = self._bounded_columns(Z)
        return G + error

    @cached_property
    def ones(self) -> Array:
        return self._bounded_ones[0]

    def bounded(self, Y: Array, H: Array | None = None) -> tuple[Array, Array]:
        """H for a right-hand side Y : (n, c) and a bound of |error|, (n, c); H : of `apply`."""
        relation = self.problem.relation
        if H is not None and relation.identity and not self.problem.balance:
            return self.factors[0].bounded(Y, H)
        G, error = self._bounded_columns(Y if relation.identity else Y @ relation.U)
        if self.problem.balance:
            G, error = self._balanced(G, error)
        if relation.identity:
            return G, error
        H = G @ relation.U.T
        error = error + self.through_balance(self._relation_error(Y, H))
        U = np.abs(relation.U)
        return H, error @ U.T + 4 * len(U) * EPS * (np.abs(G) @ U.T)

    def _parts(self, Z: Array) -> list[tuple[Factor, Array]]:
        """The factor of each distinct mu with its columns."""
        groups = self.problem.relation.groups
        return [(A, Z[:, list(g)]) for A, g in zip(self.factors, groups, strict=True)]

    def _joined(self, parts: list[Array]) -> Array:
        """One array per distinct mu, put in the places of its columns."""
        groups = self.problem.relation.groups
        if len(groups) == 1:
            return parts[0]
        whole = np.empty(self.problem.Y.shape, dtype=parts[0].dtype)
        for part, group in zip(parts, groups, strict=True):
            whole[:, list(group)] = part
        return whole

    def _bounded_columns(self, Z: Array) -> tuple[Array, Array]:
        solved = [A.bounded(part) for A, part in self._parts(Z)]
        return self._joined([G for G, _ in solved]), self._joined([e for _, e in solved])

    @cached_property
    def _bounded_ones(self) -> tuple[Array, Array]:
        """The columns for a right-hand side of ones, and a bound of |error|."""
        unit = np.ones((self.problem.structure.n, 1))
        solved = [A.bounded(unit) for A in self.factors]
        wide = [
            [np.repeat(part, len(group), axis=1) for part in pair]
            for pair, group in zip(solved, self.problem.relation.groups, strict=True)
        ]
        return self._joined([G for G, _ in wide]), self._joined([e for _, e in wide])

    def _balanced(self, G: Array, error: Array) -> tuple[Array, Array]:
        ones, ones_error = self._bounded_ones
        shift = self.projection @ G.sum(axis=0)
        # Errors of the totals pass through the projection; those of `ones` scale it.
        spread = error.sum(axis=0) + ones_error.sum(axis=0) * np.abs(shift)
        rounding = 8 * EPS * (np.abs(shift).sum() + np.abs(G).sum(axis=0))
        shift_error = np.abs(self.projection) @ (spread + rounding) + 8 * EPS * np.abs(shift).sum()
        error = error + np.abs(shift) * ones_error + shift_error * ones
        error += 4 * EPS * (np.abs(G) + np.abs(shift) * ones)
        return G - shift * ones, error

    def _relation_error(self, Y: Array, H: Array) -> Array:
        """What U and mu, which are rounded, make of the columns.

        With E = P - U diag(mu) U' and F = I - UU', the residual of H is YF - gamma Q H (E - FP). In
        the basis of P, A_j = gamma mu_j Q - rho I, the resolvent makes of its second part
        A_j^-1 gamma Q x = (x + rho A_j^-1 x) / mu_j, x a column of H (E - FP) U.
        """
        relation, rho = self.problem.relation, abs(self.multiplier.rho)
        of_P, of_I = relation.defects
        U = np.abs(relation.U)
        X = (np.abs(H) @ ((of_P + of_I @ np.abs(relation.P)) @ U)) / relation.mu
        return X + self.columns(rho * X + np.abs(Y) @ (of_I @ U))


def eliminated(problem: Problem, multiplier: Multiplier, dtype: Any = np.float64) -> Eliminated:
    """Factorise below the lowest eigenvalue of gamma P (x) Q, a dense Q."""
    shift = multiplier.delta - multiplier.lowest
    factors = [
        factor(problem.structure, problem.gamma * mu, shift, multiplier.delta, dtype)
        for mu in _distinct(problem)
    ]
    return Eliminated(problem, multiplier, tuple(factors))


def sparsely_eliminated(problem: Problem, multiplier: Multiplier) -> Eliminated:
    """The same with sparse factors of a Laplacian."""
    structure, delta = problem.structure, multiplier.delta
    factors = []
    for mu in _distinct(problem):
        a = problem.gamma * mu
        lu = symmetric_lu(a * structure.Q + delta * sp.eye_array(structure.n))
        rounding = structure.n * EPS * (a * structure.norm + delta)
        if rounding > DIAGONAL_ERROR_LIMIT * delta:
            raise NotDefinite
        factors.append(Factor(lu.solve, 4 * structure.n * EPS, rounding, "sparse elimination"))
    return Eliminated(problem, multiplier, tuple(factors))


def _distinct(problem: Problem) -> list[float]:
    return [float(problem.relation.mu[group[0]]) for group in problem.relation.groups]
