"""The problem by elimination: one factorisation per distinct eigenvalue of P, no eigenvectors of Q.

    (gamma mu_j Q - rho I) g_j = z_j - balance 1 (B w)_j,   Z = YU,   H = G U'

It is exact where the eigenbasis is not (see `mavr.elimination`), and cheaper when a graph is
solved only once: a Newton step for rho costs one Cholesky factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.elimination import Factor, factor
from mavr.problem import Problem
from mavr.secular import Root, find_root
from mavr.structure import EPS

Array = npt.NDArray[np.float64]

# A Newton step here costs a factorisation, and H is scaled to tau at the end anyway.
DIRECT_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Resolvent:
    """(gamma P (x) Q + balance C (x) 11' - rho I)^-1, factorised."""

    problem: Problem
    factors: tuple[Factor, ...]
    ones: tuple[Array, ...]
    ones_error: tuple[Array, ...]

    def apply(self, Y: Array) -> tuple[Array, Array]:
        """The solution for a right-hand side Y : (n, c) and a bound of |error|, (n, c)."""
        relation = self.problem.relation
        Z = Y if relation.identity else Y @ relation.U
        G, error = np.empty_like(Z), np.empty_like(Z)
        for A, group in zip(self.factors, relation.groups, strict=True):
            columns = list(group)
            G[:, columns], error[:, columns] = A.signed(Z[:, columns])
        if self.problem.balance:
            G, error = self._balanced(G, error)
        if relation.identity:
            return G, error
        U = np.abs(relation.U)
        rounding = 4 * len(U) * EPS * (np.abs(G) @ U.T)
        return G @ relation.U.T, error @ U.T + rounding

    def _balanced(self, G: Array, error: Array) -> tuple[Array, Array]:
        relation, balance = self.problem.relation, self.problem.balance
        ones, ones_error = np.empty_like(G), np.empty_like(G)
        for o, e, group in zip(self.ones, self.ones_error, relation.groups, strict=True):
            ones[:, list(group)], ones_error[:, list(group)] = o, e
        turned = relation.U.T @ relation.B
        inverse = np.linalg.inv(
            np.eye(turned.shape[1]) + balance * (turned.T * ones.sum(axis=0)) @ turned
        )
        project = turned @ inverse @ turned.T  # totals -> U'B w
        shift = balance * project @ G.sum(axis=0)
        # Errors of the totals pass through `project`; those of `ones` scale it.
        spread = error.sum(axis=0) + ones_error.sum(axis=0) * np.abs(shift)
        shift_error = balance * np.abs(project) @ spread + 8 * EPS * np.abs(shift).sum()
        error = error + np.abs(shift) * ones_error + shift_error * ones
        error += 4 * EPS * (np.abs(G) + np.abs(shift) * ones)
        return G - shift * ones, error


def resolvent(problem: Problem, lowest: float, delta: float) -> Resolvent:
    """Factorise at rho = lowest - delta, below the lowest eigenvalue of gamma P (x) Q."""
    relation = problem.relation
    factors = tuple(
        factor(problem.structure, problem.gamma * relation.mu[g[0]], delta - lowest, delta)
        for g in relation.groups
    )
    if not problem.balance:
        return Resolvent(problem, factors, (), ())
    unit = np.ones((problem.structure.n, 1))
    solved = [A.signed(unit) for A in factors]
    return Resolvent(problem, factors, tuple(o for o, _ in solved), tuple(e for _, e in solved))


def find_delta(
    problem: Problem, lowest: float, low: float, start: float | None = None
) -> tuple[Root, Array, Array]:
    """Root of |H| = tau by Newton with one factorisation a step; H and its error bound there."""
    assert problem.tau is not None
    latest: list[tuple[Array, Array]] = []

    def norm_and_slope(delta: float) -> tuple[float, float]:
        inverse = resolvent(problem, lowest, delta)
        H, error = inverse.apply(problem.Y)
        latest[:] = [(H, error)]
        norm = float(np.linalg.norm(H))
        return norm, -float((H * inverse.apply(H)[0]).sum()) / norm if norm else 0.0

    high = float(np.linalg.norm(problem.Y)) / problem.tau
    root = find_root(norm_and_slope, low, high, problem.tau, DIRECT_TOLERANCE, start)
    return root, *latest[0]
