"""Iterative refinement: responses with residuals in long doubles, and a bound for each entry.

What doubles leave open is settled by the residual R = Y - (form - rho I) H, computed in long
doubles. The error of H is the resolvent of R: a step by it removes nearly all, and its bound,
entry by entry, is what is left to say. Whatever made the resolvent, its own errors do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mavr.arrays import Array
from mavr.solvers.constraint import Responses, on_sphere
from mavr.solvers.problem import Problem
from mavr.solvers.report import Answer
from mavr.solvers.resolvent import Multiplier

# Each correction gains about as many digits as the resolvent has.
CORRECTIONS = 2
# Rounding of the form in long doubles, relative to delta, up to which residuals mean something.
REFINABLE = 1e-3
# The resolvent is that of a delta nearby, and bounds are computed in doubles.
SLACK = 1.05
# Rows that are summed at once, a power of two.
ROWS = 4_096


def refinable(problem: Problem, multiplier: Multiplier) -> bool:
    """Whether long doubles tell the form at this rho from one that is not definite."""
    noise = float(np.finfo(np.longdouble).eps) * problem.size
    return noise < REFINABLE * multiplier.delta


def refined(responses: Responses) -> Answer:
    """The responses corrected in long doubles, with the norm asked for and a bound of |error|."""
    resolvent = responses.resolvent
    H, multiplier = responses.H.astype(np.longdouble), resolvent.multiplier
    nothing = np.zeros((1, 1))
    for _ in range(CORRECTIONS):
        R = residual(resolvent.problem, H, multiplier)
        H = H + resolvent.correct(R.astype(float))
        H, _, multiplier = on_sphere(responses, H, nothing, multiplier)
    return assessed(responses, H, multiplier, f"{resolvent.name}, refined")


def assessed(responses: Responses, H: Any, multiplier: Multiplier, method: str) -> Answer:
    """H with the norm asked for, and a bound of |error| from its residual in its own precision."""
    resolvent = responses.resolvent
    R = np.abs(residual(resolvent.problem, H, multiplier)).astype(float)
    noise = rounding(resolvent.problem, H, multiplier)
    if resolvent.problem.balance:
        sums, along = rounding_of_totals(resolvent.problem, H, totals(H))
        prior = resolvent.problem.relation.prior
        noise = noise + sums + (sums @ prior) * prior + along
    error = SLACK * resolvent.bound(R + noise)
    error = error + 2 * float(np.finfo(H.dtype).eps) * np.abs(H).astype(float)
    return Answer(*on_sphere(responses, H, error, multiplier), method)


def residual(
    problem: Problem, H: Any, multiplier: Multiplier, QH: Any = None, total: Any = None
) -> Any:
    """Y - gamma QHP - balance 11'HC + rho H in the precision of H; QH, 1'H : where known."""
    wide = H.dtype.type
    # Rounded to the precision of H when it is small: most of the totals is along the prior.
    apart = wide(0)
    if problem.balance:
        total = totals(H) if total is None else total
        apart = _unbalanced(problem, total).astype(wide)
    rho = wide(multiplier.lowest) - wide(multiplier.delta)
    QHP = problem.structure.times_exactly(H) if QH is None else QH
    if not problem.relation.unit:
        QHP = QHP @ problem.relation.P.astype(wide)
    # In place, and with the labels where they are: fresh memory costs more than sums.
    R = QHP * -wide(problem.gamma)
    R += rho * H
    R -= wide(problem.balance) * apart
    R[problem.labelled] += problem.Y[problem.labelled]
    return R


def rounding(problem: Problem, H: Any, multiplier: Multiplier, QH: Any = None) -> Array:
    """A bound of what rounding does to the residual but for its balance term, (n, c)."""
    c = H.shape[1]
    size, structure = np.abs(H).astype(float, copy=False), problem.structure
    terms = structure.row_terms if structure.power == 1 else structure.terms * structure.power
    P = problem.gamma * np.abs(problem.relation.P)
    whole = structure.magnitudes(size, None if (H < 0).any() else QH)
    if problem.relation.unit:
        whole *= problem.gamma
    else:
        whole = whole @ P
    whole[problem.labelled] += np.abs(problem.Y[problem.labelled])
    whole += (abs(multiplier.lowest) + multiplier.delta) * size
    whole *= (terms + 2 * c + 8) * float(np.finfo(H.dtype).eps)
    # A null vector that was computed leaves the diagonal open by so much.
    if structure.null_error:
        whole += structure.null_error * (size @ P)
    return np.asarray(whole)


def rounding_of_totals(problem: Problem, H: Any, total: Any) -> tuple[Array, Array]:
    """Bounds of what rounding does to balance 1'H, and to its part along C on top, (c,) each."""
    n, unit = len(H), float(np.finfo(np.longdouble).eps)
    steps = 2 + 2 * int(np.ceil(np.log2(n)))
    sums = steps * unit * np.abs(H).sum(axis=0).astype(float)
    along = np.full(H.shape[1], (16 + 2 * H.shape[1]) * unit * float(np.abs(total).sum()))
    # The part along C is rounded to the precision of H, weighed and added to the rest.
    apart = np.abs(_unbalanced(problem, total)).astype(float)
    along += 4 * float(np.finfo(H.dtype).eps) * apart
    return problem.balance * sums, problem.balance * along


def _unbalanced(problem: Problem, total: Any) -> Any:
    """The part of the totals that is along C, in long doubles."""
    along = problem.relation.shares.astype(np.longdouble)
    along /= np.sqrt((along * along).sum())
    return total - (total @ along) * along


def totals(H: Any) -> Any:
    """1'H in long doubles, by sums of pairs so that rounding grows with log n only."""
    # Some rows at a time: fresh memory costs more than sums.
    parts = [_paired(H[i : i + ROWS].astype(np.longdouble)) for i in range(0, len(H), ROWS)]
    return _paired(np.array(parts))


def _paired(H: Any) -> Any:
    while len(H) > 1:
        half = len(H) // 2
        rest = H[2 * half :]
        H = H[:half] + H[half : 2 * half]
        if len(rest):
            H[0] += rest[0]
    return H[0]
