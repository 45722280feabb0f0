"""Iterative refinement: responses with residuals in long doubles, and a bound for each entry.

What doubles leave open is settled by the residual R = Y - (form - rho I) H, computed in long
doubles. The error of H is the resolvent of R: a step by it removes nearly all, and its bound,
entry by entry, is what is left to say. Whatever made the resolvent, its own errors do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mavr.arrays import ROWS, Array, column_sums, parts
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
    R, unbalanced = np.empty_like(QHP), wide(problem.balance) * apart
    for rows in parts(H):
        np.multiply(QHP[rows], -wide(problem.gamma), out=R[rows])
        R[rows] += rho * H[rows]
        R[rows] -= unbalanced
    R[problem.labelled] += problem.Y[problem.labelled]
    return R


def rounding(problem: Problem, H: Any, multiplier: Multiplier, QH: Any = None) -> Array:
    """A bound of what rounding does to the residual but for its balance term, (n, c).

    QH : where it is known, and no closer bound is needed than those of `Structure.magnitudes`.
    """
    n, c = H.shape
    structure, narrow = problem.structure, H.astype(float, copy=False)
    terms = structure.row_terms if structure.power == 1 else structure.terms * structure.power
    unit = np.broadcast_to((terms + 2 * c + 8) * float(np.finfo(H.dtype).eps), (n, 1))
    P = problem.gamma * np.abs(problem.relation.P)
    whole, weight = structure.magnitudes(narrow, QH), abs(multiplier.lowest) + multiplier.delta
    for rows in parts(H):
        part, size = whole[rows], np.abs(narrow[rows])
        part[:] = problem.gamma * part if problem.relation.unit else part @ P
        part += weight * size
        part *= unit[rows]
        # A null vector that was computed leaves the diagonal open by so much.
        if structure.null_error:
            part += structure.null_error * (size @ P)
    whole[problem.labelled] += unit[problem.labelled] * np.abs(problem.Y[problem.labelled])
    return whole


def rounding_of_totals(problem: Problem, H: Any, total: Any) -> tuple[Array, Array]:
    """Bounds of what rounding does to balance 1'H, and to its part along C on top, (c,) each."""
    n, unit = len(H), float(np.finfo(np.longdouble).eps)
    steps = 2 + 2 * int(np.ceil(np.log2(n)))
    sums = steps * unit * sum(np.abs(H[rows]).sum(axis=0) for rows in parts(H)).astype(float)
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
    of_rows = _split if H.dtype == np.float64 else _paired
    return _paired(np.array([of_rows(H[rows]) for rows in parts(H)]))


def _split(H: Array) -> Any:
    """1'H of up to ROWS rows of doubles, to the last digits of a long double.

    With |H| < 2^e and s = 2^(e + 1) ROWS the high parts (H + s) - s are multiples of 2^-53 s, and
    sums of theirs, which are below s, are exact in doubles. Low parts are at most 2^-53 s: what
    rounding does to their sums is below 2^-106 ROWS^2 s = 2^(e - 72), at most 2^-71 of the largest
    |H|, where long doubles round at 2^-64 (Rump, Ogita and Oishi 2008).
    """
    s = np.ldexp(2.0 * ROWS, np.frexp(np.abs(H).max())[1])
    high = (H + s) - s
    return column_sums(high).astype(np.longdouble) + column_sums(H - high)


def _paired(H: Any) -> Any:
    while len(H) > 1:
        half = len(H) // 2
        rest = H[2 * half :]
        H = H[:half] + H[half : 2 * half]
        if len(rest):
            H[0] += rest[0]
    return H[0]
