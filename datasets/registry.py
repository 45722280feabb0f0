"""The generators of the playground with their sliders, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from datasets.model import Dataset
from datasets.serendipity import serendipity
from datasets.shapes import (
    digits,
    grid_outliers,
    spiral,
    three_circles,
    two_moons,
    unequal_blobs,
)


@dataclass(frozen=True)
class Param:
    """A slider; low, high, default and step are all int or all float."""

    name: str
    label: str
    low: float
    high: float
    default: float
    step: float
    help: str


@dataclass(frozen=True)
class Generator:
    """`function(seed=..., **params)` makes the set."""

    title: str
    function: Callable[..., Dataset]
    params: tuple[Param, ...]
    help: str


def _points(default: int = 300, low: int = 60, high: int = 1200) -> Param:
    return Param("n", "Points", low, high, default, 6, "Number of points")


def _noise(default: float, high: float, step: float = 0.01) -> Param:
    return Param("noise", "Noise", 0.0, high, default, step, "Standard deviation of the noise")


SIZE = Param("size", "Size", 0.5, 3.0, 1.0, 0.1, "Number of points as a multiple of the paper's")
JITTER = Param("noise", "Noise", 0.0, 2.0, 1.0, 0.05, "Jitter as a multiple of the usual one")


def _paper(which: int | str, title: str, help: str) -> Generator:
    return Generator(title, partial(serendipity, which), (SIZE, JITTER), help)


GENERATORS: dict[str, Generator] = {
    "three_circles": Generator(
        "Three circles",
        three_circles,
        (_points(high=3000), _noise(0.5, 1.0, 0.05)),
        "Three noisy ellipses around one centre, the classes as 1 : 2 : 3.",
    ),
    "rings": _paper(1, "Four rings, three labels", "Four rings; the fourth has no label."),
    "rings_one": _paper(2, "Four rings, one label", "Four rings; only the first has a label."),
    "smile": _paper(3, "Smile", "Two square eyes above the arc of a mouth."),
    "blobs_background": _paper(
        4, "Blobs in a background", "Two tight blobs in a sparse background."
    ),
    "bars": _paper(5, "Four bars", "Four horizontal bars, long and short by turns."),
    "disc_rings": _paper(
        "5-icml", "Disc in two rings", "A disc inside a ring inside a wider ring."
    ),
    "two_moons": Generator(
        "Two moons",
        two_moons,
        (_points(), _noise(0.08, 0.4)),
        "Two half circles that reach into each other.",
    ),
    "unequal_blobs": Generator(
        "Unequal blobs",
        unequal_blobs,
        (
            _points(),
            Param("spread", "Spread", 0.1, 3.0, 1.0, 0.1, "Width as a multiple of the usual one"),
        ),
        "Three Gaussian blobs of very different size and width.",
    ),
    "spiral": Generator(
        "Spiral",
        spiral,
        (
            _points(),
            Param("arms", "Arms", 1, 5, 2, 1, "Number of arms, one class each"),
            Param("turns", "Turns", 0.5, 3.0, 1.5, 0.25, "How often an arm goes round"),
            _noise(0.05, 0.6, 0.05),
        ),
        "Arms of a spiral wound around each other.",
    ),
    "grid_outliers": Generator(
        "Grid with outliers",
        grid_outliers,
        (
            _points(),
            Param("outliers", "Outliers", 0, 40, 12, 1, "Points far from the grid, of no class"),
            Param("noise", "Noise", 0.0, 0.5, 0.1, 0.05, "Jitter in units of the grid spacing"),
        ),
        "Three square lattices with outliers that belong to no class.",
    ),
    "digits": Generator(
        "Digits",
        digits,
        (Param("n", "Points", 100, 1797, 600, 1, "Number of digits, drawn in proportion"),),
        "Handwritten digits of 8 × 8 pixels, shown in the plane of largest variance.",
    ),
}
