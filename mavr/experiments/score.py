"""How many points of a prediction are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.experiments.batch import Outcome


@dataclass(frozen=True)
class Score:
    """Counts over the unlabelled points whose class is known. A tied point is wrong."""

    n_wrong: int
    n_unlabelled: int
    ties: int
    unreached: int

    @property
    def error(self) -> float:
        return self.n_wrong / self.n_unlabelled if self.n_unlabelled else 0.0


def score(outcome: Outcome, y: npt.NDArray[np.int64], labelled: Sequence[int]) -> Score:
    """Compare an outcome with the truth y : (n,)."""
    # A point whose class nobody knows is neither right nor wrong.
    counted = y >= 0
    counted[list(labelled)] = False
    # An undecided point is not right.
    wrong = (outcome.labels != y) | outcome.ties
    wrong, ties, unreached = (
        int(np.count_nonzero(mask & counted)) for mask in (wrong, outcome.ties, outcome.unreached)
    )
    return Score(wrong, int(np.count_nonzero(counted)), ties, unreached)
