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
from lab.link import LinkError, Part, Path, choice, declared_parts, read_whole, text_part
from mavr.settings import Number, declared, shortened

Row = tuple[int, ...]
Signs = npt.NDArray[np.int8]
# Share of the points that get labels; below 0: those that the data set itself names.
OWN = -1.0
MAX_LABELS = 16


def _one(truth: Signs, rng: np.random.Generator) -> Signs:
    # One random number per entry, whatever is known, so that a seed means the same draw.
    chance = np.where(truth != 0, rng.random(truth.shape), -1.0)
    chosen = np.arange(truth.shape[1]) == chance.argmax(axis=1)[:, None]
    return np.where(chosen, truth, 0).astype(np.int8)


# What a labelled point says of its labels.
TELLS: dict[str, Callable[[Signs, np.random.Generator], Signs]] = {
    "all": lambda truth, rng: truth,
    "has": lambda truth, rng: np.maximum(truth, 0),
    "one": _one,
}
TELL_NAMES = {
    "all": "all: has and has not",
    "has": "only what they have",
    "one": "one label each",
}


@dataclass(frozen=True)
class Labels:
    """share, draw, tells : which points are labelled, and with what; rows : (point, row) set by
    hand, sorted, in place of what was drawn."""

    share: float = declared(
        Number(
            "share", "Share labelled", "", "Of all points, drawn at random.", OWN, 1.0, OWN,
            logarithmic=False,
        )
    )  # fmt: skip
    draw: int = declared(
        Number(
            "draw", "Draw seed", "", "Seed of the draw.", 0, 99_999, 0, logarithmic=False,
            whole=True,
        )
    )  # fmt: skip
    tells: str = choice(
        "tells",
        "What a label says",
        "Of each label whether the point has it; only those it has, nothing denied; or one "
        "label of each point, the others unknown.",
        TELL_NAMES,
        "all",
    )
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
        candidates = order[np.asarray(truth.any(axis=1))[order]]
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


def apply(labels: Labels, event: dict[str, Any], data: Dataset) -> Labels:
    """One event of the board; one that does not fit the data changes nothing."""
    op, i = event.get("op"), event.get("index")
    if type(i) is not int or not 0 <= i < data.n:
        return labels
    if op == "set":
        j, value = event.get("label"), event.get("value")
        if type(j) is not int or not 0 <= j < data.n_classes or value not in (-1, 0, 1):
            return labels
        row = [int(v) for v in given(data, labels)[i]]
        row[j] = int(value)
        return with_row(labels, i, tuple(row))
    if op == "clear":
        return with_row(labels, i, (0,) * data.n_classes)
    if op == "truth":
        return with_row(labels, i, tuple(int(v) for v in signs(data)[i]))
    return labels


SIGNS = {"1": 1, "0": -1, "x": 0}
LETTERS = {sign: letter for letter, sign in SIGNS.items()}


def labels_parts(path: Path) -> tuple[Part[Any], ...]:
    """The labels in a link: how they are drawn, and the rows set by hand."""

    by_hand = text_part("labels", (*path, "rows"), _read_rows, _write_rows)
    return (*declared_parts(Labels, path), by_hand)


def _write_rows(rows: tuple[tuple[int, Row], ...]) -> str:
    return "_".join(f"{i}." + "".join(LETTERS[s] for s in row) for i, row in rows)


def _read_rows(text: str) -> tuple[tuple[int, Row], ...]:
    rows: dict[int, Row] = {}
    for item in filter(None, text.split("_")):
        point, _, letters = item.partition(".")
        if not letters or not set(letters) <= set(SIGNS) or len(letters) > MAX_LABELS:
            raise LinkError(f"{shortened(item)} is not a row of labels, such as 12.10x")
        rows[read_whole("the point of a label", point)] = tuple(SIGNS[letter] for letter in letters)
    return tuple(sorted(rows.items()))
