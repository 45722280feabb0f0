"""From responses to a Solution: norm, classes, objective, residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mavr.arrays import EPS, Array, Integers, Mask, column_sums, of_rows, parts
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier
from mavr.solvers.solution import Solution, Status
from mavr.ties import Decision, Mirror, decide


def scaled(H: Any, tau: float | None) -> Any:
    """H with the norm asked for."""
    if tau is None:
        return H
    norm = np.sqrt((H * H).sum())
    return H * (tau / norm) if norm > 0 else H


@dataclass(frozen=True)
class Answer:
    """Responses as one method finds them.

    H : (n, c), may be in long doubles; error : (n, c) or (1, 1) bound of |error|;
    volume : V of the multiplier, where the method knows it better than H does;
    residual : norm of the residual, where it is known;
    mirrors : groups of classes whose differences are known better than H.
    """

    H: Any
    error: Array
    multiplier: Multiplier
    method: str
    status: Status = Status.OPTIMAL
    volume: Callable[[Multiplier], float] | None = None
    residual: float | None = None
    mirrors: tuple[Mirror, ...] = ()


@dataclass(frozen=True)
class Decided:
    """An answer with H as it is reported, a bound of its error at each point, and the classes."""

    answer: Answer
    H: Any
    error: Array
    orbits: tuple[tuple[int, ...], ...]
    unreached: Mask
    decision: Decision

    @property
    def n_open(self) -> tuple[int, int]:
        """Numbers of uncertain and of tied points, to compare answers by."""
        return int(self.decision.uncertain.sum()), int(self.decision.ties.sum())


def conclude(problem: Problem, answer: Answer) -> Decided:
    """The classes of an answer."""
    # In the hard case the minimum is not unique and need not treat equal classes alike.
    orbits = () if answer.multiplier.delta == 0 else problem.orbits
    H = np.array(answer.H) if orbits else answer.H
    for orbit in orbits:
        # Equal in exact arithmetic: their mean removes the rounding that would tell them apart.
        H[:, list(orbit)] = H[:, list(orbit)].mean(axis=1, keepdims=True)
    unreached = problem.unreached()
    # Decided in the precision that H came in, which may have more range than a double, and before
    # H is given its norm, which may move it by more than its error.
    decision = decide(H, answer.error, unreached, orbits, answer.mirrors)
    reported = scaled(H, problem.tau)
    # A double of it is off by half a unit in its last place.
    error, wide = np.empty(len(H)), np.broadcast_to(answer.error, H.shape)
    for rows in parts(H):
        moved = EPS * np.abs(reported[rows]) + np.abs(reported[rows] - H[rows])
        error[rows] = of_rows(np.maximum, moved + wide[rows])
    return Decided(answer, reported, error, orbits, unreached, decision)


def _put_first(H: Array, labels: Integers) -> None:
    """Let the class of a point have its largest response, where it is the largest but for rounding.

    A difference that is known better than the responses may be smaller than their last digit.
    """
    rows = np.flatnonzero(labels >= 0)
    own, best = labels[rows], H[rows].argmax(axis=1)
    behind = own != best
    rows, own, best = rows[behind], own[behind], best[behind]
    largest = H[rows, best]
    H[rows, best] = np.minimum(H[rows, own], largest)
    H[rows, own] = np.where(own > best, np.nextafter(largest, np.inf), largest)


def finish(problem: Problem, decided: Decided) -> Solution:
    """The Solution, in the units of the problem."""
    answer, decision, multiplier = decided.answer, decided.decision, decided.answer.multiplier
    status = answer.status
    if multiplier.delta == 0:
        status = Status.HARD_CASE
    elif status is Status.OPTIMAL and decision.uncertain.any():
        status = Status.UNCERTAIN
    H = decided.H.astype(float)
    if answer.mirrors:
        _put_first(H, np.where(decision.ties, -1, decision.labels))
    volume = answer.volume(multiplier) if answer.volume else _volume(problem, H)
    residual = answer.residual
    if residual is None:
        residual = residual_norm(problem, H, multiplier.rho)
    return Solution(
        H=H,
        rho=multiplier.rho,
        labels=decision.labels,
        ties=decision.ties,
        uncertain=decision.uncertain,
        unreached=decided.unreached,
        volume=volume,
        objective=_objective(problem, H, volume),
        residual=residual / _scale(problem, H, multiplier.rho),
        n_iter=len(multiplier.steps),
        status=status,
        error_bound=decided.error,
        method=answer.method,
        alpha=_alpha(problem.gamma, multiplier.rho),
        interchangeable=decided.orbits,
        steps=multiplier.steps,
    )


def residual_norm(problem: Problem, H: Array, rho: float) -> float:
    """Norm of gamma QHP + balance 11'HC - rho H - Y."""
    form = problem.gamma * (problem.structure.times(H) @ problem.relation.P)
    if problem.balance:
        form += problem.balance * _spread(problem, H)
    form -= rho * H
    form -= problem.Y
    # Far from ordinary sizes its squares may overflow.
    largest = float(np.abs(form).max())
    if not 1e-150 < largest < 1e150:
        return largest * float(np.sqrt(form.size))
    return float(np.linalg.norm(form))


def _scale(problem: Problem, H: Array, rho: float) -> float:
    """Size of the terms of the residual."""
    norm = float(np.linalg.norm(H))
    return (problem.size + abs(rho)) * norm + float(np.linalg.norm(problem.Y))


def _spread(problem: Problem, H: Array) -> Array:
    """1'HC, (c,)."""
    total, along = column_sums(H), problem.relation.prior
    return np.asarray(total - (total @ along) * along)


def _volume(problem: Problem, H: Array) -> float:
    """tr(H'QHP) / |H|^2 from positive terms."""
    relation, norm2 = problem.relation, float((H * H).sum())
    energies = problem.structure.energies(H if relation.identity else H @ relation.U)
    return float(relation.mu @ energies) / norm2 if norm2 > 0 else 0.0


def _objective(problem: Problem, H: Array, volume: float) -> float:
    """|Y - H|^2 + gamma tr(H'QHP) + balance |1'HC|^2, in the larger one of the units of Y and H."""
    norm2, spread = float(np.vdot(H, H)), _spread(problem, H)
    larger = max(1.0, problem.ratio)
    labels, responses = 1.0 / larger, problem.ratio / larger
    rest = responses * H
    rest[problem.labelled] -= labels * problem.Y[problem.labelled]
    fit = float(np.vdot(rest, rest))
    form = problem.gamma * volume * norm2 + problem.balance * float(spread @ spread)
    return fit + labels * responses * form


def _alpha(gamma: float, rho: float) -> float:
    # rho >= gamma occurs only for a Q that is no Laplacian, where LGC means nothing.
    return gamma / (gamma - rho) if rho < gamma else float("nan")
