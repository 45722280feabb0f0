"""How good label sets are: five measures at one threshold, and as curves over it.

All are step functions of the threshold x that margins M : (m, c) are held against, a point having
label j if M_ij >= x. So a curve needs a sort, not a prediction per x. A margin of -inf is a
label that no threshold gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array, Mask


@dataclass(frozen=True)
class Measure:
    title: str
    help: str
    loss: bool


MEASURES = {
    "hamming": Measure(
        "Hamming loss", "Share of wrong entries, over all points and labels. Low is good.", True
    ),
    "subset": Measure(
        "Subset accuracy", "Share of points whose whole label set is right. High is good.", False
    ),
    "micro": Measure("Micro F1", "F1 of all labels counted together. High is good.", False),
    "macro": Measure("Macro F1", "Mean of the labels' own F1. High is good.", False),
    "ranking": Measure(
        "Ranking loss",
        "Share of pairs, a label that a point has and one it has not, in the wrong order of their "
        "responses. It depends on no threshold. Low is good.",
        True,
    ),
}


def curves(M: Array, truth: Mask, x: Array) -> dict[str, Array]:
    """The measures that depend on the threshold, each (g,), at the thresholds x : (g,)."""
    m, c = M.shape
    reached = [_reaching(M[truth[:, j], j], x) for j in range(c)]
    wrongly = [_reaching(M[~truth[:, j], j], x) for j in range(c)]
    hits, false = np.array(reached, dtype=float), np.array(wrongly, dtype=float)
    positive = truth.sum(axis=0).astype(float)[:, None]
    return {
        "hamming": (positive - hits + false).sum(axis=0) / (m * c),
        "subset": _subset(M, truth, x),
        "micro": _f1(hits.sum(axis=0), false.sum(axis=0), positive.sum(axis=0)),
        "macro": _f1(hits, false, positive).mean(axis=0),
    }


def scores(M: Array, H: Array, truth: Mask) -> dict[str, float]:
    """All measures: margins M are held against 0, responses H are ranked."""
    found = {name: float(curve[0]) for name, curve in curves(M, truth, np.zeros(1)).items()}
    return found | {"ranking": ranking_loss(H, truth)}


def ranking_loss(H: Array, truth: Mask) -> float:
    """Equal responses count as the wrong order; a point with all labels, or none, counts 0."""
    above = H[:, :, None] > H[:, None, :]
    pairs = truth[:, :, None] & ~truth[:, None, :]
    count = pairs.sum(axis=(1, 2))
    wrong = (pairs & ~above).sum(axis=(1, 2))
    return float(np.divide(wrong, count, out=np.zeros(len(H)), where=count > 0).mean())


def _reaching(margins: Array, x: Array) -> npt.NDArray[np.intp]:
    return len(margins) - np.searchsorted(np.sort(margins), x, side="left")


def _f1(hits: Array, false: Array, positive: Array) -> Array:
    size = hits + false + positive
    return np.divide(2 * hits, size, out=np.zeros_like(size), where=size > 0)


def _subset(M: Array, truth: Mask, x: Array) -> Array:
    """A set is right for thresholds above its absent labels and not above those it has."""
    low = np.where(truth, -np.inf, M).max(axis=1)
    high = np.where(truth, M, np.inf).min(axis=1)
    possible = low < high
    begun = np.searchsorted(np.sort(low[possible]), x, side="left")
    ended = np.searchsorted(np.sort(high[possible]), x, side="left")
    return np.asarray((begun - ended) / len(M))
