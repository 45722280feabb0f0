"""Responses at points, and which of their differences mean something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import EPS, Array, Mask
from mavr.solvers.solution import Solution


@dataclass(frozen=True)
class Extended:
    """Responses at m points, new or old.

    Attributes
    ----------
    H : (m, c) responses.
    noise : (m,) what rounding alone may make of a response.
    unreached : (m,) no point that a label reaches is near.
    same : (m,) the training point that a row is, or -1.
    """

    H: Array
    noise: Array
    unreached: Mask
    same: npt.NDArray[np.intp]


def tie_noise(solution: Solution) -> Array:
    """(n,) differences of responses that mean nothing, 0 where the best class is certain."""
    H, bound = solution.H, solution.error_bound
    open_ = solution.ties
    if (H < 0).any():
        # Responses of both signs cancel, and what is left of them is rounding; a bound that is
        # wider than that says nothing of a single point.
        open_ = open_ | solution.uncertain
        bound = np.minimum(bound, len(H) * EPS * np.abs(H).max())
    return np.where(open_, bound, 0.0)
