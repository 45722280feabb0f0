"""Means, standard errors and paired differences of rows.

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
from typing import Any, TextIO

import numpy as np
from scipy.stats import t as student

from mavr.experiments.engine import Row


@dataclass(frozen=True)
class Point:
    """A point of a curve. mean, standard_error : of the error rate; ties, unreached : of points."""

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
    """error(first) - error(second), paired by sampling; low, high : confidence interval.

    p : two-sided p-value of "no difference".
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


def summarise(rows: Iterable[Row]) -> list[Point]:
    """One point per factor, value and method, in this order of first appearance of the factor."""
    groups: dict[tuple[str, float, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.factor, row.value, row.method].append(row)
    points = []
    for (factor, value, method), some in sorted(groups.items()):
        error = np.array([row.error for row in sorted(some, key=lambda row: row.sampling)])
        m = len(error)
        points.append(
            Point(
                factor,
                value,
                method,
                float(error.mean()),
                float(error.std(ddof=1) / np.sqrt(m)) if m > 1 else 0.0,
                m,
                float(np.mean([row.ties for row in some])),
                float(np.mean([row.unreached for row in some])),
            )
        )
    return points


def paired(
    rows: Iterable[Row], first: str = "mavr", second: str = "lgc", confidence: float = 0.95
) -> list[Difference]:
    """Differences at every value where both methods have at least two samplings in common."""
    errors: dict[tuple[str, float], dict[int, dict[str, float]]] = {}
    for row in rows:
        at = errors.setdefault((row.factor, row.value), {})
        at.setdefault(row.sampling, {})[row.method] = row.error
    found = []
    for (factor, value), by_sampling in sorted(errors.items()):
        pairs = [e[first] - e[second] for e in by_sampling.values() if first in e and second in e]
        if len(pairs) < 2:
            continue
        found.append(_difference(factor, value, first, second, np.sort(pairs), confidence))
    return found


def _difference(
    factor: str, value: float, first: str, second: str, d: np.ndarray, confidence: float
) -> Difference:
    m, mean = len(d), float(d.mean())
    se = float(d.std(ddof=1) / np.sqrt(m))
    reach = float(student.ppf((1 + confidence) / 2, m - 1)) * se
    # Without any spread the two are equal in every sampling, or differ for certain.
    p = 2 * float(student.sf(abs(mean) / se, m - 1)) if se else float(mean == 0)
    return Difference(factor, value, first, second, mean, mean - reach, mean + reach, p, m)


def write_csv(items: Sequence[Any], file: TextIO) -> None:
    """One line for each of the dataclass instances (rows, points, ...), in full precision."""
    writer = csv.writer(file, lineterminator="\n")
    if items:
        writer.writerow([f.name for f in fields(items[0])])
    writer.writerows(astuple(item) for item in items)
