"""Answers by conjugate gradients, each closer than the one before.

The first have the bound of their residual's norm, |H - exact H| <= |R| / delta, balance or not, the
residual taken in doubles, evened out, then in long doubles. Where that leaves a class open, the
following have a bound for each entry (`mavr.solvers.comparison`) and are corrected by the resolvent
of their residual: far from labels a response may be 1e-40 of the largest, and each correction
reaches some digits further down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mavr.arrays import EPS, Array, column_sums, parts
from mavr.solvers.bounds import errors_on_sphere
from mavr.solvers.conjugate_gradients import CORRECTION_TOLERANCE, Gradients
from mavr.solvers.constraint import Responses
from mavr.solvers.problem import Problem
from mavr.solvers.refinement import (
    SLACK,
    refinable,
    residual,
    rounding,
    rounding_of_totals,
    totals,
)
from mavr.solvers.report import Answer
from mavr.solvers.resolvent import Multiplier
from mavr.solvers.solution import Status

MAX_CORRECTIONS = 12
# A residual within this factor of its own rounding has no more to tell.
SETTLED = 2.0
# A norm this close, relative to tau, is left as it is; the bound covers it.
NORM_REACHED = 1e-14
# The same where the step has not been computed yet.
NORM_NEAR = 1e-12
# A volume is taken from the residual if rounding has at most this part of it.
DISTINCT = 1e-9
# Steps that even out a residual.
EVENED = 2


def approached(found: Responses, reached: bool, steps: tuple[float, ...]) -> Iterator[Answer]:
    """Answers from responses near the norm asked for.

    Parameters
    ----------
    found : by conjugate gradients.
    reached : whether they came to their tolerance.
    steps : deltas tried on the way.
    """
    resolvent, problem = found.resolvent, found.resolvent.problem
    assert isinstance(resolvent, Gradients)
    multiplier = replace(resolvent.multiplier, steps=steps)
    rough = found.fall is not None
    near = NORM_NEAR if rough else NORM_REACHED
    H, multiplier = _on_sphere(found, found.H, multiplier, near)
    first = _bounded(found, H, multiplier, None, rough)
    wrong = resolvent.space and not resolvent.holds(first.residual)
    if not wrong:
        yield replace(first, status=_status(reached))
    if wrong or resolvent.closest:
        resolvent = resolvent.iterated() if wrong else resolvent.closer()
        near, rough = NORM_REACHED, False
        found = Responses(resolvent, resolvent.apply(problem.Y))
        reached = resolvent.reached
        H, multiplier = _on_sphere(found, found.H, multiplier)
        yield replace(_bounded(found, H, multiplier, None), status=_status(reached))
    status = _status(reached)
    # A bound looks at the largest entry of a residual: few points may have most of it.
    if reached and problem.structure.m_matrix:
        for _ in range(EVENED):
            H = H + resolvent.smoothed(residual(problem, H, multiplier))
        H, multiplier = _on_sphere(found, H, multiplier, near)
        yield replace(_bounded(found, H, multiplier, None, rough), status=status)
    # Doubles are often enough for H, seldom for its residual.
    H = H.astype(np.longdouble)
    yield replace(_bounded(found, H, multiplier, None), status=status)
    # Corrections by an iteration that does not converge correct nothing.
    if not reached or not refinable(problem, multiplier):
        return
    for _ in range(MAX_CORRECTIONS):
        R = residual(problem, H, multiplier).astype(float)
        noise = rounding(problem, H, multiplier)
        # What is settled, near the labels, would set the scale of the correction: the rest is what
        # it is for.
        R[np.abs(R) <= SETTLED * noise] = 0.0
        H = H + resolvent.correct(R)
        H, multiplier = _on_sphere(found, H, multiplier)
        yield _bounded(found, H, multiplier, ", refined")
        if not R.any():
            return


def _status(reached: bool) -> Status:
    return Status.OPTIMAL if reached else Status.INACCURATE


def _on_sphere(
    found: Responses, H: Any, multiplier: Multiplier, near: float = NORM_REACHED
) -> tuple[Any, Multiplier]:
    """The last step of Newton's method, on H itself."""
    tau = found.resolvent.problem.tau
    if tau is None:
        return H, multiplier
    gap = np.sqrt((H * H).sum()) - tau
    # RH has its digits relative to the whole: a step that gains nothing would drown faint entries.
    if abs(gap) <= near * tau:
        return H, multiplier
    step = gap / found.slope
    return H - step * found.RH, replace(multiplier, delta=float(multiplier.delta + step))


