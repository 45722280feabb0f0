"""A problem whose labels or norm are far from 1, in units in which they are not.

With Y = s Y', H = t H' and gamma = (s / t) gamma', balance = (s / t) balance' the problem is the
same, and rho = (s / t) rho'. s and t are powers of two, so nothing is rounded; without them squares
would leave the range of doubles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp, isfinite, ldexp

import numpy as np

from mavr.solvers.problem import Problem
from mavr.solvers.solution import Solution

# Exponents of two up to which no unit is needed.
ORDINARY = 40


@dataclass(frozen=True)
class Units:
    """labels : s, the unit of Y; responses : t, the unit of H."""

    labels: float
    responses: float

    @property
    def ratio(self) -> float:
        """t / s."""
        return self.responses / self.labels

    def restore(self, solution: Solution) -> Solution:
        """A solution in these units, in those of the user."""
        if self.labels == self.responses == 1:
            return solution
        rho = np.asarray(solution.rho) / self.ratio
        larger = max(self.labels, self.responses)
        return replace(
            solution,
            H=solution.H * self.responses,
            rho=float(rho),
            # Python's product overflows to infinity without a word, which is what |Y|^2 does, too.
            objective=solution.objective * larger * larger,
            error_bound=solution.error_bound * self.responses,
            steps=tuple(step / self.ratio for step in solution.steps),
        )


def in_units(problem: Problem) -> tuple[Problem, Units]:
    """The problem with labels and norm of ordinary size, and the units that make it so."""
    s = _unit(float(np.abs(problem.Y[problem.labelled]).max()))
    t = s if problem.tau is None else _unit(problem.tau)
    units = Units(s, t)
    if s == t == 1:
        return problem, units
    gamma, balance = problem.gamma * units.ratio, problem.balance * units.ratio
    if not (isfinite(gamma) and isfinite(balance) and gamma > 0):
        raise ValueError(
            f"tau = {problem.tau:g} is too far from the labels, of size {s:g}, to compute with; "
            "choose a tau nearer to the norm of Y"
        )
    tau = None if problem.tau is None else problem.tau / t
    ordinary = replace(problem, Y=problem.Y / s, gamma=gamma, tau=tau, balance=balance)
    return replace(ordinary, ratio=units.ratio), units


def _unit(size: float) -> float:
    exponent = frexp(size)[1]
    return 1.0 if abs(exponent) <= ORDINARY else ldexp(1.0, exponent - 1)
