"""The hard case: the labels have no part on the lowest eigenvector (z_1 = 0).

    minimise  |y - h|^2 + gamma h'Qh   subject to |h| = tau

A stationary point has (gamma Q - rho) h = y. It is the minimum only if gamma Q - rho is positive
semi-definite, rho <= gamma lam_1: for any other feasible x, with M = gamma Q - rho,

    f(x) - f(h) = (x - h)' M (x - h)

since |x| = |h|. Theorem 2 says where g has its one root, and that is right for every k0. The
sentence before it says that the smallest root of g gives the global minimum, and that is wrong
when k0 > 1: g has no term of the poles below k0, and its root may lie above gamma lam_1. Then a
step along v_1 has a negative square, and the minimum is at rho = gamma lam_1: h = M^+ y + t v_1,
with t such that |h| = tau (More and Sorensen 1983); both signs of t are minima.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.solvers.solution import Status
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import decompose
from mavr.theory.root import secular
from mavr.theory.volume import form, rotation


@dataclass(frozen=True)
class Comparison:
    """The root of the interval taken as it is, and the minimum, on one circle."""

    naive_rho: float
    naive_h: Array
    naive_objective: float
    rho: float
    minima: Array
    objective: float
    lowest: float
    hard: bool


def example(z1: float, turn: float = 0.5) -> tuple[Array, Array]:
    """(Q, y) in two dimensions: eigenvalues 0.5 and 2, y = z1 v_1 + v_2."""
    V = rotation(turn)
    return form([0.5, 2.0], V), V @ np.array([z1, 1.0])


def objective(Q: Array, y: Array, gamma: float, h: Array) -> Array:
    """f(h) for h : (..., n)."""
    return np.asarray(((y - h) ** 2).sum(axis=-1) + gamma * np.einsum("...i,ij,...j", h, Q, h))


def circle(tau: float, count: int = 361) -> tuple[Array, Array]:
    """Angles in degrees and the points of the circle |h| = tau."""
    degrees = np.linspace(0.0, 360.0, count)
    a = np.radians(degrees)
    return degrees, tau * np.stack([np.cos(a), np.sin(a)], axis=1)


def compare(Q: Array, y: Array, gamma: float, tau: float) -> Comparison:
    """The naive root beside the solver's minimum."""
    spectrum = decompose(Q)
    s = secular(spectrum, y[:, None], None, gamma, tau)
    M = gamma * Q - s.root * np.eye(len(Q))
    naive = np.asarray(np.linalg.solve(M, y), dtype=float)
    found = solve(spectrum, y[:, None], gamma=gamma, tau=tau)
    h = found.H[:, 0]
    minima = h[None, :]
    hard = found.status is Status.HARD_CASE
    if hard:
        v = spectrum.V[:, 0]
        minima = np.stack([h, h - 2 * (v @ h) * v])
    return Comparison(
        naive_rho=s.root,
        naive_h=naive,
        naive_objective=float(objective(Q, y, gamma, naive)),
        rho=float(found.rho),
        minima=minima,
        objective=float(objective(Q, y, gamma, h)),
        lowest=s.lowest,
        hard=hard,
    )
