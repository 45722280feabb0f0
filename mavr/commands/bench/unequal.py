"""Unequal classes: what `class_prior` is worth when it is right, and costs when it is wrong.

Three classes of a set, which ones by chance, with 1 : 3 : 9 points; the labels one or five for each
class, or by chance. The error of `MAVRClassifier` as it comes but for balance, `class_prior` and
the graph, which is the same for all: else each setting might choose another.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import sem
from sklearn.datasets import load_digits

from mavr.arrays import Array
from mavr.commands.bench.sets import Points, draw, file_sets
from mavr.commands.bench.timing import Line
from mavr.estimators import MAVRClassifier
from mavr.estimators.automatic import FINE

SHARES = (1, 3, 9)
# Points of the smallest class.
DIGITS, FILES = 18, 30
RATES: tuple[int | str, ...] = (1, 5, "by chance")
DRAWS = 12
FIRST_SEED = 7000
# Of images.
GRAPH: dict[str, Any] = {"width": FINE.width, "laplacian_power": FINE.power}
SETTINGS: dict[str, dict[str, Any]] = {
    "no balance": {"balance": 0.0},
    "balance = 1, equal proportions": {"class_prior": None},
    "class_prior = 1 : 3 : 9, right": {"class_prior": SHARES},
    "class_prior = labels": {"class_prior": "labels"},
    "class_prior = auto, the default": {},
    "wrong: 2 : 3 : 9": {"class_prior": (2, 3, 9)},
    "wrong: 1 : 6 : 9": {"class_prior": (1, 6, 9)},
    "wrong: 1 : 3 : 18": {"class_prior": (1, 3, 18)},
    "wrong: 1 : 3 : 4.5": {"class_prior": (1, 3, 4.5)},
}
RIGHT, WITHOUT = "class_prior = 1 : 3 : 9, right", ("no balance", "balance = 1, equal proportions")


def unequal(points: Points, smallest: int, seed: int) -> Points:
    """Three classes by chance with 1, 3 and 9 times `smallest` points; all that there are if less.

    Classes of the result are 0, 1 and 2 in the order of their sizes.
    """
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.unique(points.y))[: len(SHARES)]
    rows = [
        rng.permutation(np.flatnonzero(points.y == j))[: share * smallest]
        for j, share in zip(classes, SHARES, strict=True)
    ]
    y = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    return Points(points.name, points.X[np.concatenate(rows)], y)


def compare(points: Points, smallest: int, draws: int = DRAWS) -> dict[str, Array]:
    """(rates, draws) errors of each setting, all on the same draws."""
    error = {name: np.zeros((len(RATES), draws)) for name in SETTINGS}
    for d in range(draws):
        part = unequal(points, smallest, FIRST_SEED + d)
        for r, rate in enumerate(RATES):
            y = draw(part.y, rate, FIRST_SEED + d)
            assert y is not None
            for name, setting in SETTINGS.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # collapses without balance
                    found = MAVRClassifier(**GRAPH, **setting).fit(part.X, y).transduction_
                error[name][r, d] = np.mean((found != part.y)[y == -1])
    return error


def lines(files: Iterable[Path] = ()) -> Iterable[Line]:
    """The comparison for `python -m mavr bench`: digits, and files with many points per class."""
    digits = load_digits()
    sets = [(Points("digits", digits.data / 16, digits.target), DIGITS)]
    sets += [(points, FILES) for points in file_sets(files, most=None)]
    for points, smallest in sets:
        error = compare(points, smallest)
        for name, found in error.items():
            cells = " / ".join(f"{100 * e.mean():.1f} ± {100 * sem(e):.1f}" for e in found)
            yield Line(f"{points.name}, {name}: {cells}", 100 * float(found.mean()), "%")
        best = np.min([error[name].mean(axis=1) for name in WITHOUT], axis=0)
        gain = 100 * float((best - error[RIGHT].mean(axis=1)).min())
        yield Line(f"{points.name}: the better of the first two less the right prior", gain, "%", 0)
