"""Theorem 3: how far the responses move when the labels do.

Let M = gamma P (x) Q, M - rho >= C and M - rho' >= C. From h = (M - rho)^-1 y and the same with
primes,

    h - h' = (M - rho)^-1 (y - y') + (rho - rho') (M - rho)^-1 (M - rho')^-1 y'
    |H - H'| <= |Y - Y'| / C + |rho - rho'| min(|Y|, |Y'|) / C^2              Eq. (18), two terms

Theorem 2 puts both rho into [gamma lam_1 - |y| / tau, gamma lam_1), y the longer of the two label
vectors, so that |rho - rho'| <= max(|Y|, |Y'|) / tau. The product of the larger and the smaller
norm is that of both,

    |H - H'| <= |Y - Y'| / C + |Y| |Y'| / (tau C^2)                                  (corollary)

a bound that does not go to 0 with the change of the labels.

The second term is not needed. Subtract the two equations, with m = (rho + rho') / 2:

    (M - m)(h - h') - (rho - rho')(h + h') / 2 = y - y'

and multiply by h - h': (h - h')'(h + h') = |h|^2 - |h'|^2 = 0, both norms being tau. Hence

    |H - H'| <= |Y - Y'| / (gamma lam_1 - m)                                         (one term)

where gamma lam_1 - m is the mean of the two distances to the pole, hence at least C. Without the
constraint rho = rho' = -1 and |H - H'| <= |Y - Y'| / (gamma lam_1 + 1) <= |Y - Y'|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array
from mavr.relations import eigenvalues
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import Spectrum


@dataclass(frozen=True)
class Stability:
    """change : |Y - Y'|; C : the smaller distance of the two rho to gamma lam_1;
    constrained, free : measured |H - H'| with and without the norm constraint;
    two_terms, corollary, one_term : bounds of the constrained one; free_bound : of the other;
    moved : (n,) constrained change of each point."""

    change: float
    C: float
    rho: float
    rho_after: float
    constrained: float
    two_terms: float
    corollary: float
    one_term: float
    free: float
    free_bound: float
    moved: Array


def compare(
    spectrum: Spectrum,
    Y: Array,
    Y_after: Array,
    P: npt.ArrayLike | None,
    gamma: float,
    tau: float,
) -> Stability:
    """Solve with both label matrices, one tau for both, and put the bounds beside the change."""
    before = solve(spectrum, Y, P, gamma, tau)
    after = solve(spectrum, Y_after, P, gamma, tau)
    least = 1.0 if P is None else float(eigenvalues(P)[0])
    lowest = gamma * float(spectrum.lam[0]) * least
    change = float(np.linalg.norm(Y - Y_after))
    rho, rho_after = float(before.rho), float(after.rho)
    C = lowest - max(rho, rho_after)
    mean = lowest - (rho + rho_after) / 2
    sizes = float(np.linalg.norm(Y)), float(np.linalg.norm(Y_after))
    free = solve(spectrum, Y, P, gamma).H - solve(spectrum, Y_after, P, gamma).H
    difference = before.H - after.H
    # C = 0 is the hard case: the minimum itself is not unique, and nothing bounds the step.
    first, square = (change / C, C**2) if C > 0 else (np.inf, np.inf)
    return Stability(
        change=change,
        C=C,
        rho=rho,
        rho_after=rho_after,
        constrained=float(np.linalg.norm(difference)),
        two_terms=first + abs(rho - rho_after) * min(sizes) / square,
        corollary=first + sizes[0] * sizes[1] / (tau * square),
        one_term=change / mean if mean > 0 else np.inf,
        free=float(np.linalg.norm(free)),
        free_bound=change / (lowest + 1),
        moved=np.linalg.norm(difference, axis=1),
    )


def uniform_C(spectrum: Spectrum, labelled: npt.ArrayLike, tau: float) -> float:
    """C for every way to give the labelled points one class each, for a Laplacian Q.

    gamma lam_1 - rho >= |z_low| / tau, z_low the part of Y in the null space of Q. Its projector
    has entries >= 0, so |z_low|^2 is at least the sum of its diagonal over the labelled points,
    which is reached when their classes all differ.
    """
    if not spectrum.structure.laplacian:
        return 0.0
    null = spectrum.V[:, : spectrum.structure.n_components]
    return float(np.linalg.norm(null[np.asarray(labelled)]) / tau)
