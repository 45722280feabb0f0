"""Many settings on one graph. With P = I and no balance every method is a resolvent of Q,

    H = (Q + eps I)^-1 E S,      E = columns of I at the labelled points,

up to scale: LGC has eps = 1/gamma and S the one-hot labels; MAVR the same S and the eps at which
|H| = gamma tau; BAVR, for each class, a column S of signs and the eps at which |H| = gamma tau /
sqrt(c). So all that differs between settings is eps. With a spectrum it costs O(n) to find; without
one a Cholesky factorisation at any eps says how large *every* response is there, so the Newton
iterations of all methods help each other. Responses come from the eigenbasis where its error bound
settles each class, else by elimination at eps, all labels that share the eps in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.experiments.newton import Shared
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import Parameters, norm
from mavr.solvers.secular import find_root
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import spectrum_of
from mavr.solvers.structure import EPS, Structure
from mavr.ties import decide

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
# Labelled points, S, target, eps.
Key = tuple[tuple[int, ...], bytes, float | None, float]

# Part of a class's signs in the null space of Q, below which the general solver looks for the
# hard case.
LEAST_PART = 1e-9
# gamma tau is rounded to this many digits, so that a sweep over gamma and one over tau meet.
TARGET_DIGITS = 12


@dataclass(frozen=True)
class Case:
    """One solve: a method, the labelled points with their classes, and the parameters."""

    method: str
    labelled: tuple[int, ...]
    classes: tuple[int, ...]
    n_classes: int
    parameters: Parameters

    @property
    def Y(self) -> Array:
        """(l, c) one-hot labels of the labelled points."""
        return np.eye(self.n_classes)[list(self.classes)]


@dataclass(frozen=True)
class Outcome:
    """What a solve says of each point. rho : mean over the classes for BAVR."""

    labels: npt.NDArray[np.int_]
    ties: Mask
    unreached: Mask
    rho: float


@dataclass(frozen=True)
class Piece:
    """Responses to find: S : (l, m) on labelled points; target : norm of H, or None and eps."""

    labelled: tuple[int, ...]
    S: Array
    target: float | None
    eps: float

    @property
    def key(self) -> Key:
        return (self.labelled, self.S.tobytes(), self.target, self.eps)


def run_batch(graph: Graph, cases: Sequence[Case], spectral: bool) -> list[Outcome]:
    """Outcomes of the cases, in their order; `spectral` if many of them share the graph."""
    solver = Batch(graph, spectral)
    pieces = {case: solver.pieces(case) for case in cases}
    solver.prepare([piece for some in pieces.values() for piece in some or ()])
    return [
        solver.join(case, some) if (some := pieces[case]) else general(graph, case)
        for case in cases
    ]


def known_structure(graph: Graph) -> Structure:
    """What `inspect` would find out about the Laplacian of a dense similarity."""
    Q = graph.Q
    n_components, component = _components(graph.W)
    norm = 2 * float(Q.diagonal().max())
    return Structure(np.asarray(Q), norm, component, n_components, True, Q.null_vector, 0.0)


def _components(W: Array) -> tuple[int, npt.NDArray[np.int_]]:
    """Number of components and the component of each point; a few steps on a dense graph."""
    component = np.full(len(W), -1)
    count = 0
    while (left := np.flatnonzero(component < 0)).size:
        reached = np.zeros(len(W), dtype=bool)
        front = left[:1]
        while front.size:
            reached[front] = True
            front = np.flatnonzero((W[front] > 0).any(axis=0) & ~reached)
        component[reached] = count
        count += 1
    return count, component


def general(graph: Graph, case: Case) -> Outcome:
    """Any method and any parameters, by its own solver."""
    Y = np.zeros((graph.n, case.n_classes))
    Y[list(case.labelled)] = case.Y
    solution: Solution = METHODS[case.method].run(graph, Y, case.parameters)
    rho = float(np.mean(solution.rho))
    return Outcome(solution.labels, solution.ties, solution.unreached, rho)


@dataclass
class Found:
    """A piece solved: its eps, H : (n, m) of norm 1, and bounds of |error|, (n, m)."""

    eps: float
    H: Array
    error: Array


class Batch:
    """Solves pieces on one graph, each once."""

    def __init__(self, graph: Graph, spectral: bool) -> None:
        self.graph = graph
        self.spectral = spectral
        self._eps: dict[Key, float] = {}
        self._points: dict[float, set[int]] = {}
        self._by_eps: dict[float, Shared] = {}
        self._coarse: dict[Key, Found] = {}
        self._exact: dict[Key, Found] = {}

    @cached_property
    def structure(self) -> Structure:
        return spectrum_of(self.graph).structure if self.spectral else known_structure(self.graph)

    @cached_property
    def _null(self) -> Array:
        """(n, components) orthonormal null vectors of a Laplacian, one on each component."""
        null = np.zeros((self.graph.n, self.structure.n_components))
        null[np.arange(self.graph.n), self.structure.component] = self.structure.null_vector
        return null / np.linalg.norm(null, axis=0)

    def pieces(self, case: Case) -> tuple[Piece, ...] | None:
        """What the case asks for, or None if only the general solver can answer it."""
        p = case.parameters
        plain = (
            case.method in PIECES
            and p.P is None
            and p.tau is not None
            and (not p.balance or case.method == "lgc")
        )
        labelled_all = len(set(case.classes)) == case.n_classes > 1
        if not plain or not labelled_all or sp.issparse(self.graph.W):
            return None
        pieces = PIECES[case.method](case)
        if not self.structure.laplacian or not all(self._easy(piece) for piece in pieces):
            return None
        return pieces

    def _easy(self, piece: Piece) -> bool:
        if (piece.S >= 0).all():
            return True
        part = self._null[list(piece.labelled)].T @ piece.S
        return bool(np.linalg.norm(part) > LEAST_PART * np.linalg.norm(piece.S))

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Find every eps, then the responses, those of one eps together."""
        wanted = list({piece.key: piece for piece in pieces}.values())
        if self.spectral:
            for piece in wanted:
                eps = self._eps[piece.key] = self._root(piece)
                self._points.setdefault(eps, set()).update(piece.labelled)
                self._coarse[piece.key] = self._in_eigenbasis(piece, eps)
            return
        shared = Shared(self.structure, sorted({i for piece in wanted for i in piece.labelled}))
        for piece in sorted(wanted, key=lambda piece: piece.target is not None):
            found = shared.solve(piece.labelled, piece.S, piece.target, piece.eps)
            self._exact[piece.key] = _unit(*found)

    def _root(self, piece: Piece) -> float:
        if piece.target is None:
            return piece.eps
        spectrum = spectrum_of(self.graph)
        z2 = ((spectrum.V[list(piece.labelled)].T @ piece.S) ** 2).sum(axis=1)
        lam = spectrum.lam

        def norm_and_slope(eps: float) -> tuple[float, float]:
            # Scaled by eps: 1 / (lam + eps)^3 would overflow for the smallest eps.
            ratio = eps / (lam + eps)
            weights = z2 * ratio * ratio
            norm = float(np.sqrt(weights.sum())) / eps
            return norm, -float((weights * ratio).sum()) / eps**2 / (norm * eps)

        low = float(np.sqrt(z2[lam == 0].sum())) / piece.target
        high = float(np.sqrt(z2.sum())) / piece.target
        return find_root(norm_and_slope, low, high, piece.target).delta

    def _in_eigenbasis(self, piece: Piece, eps: float) -> Found:
        spectrum, rows = spectrum_of(self.graph), list(piece.labelled)
        H = spectrum.V @ ((spectrum.V[rows].T @ piece.S) / (spectrum.lam + eps)[:, None])
        residual = spectrum.Q @ H + eps * H
        residual[rows] -= piece.S
        norms = np.linalg.norm(H, axis=0)
        rounding = 4 * np.sqrt(spectrum.n) * EPS * (self.structure.norm + eps) * norms
        bound = (np.linalg.norm(residual, axis=0) + rounding) / eps
        return _unit(eps, H, np.broadcast_to(bound, H.shape))

    def _shared(self, eps: float) -> Shared:
        """Elimination for the points of every piece that has this eps."""
        if eps not in self._by_eps:
            self._by_eps[eps] = Shared(self.structure, sorted(self._points[eps]))
        return self._by_eps[eps]

    def _eliminated(self, piece: Piece) -> Found:
        """By elimination at the eps of the eigenbasis, or a better one if the norm is off there."""
        if piece.key not in self._exact:
            eps = self._eps[piece.key]
            shared = self._shared(eps)
            found = shared.solve(piece.labelled, piece.S, piece.target, eps)
            self._exact[piece.key] = _unit(*found)
        return self._exact[piece.key]

    def join(self, case: Case, pieces: tuple[Piece, ...]) -> Outcome:
        """Classes from the eigenbasis where it is certain, else by elimination."""
        reached = np.zeros(self.structure.n_components, dtype=bool)
        reached[self.structure.component[list(case.labelled)]] = True
        unreached = ~reached[self.structure.component]
        for found in ([self._coarse.get(p.key) for p in pieces], None):
            known = [f for f in found or map(self._eliminated, pieces) if f is not None]
            if len(known) < len(pieces):
                continue
            H = np.hstack([f.H for f in known])
            decision = decide(H, np.hstack([f.error for f in known]), unreached, ())
            if decision.certain:
                break
        else:
            # Ties, and responses below the range of doubles.
            return general(self.graph, case)
        rho = -case.parameters.gamma * float(np.mean([f.eps for f in known]))
        return Outcome(decision.labels, decision.ties, unreached, rho)


