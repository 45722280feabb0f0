"""A whole plane: `answer_cells` at every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array, Mask
from mavr.experiments.grid.answers import Draw, answer_cells
from mavr.experiments.grid.plane import Axis, Points
from mavr.settings import Setting


@dataclass(frozen=True, eq=False)
class Grid:
    """Answers of k methods on a plane of h rows, along y, and w columns, along x.

    Attributes
    ----------
    x, y : the axes.
    methods : their k names.
    labels, ties : (k, h, w, n), see `Answers`.
    measures : (k, h, w) arrays by name, see `Answers`.
    disagreement : (h, w) share of the points that the first two methods answer differently; None
        for one method.
    """

    x: Axis
    y: Axis
    methods: tuple[str, ...]
    labels: npt.NDArray[np.int16]
    ties: Mask
    measures: dict[str, Array]
    disagreement: Array | None


def solve_grid(
    points: Points | Draw,
    x: Axis,
    y: Axis,
    setting: Setting | None = None,
    methods: Sequence[str] = ("mavr",),
    *,
    unlabelled: bool = False,
) -> Grid:
    """Predictions of methods over a plane of two settings.

    Parameters
    ----------
    points : the points, or a function that makes them of the values of axes that are no setting.
    x, y : the axes.
    setting : everything else.
    methods : names in `mavr.METHODS`.
    unlabelled : also compute the criteria that need no true class.

    Returns
    -------
    Grid

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> points = Points(X, [0, -1, -1, -1, -1, 1])
    >>> found = solve_grid(points, Axis("gamma", (1, 9)), Axis("tau", (0.5, 1, 2)))
    >>> found.labels[0, 0, 0]
    array([0, 0, 0, 1, 1, 1], dtype=int16)
    """
    if x.name == y.name:
        raise ValueError(f"the two axes must differ, got {x.name} twice")
    cells = [{x.name: a, y.name: b} for b in y.values for a in x.values]
    found = answer_cells(points, cells, setting, methods, unlabelled=unlabelled)
    k, shape = len(found.methods), (len(y.values), len(x.values))
    apart = found.disagreement
    return Grid(
        x,
        y,
        found.methods,
        found.labels.reshape(k, *shape, -1),
        found.ties.reshape(k, *shape, -1),
        {name: values.reshape(k, *shape) for name, values in found.measures.items()},
        None if apart is None else apart.reshape(shape),
    )
