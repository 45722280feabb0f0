"""How well a setting is chosen without the truth: each criterion's regret against the oracle.

A criterion takes the setting of a plane at which it is best; where several settings share its
optimum, it has taken one of them by chance, and the mean of their errors counts. Its regret is the
error there less the lowest error of the plane, which only somebody with the true classes finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from mavr.arrays import Array
from mavr.experiments.grid import Answers, Axis, Points, answer_cells
from mavr.settings import Setting

# Whether the least or the largest value is best.
CRITERIA = {
    "loo_error": "low",
    "loo_margin": "high",
    "stability": "high",
    "evidence": "high",
    "entropy": "low",
    "cut": "low",
}
# Values that agree this closely are one.
SAME = 1e-9


@dataclass(frozen=True)
class Choice:
    """What one way to choose comes to on one sampling of one set.

    Attributes
    ----------
    data, labels, sampling : the set, its labels per class, and which draw.
    plane : the settings it chooses from.
    way : a criterion, or "usual" for the setting that is taken without looking.
    error : share of the points asked that are not right, ties and unreached points among them.
    oracle : the lowest error on the plane.
    """

    data: str
    labels: int
    sampling: int
    plane: str
    way: str
    error: float
    oracle: float

    @property
    def regret(self) -> float:
        return self.error - self.oracle


def not_right(answers: Answers, points: Points) -> Array:
    """(m,) share of the unlabelled points of each cell whose class is wrong or not claimed."""
    assert points.asked is not None
    wrong = (answers.labels[0] != points.truth) | answers.ties[0]
    return np.asarray(wrong[:, points.asked].mean(axis=1))


def error_chosen(values: Array, errors: Array, best: str) -> float:
    """The mean error where the values are best; NaN where there are none.

    >>> error_chosen(np.array([1.0, 0.0, 0.0, np.nan]), np.array([0.5, 0.1, 0.3, 0.0]), "low")
    0.2
    """
    known = np.isfinite(values)
    if not known.any():
        return float("nan")
    signed = np.where(known, values if best == "low" else -values, np.inf)
    return float(errors[signed <= signed.min() + SAME].mean())


def choose(
    points: Points, setting: Setting, axes: Sequence[Axis], usual: dict[str, float]
) -> tuple[dict[str, float], float]:
    """The error of each way to choose from a plane, and the oracle's.

    Parameters
    ----------
    points : with their true classes.
    setting : everything that no axis changes.
    axes : of the plane; one is a line.
    usual : the setting on the plane that is taken without looking.
    """
    names = [axis.name for axis in axes]
    cells = [dict(zip(names, at, strict=True)) for at in product(*(axis.values for axis in axes))]
    answers = answer_cells(points, cells, setting, ("mavr",), unlabelled=True)
    errors = not_right(answers, points)
    found = {"usual": float(errors[cells.index(usual)])}
    for name, best in CRITERIA.items():
        found[name] = error_chosen(answers.measures[name][0], errors, best)
    return found, float(errors.min())


@dataclass(frozen=True)
class Regret:
    """One way to choose on one set, over all draws: mean error, mean regret, and the worst one."""

    data: str
    plane: str
    way: str
    error: float
    regret: float
    worst: float


def regrets(choices: Iterable[Choice]) -> list[Regret]:
    """Choices summarised, in the order that sets, planes and ways first come in."""
    groups: dict[tuple[str, str, str], list[Choice]] = {}
    for one in choices:
        groups.setdefault((one.data, one.plane, one.way), []).append(one)
    return [
        Regret(
            *key,
            float(np.mean([one.error for one in members])),
            float(np.mean([one.regret for one in members])),
            float(np.max([one.regret for one in members])),
        )
        for key, members in groups.items()
    ]


@dataclass(frozen=True)
class Verdict:
    """A criterion against the usual setting: sets on which it errs less, and its worst loss."""

    plane: str
    way: str
    sets: int
    better: int
    largest_loss: float

    @property
    def deserves(self) -> bool:
        """Better on most sets, and on none much worse."""
        return 2 * self.better > self.sets and self.largest_loss <= RUINED


# A set is ruined where a criterion errs so much more often than the usual setting does.
RUINED = 0.03


def verdicts(found: Sequence[Regret]) -> list[Verdict]:
    """Each criterion on each plane, compared on the sets on which it is defined."""
    at = {(r.data, r.plane, r.way): r for r in found}
    said = []
    for plane in dict.fromkeys(r.plane for r in found):
        for way in CRITERIA:
            own = [r for r in found if (r.plane, r.way) == (plane, way) and np.isfinite(r.error)]
            losses = [r.error - at[r.data, plane, "usual"].error for r in own]
            if losses:
                better = sum(loss < 0 for loss in losses)
                said.append(Verdict(plane, way, len(own), better, max(losses)))
    return said