def _unit(eps: float, H: Array, error: Array) -> Found:
    norm = float(np.linalg.norm(H))
    return Found(eps, H / norm, error / norm)


def _tau(case: Case) -> float:
    tau = norm(case.parameters.tau, len(case.labelled))
    assert tau is not None
    return tau


def _target(case: Case, columns: int) -> float:
    # Only the product of gamma and tau moves the direction of H.
    return float(f"{case.parameters.gamma * _tau(case) / np.sqrt(columns):.{TARGET_DIGITS}g}")


def _unconstrained(case: Case) -> tuple[Piece, ...]:
    return (Piece(case.labelled, case.Y, None, 1 / case.parameters.gamma),)


def _mavr(case: Case) -> tuple[Piece, ...]:
    return (Piece(case.labelled, case.Y, _target(case, 1), 1 / case.parameters.gamma),)


def _bavr(case: Case) -> tuple[Piece, ...]:
    signs, target = 2 * case.Y - 1, _target(case, case.n_classes)
    return tuple(
        Piece(case.labelled, signs[:, [j]], target, 1 / case.parameters.gamma)
        for j in range(case.n_classes)
    )


PIECES = {"lgc": _unconstrained, "unconstrained": _unconstrained, "mavr": _mavr, "bavr": _bavr}
