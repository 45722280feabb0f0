"""MAVR and its neighbours.

    LGC        rho = -1, P = I:  H = (1 - alpha)(I - alpha S)^-1 Y,  alpha = gamma / (1 + gamma)
    any tau    P = I:  H is proportional to LGC's with alpha = gamma / (gamma - rho)
    one knob   (gamma, rho) -> (k gamma, k rho) turns H into H / k: only gamma tau turns it
    Poisson    Q = L_un, P = I, rho -> 0, labels equally many:  argmax of L^+ Y

In the last, 1'Y is the same for every class, hence so is 1'H, and C removes it: the balance term
changes nothing. It is needed where the labels are not equally many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mavr.arrays import Array, Integers
from mavr.methods import lgc
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import Spectrum


@dataclass(frozen=True)
class Link:
    """Two ways to one answer: how many classes differ, and how far apart the directions of H are
    (the norm of the difference of the two unit matrices)."""

    differ: int
    distance: float
    first: Solution
    second: Any


def direction_distance(A: Array, B: Array) -> float:
    return float(np.linalg.norm(A / np.linalg.norm(A) - B / np.linalg.norm(B)))


def differing(a: Solution, labels: Integers) -> int:
    """Points whose classes differ, apart from those without a settled class."""
    settled = ~(a.ties | a.uncertain | a.unreached)
    return int(((a.labels != labels) & settled).sum())


def label_spreading(Q: Array, Y: Array, gamma: float) -> Array:
    """Zhou's closed form with S = I - Q for the normalized Laplacian Q."""
    alpha = gamma / (1 + gamma)
    n = len(Q)
    S = np.eye(n) - np.asarray(Q)
    return np.asarray((1 - alpha) * np.linalg.solve(np.eye(n) - alpha * S, Y), dtype=float)


def as_lgc(spectrum: Spectrum, Y: Array, gamma: float) -> Link:
    """Unconstrained MAVR against the closed form."""
    ours = solve(spectrum, Y, gamma=gamma)
    theirs = label_spreading(spectrum.Q, Y, gamma)
    distance = direction_distance(ours.H, theirs)
    return Link(differing(ours, theirs.argmax(axis=1)), distance, ours, theirs)


def with_effective_alpha(spectrum: Spectrum, Y: Array, gamma: float, tau: float) -> Link:
    """MAVR against LGC with alpha = gamma / (gamma - rho), that is with gamma / (-rho)."""
    ours = solve(spectrum, Y, gamma=gamma, tau=tau)
    theirs = lgc(spectrum, Y, gamma=gamma / -float(ours.rho))
    return Link(differing(ours, theirs.labels), direction_distance(ours.H, theirs.H), ours, theirs)


def one_knob(
    spectrum: Spectrum, Y: Array, P: Array | None, gamma: float, tau: float, factor: float
) -> Link:
    """gamma and tau against factor * gamma and tau / factor."""
    ours = solve(spectrum, Y, P, gamma, tau)
    theirs = solve(spectrum, Y, P, gamma * factor, tau / factor)
    return Link(differing(ours, theirs.labels), direction_distance(ours.H, theirs.H), ours, theirs)


def poisson(spectrum: Spectrum, Y: Array) -> Array:
    """Poisson learning (Calder 2020): L U = Y - mean label, U centred. Q must be L_un."""
    labelled = np.asarray(Y.any(axis=1))
    source = np.zeros_like(Y)
    source[labelled] = Y[labelled] - Y[labelled].mean(axis=0)
    keep = spectrum.lam > 0
    V = spectrum.V[:, keep]
    return np.asarray(V @ ((V.T @ source) / spectrum.lam[keep, None]))


@dataclass(frozen=True)
class Limit:
    """Along decreasing -rho: how many classes differ from Poisson learning's."""

    minus_rho: Array
    differ: Integers


def to_poisson(spectrum: Spectrum, Y: Array, gamma: float, balance: float, taus: Array) -> Limit:
    """Balanced MAVR for growing tau, against Poisson learning."""
    target = poisson(spectrum, Y).argmax(axis=1)
    found = [solve(spectrum, Y, None, gamma, float(tau), balance) for tau in taus]
    return Limit(
        np.array([-float(s.rho) for s in found]),
        np.array([int((s.labels != target).sum()) for s in found]),
    )
