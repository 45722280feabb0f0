"""Which of many points are drawn. All of them are solved and counted; an eye, and a browser, see
no more than some."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lab.board.scene import Scene
from lab.board.view import View
from lab.cache import CACHE

Indices = npt.NDArray[np.int64]

# Above so many points a repaint takes longer than a hand notices.
MAX_DRAWN = 20_000


def drawn(view: View, scene: Scene, also: list[int]) -> tuple[Indices, Indices] | None:
    """The points to draw, and those among them that are drawn for what they are; None for all.

    The first are chosen once for a data set; labelled and painted points, and those in `also`,
    come after them.
    """
    if len(scene.points) <= MAX_DRAWN:
        return None
    key = ("drawn", view.data, MAX_DRAWN)
    base = CACHE.get(key, lambda: chosen(scene.data.n, scene.data.y, MAX_DRAWN))
    painted = np.arange(scene.data.n, len(scene.points))
    wanted = [np.flatnonzero(scene.labels >= 0), painted, np.array(also, dtype=np.int64)]
    extra = np.setdiff1d(np.concatenate(wanted), base)
    return np.concatenate([base, extra]), extra


def chosen(n: int, y: Indices | None, count: int) -> Indices:
    """`count` of n points at random, of every class its share; the same every time."""
    rng = np.random.default_rng(0)
    order = rng.permutation(n)
    if y is not None:
        # Within each class from 0 to 1: the lowest `count` hold the same share of every class.
        groups = y[order]
        rank = np.empty(n)
        for j in np.unique(groups):
            members = np.flatnonzero(groups == j)
            rank[members] = (np.arange(len(members)) + rng.random()) / len(members)
        order = order[np.argsort(rank, kind="stable")]
    return np.sort(order[:count])
