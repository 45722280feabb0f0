"""Iterative refinement: responses with residuals in long doubles, and a bound for each entry.

What doubles leave open is settled by the residual R = Y - (form - rho I) H, computed in long
doubles. The error of H is the resolvent of R: a step by it removes nearly all, and its bound,
entry by entry, is what is left to say. Whatever made the resolvent, its own errors do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.solvers.constraint import Responses, on_sphere
from mavr.solvers.problem import Problem
from mavr.solvers.report import Answer
from mavr.solvers.resolvent import Multiplier

Array = npt.NDArray[np.float64]

# Each correction gains about as many digits as the resolvent has.
CORRECTIONS = 2
# Rounding of the form in long doubles, relative to delta, up to which residuals mean something.
REFINABLE = 1e-3
# Rows of a dense Q that are widened at once.
BLOCK_ENTRIES = 2**20
# The resolvent is that of a delta nearby, and bounds are computed in doubles.
SLACK = 1.05


def refinable(problem: Problem, multiplier: Multiplier) -> bool:
    """Whether long doubles tell the form at this rho from one that is not definite."""
    rounding = float(np.finfo(np.longdouble).eps) * problem.size
    return rounding < REFINABLE * multiplier.delta


def refined(responses: Responses) -> Answer:
    """The responses corrected in long doubles, with the norm asked for and a bound of |error|."""
    resolvent = responses.resolvent
    H, multiplier = responses.H.astype(np.longdouble), resolvent.multiplier
    nothing = np.zeros((1, 1))
    for _ in range(CORRECTIONS):
        R = _residual(resolvent.problem, H, multiplier)
        H = H + resolvent.correct(R.astype(float))
        H, _, multiplier = on_sphere(responses, H, nothing, multiplier)
    return assessed(responses, H, multiplier, f"{resolvent.name}, refined")


def assessed(responses: Responses, H: Any, multiplier: Multiplier, method: str) -> Answer:
    """H with the norm asked for, and a bound of |error| from its residual in its own precision."""
    resolvent = responses.resolvent
    R = np.abs(_residual(resolvent.problem, H, multiplier)).astype(float)
    error = SLACK * resolvent.bound(R + _rounding(resolvent.problem, H, multiplier))
    error = error + 2 * float(np.finfo(H.dtype).eps) * np.abs(H).astype(float)
    return Answer(*on_sphere(responses, H, error, multiplier), method)


def _residual(problem: Problem, H: Any, multiplier: Multiplier) -> Any:
    """Y - gamma QHP - balance 11'HC + rho H in the precision of H."""
    wide = H.dtype.type
    total, along = H.sum(axis=0), _prior(problem, wide)
    total = total - (total @ along) * along
    rho = wide(multiplier.lowest) - wide(multiplier.delta)
    QHP = _product(problem.structure.Q, H) @ problem.relation.P.astype(wide)
    return problem.Y - wide(problem.gamma) * QHP - wide(problem.balance) * total + rho * H


def _rounding(problem: Problem, H: Any, multiplier: Multiplier) -> Array:
    """A bound of what rounding does to the residual, (n, c)."""
    n, c = H.shape
    size, Q = np.abs(H).astype(float), problem.structure.Q
    terms = int(np.diff(Q.indptr).max()) if sp.issparse(Q) else n
    whole = problem.gamma * ((abs(Q) @ size) @ np.abs(problem.relation.P)) + np.abs(problem.Y)
    whole += (abs(multiplier.lowest) + multiplier.delta) * size
    unit = float(np.finfo(H.dtype).eps)
    rounding = (terms + 2 * c + 8) * unit * whole
    totals, along = size.sum(axis=0), problem.relation.prior
    spread = totals + (totals @ along) * along
    return np.asarray(rounding + (n + 3 * c + 8) * unit * 2 * problem.balance * spread)


def _prior(problem: Problem, wide: Any) -> Any:
    """The prior with length 1 in this precision."""
    along = problem.relation.shares.astype(wide)
    return along / np.sqrt((along * along).sum())


def _product(Q: Any, H: Any) -> Any:
    if sp.issparse(Q):
        return Q.astype(H.dtype) @ H
    step = max(1, BLOCK_ENTRIES // len(Q))
    return np.concatenate([Q[i : i + step].astype(H.dtype) @ H for i in range(0, len(Q), step)])
