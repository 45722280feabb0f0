"""Theorem 2: where rho is, and how it is found.

    g(rho) = |H(rho)|^2 - tau^2,    |H(rho)|^2 = sum_k z_k^2 / (gamma lam_k - rho)^2

over the eigenvalues lam_1 <= lam_2 <= ... of P (x) Q, z_k the part of the labels on the k-th
eigenvector. Let k0 be the first k with z_k != 0. On [rho0, gamma lam_k0) with

    rho0 = gamma lam_k0 - |Y| / tau

g rises from at most 0 (every denominator is at least |Y| / tau there) to infinity, so it has
exactly one root. This is Theorem 2, and it is right. The sentence before it, that the smallest root
of g gives the global minimum, holds as long as the root is at most gamma lam_1; see `hard`.

The proof prints g'(rho) = sum_k 2 z_k^2 / (gamma lam_k - rho)^3 - tau^2. The constant -tau^2 has no
place in a derivative; with it, g' is negative for rho far enough to the left, where g rises too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mavr.arrays import EPS, Array
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import Problem, make_problem
from mavr.solvers.secular import Root, falling_norm, find_root
from mavr.solvers.spectrum import Spectrum


@dataclass(frozen=True)
class Secular:
    """poles : (m,) gamma lam_k, increasing, equal ones merged; weights : (m,) their z_k^2."""

    poles: Array
    weights: Array
    tau: float

    @cached_property
    def first(self) -> int:
        """Index among the poles of the first one the labels touch: k0, counted from 0."""
        return int(np.flatnonzero(self.weights > 0)[0])

    @property
    def lowest(self) -> float:
        return float(self.poles[0])

    @property
    def size(self) -> float:
        """|Y|."""
        return float(np.sqrt(self.weights.sum()))

    @property
    def interval(self) -> tuple[float, float]:
        """[rho0, gamma lam_k0)."""
        top = float(self.poles[self.first])
        return top - self.size / self.tau, top

    @property
    def far_left(self) -> float:
        """A rho ten times as far from the pole as rho0."""
        low, high = self.interval
        return high - 10 * (high - low)

    def norm(self, rho: npt.ArrayLike) -> Array:
        """|H(rho)| for one rho or many."""
        rho = np.atleast_1d(np.asarray(rho, dtype=float))
        touched = self.weights > 0
        gap = self.poles[touched] - rho[:, None]
        # Exactly at a pole the norm has no value; nearby it is as large as numbers go.
        gap = np.where(gap == 0, np.finfo(float).tiny ** 0.25, gap)
        return np.asarray(np.sqrt((self.weights[touched] / gap**2).sum(axis=1)))

    def g(self, rho: npt.ArrayLike) -> Array:
        return self.norm(rho) ** 2 - self.tau**2

    def slope(self, rho: float) -> float:
        """g'(rho)."""
        touched = self.weights > 0
        return float((2 * self.weights[touched] / (self.poles[touched] - rho) ** 3).sum())

    def printed_slope(self, rho: float) -> float:
        """g'(rho) as the proof of Theorem 2 prints it."""
        return self.slope(rho) - self.tau**2

    def find(self, from_left: bool = False) -> Root:
        """The root of the interval, as delta = gamma lam_k0 - rho, with the iterates.

        The solver starts at the lower bound of delta; `from_left` starts at rho0 instead, the other
        end of the interval.
        """
        z2, d = self.weights[self.first :], self.poles[self.first :] - self.poles[self.first]
        low, high = float(np.sqrt(z2[0])) / self.tau, self.size / self.tau
        start = high * (1 - 1e-9) if from_left else None
        return find_root(falling_norm(z2, d), low, high, self.tau, start=start)

    @cached_property
    def root(self) -> float:
        """rho of the root in the interval."""
        return float(self.poles[self.first]) - self.find().delta


def secular(
    spectrum: Spectrum, Y: npt.ArrayLike, P: npt.ArrayLike | None, gamma: float, tau: float
) -> Secular:
    """The secular equation of a problem without class balance."""
    problem = make_problem(spectrum.structure, Y, P, gamma, tau, 0.0)
    basis = Eigenbasis(problem, spectrum)
    return merged(basis.poles.ravel(), (basis.Z**2).ravel(), tau, noise(problem))


def noise(problem: Problem) -> float:
    """z_k^2 that rounding alone may leave."""
    return float(256 * problem.structure.n * EPS**2 * (problem.Y**2).sum())


def merged(poles: Array, weights: Array, tau: float, negligible: float) -> Secular:
    """Equal poles as one; a weight that is rounding noise as 0."""
    order = np.argsort(poles, kind="stable")
    poles, weights = poles[order], weights[order]
    width = 16 * EPS * len(poles) * max(float(poles[-1]), np.finfo(float).tiny)
    starts = np.flatnonzero(np.r_[True, np.diff(poles) > width])
    summed = np.add.reduceat(weights, starts)
    return Secular(poles[starts], np.where(summed > negligible, summed, 0.0), tau)


def shortcut(spectrum: Spectrum, Y: Array, gamma: float, tau: float) -> Secular:
    """The equation of the paper's shortcut for P = I, z = V'Y1: sums over the classes, not row
    norms."""
    z = spectrum.V.T @ Y.sum(axis=1)
    problem = make_problem(spectrum.structure, Y, None, gamma, tau, 0.0)
    return merged(gamma * spectrum.lam, z**2, tau, noise(problem))


def effective_alpha(gamma: float, rho: float) -> float:
    """For P = I, LGC with this alpha predicts the same: gamma / (gamma - rho)."""
    return gamma / (gamma - rho)
