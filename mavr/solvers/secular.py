"""The secular equation: the one rho at which the responses have the norm asked for.

    || H(rho) || = tau,    rho = lowest - delta,  delta > 0

where `lowest` is the smallest eigenvalue of the quadratic form. The norm falls from its pole at
delta = 0 to 0, so there is one root; Theorem 2 of the paper encloses it. The unknown is delta, not
rho: near the pole rho itself cannot be told from `lowest` in floating point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array

NORM_TOLERANCE = 1e-13
MAX_ITERATIONS = 200


@dataclass(frozen=True)
class Root:
    """delta, and the iterates that led to it."""

    delta: float
    steps: tuple[float, ...]


def falling_norm(z2: Array, gap: Array) -> Callable[[float], tuple[float, float]]:
    """The norm of z / (gap + delta) and its slope, by delta; z2 : squares of z, shaped as gap."""
    touched = z2 > 0

    def norm_and_slope(delta: float) -> tuple[float, float]:
        d = gap + delta
        # Scaled by the smallest denominator in use: 1/d^3 would overflow for d = 1e-110.
        least = float(d.min(where=touched, initial=np.inf))
        ratio = least / d
        weights = z2 * ratio * ratio
        size = float(np.sqrt(weights.sum()))
        return size / least, -float((weights * ratio).sum()) / size / least / least

    return norm_and_slope


def find_root(
    norm_and_slope: Callable[[float], tuple[float, float]],
    low: float,
    high: float,
    tau: float,
    tolerance: float = NORM_TOLERANCE,
    start: float | None = None,
) -> Root:
    """Root of norm(delta) = tau in (0, high], norm decreasing; `low` is below the root, maybe 0.

    Newton on 1/norm(delta) - 1/tau, which is nearly linear and concave (Hebden; More and Sorensen
    1983), kept inside a bracket by bisection on a logarithmic scale.
    """
    low = max(low * (1 - 1e-12), high * 1e-300, 1e-300)
    high = max(high * (1 + 1e-12), low)
    # From the left of the root Newton's steps are monotone, and low is close when one mode
    # dominates.
    delta = start if start is not None and low < start < high else low
    steps = []
    for _ in range(MAX_ITERATIONS):
        norm, slope = norm_and_slope(delta)
        steps.append(delta)
        if abs(norm / tau - 1) <= tolerance:
            break
        if norm > tau:
            low = max(low, delta)
        else:
            high = min(high, delta)
        newton = delta + (norm - norm * (norm / tau)) / slope if slope < 0 else -1.0
        # Strictly inside, else the step would repeat an end of the bracket.
        following = newton if low < newton < high else low**0.5 * high**0.5
        if following == delta or high <= low * (1 + 1e-16):
            break
        delta = following
    return Root(steps[-1], tuple(steps))
