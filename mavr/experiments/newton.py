"""Newton's method with Cholesky for several norms at once, on a graph that is solved only once.

    | (Q + eps I)^-1 E S | = target,   for several S and targets

One factorisation at one eps gives every norm and its slope there. So each evaluation is kept, and
the next eps is read off the inverse function (log norm -> log eps), interpolated by Hermite's
polynomial through values and slopes of all that is known near the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log, sqrt

import numpy as np
from scipy.interpolate import KroghInterpolator
from scipy.linalg.lapack import dpotrf

from mavr.arrays import EPS, TINY, Array
from mavr.solvers.bounds import errors_on_sphere
from mavr.solvers.factor import (
    CHOLESKY_ERROR_LIMIT,
    SUBTRACTION_FREE,
    Factor,
    scale_root,
    solve_scaled,
)
from mavr.solvers.pivots import ERROR_FACTOR, subtraction_free_cholesky
from mavr.solvers.structure import Structure

# A relative step in eps this small is taken on the responses, without another factorisation; it
# leaves its square.
STEP = 1e-5
MAX_EVALUATIONS = 60
# Evaluations the interpolation goes through: with slopes, a polynomial of degree 5.
NEAREST = 3


@dataclass(frozen=True)
class Evaluation:
    """eps, G = (Q + eps I)^-1 E, (Q + eps I)^-1 G, and the products of both with G.

    relative, diagonal : errors of G and of the diagonal that the factor stands for.
    """

    eps: float
    G: Array
    twice: Array
    gram: Array
    slope: Array
    relative: float
    diagonal: float

    def responses(self, S: Array, step: float) -> tuple[Array, Array]:
        """(Q + (eps + step) I)^-1 E S for a small step, and a bound of |error|."""
        size = np.abs(S)
        relative = self.relative + 4 * len(S) * EPS
        # As in `mavr.solvers.resolvent`: an error of the diagonal moves G by so much of `twice`,
        # and the step leaves its square.
        unsure = self.diagonal + 4 * step * step / self.eps
        error = relative * (self.G @ size) + unsure * (self.twice @ size)
        return (self.G - step * self.twice) @ S, error + len(self.G) * TINY

    def norm_and_slope(self, S: Array) -> tuple[float, float]:
        """|G S| and its derivative by eps."""
        if (S >= 0).all():
            norm = sqrt(np.vdot(S, self.gram @ S))
            return norm, -float(np.vdot(S, self.slope @ S)) / norm
        # Signs may cancel, and the square of the sum with them.
        H = self.G @ S
        norm = float(np.linalg.norm(H))
        return norm, -float(np.vdot(H, self.twice @ S)) / norm


class SharedNewton:
    """Evaluations at all eps so far, for labelled points of one graph.

    work : (n, n) array to factorise in, which several may share.
    """

    def __init__(
        self, structure: Structure, labelled: Sequence[int], work: Array | None = None
    ) -> None:
        self.structure = structure
        self.place = {point: k for k, point in enumerate(labelled)}
        self.E = np.zeros((structure.n, len(labelled)), order="F")
        self.E[list(labelled), range(len(labelled))] = 1.0
        self.null = structure.null_rows(labelled)
        self.known: dict[float, Evaluation] = {}
        self._work = np.empty((structure.n, structure.n)) if work is None else work

    def evaluate(self, eps: float) -> Evaluation:
        if eps not in self.known:
            factor = self._factor(eps)
            G = factor.solve(self.E)
            twice = factor.solve(G)
            errors = (factor.relative, factor.diagonal)
            self.known[eps] = Evaluation(eps, G, twice, G.T @ G, G.T @ twice, *errors)
        return self.known[eps]

    def _factor(self, eps: float) -> Factor:
        """By Cholesky, unless what its pivots lose is more than `CHOLESKY_ERROR_LIMIT`."""
        structure, n = self.structure, self.structure.n
        rounding = n * EPS * (structure.norm + eps)
        root = scale_root(structure.norm + eps)
        # The factor is used up before the next one is made: all share one array.
        A = self._work
        np.multiply(structure.Q, root * root, out=A)
        if rounding <= CHOLESKY_ERROR_LIMIT * eps:
            A.flat[:: n + 1] += root * eps * root
            # A is symmetric, so its C-ordered rows are LAPACK's columns: no copy is made.
            L, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
            if not info:
                return Factor(partial(solve_scaled, L, root), 4 * n * EPS, rounding, "Cholesky")
            np.multiply(structure.Q, root * root, out=A)
        assert structure.null_vector is not None
        L = subtraction_free_cholesky(A, structure.null_vector, root * eps * root)
        solve = partial(solve_scaled, L.T, root, lower=0)
        return Factor(solve, ERROR_FACTOR * n * EPS, structure.null_error, SUBTRACTION_FREE)

    def solve(
        self, labelled: Sequence[int], S: Array, target: float | None, start: float
    ) -> tuple[float, Array, Array]:
        """eps, H : (n, m) there and a bound of |error|."""
        wide = np.zeros((self.E.shape[1], S.shape[1]))
        wide[[self.place[i] for i in labelled]] = S
        if target is None:
            return start, *self.evaluate(start).responses(wide, 0.0)
        at, step = self._search(wide, target, start)
        H, error = at.responses(wide, step)
        norm, RH = float(np.linalg.norm(H)), at.twice @ wide
        slope, gap = float((H * RH).sum()) / norm, abs(norm - target)
        error = errors_on_sphere(error, gap, slope, at.eps, target, np.abs(RH))
        # H will be divided by its own norm.
        return at.eps + step, H, error + gap / target * np.abs(H)

    def _search(self, S: Array, target: float, start: float) -> tuple[Evaluation, float]:
        """An evaluation near the root and the step from there to it."""
        if not self.known:
            self.evaluate(start)
        # The responses lie between those of the null space alone, where Q + eps I is eps, and
        # those of a Q = 0; rounding must not put the root outside.
        low = float(np.linalg.norm(self.null.T @ S)) / target * (1 - 1e-9)
        high = float(np.linalg.norm(S)) / target * (1 + 1e-9)
        for _ in range(MAX_EVALUATIONS):
            curve = [(e, *e.norm_and_slope(S)) for e in self.known.values()]
            # The norm falls with eps: too large a norm means too small an eps.
            low = max([low, *(e.eps for e, norm, _ in curve if norm > target)])
            high = min([high, *(e.eps for e, norm, _ in curve if norm <= target)])
            curve.sort(key=lambda item: abs(log(item[1] / target)))
            best, norm, slope = curve[0]
            step = (target - norm) / slope
            if abs(step) <= STEP * best.eps:
                return best, step
            eps = _interpolated(curve[:NEAREST], target)
            if not low < eps < high:
                eps = best.eps + (norm - norm * (norm / target)) / slope
            if not low < eps < high:
                eps = sqrt(low) * sqrt(high)
            if eps in self.known:
                break
            self.evaluate(float(eps))
        return best, 0.0


def _interpolated(curve: Sequence[tuple[Evaluation, float, float]], target: float) -> float:
    """eps at the target, log eps being a polynomial in log norm; NaN with one point only."""
    x = [log(norm / target) for _, norm, _ in curve]
    if len(curve) < 2 or len(set(x)) < len(x):
        return float("nan")
    y = [log(evaluation.eps) for evaluation, _, _ in curve]
    slopes = [norm / (slope * evaluation.eps) for evaluation, norm, slope in curve]
    # A node that is given twice stands for its value and its slope.
    polynomial = KroghInterpolator(np.repeat(x, 2), np.column_stack([y, slopes]).ravel())
    value = float(polynomial(0.0))
    # Far outside the points a polynomial says nothing; the limit keeps exp in range.
    return exp(min(max(value, -600.0), 600.0))
