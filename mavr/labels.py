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

from mavr.arrays import Array, Index, Integers, Mask
from mavr.declarations import shortened

# Strings that stand for a missing value, or that NumPy and pandas make of one.
MISSING = ("", "nan", "<NA>")


@dataclass(frozen=True)
class ClassNames:
    """The classes and the order of their columns.

    Attributes
    ----------
    classes : (c,) sorted, as scikit-learn keeps `classes_`.
    order : (c,) where each of them stood in what the caller named.
    """

    classes: npt.NDArray[Any]
    order: Index

    @property
    def mark(self) -> Any:
        """What stands for "no class"."""
        return "-1" if self.classes.dtype.kind in "US" else -1

    def one_hot(self, y: npt.NDArray[Any]) -> Array:
        """Y : (n, c) of labels y : (n,), a row of zeros for a point without label."""
        columns = {label: j for j, label in enumerate(self.classes.tolist())}
        Y = np.zeros((len(y), len(self.classes)))
        for i in np.flatnonzero(~is_unlabelled(y)):
            label = y[i : i + 1].tolist()[0]
            if label not in columns:
                raise ValueError(f"y has the label {label!r}, which `classes` does not name")
            Y[i, columns[label]] = 1.0
        return Y

    def arranged(self, name: str, given: Any) -> list[Any]:
        """Numbers by class, from a mapping or a pandas Series, in the order the caller named."""
        keys, classes = list(given.keys()), self.classes.tolist()
        if len(keys) != len(classes) or set(keys) != set(classes):
            keys = np.asarray(keys, dtype=object).tolist()
            raise ValueError(
                f"{name} must have the classes as keys, {shortened(classes)}, got "
                f"{shortened(keys)}; give every class one number, and nothing else"
            )
        places = dict(given.items())
        return [places[classes[j]] for j in np.argsort(self.order)]

    def named(self, columns: Integers) -> npt.NDArray[Any]:
        """(n,) labels of columns of Y, the mark where a column is -1."""
        labels = self.classes[columns]
        lost = columns < 0
        if lost.any():
            if labels.dtype.kind in "USbu":
                labels = labels.astype(np.result_type(labels, np.array([self.mark])))
            labels[lost] = self.mark
        return labels


def is_unlabelled(y: npt.NDArray[Any]) -> Mask:
    """(n,) where y : (n,) carries the mark."""
    if y.dtype.kind in "US":
        return np.asarray(y == y.dtype.type("-1"))
    if y.dtype.kind == "O":
        return np.array([label == -1 or label == "-1" for label in y], dtype=bool)
    return np.asarray(y == -1)


def class_names(
    y: npt.NDArray[Any], classes: Sequence[Any] | npt.NDArray[Any] | None = None
) -> ClassNames:
    """The classes that y : (n,) has, or those that `classes` names."""
    labels = natural(y[~is_unlabelled(y)])
    if not len(labels):
        raise ValueError("y has no labelled point (every entry is -1); label at least one")
    check_classification_targets(labels)
    if classes is None:
        found = np.unique(labels)
        return ClassNames(found, np.arange(len(found)))
    named = natural(np.asarray(classes, dtype=object if y.dtype.kind == "O" else None))
    found, order = np.unique(named, return_index=True)
    if named.ndim != 1 or len(found) != len(named):
        raise ValueError(f"classes must be a list of distinct labels, got {classes!r}")
    marks = found[is_unlabelled(found)].tolist()
    if marks:
        raise ValueError(f"classes must not name {marks[0]!r}: it marks no label")
    return ClassNames(found, order)


def natural(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of objects as one of numbers or truth values where it holds nothing else."""
    if labels.dtype.kind != "O" or labels.ndim != 1 or not len(labels):
        return labels
    plain = all(isinstance(label, int | float | np.number | np.bool_) for label in labels)
    return np.array(labels.tolist()) if plain else labels


def check_marks(y: Any, classes: Sequence[Any] | npt.NDArray[Any] | None = None) -> None:
    """Refuse other ways to say "unlabelled", with a hint at -1: NaN, None, "" and "nan".

    A string is allowed where `classes` names it.
    """
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind not in "fOUS":
        return
    named = [] if classes is None else list(classes)
    missing = [text for text in MISSING if text not in named]
    if values.dtype.kind == "f":
        wrong: Mask = np.isnan(values)
    elif values.dtype.kind == "O":
        wrong = np.array([_missing(value, missing) for value in values], dtype=bool)
    else:
        wrong = np.isin(values, np.array(missing, dtype=values.dtype.kind))
    if not wrong.any():
        return
    first = int(np.flatnonzero(wrong)[0])
    strings = values.dtype.kind in "US" or any(isinstance(value, str) for value in values)
    mark = '"-1"' if strings else "-1"
    what = repr(values[first : first + 1].tolist()[0])
    raise ValueError(
        f"Input y contains NaN, None or a string that stands for one, got {what} at row {first}; "
        f"a point without label is marked {mark}"
    )


def _missing(value: Any, texts: Sequence[str]) -> bool:
    """None, NaN, one of the texts, or pandas' NA, whose comparisons are neither true nor false."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str):
        return value in texts
    return isinstance(value, float) and value != value
