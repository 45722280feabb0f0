"""A toy set for several labels per point: three discs that overlap, as in a Venn diagram."""

from __future__ import annotations

import numpy as np

from datasets.draws import check_seed
from datasets.model import Dataset
from datasets.shapes import LOCAL_SCALE, check_points, spread_over_square
from mavr.settings import Setting

NAMES = ("left", "right", "top")
CENTRES = np.array([[-0.55, -0.32], [0.55, -0.32], [0.0, 0.63]])
RADIUS = 1.0
# Label sets with labelled points; the other overlaps (right and top, left and top, all three)
# have none: they must be found from the labels around them.
LABELLED_SETS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0))
PER_SET = 4
# Discs have no gap between them, so the paper's 99 smooths their borders away: of 1, 10, 99 and
# 1000 the smallest had the lowest Hamming loss on ten seeds.
GAMMA = 1.0


def multilabel(n: int = 300, seed: int = 0) -> Dataset:
    """Points spread over three overlapping discs; the labels of a point are the discs it is in.

    Parameters
    ----------
    n : number of points.
    """
    n = check_points(n, 60)
    rng = np.random.default_rng(check_seed(seed))
    # The discs cover about half of the square around them; three times n is plenty.
    cloud = 3.4 * (spread_over_square(3 * n, rng) - 0.5) + (0.0, 0.15)
    cloud = cloud + 0.3 / np.sqrt(n) * rng.uniform(-1, 1, cloud.shape)
    inside = np.linalg.norm(cloud[:, None] - CENTRES, axis=2) < RADIUS
    kept = np.flatnonzero(inside.any(axis=1))[:n]
    Y = inside[kept].astype(np.int8)
    members = [np.flatnonzero(np.equal(Y, labels).all(axis=1)) for labels in LABELLED_SETS]
    # A small cloud may have fewer in the overlap; it always has one.
    labelled = [rng.permutation(points)[:PER_SET] for points in members]
    return Dataset(
        name="Overlapping discs",
        X=cloud[kept],
        class_names=NAMES,
        Y=Y,
        labelled=np.concatenate(labelled),
        setting=Setting().having(similarity="local_scaling", n_neighbors=LOCAL_SCALE, gamma=GAMMA),
        note="Three of the four overlaps hold no labelled point.",
    )
