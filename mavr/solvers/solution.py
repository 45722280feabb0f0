"""What a solve returns: the responses, what they say of each point, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from mavr.arrays import Array, Index, Integers, Mask


class Status(Enum):
    """How a solve ended. The text tells what to try."""

    OPTIMAL = "The unique minimum was found."
    HARD_CASE = (
        "The labels have no part in the lowest eigenvectors of Q, and tau is larger than they can "
        "reach: the minimum is not unique. Lower tau, or label other points."
    )
    INACCURATE = (
        "The iteration stopped before its tolerance: classes may be wrong where `uncertain` says "
        "so. Lower gamma or tau, or use a denser graph."
    )
    UNCERTAIN = (
        "The minimum was found, but rounding leaves the class of some points open: they have the "
        "class of their largest response and are marked as uncertain. Lower gamma or tau."
    )


@dataclass(frozen=True)
class Solution:
    """Responses and what follows from them; arrays are read-only.

    H : (n, c) responses; rho : the multiplier (-1 if unconstrained; per class, (c,), for BAVR);
    labels : (n,) predicted class, -1 where unreached, the lowest of the tied classes at a tie;
    ties : (n,) the best classes are equal, see `mavr.ties`;
    uncertain : (n,) the error bound does not settle the class, which is that of the largest
    response;
    unreached : (n,) no label in the point's component of the graph;
    volume : tr(H'QHP) / |H|^2; objective : the minimised function;
    residual : of the stationarity equation, relative to the size of its terms;
    n_iter : steps of the root finder; status : see `Status`;
    error_bound : (n,) of the entries of H, largest per point; a Laplacian counts as the exact one
    that Q is the rounding of; method : how H was recovered;
    interchangeable : groups of classes that P and the labels treat alike;
    alpha : gamma / (gamma - rho): for P = I and no balance, LGC with this alpha predicts the same.
    """

    H: Array
    rho: float | Array
    labels: Integers
    ties: Mask
    uncertain: Mask
    unreached: Mask
    volume: float
    objective: float
    residual: float
    n_iter: int
    status: Status
    error_bound: Array
    method: str
    alpha: float | Array
    interchangeable: tuple[tuple[int, ...], ...] = ()
    steps: tuple[float, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        masks = (self.ties, self.uncertain, self.unreached)
        for array in (self.H, self.labels, *masks, self.error_bound):
            array.flags.writeable = False

    def restored(self, order: Index) -> Solution:
        """The solution of a problem whose points were put in this order, as they were before."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        names = ("H", "labels", "ties", "uncertain", "unreached", "error_bound")
        return replace(self, **{name: getattr(self, name).take(place, axis=0) for name in names})
