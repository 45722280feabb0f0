"""Bounds of |A^-1 r| for each entry, A = a Q + delta I of a sparse Laplacian.

A is an M-matrix: A^-1 >= 0. Where w > 0 and A w >= t > 0,

    |A^-1 r| <= max_k (|r_k| / t_k) w.

Far from the labels responses fall exponentially, and so must w: take it from s > 0 with A s = b,
b >= 0 the labels, as w = v (s / v)^p, 0 < p < 1, v the null vector. With u = s / v a row of Q s is
a sum of |Q_ij| v_j (u_i - u_j), and u^p is concave, so u_i^p - u_j^p >= p u_i^(p-1) (u_i - u_j):

    Q w >= p u^(p-1) Q s    hence    A w >= (1 - p) delta w + p (w / s) A s.

It bounds a column of a smaller weight a' = r a, too: A' w = r A w + (1 - r) delta w. Far away that
matters, where its own responses are faint beside those that rounding is relative to.

Any s will do whose A s is known to be nowhere far below 0. With 1 - p = 1 / log(max u / min u) the
bound follows the responses down to within a factor that grows as that logarithm only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mavr.arrays import EPS, Array
from mavr.solvers.problem import Problem
from mavr.solvers.sparse_state import SparseState

# Corrections of s; each gains the digits of a correction, and responses may fall below 1e-60.
MAX_CORRECTIONS = 16
# Of (1 - p) delta, the part that a residual of s may use up.
SHARE = 0.5
# Of a correction.
TOLERANCE = 1e-8


class System(Protocol):
    """weights_j Q + delta I, and a way to solve it."""

    @property
    def state(self) -> SparseState: ...
    @property
    def weights(self) -> Array: ...
    @property
    def delta(self) -> float: ...
    def times(self, X: Array) -> Array: ...
    def iterate(self, Z: Array, start: Array | None, tolerance: float) -> tuple[Array, bool]: ...


@dataclass(frozen=True)
class Comparison:
    """w and t of each group of columns, and its weight a; of_column : the group of a column."""

    w: Array
    t: Array
    weights: Array
    delta: float
    of_column: npt.NDArray[np.intp]
    component: npt.NDArray[np.int_]
    n_components: int

    def dominate(self, Z: Array) -> Array:
        """A bound of |A_j^-1| z_j, entry by entry, for Z >= 0."""
        bound = np.full(Z.shape, np.inf)
        for k, weight in enumerate(self.weights):
            columns = np.flatnonzero(self.weights[self.of_column] <= weight)
            r = self.weights[self.of_column[columns]] / weight
            w = self.w[:, [k]]
            t = r * self.t[:, [k]] + 0.99 * (1 - r) * self.delta * w
            bound[:, columns] = np.minimum(bound[:, columns], self._by(w, t, Z[:, columns]))
        return bound

    def _by(self, w: Array, t: Array, Z: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(Z > 0, Z / t, 0.0)
        if self.n_components == 1:
            return np.asarray(ratio.max(axis=0) * w)
        top = np.zeros((self.n_components, Z.shape[1]))
        np.maximum.at(top, self.component, ratio)
        top = top[self.component]
        return np.multiply(top, w, out=np.where(top > 0, np.inf, 0.0), where=w > 0)


def comparison(problem: Problem, A: System) -> Comparison:
    """w and t for each distinct eigenvalue of P, whose matrices are the columns of A."""
    structure, groups, delta = problem.structure, problem.relation.groups, A.delta
    Z = np.abs(problem.Y @ problem.relation.U)
    b = np.stack([Z[:, list(group)].sum(axis=1) for group in groups], axis=1)
    s, lowest = _supersolution(A, b)
    v = structure.null_vector
    assert v is not None
    # What no label of a group reaches has s = 0, and no residual either.
    reached = np.broadcast_to(A.state.reached_by(b), b.shape)
    w, t = np.zeros_like(s), np.zeros_like(s)
    for k in range(len(groups)):
        here = reached[:, k]
        if not here.any():
            continue
        u = s[here, k] / v[here]
        gap = 1 / max(2.0, float(np.log(u.max() / u.min())))
        w[here, k] = v[here] * u.max() * (u / u.max()) ** (1 - gap)
        # Powers and quotients are good to a few units in the last place, hence 0.99.
        slope = (1 - gap) * w[here, k] / s[here, k]
        t[here, k] = 0.99 * (gap * delta * w[here, k] + slope * np.minimum(lowest[here, k], 0.0))
    of_column = np.empty(Z.shape[1], dtype=np.intp)
    for k, group in enumerate(groups):
        of_column[list(group)] = k
    t = np.maximum(t, 0.0)
    return Comparison(
        w, t, A.weights, delta, of_column, structure.component, structure.n_components
    )


def _supersolution(A: System, b: Array) -> tuple[Array, Array]:
    """(s, lowest): s > 0 and a lower bound of A s, near b >= 0; one column for each group."""
    structure, delta = A.state.structure, A.delta
    v = structure.null_vector
    assert v is not None
    here = np.broadcast_to(A.state.reached_by(b), b.shape)
    terms = structure.terms + 8
    diagonal = A.weights * structure.Q.diagonal()[:, None]
    s = np.zeros_like(b)
    for _ in range(MAX_CORRECTIONS):
        As = A.times(s)
        # |Q| = 2 diag(Q) - Q for a Laplacian, and |A| |s| bounds what rounding does to A s.
        size = 2 * (diagonal + delta) * np.abs(s) - A.times(np.abs(s))
        usual = 1 / max(2.0, _depth(s / v[:, None], here))
        # On both sides: an s that is too large is of no use.
        R = np.where(here, b - As, 0.0)
        noise = terms * EPS * size
        fine = (s > 0) & (np.abs(R) + noise <= SHARE * usual * delta * s)
        if (fine | ~here).all():
            break
        # As in `mavr.solvers.approach`: what is settled must not set the scale.
        R[np.abs(R) <= noise] = 0.0
        s = s + A.iterate(R, None, TOLERANCE)[0]
    lowest = As - noise
    # Where s is not settled, a flat part lifts it: A v = delta v.
    usual = 1 / max(2.0, _depth(s / v[:, None], here))
    need = np.where(here, np.maximum(-s, (-lowest / delta - SHARE * usual * s)), 0.0)
    lift = np.maximum(need / v[:, None], 0.0).max(axis=0)
    if lift.any():
        s = s + 2 * lift * v[:, None]
        lowest = lowest + 2 * (1 - terms * EPS) * lift * delta * v[:, None]
        lowest = lowest - terms * EPS * (2 * diagonal) * 2 * lift * v[:, None]
    return s, lowest


def _depth(u: Array, here: npt.NDArray[np.bool_]) -> float:
    """log(max u / min u) over positive entries."""
    positive = u[here & (u > 0)]
    return float(np.log(positive.max() / positive.min())) if positive.size else 0.0
