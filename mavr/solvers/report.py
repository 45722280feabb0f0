"""From responses to a Solution: norm, objective, residual, classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mavr.solvers.eigenbasis import Located
from mavr.solvers.problem import Problem
from mavr.solvers.solution import Solution, Status
from mavr.ties import Decision, decide

Array = npt.NDArray[np.float64]


def scaled(H: Array, tau: float | None) -> Array:
    """H with the norm asked for."""
    if tau is None:
        return H
    norm = np.linalg.norm(H)
    return H * (tau / norm) if norm > 0 else H


class Measured:
    """Objective, volume and residual of one H, from one product with Q."""

    def __init__(self, problem: Problem, H: Array, rho: float) -> None:
        QHP = problem.structure.times(H) @ problem.relation.P
        volume = float((QHP * H).sum())
        total = H.sum(axis=0) - H.sum() / H.shape[1]  # 1'HC
        form = problem.gamma * QHP + problem.balance * total
        norm2 = float((H * H).sum())
        self.volume = volume / norm2 if norm2 > 0 else 0.0
        spread = problem.balance * float(total @ total)
        self.objective = float(((problem.Y - H) ** 2).sum()) + problem.gamma * volume + spread
        self.residual_norm = float(np.linalg.norm(form - rho * H - problem.Y))
        scale = (problem.size + abs(rho)) * np.sqrt(norm2) + float(np.linalg.norm(problem.Y))
        self.residual = self.residual_norm / scale


def finish(
    problem: Problem,
    H: Array,
    located: Located,
    bound: Array,
    measured: Measured,
    method: str,
    status: Status = Status.OPTIMAL,
) -> tuple[Solution, Decision]:
    """The Solution, and the Decision it rests on."""
    # In the hard case the minimum is not unique and need not treat equal classes alike.
    hard = located.delta == 0
    orbits = () if hard else problem.orbits
    H = scaled(np.array(H), problem.tau)
    for orbit in orbits:
        # Equal in exact arithmetic: their mean removes the rounding that would tell them apart.
        H[:, list(orbit)] = H[:, list(orbit)].mean(axis=1, keepdims=True)
    unreached = problem.unreached()
    # Decided in the precision that H came in, which may have more range than a double.
    decision = decide(H, bound, unreached, orbits)
    solution = Solution(
        H=H.astype(float),
        rho=located.rho,
        labels=decision.labels,
        ties=decision.ties,
        uncertain=decision.uncertain,
        unreached=unreached,
        volume=measured.volume,
        objective=measured.objective,
        residual=measured.residual,
        n_iter=len(located.steps),
        status=Status.HARD_CASE if hard else status,
        error_bound=np.broadcast_to(bound, H.shape).max(axis=1).astype(float),
        method=method,
        alpha=_alpha(problem.gamma, located.rho),
        interchangeable=orbits,
        steps=located.steps,
    )
    return solution, decision


def _alpha(gamma: float, rho: float) -> float:
    # rho >= gamma occurs only for a Q that is no Laplacian, where LGC means nothing.
    return gamma / (gamma - rho) if rho < gamma else float("nan")
