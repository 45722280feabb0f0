"""The five sets of the paper's serendipity figure, and the fifth of its conference version.

The text of the paper does not say how Data 1 and 2 were made; these are drawn after the figure. Of
the others it says "the latter 3 data sets are from" Zelnik-Manor & Perona (NIPS 2004): here they
are look-alikes, made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from datasets.model import FloatArray
from datasets.shapes import (
    LOCAL_SCALE,
    deviations,
    even_deviations,
    spread_over_square,
    stratified,
)
from mavr.settings import Setting

Key = int | str
Shapes = list[FloatArray]
Counts = Sequence[int]

RINGS = Setting().having(similarity="gaussian", sigma=0.25)
SELF_TUNED = Setting().having(similarity="local_scaling", n_neighbors=LOCAL_SCALE, balance=1.0)
FULL_TURN = (0.0, 2 * np.pi)

AFTER_THE_FIGURE = (
    "Drawn after the printed figure: the paper does not say how its four rings were made."
)
LOOK_ALIKE = (
    'A look-alike of the printed set, made anew. The paper\'s Data 3 to 5 "are from" '
    "Zelnik-Manor and Perona (2004)."
)
CONFERENCE_LOOK_ALIKE = "A look-alike of Data 5 as the conference version prints it, made anew."


@dataclass(frozen=True)
class Panel:
    """A set of the serendipity figure.

    Attributes
    ----------
    shapes : from the number of points of each shape, the jitter and a generator to the points.
    counts : points of each shape; a shape is a class.
    relations : names of its matrices P, the usual one first.
    labelled_classes : those with a label.
    note : where it comes from.
    """

    title: str
    shapes: Callable[[Counts, float, np.random.Generator], Shapes]
    counts: tuple[int, ...]
    class_names: tuple[str, ...]
    relations: tuple[str, ...]
    labelled_classes: tuple[int, ...] = (0,)
    setting: Setting = SELF_TUNED
    note: str = LOOK_ALIKE


def arc(
    angles: tuple[float, float], radii: FloatArray, noise: float, rng: np.random.Generator
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
        arc(FULL_TURN, 1 + 0.04 * noise * even_deviations(n, rng), noise, rng) + centre
        for n, centre in zip(counts, centres, strict=True)
    ]


def _smile(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Two square eyes above the arc of a mouth that reaches up beside them."""
    left, right, mouth = counts
    radii = 1 + 0.04 * noise * deviations(mouth, rng)
    smile = arc((0.99 * np.pi, 2.01 * np.pi), radii, noise, rng)
    eyes = [
        side * (square(n, noise, rng) - 0.5) + centre
        for n, side, centre in ((left, 0.34, (-0.36, -0.04)), (right, 0.3, (0.36, -0.04)))
    ]
    return [*eyes, smile]


def square(n: int, noise: float, rng: np.random.Generator) -> FloatArray:
    """The unit square, evenly filled."""
    jitter = 0.5 * noise / np.sqrt(n) * rng.uniform(-1, 1, (n, 2))
    return spread_over_square(n, rng) + jitter


def _blobs(counts: Counts, noise: float, rng: np.random.Generator) -> Shapes:
    """Two tight blobs, each in a clearing of a sparse background that fills a square."""
    lower, upper, background = counts
    centres, radii = np.array([[0.1, -0.32], [0.34, 0.34]]), (0.035, 0.045)
    blobs = [
        radius * disc(n, noise, rng) + centre
        for n, radius, centre in zip((lower, upper), radii, centres, strict=True)
    ]
    clearing = 0.2
    # The clearings take 6 % of the square; half as many points again are enough to fill the rest.
    field = 2.1 * square(background + background // 2 + 8, noise, rng) - 1.05
    gaps = np.linalg.norm(field[:, None] - centres, axis=2).min(axis=1)
    return [*blobs, field[gaps > clearing][:background]]


def disc(n: int, noise: float, rng: np.random.Generator) -> FloatArray:
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
    middle, inner, outer = counts
    rings = [
        arc(FULL_TURN, radius + 0.07 * noise * deviations(n, rng), noise, rng)
        for n, radius in ((inner, 1.0), (outer, 2.5))
    ]
    return [0.25 * disc(middle, noise, rng), *rings]


_RING_NAMES = ("ring 1", "ring 2", "ring 3", "ring 4")
PANELS: dict[Key, Panel] = {
    1: Panel(
        "Data 1: four rings, three labels",
        _rings,
        (50,) * 4,
        _RING_NAMES,
        ("P3", "P1", "P2"),
        (0, 1, 2),
        RINGS,
        AFTER_THE_FIGURE,
    ),
    2: Panel(
        "Data 2: four rings, one label",
        _rings,
        (50,) * 4,
        _RING_NAMES,
        ("P4",),
        setting=RINGS.having(balance=1.0),
        note=AFTER_THE_FIGURE,
    ),
    3: Panel(
        "Data 3: smile",
        _smile,
        (75, 73, 118),
        ("left eye", "right eye", "mouth"),
        ("P5",),
    ),
    4: Panel(
        "Data 4: blobs in a background",
        _blobs,
        (102, 95, 106),
        ("lower blob", "upper blob", "background"),
        ("P5",),
    ),
    5: Panel(
        "Data 5: four bars",
        _bars,
        (117, 123, 150, 122),
        ("bar 1", "bar 2", "bar 3", "bar 4"),
        ("P6",),
    ),
    "5-icml": Panel(
        "Data 5 (ICML): disc in two rings",
        _disc_rings,
        (61, 139, 99),
        ("disc", "inner ring", "outer ring"),
        ("P5",),
        note=CONFERENCE_LOOK_ALIKE,
    ),
}
