"""Many settings on one graph, with balance or without, whatever P and the prior are.

Divided by gamma, with eps = -rho / gamma and weight = balance / gamma, the responses H obey

    Q H P + eps H + 1 w' = Y,    w = weight C H'1,

and in the eigenbasis of P (x) Q they are one division but for w, which takes a system of size c - 1
(`mavr.solvers.balance`). So the roots eps of all settings with one P and prior are found at once,
and their responses are one product with the eigenvectors.

The form has the null vector v p', v being Q's and p the prior, and beyond it nothing below

    g a^2 / (g + weight n) weight,    g = least mu times the second eigenvalue of Q,  a = v'1 / |v|,

by the Rayleigh quotients in the plane of v and 1. So a residual R moves H by |R| / eps along v p'
and by |R| / (eps + that) elsewhere. Two responses of a point differ along v p' by p_j - p_k only:
by nothing for equal proportions. A class is certain if its lead over all others is beyond that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mavr.arrays import EPS, TINY, Array, Index
from mavr.experiments.grid.resolvents import Resolvents, find_roots
from mavr.solvers.problem import Problem, Relation
from mavr.ties import Decision

# A root is taken where the norm is so close to its size; what is left is part of the bound.
TOLERANCE = 1e-12
# Differences below this, relative to all that is summed up, are left to the general solver: U and
# mu are rounded, and what agrees even closer is a tie there.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Wanted:
    """A setting: its problem at gamma = balance = 1; eps = 1 / gamma; weight = balance / gamma;
    size = gamma tau, NaN without a constraint.
    """

    problem: Problem
    eps: float
    weight: float
    size: float


@dataclass(frozen=True, eq=False)
class Mixed:
    """Responses at one eps with one P, up to scale; shift : error of eps; volume : V of H."""

    relation: Relation
    eps: float
    shift: float
    H: Array
    volume: float
    decision: Decision


def in_eigenbasis(of: Resolvents, wanted: Sequence[Wanted]) -> list[Mixed | None]:
    """Responses, those of one P and prior together; None where |H| need not reach its size."""
    found: list[Mixed | None] = [None] * len(wanted)
    groups: dict[tuple[bytes, bytes], list[int]] = {}
    for k, one in enumerate(wanted):
        relation = one.problem.relation
        groups.setdefault((relation.P.tobytes(), relation.prior.tobytes()), []).append(k)
    for members in groups.values():
        family = Family(of, wanted[members[0]].problem)
        for part in of.blocks(len(members)):
            some = members[part]
            numbers = ([getattr(wanted[k], f) for k in some] for f in ("eps", "weight", "size"))
            for k, answer in zip(some, family.resolve(*map(np.array, numbers)), strict=True):
                found[k] = answer
    return found


@dataclass(frozen=True, eq=False)
class Shifted:
    """m forms. inverse : (n, m, 1 or c) of its eigenvalues without balance, t : (m, 1 or c) totals
    of the columns for a right-hand side of ones, project : (m, c, c) from sums to w.
    """

    inverse: Array
    t: Array
    project: Array


class Family:
    """All settings with the P and the prior of `problem`, on the graph and the labels `of`."""

    def __init__(self, of: Resolvents, problem: Problem) -> None:
        relation, spectrum = problem.relation, of.spectrum
        self.of, self.relation, self.orbits = of, relation, problem.orbits
        self.mu = relation.mu[:1] if relation.identity else relation.mu
        self.form = np.multiply.outer(spectrum.lam, self.mu)
        self.Z = of.Z if relation.identity else of.Z @ relation.U
        self.b, self.turned = spectrum.ones, relation.U.T @ relation.B
        structure = spectrum.structure
        v = structure.null_vector
        assert v is not None
        self.v = v / np.linalg.norm(v)
        noise = 4 * spectrum.n * EPS * structure.norm
        # Of several components each has a null vector: no eigenvalue beyond the first is known.
        self.connected = structure.n_components == 1 and spectrum.n > 1
        second = float(spectrum.lam[1]) - noise if self.connected else 0.0
        self.gap = max(float(self.mu.min()) * second, 0.0)
        # The part along the null vectors and the prior, which balance does not see.
        lowest = self.Z[spectrum.lam == 0] @ (relation.U.T @ relation.prior)
        self.least = float(np.linalg.norm(lowest))

    def resolve(self, eps: Array, weights: Array, sizes: Array) -> Sequence[Mixed | None]:
        """Answers at some settings : (m,) each."""
        constrained, whole = np.isfinite(sizes), float(np.linalg.norm(self.Z))
        if constrained.any() and self.least <= 1e-9 * whole:
            # Only classes of proportion 0 are labelled: |H| need not grow without end.
            return [None] * len(eps)
        eps = eps.copy()
        eps[constrained] = self.roots(weights[constrained], sizes[constrained])
        at = self._at(eps, weights)
        G, w = self._coordinates(self.Z[:, None, :], at)
        n = len(G)
        H = (self.of.spectrum.V @ G.reshape(n, -1)).reshape(G.shape)
        if not self.relation.identity:
            H, w = H @ self.relation.U.T, w @ self.relation.U.T
        along, rest = self._errors(at, H, w, eps, weights)
        motion = self._motion(at, G, along + rest, H, sizes)
        shift = np.where(constrained, motion[0], 0.0)
        along, rest = along + 2 * shift * motion[1], rest + 2 * shift * motion[2]
        squares = G * G
        volume = (self.form[:, None, :] * squares).sum(axis=(0, 2)) / squares.sum(axis=(0, 2))
        H = np.ascontiguousarray(H.transpose(1, 0, 2))
        decisions = self._decided(H, along, rest)
        return [
            Mixed(self.relation, float(eps[k]), float(shift[k]), H[k], float(volume[k]), decision)
            for k, decision in enumerate(decisions)
        ]

    def roots(self, weights: Array, sizes: Array) -> Array:
        """(m,) eps at which |H| has the sizes : (m,)."""

        def norm_and_slope(now: Array, some: Index) -> tuple[Array, Array]:
            at = self._at(now, weights[some])
            G, _ = self._coordinates(self.Z[:, None, :], at)
            norm, product = self._norm_and_product(at, G)
            return norm, -product / norm

        low = self.least / sizes * (1 - 1e-9)
        high = np.linalg.norm(self.Z) / sizes * (1 + 1e-12)
        return find_roots(norm_and_slope, low, high, sizes, TOLERANCE)

    def _at(self, eps: Array, weights: Array) -> Shifted:
        inverse = 1 / (self.form[:, None, :] + eps[:, None])
        t = np.tensordot(self.b * self.b, inverse, 1)
        turned, weight = self.turned, weights[:, None, None]
        K = np.eye(turned.shape[1]) + weight * ((turned.T * t[:, None, :]) @ turned)
        return Shifted(inverse, t, weight * (turned @ np.linalg.solve(K, turned.T)))

    def _coordinates(self, Z: Array, at: Shifted) -> tuple[Array, Array]:
        """G : (n, m, c) for the right-hand sides Z, which broadcast to it, and w : (m, c)."""
        sums = np.tensordot(self.b, Z * at.inverse, 1)
        w = (at.project @ sums[:, :, None])[:, :, 0]
        return (Z - self.b[:, None, None] * w) * at.inverse, w

    def _norm_and_product(self, at: Shifted, G: Array) -> tuple[Array, Array]:
        """|H| and the product of H with the inverse form of H, (m,)."""
        moved = G * at.inverse
        sums = np.tensordot(self.b, moved, 1)
        balance = (sums[:, None, :] @ at.project @ sums[:, :, None])[:, 0, 0]
        return np.sqrt((G * G).sum(axis=(0, 2))), (G * moved).sum(axis=(0, 2)) - balance

    def _errors(
        self, at: Shifted, H: Array, w: Array, eps: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Bounds of |error| at this eps, along the null vector and of all else, (m,) each."""
        (n, _, c), of, relation = H.shape, self.of, self.relation
        structure, p = of.spectrum.structure, relation.prior
        residual = structure.times(H.reshape(n, -1)).reshape(H.shape)
        residual = residual @ relation.P + eps[:, None] * H + w
        residual[of.labelled] -= of.S[:, None, :]
        norm = np.linalg.norm(H, axis=(0, 2))
        rounding = (n + 2 * c + 8) * EPS * (relation.norm * structure.norm + 2 * eps) * norm
        rounding += structure.null_error * norm
        size_of_w = np.linalg.norm(w, axis=1)
        rounding += 8 * EPS * (np.sqrt(n) * size_of_w + np.linalg.norm(of.S))
        whole = np.linalg.norm(residual, axis=(0, 2)) + rounding
        # How far w is from what it should be for this H: the inverse form takes 1 to the columns
        # of 1, divided by 1 + weight t.
        total = H.sum(axis=0)
        off = weights[:, None] * (total - (total @ p)[:, None] * p) - w
        unsure = np.linalg.norm(off, axis=1) + 8 * EPS * size_of_w
        unsure += weights * (n + 16) * EPS * np.sqrt(n) * norm
        ones = np.sqrt(np.tensordot(self.b * self.b, at.inverse * at.inverse, 1).max(axis=1))
        through_w = 1.01 * ones / (1 + weights * at.t.min(axis=1)) * unsure
        if not self.connected:
            return np.zeros_like(eps), whole / eps + through_w
        a = float(self.v.sum())
        beyond = weights * a * a * self.gap / (self.gap + weights * n + TINY)
        # Without balance the prior is nothing special.
        along = np.where(weights > 0, whole / eps, 0.0)
        return along, whole / (eps + 0.99 * beyond) + through_w

    def _motion(
        self, at: Shifted, G: Array, error: Array, H: Array, sizes: Array
    ) -> tuple[Array, Array, Array]:
        """How far eps may be from the root, and |dH / deps| along the null vector and elsewhere."""
        moving, _ = self._coordinates(G, at)
        slope = (G * moving).sum(axis=(0, 2)) / np.linalg.norm(G, axis=(0, 2))
        gap = np.abs(np.linalg.norm(H, axis=(0, 2)) - sizes) + 64 * EPS * sizes
        shift = 1.1 * (error + gap) / slope
        along = np.zeros(len(error))
        if self.connected:
            p = self.relation.U.T @ self.relation.prior
            along = moving[0] @ p
            moving[0] -= along[:, None] * p
        return shift, np.abs(along), np.linalg.norm(moving, axis=(0, 2))

    def _decided(self, H: Array, along: Array, rest: Array) -> list[Decision]:
        """Classes of responses H : (m, n, c), certain where the lead of each is."""
        c, unreached, p = H.shape[2], self.of.unreached, self.relation.prior
        for orbit in self.orbits:
            H[:, :, list(orbit)] = H[:, :, list(orbit)].mean(axis=2, keepdims=True)
        best = H.argmax(axis=2)
        lead = np.take_along_axis(H, best[:, :, None], axis=2) - H
        # Errors of two entries of one row are sqrt(2) times that of the whole at most.
        bound = SLACK * np.abs(H).max(axis=2) + np.sqrt(2) * rest[:, None]
        tilt = np.abs(p[best][:, :, None] - p) * (along[:, None] * self.v)[:, :, None]
        member = np.arange(c)
        for orbit in self.orbits:
            member[list(orbit)] = orbit[0]
        alike = member[best][:, :, None] == member
        settled = ((lead > bound[:, :, None] + tilt) | alike).all(axis=2) | unreached
        labels = np.where(unreached, -1, alike.argmax(axis=2))
        ties = (alike.sum(axis=2) > 1) & ~unreached
        return [
            Decision(labels[k], ties[k], ~settled[k], bool(settled[k].all())) for k in range(len(H))
        ]
