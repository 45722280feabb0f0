"""Many settings on one graph, P not I: in the basis P = U diag(mu) U' and without balance they are

    H = sum_j R(eps / mu_j) S u_j u_j' / mu_j,    R(e) = (Q + e I)^-1,

up to scale, so every setting is a mixture of one resolvent at a few shifts. Where the eigenbasis
(`mavr.experiments.grid.balanced`) does not settle every class, the resolvent is enclosed between
eliminations that all settings share, whatever their P is (`mavr.experiments.grid.enclosure`).
Classes are compared by the enclosure of the difference of their responses: what both have in common
cancels before rounding. What stays open is left to the general solver.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from mavr.experiments.grid.balanced import SLACK, Mixed, Wanted, in_eigenbasis
from mavr.experiments.grid.enclosure import LARGEST_SHIFT, Node, enclose, node
from mavr.experiments.grid.resolvents import Resolvents
from mavr.ties import Decision

# Neighbouring eliminations differ by this factor at first, and are not closer than the second.
FIRST_RATIO, LAST_RATIO = 3.0, 1.03


class Related:
    """All settings with a P on the graph and labels of `resolvents`, sharing its eliminations."""

    def __init__(self, resolvents: Resolvents) -> None:
        self.of = resolvents
        self.nodes: dict[float, Node] = {}

    def resolve(self, wanted: Sequence[Wanted]) -> list[Mixed | None]:
        """Settings with a P or with balance; None where a class stays open."""
        found = in_eigenbasis(self.of, wanted)
        self._enclose(found, wanted)
        return [
            # The bound of a root's responses is of first order in its shift.
            one if one and one.decision.certain and one.shift <= LARGEST_SHIFT * one.eps else None
            for one in found
        ]

    def _enclose(self, found: list[Mixed | None], wanted: Sequence[Wanted]) -> None:
        """Settle what is open, in place, with eliminations as close together as is needed."""
        open_ = {
            k: one
            for k, (one, asked) in enumerate(zip(found, wanted, strict=True))
            # Interchangeable classes tie: the general solver knows how.
            if not (one is None or one.decision.certain or asked.weight or asked.problem.orbits)
            and one.shift <= LARGEST_SHIFT * one.eps
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
