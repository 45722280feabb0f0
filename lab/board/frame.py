"""The part of the plane that a board shows when it shows all points."""

from __future__ import annotations

import numpy as np

from mavr.arrays import Array

Bounds = tuple[float, float, float, float]

# A panel is 1 / 0.92 times as large as the bounds (js/draw.js): a point that is seen at 0.97 of the
# way to its edge, or nearer, moves nothing, and one beyond is shown there.
EDGE = 0.92 / 0.97


def bounds_of(points: Array) -> Bounds:
    """x0, x1, y0, y1 of the rectangle that holds all points."""
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return x0, x1, y0, y1


def holding(bounds: Bounds, points: Array) -> Bounds:
    """Bounds that show these points, too.

    Where a point is beyond what a panel shows of them, they grow about their middle: a board that
    showed all points still does, and what it shows in the middle stays there.

    >>> holding((0, 2, 0, 2), np.array([[1.0, 1.0], [2.05, 0.0]]))
    (0, 2, 0, 2)
    >>> holding((0, 2, 0, 2), np.array([[1.0, 1.0], [98.0, 0.0]]))
    (-91.0, 93.0, 0.0, 2.0)
    """
    x0, x1, y0, y1 = bounds
    middle, half = np.array([x0 + x1, y0 + y1]) / 2, np.array([x1 - x0, y1 - y0]) / 2
    reach = EDGE * np.abs(points - middle).max(axis=0)
    if (reach <= half).all():
        return bounds
    half = np.maximum(half, reach)
    (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
    return x0, x1, y0, y1
