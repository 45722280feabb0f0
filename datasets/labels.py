"""What tables and archives share: the order of classes, and which points count as labelled."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from datasets.model import UNKNOWN, IntArray


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
