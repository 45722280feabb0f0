"""The problem in the eigenbasis of P (x) Q: O(nc) for one value of rho, O(n^2 c) for H.

    (gamma lam_i mu_j - rho) G_ij = Z_ij,   Z = V'YU,   H = V G U'

The class balance (`mavr.solvers.balance`) sees the all-ones vector as b = V'1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mavr.arrays import EPS, Array, Mask
from mavr.solvers.balance import balance_projection
from mavr.solvers.bounds import error_at, error_on_sphere
from mavr.solvers.problem import Problem
from mavr.solvers.resolvent import Multiplier, Resolvent
from mavr.solvers.secular import falling_norm, find_root
from mavr.solvers.spectrum import Spectrum


class NeedsWholeForm(Exception):
    """The lowest eigenvalue of the whole form is needed: balance has raised it above Q's own."""


@dataclass(frozen=True)
class Eigenbasis:
    """One problem in the coordinates of its spectrum."""

    problem: Problem
    spectrum: Spectrum

    @cached_property
    def Z(self) -> Array:
        """V'YU, (n, c): only the labelled rows of V are read.

        What rounding leaves in the lowest eigenspace is removed: a root would chase it.
        """
        p = self.problem
        Z: Array = self.spectrum.V[p.labelled].T @ (p.Y[p.labelled] @ p.relation.U)
        noise = 16 * np.sqrt(self.spectrum.n) * EPS * np.linalg.norm(p.Y)
        if np.linalg.norm(Z[self._lowest_mask]) <= noise:
            Z[self._lowest_mask] = 0.0
        return Z

    @cached_property
    def poles(self) -> Array:
        """gamma lam_i mu_j, (n, c)."""
        return self.problem.gamma * np.multiply.outer(self.spectrum.lam, self.problem.relation.mu)

    @cached_property
    def lowest(self) -> float:
        return float(self.poles[0].min())

    @cached_property
    def _gap(self) -> Array:
        return self.poles - self.lowest

    def coordinates(self, delta: float, Z: Array | None = None) -> Array:
        """G : (n, c) at rho = lowest - delta, for the labels or another right-hand side Z."""
        Z = self.Z if Z is None else Z
        d = self._gap + delta
        problem = self.problem
        if not problem.balance:
            return Z / d
        b = self.spectrum.ones
        totals = (b * b) @ (1 / d)
        project = balance_projection(problem.relation, problem.balance, totals)
        return (Z - np.multiply.outer(b, project @ (b @ (Z / d)))) / d

    def denominators(self, delta: float) -> Array:
        """gamma lam_i mu_j - rho, (n, c)."""
        return self._gap + delta

    def volume(self, multiplier: Multiplier) -> float:
        """tr(H'QHP) / |H|^2, a sum of positive terms."""
        G = self._all_coordinates(multiplier)
        squares = G * G
        total = float(squares.sum())
        form = np.multiply.outer(self.spectrum.lam, self.problem.relation.mu)
        return float((form * squares).sum()) / total if total > 0 else 0.0

    def _all_coordinates(self, multiplier: Multiplier) -> Array:
        if multiplier.delta > 0:
            return self.coordinates(multiplier.delta)
        return self._hard_coordinates(multiplier)

    def responses(self, multiplier: Multiplier) -> Array:
        """H = V G U', (n, c)."""
        H = self.spectrum.combined(self._all_coordinates(multiplier))
        return H if self.problem.relation.identity else H @ self.problem.relation.U.T

    def error(
        self, multiplier: Multiplier, residual_norm: float, H: Array, eps: float = EPS
    ) -> float:
        """Bound of |error| of H, the whole and hence each entry; in the hard case, of its distance
        to the nearest minimum. eps : of the numbers that the residual was computed in."""
        tau, size = self.problem.tau, self.problem.size + abs(multiplier.rho)
        norm = float(np.linalg.norm(H))
        if multiplier.delta == 0:
            gap = float(self._gap[~self._lowest_mask].min(initial=size))
            return float(error_at(residual_norm, norm, size, H.shape, gap, eps))
        # Of a Laplacian the lowest eigenvalue is 0; else it is known to rounding only.
        delta = multiplier.delta - self.width
        at_rho = float(error_at(residual_norm, norm, size, H.shape, delta, eps))
        if tau is None:
            return at_rho
        return error_on_sphere(at_rho, multiplier.delta, tau, self._motion)

    def unsure_delta(self, multiplier: Multiplier, error: float) -> float:
        """How far delta may be from the exact one, where `error` is the bound on the sphere.

        It has room for H to move by |dH / ddelta|, which falls with delta, both ways.
        """
        return error / (2 * self._motion(multiplier.delta)[2])

    def _motion(self, delta: float) -> tuple[float, float, float]:
        """|H|, -d|H| / ddelta and |dH / ddelta|."""
        G = self.coordinates(delta)
        RG = self.coordinates(delta, G)
        norm = float(np.linalg.norm(G))
        return norm, float((G * RG).sum()) / norm, float(np.linalg.norm(RG))

    def locate(self) -> Multiplier:
        """rho: -1, or the root of |H(rho)| = tau, or the pole itself in the hard case."""
        tau = self.problem.tau
        if tau is None:
            return Multiplier(self.lowest, self.lowest + 1.0, ())
        if self.problem.balance:
            return self._locate_balanced(tau)
        high = float(np.linalg.norm(self.Z)) / tau
        low_part = float(np.linalg.norm(self.Z[self._lowest_mask]))
        at_pole = 0.0 if low_part else float(np.linalg.norm(self._at_pole))
        # Equality would put the root at the pole itself, with nothing left to fill: not hard.
        if low_part or at_pole >= tau:
            norm_and_slope = falling_norm(*self._grouped)
            root = find_root(norm_and_slope, low_part / tau - self.width, high, tau)
            return Multiplier(self.lowest, root.delta, root.steps)
        return Multiplier(self.lowest, 0.0, (), fill=float(np.sqrt(tau**2 - at_pole**2)))

    @cached_property
    def _at_pole(self) -> Array:
        """Coordinates at rho = lowest, Z being 0 in the lowest eigenspace."""
        return np.divide(self.Z, self._gap, out=np.zeros_like(self.Z), where=self.Z != 0)

    # More-Sorensen's hard case: no part of the labels lies in the lowest eigenspace and the rest
    # cannot reach tau before the pole, so rho is the pole and any lowest eigenvector completes the
    # norm.
    def _hard_coordinates(self, multiplier: Multiplier) -> Array:
        G = self._at_pole.copy()
        i, j = np.argwhere(self._lowest_mask)[0]
        sign = 1.0 if self.spectrum.ones[i] * self.problem.relation.U[:, j].sum() >= 0 else -1.0
        G[i, j] = sign * multiplier.fill
        return G

    @cached_property
    def width(self) -> float:
        """Poles this close to the lowest are one eigenspace: their difference is rounding."""
        if self.problem.structure.laplacian:
            return 0.0
        return 16 * self.spectrum.n * EPS * self.problem.size

    @cached_property
    def _lowest_mask(self) -> Mask:
        return np.asarray(self._gap <= self.width)

    @property
    def _grouped(self) -> tuple[Array, Array]:
        """Squares of Z summed over equal poles: for P = I row norms of V'Y, not row sums."""
        groups = self.problem.relation.groups
        z2 = np.stack([(self.Z[:, list(g)] ** 2).sum(axis=1) for g in groups], axis=1)
        return z2, self._gap[:, [g[0] for g in groups]]

    def _locate_balanced(self, tau: float) -> Multiplier:
        high = float(np.linalg.norm(self.Z)) / tau
        low = self.problem.least_delta() * (1 - 1e-9)
        tiny = 64 * self.spectrum.n * EPS * self.problem.size
        if not low:
            # A root closer to Q's pole than this may as well lie beyond it.
            if self._balanced_norm_and_slope(tiny)[0] <= tau:
                raise NeedsWholeForm
            low = tiny
        root = find_root(self._balanced_norm_and_slope, low, high, tau)
        return Multiplier(self.lowest, root.delta, root.steps)

    def _balanced_norm_and_slope(self, delta: float) -> tuple[float, float]:
        G = self.coordinates(delta)
        norm = float(np.linalg.norm(G))
        slope = -float((G * self.coordinates(delta, G)).sum()) / norm if norm else 0.0
        return norm, slope


@dataclass(frozen=True)
class InEigenbasis(Resolvent):
    """The resolvent by products with V, rho being separated from the lowest eigenvalue."""

    basis: Eigenbasis
    multiplier: Multiplier

    @property
    def problem(self) -> Problem:  # type: ignore[override]
        return self.basis.problem

    @property
    def name(self) -> str:
        return "eigenbasis"

    def columns(self, Z: Array) -> Array:
        V = self.basis.spectrum.V
        return np.asarray(V @ ((V.T @ Z) / self.basis.denominators(self.multiplier.delta)))

    def dominate(self, Z: Array) -> Array:
        # Entry by entry nothing is known but the norm.
        least = self.basis.denominators(self.multiplier.delta).min(axis=0) - self.basis.width
        return np.broadcast_to(np.linalg.norm(Z, axis=0) / least, Z.shape)
