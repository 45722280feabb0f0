"""How well a colouring finds known and unknown classes. scikit-learn and scipy do the counting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from lab.text import plain

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Measures:
    """None where there are no such points.

    known_error : on points of classes with labels; unknown_accuracy : on the others, under the
    best matching of unlabelled classes; rand : adjusted Rand index of all points.
    """

    known_error: float | None
    unknown_accuracy: float | None
    rand: float | None


def measure(
    truth: Ints, pred: Ints, tied: npt.NDArray[np.bool_], known: list[int], n_classes: int
) -> Measures:
    """truth, pred : (n,), -1 unknown or unreached; tied points count as undecided, not as right."""
    asked = truth >= 0
    is_known = np.isin(truth, known)
    on_known, on_unknown = asked & is_known, asked & ~is_known
    right = (pred == truth) & ~tied
    known_error = float(1 - right[on_known].mean()) if on_known.any() else None
    unknown_accuracy = None
    if on_unknown.any():
        unknown_accuracy = _matched(truth, pred, tied, on_unknown, known, n_classes)
    rand = None
    if asked.any():
        # Undecided points are a group of their own: no colour is claimed for them.
        group = np.where(tied, n_classes, pred)
        rand = float(adjusted_rand_score(truth[asked], group[asked]))
    return Measures(known_error, unknown_accuracy, rand)


def _matched(
    truth: Ints,
    pred: Ints,
    tied: npt.NDArray[np.bool_],
    where: npt.NDArray[np.bool_],
    known: list[int],
    n_classes: int,
) -> float:
    free = [j for j in range(n_classes) if j not in known]
    hidden = np.unique(truth[where])
    counts = np.array(
        [[np.sum(where & ~tied & (truth == t) & (pred == j)) for j in free] for t in hidden]
    )
    rows, columns = linear_sum_assignment(-counts) if counts.size else ([], [])
    return float(counts[rows, columns].sum() / where.sum()) if len(rows) else 0.0


def tie_sentences(groups: tuple[tuple[int, ...], ...], names: tuple[str, ...]) -> list[str]:
    """Why classes are interchangeable, in words."""
    sentences = []
    for group in groups:
        listed = [plain(names[j]) for j in group]
        joined = ", ".join(listed[:-1]) + " and " + listed[-1]
        sentences.append(
            f"**{joined}** are interchangeable: P and the labels treat them alike, so their "
            "responses are equal and any colouring between them would be rounding noise."
        )
    return sentences
