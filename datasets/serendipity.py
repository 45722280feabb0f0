"""The paper's serendipity sets: shapes of which only some carry a label.

Data 1 and 2 follow the paper's description. Data 3, 4, 5 and the fifth of the ICML version are
shapes in the manner of Zelnik-Manor & Perona (NIPS 2004), generated anew. Each set carries the
setting of its panel: graph, gamma, tau, balance, P and labelled points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.model import DataError, Dataset, FloatArray
from datasets.shapes import (
    LOCAL_SCALE,
    check_noise,
    check_points,
    deviations,
    even_deviations,
    spread_over_square,
    stratified,
)
from mavr import relations
from mavr.settings import Setting, frozen_rows

Key = int | str
Shapes = list[FloatArray]
Counts = Sequence[int]

RINGS = Setting().having(similarity="gaussian", sigma=0.25)
SELF_TUNED = Setting().having(similarity="local_scaling", n_neighbors=LOCAL_SCALE, balance=1.0)
# No shape shrinks below the points a local scale needs.
LEAST_PER_SHAPE = LOCAL_SCALE + 1
FULL_TURN = (0.0, 2 * np.pi)


@dataclass(frozen=True)
class Panel:
    """A set of the serendipity figure. `relations` names its matrices, the default first."""

    title: str
    shapes: Callable[[Counts, float, np.random.Generator], Shapes]
    counts: tuple[int, ...]
    class_names: tuple[str, ...]
    labelled_classes: tuple[int, ...]
    relations: tuple[str, ...]
    setting: Setting


def serendipity(which: Key, seed: int = 0, size: float = 1.0, noise: float = 1.0) -> Dataset:
    """Data 1 to 5 of the paper, or "5-icml"; size scales the points, noise their jitter."""
    panel = _panel(which)
    if not (np.isfinite(size) and size > 0):
        raise DataError(f"size must be finite and > 0, got {size!r}")
    counts = [max(LEAST_PER_SHAPE, round(size * count)) for count in panel.counts]
    check_points(sum(counts), 1)
    rng = np.random.default_rng(seed)
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
    )


def all_but_one(data: Dataset, unknown: int, seed: int = 0) -> Dataset:
    """The set with every class labelled once except one, which becomes class 0.

    Class 0 is the row of P5 and P6 that repels all others, so it takes what no label reaches.
    """
    if data.y is None:
        raise DataError(f"{data.name} has no true classes; all_but_one needs them")
    if not 0 <= unknown < data.n_classes:
        raise DataError(f"unknown must be a class in 0..{data.n_classes - 1}, got {unknown!r}")
    if data.n_classes < 2:
        raise DataError(f"{data.name} has one class only; at least one more must be known")
    order = [unknown, *(j for j in range(data.n_classes) if j != unknown)]
    y = np.where(data.y < 0, data.y, np.argsort(order)[data.y])
    P = frozen_rows(relations.repelled(data.n_classes))
    names = tuple(data.class_names[j] for j in order)
    rng = np.random.default_rng(seed)
    return replace(
        data,
        y=y,
        class_names=names,
        labelled=one_each(y, range(1, data.n_classes), rng),
        setting=(data.setting or SELF_TUNED).having(balance=1.0, P=P),
        note=f"One label per class, none for {names[0]}.",
    )


def one_each(y: np.ndarray, classes: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """One random point of each of the classes."""
    members = [np.flatnonzero(y == j) for j in classes]
    for j, points in zip(classes, members, strict=True):
        if not len(points):
            raise DataError(f"class {j} has no point to label")
    return np.array([rng.choice(points) for points in members], dtype=np.int64)


def _panel(which: Key) -> Panel:
    if which not in PANELS:
        known = ", ".join(repr(key) for key in PANELS)
        raise DataError(f"which must be one of {known}, got {which!r}")
    return PANELS[which]


def _arc(
    angles: tuple[float, float],
    radii: FloatArray,
    noise: float,
    rng: np.random.Generator,
) -> FloatArray:
    """One point per radius, evenly from the first angle to the second."""
    start, stop = angles
    angle = start + (stop - start) * stratified(len(radii), rng, noise)
    return radii[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _rings(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Four unit rings on a 2 x 2 grid, centres 3 apart, numbered 1 2 / 3 4."""
    centres = ((0.0, 3.0), (3.0, 3.0), (0.0, 0.0), (3.0, 0.0))
    # The rings talk through their few nearest points, at weights of exp(-8) that a stray point
    # would double; evenly mixed radii make the four bridges alike, so P decides, not the seed.
    return [
        _arc(FULL_TURN, 1 + 0.04 * noise * even_deviations(n, rng), noise, rng) + centre
        for n, centre in zip(counts, centres, strict=True)
    ]


