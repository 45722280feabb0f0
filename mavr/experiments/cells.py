"""The table of a benchmark: means, standard errors, the best method and those close to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mavr.experiments.benchmark import COMPETITORS
from mavr.experiments.measurement import Measurement
from mavr.experiments.summary import mean_and_error, paired_test


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


def summarise_benchmark(rows: Iterable[Measurement], level: float = 0.05) -> list[Cell]:
    """Means and standard errors; a paired t-test of each method against the best.

    Parameters
    ----------
    rows : measurements with the chosen candidates, in any order.
    level : of the test.

    Returns
    -------
    list of `Cell`
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
