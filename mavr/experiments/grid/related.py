"""Many settings on one graph, P not I, no balance: in the basis P = U diag(mu) U' the responses are

    H = sum_j R(eps / mu_j) S u_j u_j' / mu_j,    R(e) = (Q + e I)^-1,

up to scale, so every setting is a mixture of one resolvent at a few shifts. The roots eps of all
settings with one P are found at once, and their responses are one product with the eigenvectors.
Where that does not settle every class, the resolvent is enclosed between eliminations that all
settings share, whatever their P is (`mavr.experiments.grid.enclosure`). Classes are compared by the
enclosure of the difference of their responses: what both have in common cancels before rounding.
What stays open is left to the general solver.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.experiments.grid.enclosure import LARGEST_SHIFT, Node, enclose, node
from mavr.experiments.grid.resolvents import Resolvents, roots
from mavr.solvers.problem import Problem, Relation
from mavr.solvers.structure import EPS
from mavr.ties import Decision, decide_all

# Neighbouring eliminations differ by this factor at first, and are not closer than the second.
FIRST_RATIO, LAST_RATIO = 3.0, 1.03
# Differences below this, relative to all that is summed up, are left to the general solver: U and
# mu are rounded, and what agrees even closer is a tie there.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Mixed:
    """Responses at one eps with one P, up to scale; shift : error of eps; volume : V of H."""

    relation: Relation
    eps: float
    shift: float
    H: Array
    volume: float
    decision: Decision


class Related:
    """All settings with a P on the labels of one graph.

    Parameters
    ----------
    resolvents : of the graph and the labels, whose eliminations are shared.
    """

    def __init__(self, resolvents: Resolvents) -> None:
        self.of = resolvents
        self.nodes: dict[float, Node] = {}

    def resolve(self, wanted: Sequence[tuple[Problem, float, float]]) -> list[Mixed | None]:
        """Settings (problem at gamma = 1, 1 / gamma, gamma tau or NaN); None where open."""
        found: list[Mixed | None] = [None] * len(wanted)
        groups: dict[bytes, list[int]] = {}
        for k, (problem, _, _) in enumerate(wanted):
            # Interchangeable classes tie: the general solver knows how.
            if not problem.orbits:
                groups.setdefault(problem.relation.P.tobytes(), []).append(k)
        for members in groups.values():
            relation = wanted[members[0]][0].relation
            eps, sizes = (np.array([wanted[k][i] for k in members]) for i in (1, 2))
            for part in self.of.blocks(len(members)):
                mixed = self._in_eigenbasis(relation, eps[part], sizes[part])
                for k, one in zip(members[part], mixed, strict=True):
                    found[k] = one
        self._enclose(found)
        return [one if one is not None and one.decision.certain else None for one in found]

    def _in_eigenbasis(self, relation: Relation, eps: Array, sizes: Array) -> list[Mixed]:
        of, mu = self.of, relation.mu
        spectrum, n = of.spectrum, len(of.Y)
        Z = spectrum.V[of.labelled].T @ (of.S @ relation.U)
        form = np.multiply.outer(spectrum.lam, mu)
        constrained = np.isfinite(sizes)
        eps = eps.copy()
        eps[constrained] = roots(form.ravel(), (Z * Z).ravel(), sizes[constrained])
        gap = form[:, None, :] + eps[:, None]
        G = Z[:, None, :] / gap
        H = (spectrum.V @ G.reshape(n, -1)).reshape(G.shape) @ relation.U.T
        residual = spectrum.structure.times(H.reshape(n, -1)).reshape(G.shape) @ relation.P
        residual += eps[:, None] * H
        residual[of.labelled] -= of.S[:, None, :]
        # As in `Resolvents`; P mixes the columns, so one bound serves all.
        norm = np.linalg.norm(H, axis=(0, 2))
        size = (n + 2 * len(mu) + 8) * EPS * (relation.norm * spectrum.structure.norm + 2 * eps)
        bound = (np.linalg.norm(residual, axis=(0, 2)) + size * norm) / eps
        moving = G / gap
        slope = (G * moving).sum(axis=(0, 2)) / np.linalg.norm(G, axis=(0, 2))
        shift = np.where(constrained, bound / slope, 0.0)
        bound = bound + 2 * shift * np.linalg.norm(moving, axis=(0, 2))
        squares = G * G
        volume = (form[:, None, :] * squares).sum(axis=(0, 2)) / squares.sum(axis=(0, 2))
        H = H.transpose(1, 0, 2)
        decisions = decide_all(H, bound[:, None, None], of.unreached, ())
        return [
            Mixed(relation, float(eps[k]), float(shift[k]), H[k], float(volume[k]), decision)
            for k, decision in enumerate(decisions)
        ]

    def _enclose(self, found: list[Mixed | None]) -> None:
        """Settle what is open, in place, with eliminations as close together as is needed."""
        open_ = {
            k: one
            for k, one in enumerate(found)
            if one is not None and not one.decision.certain and one.shift <= LARGEST_SHIFT * one.eps
        }
        if not open_:
            return
        shifts = np.concatenate([one.eps / one.relation.mu for one in open_.values()])
        # A little beyond: roots are known to +-shift.
        low, high = (1 - 1e-3) * shifts.min(), (1 + 1e-3) * shifts.max()
        count = 1 + int(np.ceil(np.log(high / low) / np.log(FIRST_RATIO)))
        places = np.geomspace(low, high, max(2, count)).tolist()
        while open_:
            for eps in places:
                if eps not in self.nodes:
                    self.nodes[eps] = node(self.of.newton, eps, self.of.S)[0]
            for k in list(open_):
                better = self._mixed(open_[k], places)
                if better.decision.certain:
                    found[k] = better
                    del open_[k]
            closer = self._between(open_, places)
            # Solving each of them alone takes an elimination for every mu.
            if not closer or len(closer) > sum(len(one.relation.mu) for one in open_.values()) / 2:
                return
            places = sorted([*places, *closer])

    def _between(self, open_: dict[int, Mixed], places: list[float]) -> list[float]:
        """Where to eliminate next: in the middle of every gap that an open setting looks at."""
        gaps = {
            min(bisect_right(places, e), len(places) - 1)
            for one in open_.values()
            for e in one.eps / one.relation.mu
        }
        return [
            float(np.sqrt(places[i - 1] * places[i]))
            for i in gaps
            if places[i] > LAST_RATIO * places[i - 1]
        ]

    def _mixed(self, one: Mixed, places: list[float]) -> Mixed:
        """One setting from the enclosures at its shifts."""
        relation, c = one.relation, len(one.relation.mu)
        lows, highs, weights = [], [], []
        for j, mu in enumerate(relation.mu):
            i = min(max(bisect_right(places, one.eps / mu), 1), len(places) - 1)
            ends = self.nodes[places[i - 1]], self.nodes[places[i]]
            low, high = enclose(*ends, float(one.eps / mu), float(one.shift / mu))
            lows.append(low * (1 - 1e-12))
            highs.append(high * (1 + 1e-12))
            weights.append(np.multiply.outer(relation.U[:, j], relation.U[:, j]) / mu)
        low, high, A = np.hstack(lows), np.hstack(highs), np.vstack(weights)
        middle = (low + high) / 2
        H = middle @ A
        slack = SLACK * (high @ np.abs(A)).max(axis=1)
        labels = H.argmax(axis=1)
        settled = self.of.unreached.copy()
        for best in range(c):
            rows = (labels == best) & ~settled
            # Least value of the best response less each other one.
            D = A[:, [best]] - np.delete(A, best, axis=1)
            least = low[rows] @ np.maximum(D, 0) - high[rows] @ np.maximum(-D, 0)
            settled[rows] = (least > slack[rows, None]).all(axis=1)
        labels = np.where(self.of.unreached, -1, labels)
        none = np.zeros(len(labels), dtype=bool)
        decision = Decision(labels, none, ~settled, bool(settled.all()))
        return Mixed(relation, one.eps, one.shift, H, one.volume, decision)
