"""From what `threshold` says to numbers, and what is odd about the labels behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mavr import multilabel
from mavr.arrays import Array
from mavr.settings import shortened
from mavr.solvers.solution import Solution

LEARNED = "learned"


def found(
    threshold: Any, per_label: bool, Y: Array, solution: Solution, held_out: Callable[[], Array]
) -> Array:
    """(c,) thresholds for labels Y : (n, c).

    held_out : makes the (l, c) responses that learned thresholds are judged by.
    """
    if not isinstance(threshold, str):
        return _given(threshold, Y.shape[1])
    if threshold not in multilabel.THRESHOLDS:
        raise _wrong(threshold)
    responses = held_out() if threshold == LEARNED else np.empty((0, 0))
    labelled = Y.any(axis=1)
    rest = ~labelled & ~solution.unreached
    rest = rest if rest.any() else labelled
    rule = multilabel.THRESHOLDS[threshold]
    return rule(responses, Y[labelled], solution.H[rest], per_label)


def oddities(Y: Array, denied_rows: int, thresholds: Array) -> list[str]:
    """Sentences on labels that were hardly meant, and on such as nobody can learn."""
    said = []
    if denied_rows:
        said.append(
            f"{denied_rows} rows of y are -1 alone, which denies these points every label; write "
            'unlabelled rows as 0, or as NaN beside 0 for "has it not". zero="unknown" says that '
            "they are meant"
        )
    nowhere = ~multilabel.known(Y).any(axis=0) & np.isposinf(thresholds)
    if nowhere.any():
        said.append(
            f"the labels {np.flatnonzero(nowhere).tolist()} are known at no point and given to "
            "none; say of a point that it has each, or leave their columns out"
        )
    return said


def _given(threshold: Any, c: int) -> Array:
    try:
        given = np.asarray(threshold, dtype=float)
    except (TypeError, ValueError):
        raise _wrong(threshold) from None
    if np.isnan(given).any():
        raise _wrong(threshold)
    if given.shape not in ((), (c,)):
        raise ValueError(f"threshold must be one number or {c}, got {given.shape}")
    return np.broadcast_to(given, c).copy()


def _wrong(threshold: Any) -> ValueError:
    names = ", ".join(multilabel.THRESHOLDS)
    return ValueError(f"threshold must be a number, {names}, got {shortened(threshold)}")