def _smile(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Two square eyes above the arc of a mouth that reaches up beside them."""
    left, right, mouth = counts
    radii = 1 + 0.04 * noise * deviations(mouth, rng)
    arc = _arc((0.99 * np.pi, 2.01 * np.pi), radii, noise, rng)
    eyes = [
        side * (_square(n, noise, rng) - 0.5) + centre
        for n, side, centre in ((left, 0.34, (-0.36, -0.04)), (right, 0.3, (0.36, -0.04)))
    ]
    return [*eyes, arc]


def _square(n: int, noise: float, rng: np.random.Generator) -> FloatArray:
    jitter = 0.5 * noise / np.sqrt(n) * rng.uniform(-1, 1, (n, 2))
    return spread_over_square(n, rng) + jitter


def _blobs(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Two tight blobs, each in a clearing of a sparse background that fills a square."""
    lower, upper, background = counts
    centres, radii = np.array([[0.1, -0.32], [0.34, 0.34]]), (0.035, 0.045)
    blobs = [
        radius * _disc(n, noise, rng) + centre
        for n, radius, centre in zip((lower, upper), radii, centres, strict=True)
    ]
    clearing = 0.2
    # The clearings take 6 % of the square; half as many points again are enough to fill the rest.
    field = 2.1 * _square(background + background // 2 + 8, noise, rng) - 1.05
    gaps = np.linalg.norm(field[:, None] - centres, axis=2).min(axis=1)
    return [*blobs, field[gaps > clearing][:background]]


def _disc(n: int, noise: float, rng: np.random.Generator) -> FloatArray:
    """The unit disc, filled along a sunflower spiral: equal areas, golden angle."""
    radius = np.sqrt((np.arange(n) + 0.5) / n)
    angle = rng.uniform(0, 2 * np.pi) + np.arange(n) * np.pi * (3 - np.sqrt(5))
    jitter = 0.5 * noise / np.sqrt(n) * rng.uniform(-1, 1, (n, 2))
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + jitter


def _bars(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Four horizontal bars, long and short by turns, from the top."""
    lengths, middles, heights = (4.3, 1.4, 4.4, 1.05), (0.0, -0.2, 0.15, -0.15), (3, 2, 1, 0)
    return [
        np.column_stack(
            [
                length * (stratified(n, rng, noise) - 0.5) + middle,
                height + 0.06 * noise * deviations(n, rng),
            ]
        )
        for n, length, middle, height in zip(counts, lengths, middles, heights, strict=True)
    ]


def _disc_rings(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """A disc inside a dense ring inside a wide one."""
    disc, inner, outer = counts
    rings = [
        _arc(FULL_TURN, radius + 0.07 * noise * deviations(n, rng), noise, rng)
        for n, radius in ((inner, 1.0), (outer, 2.5))
    ]
    return [0.25 * _disc(disc, noise, rng), *rings]


_RING_NAMES = ("ring 1", "ring 2", "ring 3", "ring 4")
PANELS: dict[Key, Panel] = {
    1: Panel(
        "Data 1: four rings, three labels",
        _rings,
        (50,) * 4,
        _RING_NAMES,
        (0, 1, 2),
        ("P3", "P1", "P2"),
        RINGS,
    ),
    2: Panel(
        "Data 2: four rings, one label",
        _rings,
        (50,) * 4,
        _RING_NAMES,
        (0,),
        ("P4",),
        RINGS.having(balance=1.0),
    ),
    3: Panel(
        "Data 3: smile",
        _smile,
        (75, 73, 118),
        ("left eye", "right eye", "mouth"),
        (0,),
        ("P5",),
        SELF_TUNED,
    ),
    4: Panel(
        "Data 4: blobs in a background",
        _blobs,
        (102, 95, 106),
        ("lower blob", "upper blob", "background"),
        (0,),
        ("P5",),
        SELF_TUNED,
    ),
    5: Panel(
        "Data 5: four bars",
        _bars,
        (117, 123, 150, 122),
        ("bar 1", "bar 2", "bar 3", "bar 4"),
        (0,),
        ("P6",),
        SELF_TUNED,
    ),
    "5-icml": Panel(
        "Data 5 (ICML): disc in two rings",
        _disc_rings,
        (61, 139, 99),
        ("disc", "inner ring", "outer ring"),
        (0,),
        ("P5",),
        SELF_TUNED,
    ),
}
