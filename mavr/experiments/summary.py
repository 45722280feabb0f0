"""Means, standard errors and paired differences of rows and of a benchmark's measurements.

    mean +- s / sqrt(m)      over m samplings
    mean(a - b) +- t_(m-1) s(a - b) / sqrt(m)

Methods see the same samplings, so their difference is paired: what the draws have in common
cancels, and the interval is much narrower than the two error bars suggest.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
from scipy.stats import sem, ttest_rel

from mavr.experiments.benchmark import COMPETITORS
from mavr.experiments.engine import Row
from mavr.experiments.measurement import Measurement

# Error rates are multiples of 1 / n: a smaller spread of their differences is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Point:
    """A point of a curve.

    Attributes
    ----------
    factor, value, method : which one it is.
    mean, standard_error : of the error rate.
    samplings : how many it is the mean of.
    ties, unreached : mean numbers of points.
    """

    factor: str
    value: float
    method: str
    mean: float
    standard_error: float
    samplings: int
    ties: float
    unreached: float


@dataclass(frozen=True)
class Difference:
    """error(first) - error(second), paired by sampling.

    Attributes
    ----------
    mean, low, high : the difference with its confidence interval.
    p : two-sided p-value of "no difference".
    samplings : how many both methods have in common.
    """

    factor: str
    value: float
    first: str
    second: str
    mean: float
    low: float
    high: float
    p: float
    samplings: int


@dataclass(frozen=True)
class Cell:
    """One method at one n of one panel.

    Attributes
    ----------
    data, similarity, n, method : which one it is.
    mean, standard_error : of the error rate.
    samplings : how many it is the mean of.
    scale, tau : the chosen candidate.
    unreached : mean number of points.
    best : it has the lowest mean.
    close : it is not significantly above the best.
    """

    data: str
    similarity: str
    n: int
    method: str
    mean: float
    standard_error: float
    samplings: int
    scale: float
    tau: float
    unreached: float
    best: bool
    close: bool


def summarise(rows: Iterable[Row]) -> list[Point]:
    """Means and standard errors.

    Parameters
    ----------
    rows : of any sweeps, in any order.

    Returns
    -------
    list of `Point`, one for each factor, value and method, in this order
    """
    groups: dict[tuple[str, float, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.factor, row.value, row.method].append(row)
    points = []
    for key, some in sorted(groups.items()):
        error = [row.error for row in sorted(some, key=lambda row: row.sampling)]
        ties = float(np.mean([row.ties for row in some]))
        unreached = float(np.mean([row.unreached for row in some]))
        points.append(Point(*key, *mean_and_error(error), len(some), ties, unreached))
    return points


def paired(
    rows: Iterable[Row], first: str = "mavr", second: str = "lgc", confidence: float = 0.95
) -> list[Difference]:
    """Differences of two methods, paired by sampling.

    Parameters
    ----------
    rows : of any sweeps, in any order.
    first, second : the methods.
    confidence : of the intervals.

    Returns
    -------
    list of `Difference`, one for each value where both have two samplings or more in common
    """
    errors: dict[tuple[str, float], dict[int, dict[str, float]]] = {}
    for row in rows:
        at = errors.setdefault((row.factor, row.value), {})
        at.setdefault(row.sampling, {})[row.method] = row.error
    found = []
    for (factor, value), by_sampling in sorted(errors.items()):
        both = [by_sampling[k] for k in sorted(by_sampling) if {first, second} <= {*by_sampling[k]}]
        if len(both) < 2:
            continue
        a, b = (np.array([errors[method] for errors in both]) for method in (first, second))
        p, low, high = paired_test(a, b, confidence)
        mean = float((a - b).mean())
        found.append(Difference(factor, value, first, second, mean, low, high, p, len(both)))
    return found


def summarise_benchmark(rows: Iterable[Measurement], level: float = 0.05) -> list[Cell]:
    """Means and standard errors; a paired t-test of each method against the best.

    Parameters
    ----------
    rows : measurements with the chosen candidates, in any order.
    level : of the test.
    """
    groups: dict[tuple[str, str, int], dict[str, list[Measurement]]] = {}
    for row in sorted(rows, key=lambda row: row.sampling):
        methods = groups.setdefault((row.data, row.similarity, row.n), {})
        methods.setdefault(row.method, []).append(row)
    cells = []
    for key in sorted(groups):
        by_method = groups[key]
        error = {m: np.array([row.error for row in some]) for m, some in by_method.items()}
        best = min(error, key=lambda m: float(error[m].mean()))
        for method in (m for m in COMPETITORS if m in error):
            some = by_method[method]
            p = paired_test(error[method], error[best])[0]
            mean, spread = mean_and_error(error[method].tolist())
            unreached = float(np.mean([row.unreached for row in some]))
            scale, tau, m = some[0].scale, some[0].tau, len(some)
            marks = (method == best, p >= level)
            cells.append(Cell(*key, method, mean, spread, m, scale, tau, unreached, *marks))
    return cells


def mean_and_error(errors: Sequence[float]) -> tuple[float, float]:
    """Mean and standard error; one value alone has none, which is said as 0."""
    return float(np.mean(errors)), float(sem(errors)) if len(errors) > 1 else 0.0


def paired_test(
    a: npt.ArrayLike, b: npt.ArrayLike, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Two-sided paired t-test of error rates a, b : (m,) of the same m samplings.

    The p-value of "no difference", and the ends of the confidence interval of mean(a - b).
    """
    gap = np.subtract(a, b)
    if len(gap) < 2 or np.ptp(gap) <= ROUNDING:
        # Without any spread the two are equal in every sampling, or differ for certain.
        mean = float(gap.mean())
        return float(abs(mean) <= ROUNDING), mean, mean
    test = ttest_rel(a, b)
    interval = test.confidence_interval(confidence)
    return float(test.pvalue), float(interval.low), float(interval.high)


def write_csv(items: Sequence[Any], file: TextIO | Path) -> None:
    """Write one line for each item, in full precision.

    Parameters
    ----------
    items : instances of one dataclass: rows, points, ...
    file : open for writing, or a path.
    """
    if isinstance(file, Path):
        with file.open("w", encoding="utf-8", newline="") as stream:
            return write_csv(items, stream)
    writer = csv.writer(file, lineterminator="\n")
    if items:
        writer.writerow([f.name for f in fields(items[0])])
    writer.writerows(astuple(item) for item in items)
