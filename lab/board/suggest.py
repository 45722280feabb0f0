"""Which point should be labelled next? The least certain one, and the most informative one.

The responses are the mean of a Gaussian field with covariance (gamma Q + delta I)^-1 seen through
labels with unit noise. V-optimality (Ji and Han 2012) picks the point whose label lowers the summed
variance most: with C the covariance given the labels so far, the largest (C^2)_kk / (C_kk + 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lab.board.answers import Result, relative_margin
from lab.board.far import spectrum_at_hand
from lab.board.view import View
from mavr.arrays import Array
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import Spectrum


def suggestions(view: View, result: Result) -> list[dict[str, Any]]:
    """The points to label next, as the board draws them."""
    scene, s = result.scene, result.left.solution
    index = np.flatnonzero(scene.alive)
    open_ = scene.labels[index] < 0
    found = [("least certain", least_certain(relative_margin(s.H), open_))]
    spectrum = spectrum_at_hand(view, scene)
    if spectrum is not None:
        gamma = view.setting.parameters.gamma
        best = v_optimal(spectrum, gamma, shift(s), np.flatnonzero(~open_))
        found.append(("most informative", best))
    return [{"kind": kind, "index": int(index[i])} for kind, i in found if i is not None]


def least_certain(margin: Array, open_: npt.NDArray[np.bool_]) -> int | None:
    """Index of the open point with the smallest margin."""
    candidates = np.flatnonzero(open_)
    return int(candidates[margin[candidates].argmin()]) if len(candidates) else None


def v_optimal(
    spectrum: Spectrum, gamma: float, delta: float, labelled: npt.NDArray[np.intp]
) -> int | None:
    """Index of the unlabelled point whose label lowers the total variance most, O(n^2 l)."""
    if len(labelled) == spectrum.n:
        return None
    score = variance_reduction(spectrum, gamma, delta, labelled)
    score[labelled] = -np.inf
    return int(score.argmax())


def variance_reduction(
    spectrum: Spectrum, gamma: float, delta: float, labelled: npt.NDArray[np.intp]
) -> Array:
    """(n,) decrease of trace C if the point were labelled too."""
    d = 1.0 / (gamma * spectrum.lam + delta)
    V = spectrum.V
    V2 = V * V
    variance, squared = V2 @ d, V2 @ (d * d)
    if len(labelled):
        # C = C0 - A A',  A = C0_L (C0_LL + I)^-1/2
        C0_L = (V * d) @ V[labelled].T
        root = np.linalg.cholesky(C0_L[labelled] + np.eye(len(labelled)))
        A = np.linalg.solve(root, C0_L.T).T
        CA = (V * d) @ (V.T @ A)
        squared = squared - 2 * (A * CA).sum(axis=1) + ((A @ (A.T @ A)) * A).sum(axis=1)
        variance = variance - (A * A).sum(axis=1)
    return np.asarray(squared / (variance + 1.0))


def shift(solution: Solution) -> float:
    """-rho of a solution, 1 where it has none of its own."""
    rho = np.atleast_1d(np.asarray(solution.rho, dtype=float))
    value = float(-rho.mean())
    return value if np.isfinite(value) and value > 0 else 1.0
