"""Serendipity: sets of which only some classes carry a label.

Each set carries the setting that it is solved with: graph, gamma, tau, balance and P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from datasets.draws import check_seed, check_whole
from datasets.model import DataError, Dataset
from datasets.panels import PANELS, RINGS, SELF_TUNED, Key, disc, square
from datasets.shapes import LOCAL_SCALE, check_noise, check_points
from mavr import relations
from mavr.settings import frozen_rows

# No shape shrinks below the points a local scale needs.
LEAST_PER_SHAPE = LOCAL_SCALE + 1
# Of the disc among outliers, in units for which Data 1's Gaussian of width 0.25 is right.
DISC_RADIUS, CLEARING, FIELD = 1.25, 2.25, 5.0


def serendipity(which: Key, seed: int = 0, size: float = 1.0, noise: float = 1.0) -> Dataset:
    """A set of the paper's serendipity figure.

    Parameters
    ----------
    which : 1 to 5, or "5-icml" for the fifth set of the conference version.
    seed : of the points, and of the point that is labelled in each labelled class.
    size : number of points as a multiple of the usual one.
    noise : jitter as a multiple of the usual one.

    Examples
    --------
    >>> data = serendipity(1)
    >>> data.n, data.y[data.labelled]
    (200, array([0, 1, 2]))
    """
    if which not in PANELS:
        known = ", ".join(repr(key) for key in PANELS)
        raise DataError(f"which must be one of {known}, got {which!r}")
    panel = PANELS[which]
    counts = _counts(panel.counts, size)
    rng = np.random.default_rng(check_seed(seed))
    shapes = panel.shapes(counts, check_noise(noise), rng)
    y = np.repeat(np.arange(len(counts)), counts)
    P = frozen_rows(relations.PAPER[panel.relations[0]])
    return Dataset(
        name=panel.title,
        X=np.concatenate(shapes),
        y=y,
        class_names=panel.class_names,
        labelled=one_each(y, panel.labelled_classes, rng),
        setting=panel.setting.having(P=P),
        note=panel.note,
    )


def disc_outliers(
    outliers: int = 60, seed: int = 0, size: float = 1.0, noise: float = 1.0
) -> Dataset:
    """A disc with one label, and around it outliers as a class of their own without any.

    Of the serendipitous setting with one unlabelled class the paper says: "It is still solvable
    when #Y_u = 1 if a special label of outliers is allowed" (Section 3.1). It prints no such set;
    this one is ours, with the graph of Data 2 and the two classes related as in P5.

    Parameters
    ----------
    outliers : number of outliers, each farther from the disc than the disc's radius.
    seed, size, noise : as in `serendipity`; size scales the disc alone.
    """
    (n,) = _counts((100,), size)
    outliers = check_whole("outliers", outliers, LEAST_PER_SHAPE, 400)
    rng = np.random.default_rng(check_seed(seed))
    noise = check_noise(noise)
    inside = DISC_RADIUS * disc(n, noise, rng)
    # The clearing takes 16 % of the square, so twice as many points are plenty.
    field = 2 * FIELD * (square(2 * outliers, noise, rng) - 0.5)
    field = field[np.linalg.norm(field, axis=1) > CLEARING][:outliers]
    y = np.repeat([0, 1], [n, len(field)])
    return Dataset(
        name="Disc among outliers",
        X=np.concatenate([inside, field]),
        y=y,
        class_names=("disc", "outliers"),
        labelled=one_each(y, (0,), rng),
        setting=RINGS.having(balance=1.0, P=frozen_rows(relations.repelled(2))),
        note="The outliers are a class of their own, without a label. The paper prints no such "
        'set, and says: "It is still solvable when #Y_u = 1 if a special label of outliers is '
        'allowed", #Y_u being the number of classes without a label.',
    )


def all_but_one(data: Dataset, unknown: int, seed: int = 0) -> Dataset:
    """The set with every class labelled once except one.

    That one has the row of P5 and P6 that repels all others, so it takes what no label reaches.

    Parameters
    ----------
    data : a set with true classes, two or more.
    unknown : the class without a label.
    seed : of the labelled points.
    """
    if data.y is None:
        raise DataError(f"{data.name} has no true classes; all_but_one needs them")
    if not 0 <= unknown < data.n_classes:
        raise DataError(f"unknown must be a class in 0..{data.n_classes - 1}, got {unknown!r}")
    if data.n_classes < 2:
        raise DataError(f"{data.name} has one class only; at least one more must be known")
    P = frozen_rows(relations.repelled(data.n_classes, unknown))
    known = [j for j in range(data.n_classes) if j != unknown]
    rng = np.random.default_rng(check_seed(seed))
    name = data.class_names[unknown]
    return replace(
        data,
        labelled=one_each(data.y, known, rng),
        setting=(data.setting or SELF_TUNED).having(balance=1.0, P=P),
        note=" ".join([data.note, f"One label per class, none for {name}."]).strip(),
    )


def one_each(y: np.ndarray, classes: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """One random point of each of the classes."""
    members = [np.flatnonzero(y == j) for j in classes]
    for j, points in zip(classes, members, strict=True):
        if not len(points):
            raise DataError(f"class {j} has no point to label")
    return np.array([rng.choice(points) for points in members], dtype=np.int64)


def _counts(usual: Sequence[int], size: float) -> list[int]:
    if not (np.isfinite(size) and size > 0):
        raise DataError(f"size must be finite and > 0, got {size!r}")
    counts = [max(LEAST_PER_SHAPE, round(size * count)) for count in usual]
    check_points(sum(counts), 1)
    return counts