def _bounded(
    found: Responses, H: Any, multiplier: Multiplier, refined: str | None, rough: bool = False
) -> Answer:
    """H with a bound of |error|: of its norm, and if refined of each entry; rough : without RH."""
    resolvent = found.resolvent
    assert isinstance(resolvent, Gradients)
    problem = resolvent.problem
    QH = problem.structure.times_exactly(H)
    total = totals(H) if problem.balance else None
    R = residual(problem, H, multiplier, QH, total)
    entries = bool(refined and resolvent.comparison)
    # Where negative responses may be faint, what is lost at large ones must not count for all.
    noise = rounding(problem, H, multiplier, None if entries and (H < 0).any() else QH)
    size = np.abs(H).astype(float, copy=False)
    known = _known(problem, H, QH, R, float(np.vdot(size, noise)))
    if problem.balance:
        # What the balance term leaves is the same at all points, and hardly moves H.
        flat, prior = (column_sums(R) / len(R)).astype(float), problem.relation.prior
        flat = flat - (flat @ prior) * prior
        R -= flat
    R = np.abs(R, out=R).astype(float, copy=False)
    R += noise
    error = resolvent.bound(R)
    # Of the whole: the form is delta at least.
    norm = float(np.linalg.norm(R)) / multiplier.delta
    if problem.balance:
        sums, along = rounding_of_totals(problem, H, total)
        # flat lies along C but for its rounding.
        along = along + 4 * EPS * np.abs(flat).max()
        level = resolvent.bound_of_totals(sums + np.abs(flat), along)
        norm += float(np.linalg.norm(level))
        error = np.add(error, level, out=level)
    if entries:
        error = _by_entries(resolvent, R)
    unit = 2 * float(np.finfo(H.dtype).eps)
    error = np.asarray(SLACK * error)
    for rows in parts(error):
        error[rows] += unit * size[rows]
    if problem.tau is not None:
        # RH as computed, and what its tolerance leaves of it.
        left = CORRECTION_TOLERANCE * problem.tau / multiplier.delta
        moved = SLACK * resolvent.bound(size) if rough else np.abs(found.RH) + left
        if entries:
            moved = np.minimum(moved, _by_entries(resolvent, size))
        gap = abs(float(np.sqrt((H * H).sum()) - problem.tau))
        norm = SLACK * norm + unit * float(np.linalg.norm(size))
        delta = multiplier.delta
        error = errors_on_sphere(error, gap, found.slope, delta, problem.tau, moved, norm)
    return Answer(H, error, multiplier, resolvent.name + (refined or ""), **known)


def _by_entries(resolvent: Gradients, sizes: Array) -> Array:
    """A bound of each entry of |solutions| for right-hand sides of at most these sizes."""
    relation, entries = resolvent.problem.relation, resolvent.comparison
    assert entries is not None
    Z = relation.across(sizes)
    return relation.back(np.minimum(resolvent.dominate(Z), entries.dominate(Z)))


def _known(problem: Problem, H: Any, QH: Any, R: Any, lost: float) -> dict[str, Any]:
    """What the residual of doubles tells beside: its norm, and the volume unless that cancels.

    lost : what rounding may do to gamma tr(H'QHP).
    """
    if H.dtype != np.float64:
        return {}
    known: dict[str, Any] = {"residual": float(np.linalg.norm(R))}
    QHP = QH if problem.relation.unit else QH @ problem.relation.P
    energy, norm2 = float(np.vdot(H, QHP)), float(np.vdot(H, H))
    if DISTINCT * problem.gamma * energy > lost:
        known["volume"] = lambda _: energy / norm2
    return known
