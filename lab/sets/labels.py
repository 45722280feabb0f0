"""What is known of the points: a way to draw labels, and what the user set by hand.

A row of labels is a tuple of 1 (has it), -1 (has it not) and 0 (unknown).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import UNKNOWN, Dataset

Row = tuple[int, ...]
Signs = npt.NDArray[np.int8]
# Share of the points that get labels; below 0: those that the data set itself names.
OWN = -1.0


def _all(truth: Signs, rng: np.random.Generator) -> Signs:
    return truth


def _affirmed(truth: Signs, rng: np.random.Generator) -> Signs:
    return np.maximum(truth, 0)


def _one(truth: Signs, rng: np.random.Generator) -> Signs:
    # One random number per entry, whatever is known, so that a seed means the same draw.
    chance = np.where(truth != 0, rng.random(truth.shape), -1.0)
    chosen = np.arange(truth.shape[1]) == chance.argmax(axis=1)[:, None]
    return np.where(chosen, truth, 0).astype(np.int8)


# What a labelled point says of its labels.
TELLS: dict[str, Callable[[Signs, np.random.Generator], Signs]] = {
    "all": _all,
    "has": _affirmed,
    "one": _one,
}


@dataclass(frozen=True)
class Labels:
    """share, draw, tells : which points are labelled, and with what; rows : (point, row) set by
    hand, sorted, in place of what was drawn."""

    share: float = OWN
    draw: int = 0
    tells: str = "all"
    rows: tuple[tuple[int, Row], ...] = ()


NO_LABELS = Labels()


def signs(data: Dataset) -> Signs:
    """The truth as 1, -1 and 0 where nobody knows, (n, c)."""
    if data.Y is None:
        return np.zeros((data.n, data.n_classes), dtype=np.int8)
    return np.where(data.Y == UNKNOWN, 0, 2 * data.Y - 1).astype(np.int8)


def drawn(data: Dataset, labels: Labels) -> Signs:
    """(n, c) labels before the user touched them."""
    truth = signs(data)
    rng = np.random.default_rng(labels.draw)
    order = rng.permutation(data.n)
    if labels.share < 0:
        chosen = data.labelled
    else:
        candidates = order[truth.any(axis=1)[order]]
        chosen = np.sort(candidates[: round(labels.share * data.n)])
    Y = np.zeros_like(truth)
    Y[chosen] = TELLS[labels.tells](truth[chosen], rng)
    return Y


def given(data: Dataset, labels: Labels) -> Signs:
    """(n, c) what is known of every point; rows that do not fit the data are left out."""
    Y = drawn(data, labels)
    for i, row in labels.rows:
        if i < data.n and len(row) == data.n_classes:
            Y[i] = row
    return Y


def with_row(labels: Labels, i: int, row: Row) -> Labels:
    rows = dict(labels.rows) | {i: row}
    return replace(labels, rows=tuple(sorted(rows.items())))


@dataclass(frozen=True)
class History:
    """Labels with what undo and redo lead to."""

    now: Labels = NO_LABELS
    past: tuple[Labels, ...] = ()
    future: tuple[Labels, ...] = ()

    def put(self, labels: Labels) -> History:
        if labels == self.now:
            return self
        return History(labels, (*self.past[-199:], self.now), ())

    def undo(self) -> History:
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redo(self) -> History:
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:])


def apply(history: History, event: dict[str, Any], data: Dataset) -> History:
    """One event of the canvas; one that does not fit the data changes nothing."""
    op = event.get("op")
    if op == "undo":
        return history.undo()
    if op == "redo":
        return history.redo()
    i = event.get("index")
    if not isinstance(i, int) or not 0 <= i < data.n:
        return history
    now = history.now
    if op == "set":
        j, value = event.get("label"), event.get("value")
        if j not in range(data.n_classes) or value not in (-1, 0, 1):
            return history
        row = [int(v) for v in given(data, now)[i]]
        row[j] = value
        return history.put(with_row(now, i, tuple(row)))
    if op == "clear":
        return history.put(with_row(now, i, (0,) * data.n_classes))
    if op == "truth":
        return history.put(with_row(now, i, tuple(int(v) for v in signs(data)[i])))
    return history
