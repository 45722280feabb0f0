"""Formulas that are right on paper and wrong in floating point or in print.

H = V diag(1 / (gamma lam - rho)) V'Y loses every response below 1e-16 of the largest: the sum over
the eigenvectors cancels. Elimination keeps each entry (`mavr.solvers.factor`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array, Integers, Mask
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import Spectrum
from mavr.theory import root
from mavr.theory.root import Secular


@dataclass(frozen=True)
class Recovery:
    """wrong : (n,) points whose class the eigenvectors get wrong; top : (n,) their largest
    response, relative to the largest of all; solution : by elimination where needed."""

    wrong: Mask
    top: Array
    naive: Integers
    solution: Solution


def recover_by_eigenvectors(spectrum: Spectrum, Y: Array, gamma: float, tau: float) -> Recovery:
    """P = I: the printed recovery of H beside the solver's, at the same rho."""
    solution = solve(spectrum, Y, gamma=gamma, tau=tau)
    V = spectrum.V
    H = V @ ((V.T @ Y) / (gamma * spectrum.lam - float(solution.rho))[:, None])
    naive = H.argmax(axis=1)
    decided = ~(solution.ties | solution.uncertain | solution.unreached)
    top = solution.H.max(axis=1)
    return Recovery(decided & (naive != solution.labels), top / top.max(), naive, solution)


@dataclass(frozen=True)
class Shortcut:
    """by_sums : the equation as printed; by_rows : the right one; norm_sum : |H| at the root of the
    former, which should be tau."""

    by_sums: Secular
    by_rows: Secular
    norm_sum: float


def shortcut(spectrum: Spectrum, Y: Array, gamma: float, tau: float) -> Shortcut:
    """P = I: where z = V'Y1 leads."""
    by_sums = root.shortcut(spectrum, Y, gamma, tau)
    by_rows = root.secular(spectrum, Y, None, gamma, tau)
    return Shortcut(by_sums, by_rows, float(by_rows.norm(by_sums.root)[0]))


def tied_columns(solution: Solution) -> float:
    """Largest difference between the columns of interchangeable classes, relative to H."""
    H = solution.H
    groups = solution.interchangeable
    gaps = [np.abs(H[:, g[0]] - H[:, k]).max() for g in groups for k in g[1:]]
    return float(max(gaps, default=0.0) / np.abs(H).max())
