"""Large sparse Q: conjugate gradients, one column per class direction, Q never made dense.

    (gamma mu_j Q - rho I) g_j = z_j

All columns iterate together, so that each step is one sparse product. For the constrained problem
Newton's method finds rho, each step starting from the last responses. Points that the error
bound leaves open are solved again by sparse elimination where the graph is small enough, and are
marked as ties otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.solvers.eigenbasis import Located
from mavr.solvers.factor import Factor
from mavr.solvers.problem import Problem
from mavr.solvers.report import Measured, finish, scaled
from mavr.solvers.resolvent import Resolvent, recover
from mavr.solvers.secular import find_root
from mavr.solvers.solution import Solution, Status
from mavr.solvers.structure import EPS, symmetric_lu

Array = npt.NDArray[np.float64]

RESIDUAL_TOLERANCE = 1e-14
MAX_ITERATIONS = 20_000
NEWTON_TOLERANCE = 1e-11
# Sparse elimination fills in; up to here it takes seconds and memory that any machine has.
MAX_ELIMINATED_POINTS = 5_000


@dataclass
class Gradients:
    """Conjugate gradients for one rho, remembering solutions as starting points for the next."""

    problem: Problem
    known: dict[str, Array] = field(default_factory=dict)
    reached_tolerance: bool = True

    def solve(self, name: str, delta: float, Z: Array, mu: Array) -> Array:
        """X with (gamma mu_j Q + delta I) x_j = z_j; `name` says which earlier X to start from."""
        X, met = _conjugate_gradients(self.problem, delta, Z, mu, self.known.get(name))
        self.reached_tolerance = met
        self.known[name] = X
        return X

    def responses(self, name: str, delta: float, Y: Array) -> Array:
        """H for a right-hand side Y, balance included as in `mavr.solvers.eigenbasis`."""
        relation, balance = self.problem.relation, self.problem.balance
        G = self.solve(name, delta, Y @ relation.U, relation.mu)
        if balance:
            unit = np.ones((self.problem.structure.n, len(relation.groups)))
            distinct = np.array([relation.mu[g[0]] for g in relation.groups])
            solved = self.solve("ones", delta, unit, distinct)
            ones = np.empty_like(G)
            for k, group in enumerate(relation.groups):
                ones[:, list(group)] = solved[:, [k]]
            turned = relation.U.T @ relation.B
            K = np.eye(turned.shape[1]) + balance * (turned.T * ones.sum(axis=0)) @ turned
            G = G - balance * (turned @ np.linalg.solve(K, turned.T @ G.sum(axis=0))) * ones
        return np.asarray(G @ relation.U.T)


def solve_sparse(problem: Problem, exact: bool = False) -> Solution:
    """Solve with a sparse Laplacian Q; `exact` asks for elimination where it can be had."""
    if not problem.structure.laplacian:
        raise ValueError(
            "a sparse Q must be a graph Laplacian (mavr.laplacian(W)); else pass Q.toarray()"
        )
    gradients = Gradients(problem)
    located = _locate(problem, gradients)
    H = scaled(gradients.responses("H", located.delta, problem.Y), problem.tau)
    measured = Measured(problem, H, located.rho)
    bound = np.full((1, 1), _error(problem, gradients, located, H, measured.residual_norm))
    status = Status.OPTIMAL if gradients.reached_tolerance else Status.INACCURATE
    solution, decision = finish(problem, H, located, bound, measured, "conjugate gradients", status)
    good = decision.certain and gradients.reached_tolerance and not exact
    if good or problem.structure.n > MAX_ELIMINATED_POINTS:
        return solution
    H, error, located, name = recover(problem, located, lambda delta: _eliminated(problem, delta))
    measured = Measured(problem, scaled(H, problem.tau), located.rho)
    return finish(problem, H, located, error, measured, name)[0]


def _error(
    problem: Problem, gradients: Gradients, located: Located, H: Array, residual_norm: float
) -> float:
    """Bound of |error| of H, as `Eigenbasis.error` derives it."""
    n, c = H.shape
    rounding = (n + 2 * c + 8) * EPS * (problem.size + abs(located.rho)) * np.linalg.norm(H)
    at_rho = float(residual_norm + rounding) / located.delta
    if problem.tau is None:
        return at_rho
    RH = gradients.responses("slope", located.delta, H)
    moved = np.linalg.norm(RH) * np.linalg.norm(H) / float((H * RH).sum())
    return at_rho * (1 + 2 * float(moved))


def _locate(problem: Problem, gradients: Gradients) -> Located:
    if problem.tau is None:
        return Located(0.0, 1.0, ())

    def norm_and_slope(delta: float) -> tuple[float, float]:
        H = gradients.responses("H", delta, problem.Y)
        norm = float(np.linalg.norm(H))
        return norm, -float((H * gradients.responses("slope", delta, H)).sum()) / norm

    high = float(np.linalg.norm(problem.Y)) / problem.tau
    low = problem.least_delta()
    if (problem.Y < 0).any():
        low = max(low, problem.structure.n * EPS * problem.size)
    root = find_root(norm_and_slope, low, high, problem.tau, NEWTON_TOLERANCE, low)
    if root.norm < problem.tau / 2:
        raise ValueError(
            f"the positive and negative labels in Y cancel on the whole graph, and tau = "
            f"{problem.tau:g} is more than the rest can reach; lower tau or pass Q.toarray()"
        )
    return Located(0.0, root.delta, root.steps)


def _conjugate_gradients(
    problem: Problem, delta: float, Z: Array, mu: Array, start: Array | None
) -> tuple[Array, bool]:
    Q = problem.structure.Q
    weight = problem.gamma * mu
    preconditioner = 1.0 / (np.multiply.outer(Q.diagonal(), weight) + delta)
    X = np.zeros_like(Z) if start is None else start
    R = Z - (weight * (Q @ X) + delta * X)
    target = RESIDUAL_TOLERANCE * np.maximum(np.linalg.norm(Z, axis=0), np.finfo(float).tiny)
    S = preconditioner * R
    D = S.copy()
    inner = (R * S).sum(axis=0)
    best = np.inf
    stalled = 0
    for _ in range(MAX_ITERATIONS):
        size = np.linalg.norm(R, axis=0)
        if (size <= target).all():
            return X, True
        # The recurrence keeps shrinking after the true residual has hit rounding; a long stall
        # without progress means there is no more to gain.
        worst = float((size / target).max())
        best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
        if stalled > 500:
            break
        AD = weight * (Q @ D) + delta * D
        curvature = (D * AD).sum(axis=0)
        step = np.divide(inner, curvature, out=np.zeros_like(inner), where=curvature > 0)
        X = X + step * D
        R = R - step * AD
        S = preconditioner * R
        following = (R * S).sum(axis=0)
        D = S + np.divide(following, inner, out=np.zeros_like(inner), where=inner > 0) * D
        inner = following
    return X, False


def _eliminated(problem: Problem, delta: float) -> Resolvent:
    """The same resolvent as `mavr.solvers.resolvent`, with sparse factors."""
    structure = problem.structure
    factors = []
    for group in problem.relation.groups:
        a = problem.gamma * problem.relation.mu[group[0]]
        lu = symmetric_lu(a * structure.Q + delta * sp.eye_array(structure.n))
        rounding = structure.n * EPS * (a * structure.norm + delta)
        factors.append(Factor(lu.solve, 4 * structure.n * EPS, rounding, "sparse elimination"))
    return Resolvent(problem, tuple(factors))
