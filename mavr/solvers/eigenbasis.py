"""The problem in the eigenbasis of P (x) Q: O(nc) for one value of rho, O(n^2 c) for H.

    (gamma lam_i mu_j - rho) G_ij = Z_ij,   Z = V'YU,   H = V G U'

The class-balance term is C (x) 11' = B B' (x) 11', of rank c - 1. With b = V'1 and, per class
direction j, t_j = sum_i b_i^2 / d_ij and r_j = sum_i b_i Z_ij / d_ij, where d_ij = gamma lam_i mu_j
- rho, the Woodbury identity leaves one system of size c - 1:

    (I + balance B'U T U'B) w = B'U r,    G_ij = (Z_ij - balance b_i (U'B w)_j) / d_ij

(U'B here are the columns of B in the basis U.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mavr.solvers.problem import Problem
from mavr.solvers.secular import Root, find_root
from mavr.solvers.spectrum import Spectrum
from mavr.solvers.structure import EPS

Array = npt.NDArray[np.float64]


class NeedsWholeForm(Exception):
    """The lowest eigenvalue of the whole form is needed: balance has raised it above Q's own."""


@dataclass(frozen=True)
class Located:
    """rho = lowest - delta; `fill` is the hard case's step along the lowest eigenvector."""

    lowest: float
    delta: float
    steps: tuple[float, ...]
    fill: float = 0.0

    @property
    def rho(self) -> float:
        return self.lowest - self.delta


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

    @cached_property
    def _turned(self) -> Array:
        """B in the basis of P, (c, c-1)."""
        return np.asarray(self.problem.relation.U.T @ self.problem.relation.B)

    def coordinates(self, delta: float, Z: Array | None = None) -> Array:
        """G : (n, c) at rho = lowest - delta, for the labels or another right-hand side Z."""
        Z = self.Z if Z is None else Z
        d = self._gap + delta
        if not self.problem.balance:
            return Z / d
        b = self.spectrum.ones
        t = (b * b) @ (1 / d)
        r = b @ (Z / d)
        turned = self._turned
        K = np.eye(turned.shape[1]) + self.problem.balance * (turned.T * t) @ turned
        w = np.linalg.solve(K, turned.T @ r)
        return (Z - self.problem.balance * np.multiply.outer(b, turned @ w)) / d

    def responses(self, located: Located) -> Array:
        """H = V G U', (n, c)."""
        if located.delta > 0:
            G = self.coordinates(located.delta)
        else:
            G = self._hard_coordinates(located)
        H = self.spectrum.V @ G
        return H if self.problem.relation.identity else H @ self.problem.relation.U.T

    def error(self, located: Located, residual_norm: float, H: Array) -> float:
        """Bound of |error| of H, the whole and hence each entry.

        The resolvent has norm 1 / delta, so H is as far from the exact responses at this rho as
        its residual says, computed and rounded: each entry of QHP is a sum of n + c products.
        That is also how far |H| may be from tau, and moves rho, and with it H once more.
        """
        n, c = H.shape
        size = self.problem.size + abs(located.rho)
        rounding = (n + 2 * c + 8) * EPS * size * float(np.linalg.norm(H))
        if located.delta == 0:
            above = self._gap[~self._lowest_mask]
            return (residual_norm + rounding) / float(above.min(initial=size))
        at_rho = (residual_norm + rounding) / located.delta
        if self.problem.tau is None:
            return at_rho
        # dH/drho = RH, d|H|/drho = H'RH / |H|.
        G = self.coordinates(located.delta)
        RG = self.coordinates(located.delta, G)
        moved = np.linalg.norm(RG) * np.linalg.norm(G) / float((G * RG).sum())
        return at_rho * (1 + 2 * float(moved))

    def locate(self) -> Located:
        """rho: -1, or the root of |H(rho)| = tau, or the pole itself in the hard case."""
        tau = self.problem.tau
        if tau is None:
            return Located(self.lowest, self.lowest + 1.0, ())
        if self.problem.balance:
            return self._locate_balanced(tau)
        high = float(np.linalg.norm(self.Z)) / tau
        low_part = float(np.linalg.norm(self.Z[self._lowest_mask]))
        at_pole = 0.0 if low_part else float(np.linalg.norm(self._at_pole))
        # Equality would put the root at the pole itself, with nothing left to fill: not hard.
        if low_part or at_pole >= tau:
            root = find_root(self._norm_and_slope, low_part / tau - self._width, high, tau)
            return Located(self.lowest, root.delta, root.steps)
        return Located(self.lowest, 0.0, (), fill=float(np.sqrt(tau**2 - at_pole**2)))

    @cached_property
    def _at_pole(self) -> Array:
        """Coordinates at rho = lowest, Z being 0 in the lowest eigenspace."""
        return np.divide(self.Z, self._gap, out=np.zeros_like(self.Z), where=self.Z != 0)

    # More-Sorensen's hard case: no part of the labels lies in the lowest eigenspace and the rest
    # cannot reach tau before the pole, so rho is the pole and any lowest eigenvector completes the
    # norm.
    def _hard_coordinates(self, located: Located) -> Array:
        G = self._at_pole.copy()
        i, j = np.argwhere(self._lowest_mask)[0]
        sign = 1.0 if self.spectrum.ones[i] * self.problem.relation.U[:, j].sum() >= 0 else -1.0
        G[i, j] = sign * located.fill
        return G

    @cached_property
    def _width(self) -> float:
        """Poles this close to the lowest are one eigenspace: their difference is rounding."""
        if self.problem.structure.laplacian:
            return 0.0
        return 16 * self.spectrum.n * EPS * self.problem.size

    @cached_property
    def _lowest_mask(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self._gap <= self._width)

    @cached_property
    def _grouped(self) -> tuple[Array, Array]:
        """Squares of Z summed over equal poles: for P = I row norms of V'Y, not row sums."""
        groups = self.problem.relation.groups
        z2 = np.stack([(self.Z[:, list(g)] ** 2).sum(axis=1) for g in groups], axis=1)
        return z2, self._gap[:, [g[0] for g in groups]]

    def _norm_and_slope(self, delta: float) -> tuple[float, float]:
        z2, gap = self._grouped
        d = gap + delta
        # Scaled by the smallest denominator in use: 1/d^3 would overflow for d = 1e-110.
        least = float(d.min(where=z2 > 0, initial=np.inf))
        ratio = least / d
        weights = z2 * ratio * ratio
        size = float(np.sqrt(weights.sum()))
        return size / least, -float((weights * ratio).sum()) / size / least / least

    def _locate_balanced(self, tau: float) -> Located:
        high = float(np.linalg.norm(self.Z)) / tau
        low = self.problem.least_delta() * (1 - 1e-9)
        tiny = 64 * self.spectrum.n * EPS * self.problem.size
        if not low:
            # A root closer to Q's pole than this may as well lie beyond it.
            if self._balanced_norm_and_slope(tiny)[0] <= tau:
                raise NeedsWholeForm
            low = tiny
        root: Root = find_root(self._balanced_norm_and_slope, low, high, tau)
        return Located(self.lowest, root.delta, root.steps)

    def _balanced_norm_and_slope(self, delta: float) -> tuple[float, float]:
        G = self.coordinates(delta)
        norm = float(np.linalg.norm(G))
        slope = -float((G * self.coordinates(delta, G)).sum()) / norm if norm else 0.0
        return norm, slope
