"""From labels as people write them to the columns of Y, and back.

A point without label is marked -1; in an array of strings the mark is "-1". The same mark stands
for "no class" in what comes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Coding:
    """classes : (c,) sorted; order : (c,) where each of them stood in what the caller named."""

    classes: npt.NDArray[Any]
    order: npt.NDArray[np.intp]

    @property
    def mark(self) -> Any:
        """What stands for "no class"."""
        return "-1" if self.classes.dtype.kind in "US" else -1

    def one_hot(self, y: npt.NDArray[Any]) -> Array:
        """Y : (n, c), a row of zeros for a point without label."""
        labelled = np.flatnonzero(~unlabelled(y))
        known = {label: j for j, label in enumerate(self.classes.tolist())}
        Y = np.zeros((len(y), len(self.classes)))
        for i in labelled:
            label = y[i : i + 1].tolist()[0]
            if label not in known:
                raise ValueError(f"y has the label {label!r}, which `classes` does not name")
            Y[i, known[label]] = 1.0
        return Y

    def decode(self, codes: npt.NDArray[np.int_]) -> npt.NDArray[Any]:
        """(n,) labels of the columns `codes`, the mark where a code is -1."""
        labels = self.classes[codes]
        lost = codes < 0
        if lost.any():
            if labels.dtype.kind in "USbu":
                labels = labels.astype(np.result_type(labels, np.array([self.mark])))
            labels[lost] = self.mark
        return labels


def unlabelled(y: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """(n,) where y carries the mark."""
    if y.dtype.kind in "US":
        return np.asarray(y == y.dtype.type("-1"))
    if y.dtype.kind == "O":
        return np.array([label == -1 or label == "-1" for label in y], dtype=bool)
    return np.asarray(y == -1)


def coding(y: npt.NDArray[Any], classes: Sequence[Any] | npt.NDArray[Any] | None) -> Coding:
    """The classes that y has, or those that `classes` names; y : (n,)."""
    labels = y[~unlabelled(y)]
    if not len(labels):
        raise ValueError("y has no labelled point (every entry is -1); label at least one")
    check_classification_targets(labels)
    if classes is None:
        found = np.unique(labels)
        return Coding(found, np.arange(len(found)))
    named = np.asarray(classes, dtype=object if y.dtype.kind == "O" else None)
    found, order = np.unique(named, return_index=True)
    if named.ndim != 1 or len(found) != len(named):
        raise ValueError(f"classes must be a list of distinct labels, got {classes!r}")
    if unlabelled(found).any():
        raise ValueError(
            f"classes must not name {found[unlabelled(found)][0]!r}: it marks no label"
        )
    return Coding(found, order)
