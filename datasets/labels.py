"""What tables and archives share: classes in their order, and which points count as labelled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.model import MAX_LABELS, UNKNOWN, DataError, IntArray


def partly_known(Y: npt.NDArray[np.int8]) -> IntArray:
    """Points to take as labelled: those that say something, if not all is known."""
    some = (Y != UNKNOWN).any(axis=1) & bool((Y == UNKNOWN).any())
    return np.flatnonzero(some)


def natural_order(words: Iterable[str]) -> list[str]:
    """Sorted with numbers in the words by value.

    >>> natural_order({"class 10", "class 9", "Class 1"})
    ['Class 1', 'class 9', 'class 10']
    """

    def key(word: str) -> tuple[list[tuple[int, int, str]], str]:
        parts = re.findall(r"\d+|\D+", word, re.A)
        # Digits come before letters; a very long run of digits is compared by its length first.
        ranked = [
            (0, len(part.lstrip("0")), part.lstrip("0"))
            if part[0] in "0123456789"
            else (1, 0, part.casefold())
            for part in parts
        ]
        return ranked, word

    return sorted(words, key=key)


def number_classes(labels: npt.NDArray[Any], n: int) -> tuple[IntArray, tuple[str, ...]]:
    """Labels as 0..c-1 in the order of their values, and the values as names.

    Parameters
    ----------
    labels : (n,) whole numbers or words; -1 and the empty word are unknown.

    Examples
    --------
    >>> number_classes(np.array(["b10", "b9", ""]), 3)
    (array([ 1,  0, -1]), ('b9', 'b10'))
    """
    if labels.shape != (n,):
        raise DataError(
            f"y must have one label per row of X ({n}), got shape {labels.shape}; "
            "several labels per point go into Y"
        )
    if labels.dtype.kind == "f":
        labels = _whole(labels)
    if labels.dtype.kind not in "biuU":
        raise DataError(
            f"y must hold whole numbers or words, got values of the type {labels.dtype.name}; "
            "convert it with y.astype(int) or y.astype(str)"
        )
    values, inverse = np.unique(labels, return_inverse=True)
    words = [str(int(value)) if labels.dtype.kind != "U" else str(value) for value in values]
    known = set(words) - {str(UNKNOWN), ""}
    if len(known) > MAX_LABELS:
        raise DataError(
            f"y holds {len(known):,} different labels, more than the limit of "
            f"{MAX_LABELS:,}; if they are no classes, leave y out"
        )
    names = natural_order(known) if labels.dtype.kind == "U" else sorted(known, key=int)
    rank = {word: j for j, word in enumerate(names)}
    classes = np.array([rank.get(word, UNKNOWN) for word in words], dtype=np.int64)
    return classes[inverse], tuple(names)


def _whole(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Labels stored as floats; NaN is unknown."""
    values = np.where(np.isnan(labels), UNKNOWN, labels)
    (bad,) = np.nonzero(~((np.abs(values) < 2**53) & (values == np.round(values))))
    if len(bad):
        raise DataError(
            f"y must hold whole numbers or words, but y[{bad[0]}] is {labels[bad[0]]:g}; number "
            "the classes 0, 1, 2, …, and write -1 where the class is unknown"
        )
    return values.astype(np.int64)
