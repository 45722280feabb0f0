"""Responses of the norm asked for on a sparse graph: from a Krylov space, or by Newton's method.

A Krylov space that is kept tells rho without a vector of n numbers (`mavr.solvers.quadrature`).
Without it each step of Newton's method is one by conjugate gradients, starting from the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mavr.arrays import EPS
from mavr.solvers.conjugate_gradients import LOOSER, RESIDUAL_TOLERANCE, Gradients
from mavr.solvers.constraint import Responses, constrained
from mavr.solvers.problem import Problem
from mavr.solvers.quadrature import norm_and_slope
from mavr.solvers.resolvent import Multiplier
from mavr.solvers.secular import find_root
from mavr.solvers.sparse_state import MANY_POINTS, SparseState
from mavr.solvers.subspace import Subspace

# A large gamma brings the responses of a point together, which takes more digits to tell apart.
LEAST_TOLERANCE, CLOSENESS = 1e-13, 1e-8
# Of many points, where a few digits less settle every class as a rule; see `_first_tolerance`.
FIRST_TOLERANCE, FLAT = 1e-9, 2e12
# Of Krylov spaces as they grow: a few steps more, once, leave room for other settings.
KRYLOV_TOLERANCE = 1e-13
# The last step to |H| = tau is taken on H itself and leaves the square of this.
NEWTON_TOLERANCE = 1e-6
# While rho is looked for, digits of H beyond those that its norm is off by are wasted.
ROUGH_TOLERANCES = (1e-4, 1e-7)
# A norm further off than this has not been reached: one more Newton step would leave its square.
NORM_LIMIT = 1e-6


@dataclass
class WarmStarts:
    """Makes resolvents, each starting from the solution of the one before."""

    problem: Problem
    state: SparseState
    space: Subspace | None = None
    tolerance: float = RESIDUAL_TOLERANCE
    closest: float | None = None
    further: Callable[[], Subspace | None] | None = None
    last: Gradients | None = None

    def __call__(self, multiplier: Multiplier) -> Gradients:
        start, moved = (self.last.solved, self.last.moved) if self.last else (None, None)
        given = (self.problem, multiplier, self.state)
        self.last = Gradients(*given, start, self.space, self.tolerance, moved, self.closest)
        self.last.further = self.further
        return self.last


def by_gradients(problem: Problem, state: SparseState) -> tuple[Responses, bool, tuple[float, ...]]:
    """Responses with |H| = tau up to a tolerance, whether they converged, and the deltas tried."""
    low = problem.least_delta()
    negative = bool((problem.Y < 0).any())
    if negative:
        low = max(low, problem.structure.n * EPS * problem.size)
    start = Multiplier(0.0, 1.0 if problem.tau is None else low)
    closest, first = _tolerance(problem), _first_tolerance(problem)
    shared = partial(_shared, problem, state, start.delta)
    space = shared(first or _tolerance(problem, start.delta))
    if first and not space and state.levels is not None:
        first = None  # graphs with small cuts may leave responses faint
    make = WarmStarts(problem, state, space, first or closest)
    if first:
        make = replace(make, closest=closest, further=partial(shared, closest))
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


def _first_tolerance(problem: Problem) -> float | None:
    """Of residuals that settle every class as a rule; None where there are no digits to spare.

    Of n points the two best classes of some are no more than an n-th of their usual difference
    apart. That is about the mean response, l / cn, by the flatness gamma d, d the mean degree; the
    residual that makes a bound of it is that of labels of norm sqrt(l / c). FLAT is measured.
    """
    n, c = problem.Y.shape
    if problem.tau is not None or n < MANY_POINTS:
        return None
    flatness = problem.gamma * float(problem.structure.diagonal.mean())
    share = FLAT * float(np.sqrt(len(problem.labelled) / c)) / n**2 / flatness
    return max(_tolerance(problem), FIRST_TOLERANCE * min(1.0, share))


def _tolerance(problem: Problem, delta: float = 1.0) -> float:
    """Of the residuals of this problem."""
    closer = CLOSENESS * delta / (problem.gamma * problem.relation.norm)
    return float(np.clip(closer, LEAST_TOLERANCE, RESIDUAL_TOLERANCE))


def _shared(
    problem: Problem, state: SparseState, delta: float, tolerance: float
) -> Subspace | None:
    """A Krylov space of the labels, far enough for this delta; None if it does not get there."""
    # A single setting without a norm to find needs no space to be kept; a power is far better in
    # the space of L than by conjugate gradients on it.
    alone = not state.kept and problem.tau is None and problem.structure.power == 1
    krylov = None if alone else state.krylov(problem.Y)
    if krylov is None:
        return None
    shifts = [(problem.gamma * float(mu), delta) for mu in set(problem.relation.mu)]
    return krylov.reach(shifts, tolerance, KRYLOV_TOLERANCE)
