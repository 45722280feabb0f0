"""Responses of many labellings on one graph.

    (Q + eps I) H = E S,      E = columns of I at the labelled points

with eps given, or such that |H| has a given size. Two ways lead there. With a spectrum eps costs
O(n) to find; H comes from the eigenbasis, and by elimination where that is not accurate enough.
Without one a Cholesky factorisation at any eps says how large *every* response is there, so the
Newton iterations of all subproblems help each other. Both answer the subproblems that were
announced, each one once, by responses of increasing accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.experiments.newton import SharedNewton
from mavr.solvers.bounds import error_at, error_on_sphere
from mavr.solvers.secular import falling_norm, find_root
from mavr.solvers.spectrum import Spectrum
from mavr.solvers.structure import Structure

# Labelled points, S, size, eps.
Key = tuple[tuple[int, ...], bytes, float | None, float]


@dataclass(frozen=True, eq=False)
class Subproblem:
    """Columns of H to find.

    Attributes
    ----------
    labelled : the l labelled points.
    S : (l, m) labels of these points.
    size : of H, or None if eps is given.
    eps : where size is None; otherwise where the search begins.
    """

    labelled: tuple[int, ...]
    S: Array
    size: float | None
    eps: float

    @property
    def key(self) -> Key:
        """Equal for equal subproblems."""
        return (self.labelled, self.S.tobytes(), self.size, self.eps)


@dataclass(frozen=True)
class Response:
    """The answer to a subproblem: eps, H : (n, m) of norm 1, and bounds of |error|, (n, m)."""

    eps: float
    H: Array
    error: Array

    @classmethod
    def scaled(cls, eps: float, H: Array, error: Array) -> Response:
        """H scaled to norm 1, and its bounds with it."""
        norm = float(np.linalg.norm(H))
        return cls(eps, H / norm, error / norm)


class NewtonResponses:
    """By Newton's method, without a spectrum; as accurate as elimination is."""

    def __init__(self, structure: Structure, parts: Sequence[Subproblem]) -> None:
        newton = SharedNewton(structure, sorted({i for part in parts for i in part.labelled}))
        # Those with a given eps first: their factorisations are known to the others.
        self._found = {
            part.key: Response.scaled(*newton.solve(part.labelled, part.S, part.size, part.eps))
            for part in sorted(_different(parts), key=lambda part: part.size is not None)
        }

    def of(self, part: Subproblem) -> Iterator[Response]:
        yield self._found[part.key]


class SpectralResponses:
    """From the eigenbasis; by elimination at the same eps for who asks for more."""

    def __init__(self, spectrum: Spectrum, parts: Sequence[Subproblem]) -> None:
        self._spectrum = spectrum
        self._quick: dict[Key, Response] = {}
        self._exact: dict[Key, Response] = {}
        # Labelled points of all subproblems with the same eps: eliminated together.
        self._points: dict[float, set[int]] = {}
        self._newton: dict[float, SharedNewton] = {}
        self._work = np.empty((spectrum.n, spectrum.n))
        for part in _different(parts):
            response = self._quick[part.key] = self._in_eigenbasis(part)
            self._points.setdefault(response.eps, set()).update(part.labelled)

    def of(self, part: Subproblem) -> Iterator[Response]:
        quick = self._quick[part.key]
        yield quick
        eps = quick.eps
        if eps not in self._newton:
            points = sorted(self._points[eps])
            self._newton[eps] = SharedNewton(self._spectrum.structure, points, self._work)
        if part.key not in self._exact:
            found = self._newton[eps].solve(part.labelled, part.S, part.size, eps)
            self._exact[part.key] = Response.scaled(*found)
        yield self._exact[part.key]

    def _in_eigenbasis(self, part: Subproblem) -> Response:
        spectrum, rows = self._spectrum, list(part.labelled)
        Z = spectrum.V[rows].T @ part.S
        eps = part.eps if part.size is None else _root(spectrum.lam, Z, part.size)
        H = spectrum.combined(Z / (spectrum.lam + eps)[:, None])
        residual = spectrum.structure.times(H) + eps * H
        residual[rows] -= part.S
        norms = (np.linalg.norm(residual, axis=0), np.linalg.norm(H, axis=0))
        bound = error_at(*norms, spectrum.structure.norm + 2 * eps, H.shape, eps)
        if part.size is not None:
            whole = float(np.linalg.norm(bound))
            bound = error_on_sphere(whole, eps, part.size, lambda at: _motion(spectrum.lam, Z, at))
        return Response.scaled(eps, H, np.broadcast_to(bound, H.shape))


def _motion(lam: Array, Z: Array, eps: float) -> tuple[float, float, float]:
    """|H|, -d|H| / deps and |dH / deps| of the responses with coordinates Z / (lam + eps)."""
    gap = (lam + eps)[:, None]
    G = Z / gap
    norm = float(np.linalg.norm(G))
    return norm, float((G * G / gap).sum()) / norm, float(np.linalg.norm(G / gap))


def _root(lam: Array, Z: Array, size: float) -> float:
    """eps at which the responses with coordinates Z / (lam + eps) have the size."""
    z2 = (Z * Z).sum(axis=1)
    low = float(np.sqrt(z2[lam == 0].sum())) / size
    high = float(np.sqrt(z2.sum())) / size
    return find_root(falling_norm(z2, lam), low, high, size).delta


def _different(parts: Sequence[Subproblem]) -> list[Subproblem]:
    return list({part.key: part for part in parts}.values())
