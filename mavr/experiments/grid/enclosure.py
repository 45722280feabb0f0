"""Responses between two settings, enclosed without another elimination.

    h(eps) = ((Q + eps I)^-1 Y)_ij = integral of exp(-eps t) (exp(-tQ) Y)_ij dt,   Y >= 0

For a Laplacian Q, exp(-tQ) >= 0: every response is a Laplace transform of something positive, hence
log h is convex in eps. Between a and b it lies below the chord and above both tangents. So two
eliminations enclose all responses in between, however small they are, and the eigenbasis encloses
the large ones. A class is settled where the intersection of both settles it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.experiments.newton import SharedNewton

# What rounding may add to a slope h'/h. Numerator and denominator of h are polynomials in eps with
# coefficients >= 0 of degree n at most, so an error e of the diagonal moves h' by 2n e / eps of
# itself, and Cholesky's e / eps is at most 1e-9.
SLOPE_SLACK = 1e-4
# A root known less well than this, relative to itself, is searched by elimination.
LARGEST_SHIFT = 1e-4


@dataclass(frozen=True, eq=False)
class Node:
    """Logarithms of responses at one eps, from below and from above, and their steepest slope."""

    eps: float | Array
    low: Array
    high: Array
    slope: Array


def node(newton: SharedNewton, eps: float, S: Array) -> tuple[Node, Array, Array]:
    """The node at eps, with the responses there and a bound of |error|."""
    at = newton.evaluate(eps)
    H, error = at.responses(S, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.log(H - error), np.log(H + error)
        slope = -(at.twice @ S) / H * (1 + SLOPE_SLACK)
    # Where nothing but an upper end is known, the lower one is 0.
    unheard = error >= H
    low[unheard] = slope[unheard] = -np.inf
    # A class without labels responds nowhere: its column is 0 at every eps.
    high[:, ~S.any(axis=0)] = -np.inf
    return Node(eps, low, high, slope), H, error


def stacked(nodes: Sequence[Node]) -> Node:
    """k nodes as one whose arrays begin with an axis of length k."""
    low, high, slope = (np.stack([getattr(n, f) for n in nodes]) for f in ("low", "high", "slope"))
    return Node(np.array([n.eps for n in nodes])[:, None, None], low, high, slope)


def enclose(a: Node, b: Node, eps: float | Array, shift: float | Array) -> tuple[Array, Array]:
    """Lower and upper ends of the responses at an eps between two nodes, known to +-shift."""
    left, right = np.maximum(eps - shift, a.eps), np.minimum(eps + shift, b.eps)
    t = (left - a.eps) / (b.eps - a.eps)
    with np.errstate(invalid="ignore"):
        # h falls with eps: the least eps has the largest responses.
        upper = a.high + t * (b.high - a.high)
        # Slopes steepen to the left: that of b, taken steeper, would be too high to its left, so
        # it is used the other way round, with the slack taken off.
        flat = b.slope / (1 + SLOPE_SLACK) ** 2
        lower = np.fmax(a.low + a.slope * (right - a.eps), b.low - flat * (b.eps - right))
        lower, upper = np.exp(lower), np.exp(upper)
    # Where nothing is heard at one node: -inf less -inf.
    lower[np.isnan(lower)] = upper[np.isnan(upper)] = 0.0
    return lower, upper
