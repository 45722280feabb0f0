"""The paper's printed curves, and how far ours are from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from mavr.experiments.summary import Point

# Beyond these the printed MAVR errors are lower than the exact ones (docs/figure3.md).
TRUSTED = {"gamma": 99 * np.exp(12.0), "tau": np.exp(12.0)}
# The paper prints the norm tau for l = 3 labels; here it is the multiple of sqrt(l).
UNITS = {"tau": np.sqrt(3)}


@dataclass(frozen=True)
class Printed:
    """A panel as printed.

    Attributes
    ----------
    factor : what varies.
    values : of the factor; tau as a multiple of sqrt(l).
    errors : error rates of each method.
    """

    factor: str
    values: tuple[float, ...]
    errors: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Agreement:
    """Differences of our means from the printed ones, in percentage points, ours minus theirs.

    Attributes
    ----------
    factor, method : of the curve.
    mean_absolute, largest, bias : mean and largest size, and mean of the differences.
    points : how many were compared.
    """

    factor: str
    method: str
    mean_absolute: float
    largest: float
    bias: float
    points: int


@cache
def printed_figure() -> dict[str, Printed]:
    """The printed curves of Figure 3 (Figure 5 of the ICML version).

    Returns
    -------
    dict of `Printed` by factor
    """
    text = files("mavr").joinpath("data", "figure5.json").read_text(encoding="utf-8")
    return {
        factor: Printed(
            factor,
            tuple(x / UNITS.get(factor, 1.0) for x in panel["x"]),
            {
                name.lower(): _at_every_value(errors, len(panel["x"]))
                for name, errors in panel.items()
                if name != "x"
            },
        )
        for factor, panel in json.loads(text)["panels"].items()
    }


def _at_every_value(errors: list[float], count: int) -> tuple[float, ...]:
    """Error rates; LGC knows no tau and is printed there as a line with two ends."""
    places = np.linspace(0, 1, len(errors))
    return tuple((np.interp(np.linspace(0, 1, count), places, errors) / 100).tolist())


def printed_error(factor: str, method: str, value: float) -> float | None:
    """The printed error rate at a value.

    Parameters
    ----------
    factor, method : of the curve.
    value : of the factor; tau as a multiple of sqrt(l).

    Returns
    -------
    float, or None where none was printed
    """
    panel = printed_figure().get(factor)
    if panel is None or method not in panel.errors:
        return None
    x = np.asarray(panel.values)
    k = int(np.abs(np.log(x / value)).argmin())
    # Printed values have six digits.
    return panel.errors[method][k] if abs(x[k] / value - 1) < 1e-4 else None


def agreement(points: Iterable[Point], beyond: bool = False) -> list[Agreement]:
    """Compare our curves with the printed ones.

    Parameters
    ----------
    points : ours, as `summarise` makes them.
    beyond : take the points past `TRUSTED` instead of those up to it.

    Returns
    -------
    list of `Agreement`, one for each panel and method
    """
    gaps: dict[tuple[str, str], list[float]] = {}
    for point in points:
        printed = printed_error(point.factor, point.method, point.value)
        # The limit itself is one of the printed values, which have six digits.
        past = point.value > TRUSTED.get(point.factor, np.inf) * (1 + 1e-4)
        if printed is not None and past == beyond:
            gaps.setdefault((point.factor, point.method), []).append(point.mean - printed)
    return [
        Agreement(
            factor,
            method,
            100 * float(np.abs(gap).mean()),
            100 * float(np.abs(gap).max()),
            100 * float(np.mean(gap)),
            len(gap),
        )
        for (factor, method), gap in gaps.items()
    ]
