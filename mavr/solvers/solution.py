"""What a solve returns: the responses, what they say of each point, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class Status(Enum):
    """How a solve ended. The text tells what to try."""

    OPTIMAL = "The unique minimum was found."
    HARD_CASE = (
        "The labels have no part in the lowest eigenvectors of Q, and tau is larger than they can "
        "reach: the minimum is not unique. Lower tau, or label other points."
    )
    INACCURATE = (
        "The iteration stopped before its tolerance: uncertain classes are marked "
        "as ties. Lower gamma or tau, or use a denser graph."
    )


@dataclass(frozen=True)
class Solution:
    """Responses and what follows from them; arrays are read-only.

    H : (n, c) responses; rho : the multiplier (-1 if unconstrained; per class, (c,), for BAVR);
    labels : (n,) predicted class, -1 where unreached, the lowest of the tied classes at a tie;
    ties : (n,) the two best classes differ by less than the solver's error bound;
    unreached : (n,) no label in the point's component of the graph;
    volume : tr(H'QHP) / |H|^2; objective : the minimised function;
    residual : of the stationarity equation, relative to the size of its terms;
    n_iter : steps of the root finder; status : see `Status`;
    error_bound : (n,) of the entries of H, largest per point; method : how H was recovered;
    interchangeable : groups of classes that P and the labels treat alike;
    alpha : gamma / (gamma - rho): for P = I and no balance, LGC with this alpha predicts the same.
    """

    H: Array
    rho: float | Array
    labels: npt.NDArray[np.int_]
    ties: Mask
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
        for array in (self.H, self.labels, self.ties, self.unreached, self.error_bound):
            array.flags.writeable = False


@dataclass(frozen=True)
class Decision:
    """The class of each point as far as the error bound lets one tell."""

    labels: npt.NDArray[np.int_]
    ties: Mask
    certain: bool


def decide(
    H: Array, bound: Array, unreached: Mask, orbits: tuple[tuple[int, ...], ...]
) -> Decision:
    """Classes of the points from H : (n, c) and a bound of |error| : (n, c) or (n, 1).

    `certain` asks only what better arithmetic could settle: classes of one orbit are equal for
    good.
    """
    n, c = H.shape
    if c == 1:
        labels = np.where(unreached, -1, 0)
        return Decision(labels, np.zeros(n, dtype=bool), True)
    best = H.argmax(axis=1)
    rows = np.arange(n)
    wide = np.broadcast_to(bound, H.shape)
    # Not certainly below the best: lower end of the best's interval against the upper end of each.
    rival = H + wide >= (H[rows, best] - wide[rows, best])[:, None]
    settled = rival.copy()
    member = np.arange(c)
    for orbit in orbits:
        member[list(orbit)] = orbit[0]
    settled &= member[None, :] != member[best][:, None]
    labels = np.where(unreached, -1, rival.argmax(axis=1))
    ties = (rival.sum(axis=1) > 1) & ~unreached
    return Decision(labels, ties, not (settled.any(axis=1) & ~unreached).any())
