"""Bounds of the error of responses that come with a residual: one for every solver.

`error_at` is the bound at a given rho, `error_on_sphere` and, entry by entry, `errors_on_sphere`
the ones on the sphere |H| = tau, where rho itself is known only as well as |H| is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mavr.arrays import EPS, Array

Numbers = float | Array
# Relative to delta, how far it may be off without a look at what is not linear in it: the square
# of this is below any rounding.
NEARLY_LINEAR = 1e-8


def error_at(
    residual: Numbers,
    norm: Numbers,
    size: float,
    shape: tuple[int, int],
    delta: float,
    eps: float = EPS,
) -> Numbers:
    """Bound of |H - exact H| at the same rho, for the whole or for each column.

    The resolvent has norm 1 / delta, so H is as far from the exact responses as its residual says,
    computed and rounded: each entry of QHP is a sum of n + c products.

    Parameters
    ----------
    residual : norm of (form - rho I) H - Y as computed.
    norm : of H.
    size : bound of the norm of the form, terms taken absolutely, and of |rho|.
    shape : (n, c) of H.
    delta : distance of rho from the lowest eigenvalue of the form, at least.
    eps : of the numbers that the residual was computed in.
    """
    if not delta > 0:
        return np.inf * np.ones_like(residual) if np.ndim(residual) else np.inf
    n, c = shape
    return (residual + (n + 2 * c + 8) * eps * size * norm) / delta


def error_on_sphere(
    at_rho: float, delta: float, tau: float, motion: Callable[[float], tuple[float, float, float]]
) -> float:
    """Bound of |H - exact H| with both on the sphere |H| = tau.

    |H| falls with delta. Where its value is beyond tau by more than its error, on either side of
    delta, the exact delta is enclosed; from end to end H moves by no more than |dH / ddelta| at the
    lower one. Two points of the sphere are at most 2 tau apart.

    Parameters
    ----------
    at_rho : bound of the error at this rho, see `error_at`.
    delta : distance of rho from the lowest eigenvalue.
    tau : norm of H.
    motion : |H|, -d|H| / ddelta and |dH / ddelta| at another delta, all decreasing.
    """
    norm, slope, _ = motion(delta)
    slack = at_rho + abs(norm - tau)
    width = 1.1 * slack / slope if slope > 0 else delta
    while width < delta / 2:
        # The error at rho grows as delta falls.
        slack = at_rho * delta / (delta - width)
        below, _, move = motion(delta - width)
        above, _, _ = motion(delta + width)
        if below - tau >= slack and tau - above >= slack:
            return min(at_rho + 2 * width * move + 4 * EPS * tau, 2 * tau)
        width *= 1.5
    return 2 * tau


def errors_on_sphere(
    error: Array,
    gap: float,
    slope: float,
    delta: float,
    tau: float,
    move: Array,
    norm: float = np.inf,
) -> Array:
    """Bound of |error| of each entry with H and the exact responses on the sphere |H| = tau.

    delta is off by as much as |H| is, divided by its slope. The slope falls no faster than delta^-3
    and H moves no faster than delta^-2: a quarter of delta is as far as that can be followed.

    Parameters
    ----------
    error : bound of |error| at this delta, entry by entry.
    gap : how far |H| is from tau.
    slope : -d|H| / ddelta.
    delta : distance of rho from the lowest eigenvalue.
    tau : norm of H.
    move : bound of |dH / ddelta|, entry by entry.
    norm : of the error at this delta, where it is known better than its entries are.
    """
    if error.max() < tau and slope > 0:
        off = 1.05 * (gap + min(norm, float(np.linalg.norm(error)))) / slope
        if off < delta / 4:
            off += 4 * off / delta * off
            if off > NEARLY_LINEAR * delta:
                # The resolvent of `move`, by its norm.
                move = move + 3 * off / delta * float(np.linalg.norm(move))
            return error + off * move
    # Two points of the sphere are at most 2 tau apart.
    return np.full((1, 1), 2 * tau)
