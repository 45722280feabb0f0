"""Responses of the norm asked for, by Newton's method on resolvents that are made for each rho."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from mavr.arrays import Array
from mavr.solvers.bounds import errors_on_sphere
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier, Resolvent
from mavr.solvers.secular import find_root


@dataclass(frozen=True)
class Responses:
    """A resolvent with H for the labels, and how H changes with delta: dH/ddelta = -RH.

    fall : the slope, where it is known without RH.
    """

    resolvent: Resolvent
    H: Array
    fall: float | None = None

    @cached_property
    def RH(self) -> Array:
        return self.resolvent.slope(self.H)

    @cached_property
    def norm(self) -> float:
        return float(np.linalg.norm(self.H))

    @cached_property
    def slope(self) -> float:
        """-d|H| / ddelta = H'RH / |H|, which is > 0."""
        if self.fall is not None:
            return self.fall
        return float((self.H * self.RH).sum()) / self.norm if self.norm else 0.0


def on_sphere(
    responses: Responses, H: Any, error: Array, multiplier: Multiplier
) -> tuple[Any, Array, Multiplier]:
    """H near `responses` with the norm asked for, a bound of |error|, and its multiplier.

    The last step of Newton's method is taken on H itself.
    """
    problem = responses.resolvent.problem
    if problem.tau is None:
        return H, error, multiplier
    RH, delta = responses.RH, multiplier.delta
    step = (np.sqrt((H * H).sum()) - problem.tau) / responses.slope
    H = H - step * RH
    # The step leaves its square.
    error = error + 4 * float(step) / delta * float(step) * np.abs(RH)
    gap = abs(float(np.sqrt((H * H).sum()) - problem.tau))
    moved = replace(multiplier, delta=float(delta + step))
    errors = errors_on_sphere(error, gap, responses.slope, delta, problem.tau, np.abs(RH))
    return H, errors, moved


def constrained(
    problem: Problem,
    start: Multiplier,
    resolvent: Callable[[Multiplier], Resolvent],
    low: float,
    tolerance: float,
) -> tuple[Responses, tuple[float, ...]]:
    """Responses with |H| = tau up to a relative tolerance, and the deltas tried.

    Parameters
    ----------
    problem : with or without tau; without it, the responses are those at `start`.
    start : where Newton's method begins.
    resolvent : makes the resolvent at a multiplier.
    low : a lower bound of delta.
    tolerance : of |H| / tau.
    """

    # The root finder ends where it has evaluated last: one evaluation is enough to keep.
    @lru_cache(maxsize=1)
    def at(delta: float) -> Responses:
        inverse = resolvent(replace(start, delta=delta))
        return Responses(inverse, inverse.apply(problem.Y))

    if problem.tau is None:
        return at(start.delta), ()
    high = float(np.linalg.norm(problem.Y)) / problem.tau

    def norm_and_slope(delta: float) -> tuple[float, float]:
        return at(delta).norm, -at(delta).slope

    root = find_root(norm_and_slope, low, high, problem.tau, tolerance, start.delta)
    return at(root.delta), root.steps
