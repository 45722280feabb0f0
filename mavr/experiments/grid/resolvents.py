"""Many settings on one graph, P = I and no balance: all are one resolvent at different shifts,

    H = (Q + eps I)^-1 Y,    eps = 1 / gamma, or the root of |H| = gamma tau

up to scale. The roots of all settings are found at once, their responses are one product with the
eigenvectors. Where that does not settle every class, eliminations at a few shifts enclose the
responses at all others (`mavr.experiments.grid.enclosure`). What stays open is left to the general
solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mavr.arrays import EPS, Array, Index, Mask
from mavr.experiments.grid.enclosure import LARGEST_SHIFT, Node, enclose, node, stacked
from mavr.experiments.newton import SharedNewton
from mavr.solvers.problem import make_problem
from mavr.solvers.secular import MAX_ITERATIONS, NORM_TOLERANCE
from mavr.solvers.spectrum import Spectrum
from mavr.ties import Decision, decide_all

# Responses of so many entries are held at once.
BLOCK_ENTRIES = 2**20


@dataclass(frozen=True, eq=False)
class Resolved:
    """Responses at one shift, up to scale; bound : (n, c) of |error|; shift : error of eps."""

    eps: float
    H: Array
    bound: Array
    shift: float
    decision: Decision


def find_roots(
    norm_and_slope: Callable[[Array, Index], tuple[Array, Array]],
    low: Array,
    high: Array,
    sizes: Array,
    tolerance: float = NORM_TOLERANCE,
) -> Array:
    """(m,) eps at which falling norms have the sizes : (m,), as `mavr.solvers.secular` finds one.

    norm_and_slope : of some eps, and of which of the m they are; low, high : (m,) below and above
    the roots; tolerance : of the norms, relative.
    """
    low = np.maximum(low, 1e-300)
    high = high.copy()
    eps, open_ = low.copy(), np.arange(len(sizes))
    for _ in range(MAX_ITERATIONS):
        now, size = eps[open_], sizes[open_]
        norm, slope = norm_and_slope(now, open_)
        left = norm > size
        low[open_[left]] = np.maximum(low[open_[left]], now[left])
        high[open_[~left]] = np.minimum(high[open_[~left]], now[~left])
        newton = now + (norm - norm * (norm / size)) / slope
        inside = (low[open_] < newton) & (newton < high[open_])
        following = np.where(inside, newton, np.sqrt(low[open_]) * np.sqrt(high[open_]))
        done = np.abs(norm / size - 1) <= tolerance
        done |= (following == now) | (high[open_] <= low[open_] * (1 + 1e-16))
        eps[open_[~done]] = following[~done]
        open_ = open_[~done]
        if not len(open_):
            break
    return eps


class Resolvents:
    """The labels Y : (n, c) >= 0 of one graph; spectrum : of its Laplacian Q."""

    def __init__(self, spectrum: Spectrum, Y: Array) -> None:
        self.spectrum, self.Y = spectrum, Y
        self.problem = make_problem(spectrum.structure, Y, None, 1.0, None, 0.0)
        self.labelled = self.problem.labelled
        self.S = Y[self.labelled]
        self.Z = spectrum.V[self.labelled].T @ self.S
        self.unreached = self.problem.unreached()

    def roots(self, sizes: Array) -> Array:
        """(m,) shifts at which |H| has the sizes : (m,), all found at once."""
        lam, z2 = self.spectrum.lam, (self.Z * self.Z).sum(axis=1)

        def norm_and_slope(now: Array, _: Index) -> tuple[Array, Array]:
            # Scaled by eps: 1 / (lam + eps)^3 would overflow for the smallest eps.
            ratio = now[:, None] / (lam + now[:, None])
            weights = z2 * ratio * ratio
            scaled = np.sqrt(weights.sum(axis=1))
            return scaled / now, -(weights * ratio).sum(axis=1) / scaled / now / now

        low = np.sqrt(z2[lam == 0].sum()) / sizes * (1 - 1e-12)
        high = np.sqrt(z2.sum()) / sizes * (1 + 1e-12)
        return find_roots(norm_and_slope, low, high, sizes)

    def volume(self, eps: float) -> float:
        """V of the responses at a shift."""
        lam = self.spectrum.lam
        G2 = ((self.Z / (lam + eps)[:, None]) ** 2).sum(axis=1)
        return float(lam @ G2) / float(G2.sum())

    def resolve(self, eps: Array, sizes: Array) -> list[Resolved]:
        """Responses at shifts eps : (m,), in their order; sizes : of roots, NaN elsewhere."""
        found: list[Resolved] = []
        constrained = np.isfinite(sizes)
        for part in self.blocks(len(eps)):
            found += self._in_eigenbasis(eps[part], constrained[part])
        # The bound of a root's responses is of first order in its shift.
        vague = [k for k, one in enumerate(found) if one.shift > LARGEST_SHIFT * one.eps]
        open_ = [k for k, one in enumerate(found) if not one.decision.certain]
        for k in vague:
            found[k] = self._searched(found[k], float(sizes[k]))
        for k, better in self._enclosed({k: found[k] for k in open_ if k not in vague}).items():
            found[k] = better
        return found

    def _in_eigenbasis(self, eps: Array, constrained: Mask) -> list[Resolved]:
        spectrum, n = self.spectrum, len(self.Y)
        gap = spectrum.lam[:, None] + eps
        G = self.Z[:, None, :] / gap[:, :, None]
        H = (spectrum.V @ G.reshape(n, -1)).reshape(G.shape)
        residual = spectrum.structure.times(H.reshape(n, -1)).reshape(G.shape)
        residual += eps[:, None] * H
        residual[self.labelled] -= self.S[:, None, :]
        # The resolvent has norm 1 / eps; the residual is rounded itself, as in
        # `mavr.experiments.responses`.
        size = (n + 8) * EPS * (spectrum.structure.norm + 2 * eps)[:, None]
        bound = np.linalg.norm(residual, axis=0) + size * np.linalg.norm(H, axis=0)
        bound /= eps[:, None]
        # How far |H| may be from its size moves eps, and with it H: dH / deps = -H / gap.
        moving = G / gap[:, :, None]
        slope = (G * moving).sum(axis=(0, 2)) / np.linalg.norm(G, axis=(0, 2))
        shift = np.where(constrained, np.linalg.norm(bound, axis=1) / slope, 0.0)
        bound = bound + 2 * shift[:, None] * np.linalg.norm(moving, axis=0)
        return self._resolved(eps, shift, H.transpose(1, 0, 2), bound[:, None, :])

    def _resolved(self, eps: Array, shift: Array, H: Array, bound: Array) -> list[Resolved]:
        """k answers; eps, shift : (k,), H : (k, n, c), bound : broadcasts to it."""
        for orbit in self.problem.orbits:
            H[:, :, list(orbit)] = H[:, :, list(orbit)].mean(axis=2, keepdims=True)
        decisions = decide_all(H, bound, self.unreached, self.problem.orbits)
        wide = np.broadcast_to(bound, H.shape)
        return [
            Resolved(float(eps[k]), H[k], wide[k], float(shift[k]), decision)
            for k, decision in enumerate(decisions)
        ]

    @cached_property
    def newton(self) -> SharedNewton:
        return SharedNewton(self.spectrum.structure, self.labelled.tolist())

    def _searched(self, one: Resolved, size: float) -> Resolved:
        """A root that the eigenbasis knows too little of, by elimination at each step."""
        eps, H, error = self.newton.solve(self.labelled.tolist(), self.S, size, one.eps)
        return self._resolved(np.array([eps]), np.zeros(1), H[None], error[None])[0]

    def _enclosed(self, open_: dict[int, Resolved]) -> dict[int, Resolved]:
        """Better answers: at the ends by elimination, in between enclosed, by halves."""
        order = sorted(open_, key=lambda k: open_[k].eps)
        if not order:
            return {}
        found: dict[int, Resolved] = {}
        nodes: dict[int, Node] = {}
        middles, gaps = [order[0], order[-1]], [(order[0], order[1:-1], order[-1])]
        while middles:
            self._eliminate({k: open_[k] for k in middles}, nodes, found)
            places = [(k, a, b) for a, between, b in gaps for k in between]
            for part in self.blocks(len(places)):
                some, before, after = zip(*places[part], strict=True)
                first, last = (stacked([nodes[k] for k in side]) for side in (before, after))
                enclosed = self._between(first, last, [open_[k] for k in some])
                found |= dict(zip(some, enclosed, strict=True))
            middles, halves = [], []
            for a, between, b in gaps:
                if left := [k for k in between if not found[k].decision.certain]:
                    half = len(left) // 2
                    middles.append(middle := left[half])
                    halves += [(a, left[:half], middle), (middle, left[half + 1 :], b)]
            gaps = halves
        return {k: one for k, one in found.items() if one.decision.certain}

    def blocks(self, count: int) -> list[slice]:
        """Parts of so many answers as `BLOCK_ENTRIES` allows at once."""
        step = max(1, BLOCK_ENTRIES // self.Y.size)
        return [slice(start, start + step) for start in range(0, count, step)]

    def _eliminate(
        self, some: dict[int, Resolved], nodes: dict[int, Node], found: dict[int, Resolved]
    ) -> None:
        """Nodes and answers by elimination at their own shifts."""
        for k, one in some.items():
            nodes[k], H, error = node(self.newton, one.eps, self.S)
            # A root moves by `shift`, and the responses with it.
            error = error + 2 * one.shift * np.abs(self.newton.evaluate(one.eps).twice @ self.S)
            found[k] = self._resolved(*_arrays([one]), H[None], error[None])[0]

    def _between(self, a: Node, b: Node, some: Sequence[Resolved]) -> list[Resolved]:
        """Each enclosed between its two nodes, and by the eigenbasis."""
        eps, shift = _arrays(some)
        low, high = enclose(a, b, eps[:, None, None], shift[:, None, None])
        for one, lower, upper in zip(some, low, high, strict=True):
            np.maximum(lower, one.H - one.bound, out=lower)
            np.minimum(upper, one.H + one.bound, out=upper)
        H, bound = (low + high) / 2, np.maximum(high - low, 0.0) / 2
        # Rounding of the ends themselves.
        return self._resolved(eps, shift, H, bound * (1 + 1e-9) + 1e-13 * H)


def _arrays(some: Sequence[Resolved]) -> tuple[Array, Array]:
    """eps and shift of each."""
    return np.array([one.eps for one in some]), np.array([one.shift for one in some])
