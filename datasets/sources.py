"""Data sets by name: the generators with their sliders, and all that experiments draw points from.

A source draws its points anew for every seed (`mavr.experiments`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from datasets.draws import draw_labels, subset
from datasets.model import DataError, Dataset, IntArray
from datasets.npzfile import from_npz
from datasets.serendipity import disc_outliers, serendipity
from datasets.shapes import (
    MAX_POINTS,
    digits,
    grid_outliers,
    spiral,
    three_circles,
    two_moons,
    unequal_blobs,
)
from mavr.settings import Number


@dataclass(frozen=True)
class Generator:
    """A data set of the playground.

    Attributes
    ----------
    title : what a select box shows.
    function : ``function(seed=..., **params)`` makes the set.
    params : its arguments beside the seed; sliders, links and checks come from them.
    help : one sentence on the set.
    """

    title: str
    function: Callable[..., Dataset]
    params: tuple[Number, ...]
    help: str


def _whole(name: str, word: str, help: str, low: int, high: int, usual: int) -> Number:
    return Number(name, word, "", help, low, high, usual, logarithmic=False, whole=True)


def _real(name: str, word: str, help: str, low: float, high: float, usual: float) -> Number:
    return Number(name, word, "", help, low, high, usual, logarithmic=False)


def _points(high: int = 1200) -> Number:
    return _whole("n", "Points", "Number of points.", 60, high, 300)


def _noise(usual: float, high: float) -> Number:
    return _real("noise", "Noise", "Standard deviation of the noise.", 0.0, high, usual)


SIZE = _real("size", "Size", "Number of points as a multiple of the usual one.", 0.5, 3.0, 1.0)
JITTER = _real("noise", "Noise", "Jitter as a multiple of the usual one.", 0.0, 2.0, 1.0)


def _paper(which: int | str, title: str, help: str) -> Generator:
    return Generator(title, partial(serendipity, which), (SIZE, JITTER), help)


GENERATORS: dict[str, Generator] = {
    "three_circles": Generator(
        "Three circles",
        three_circles,
        (_points(high=3000), _noise(0.5, 1.0)),
        "Three noisy ellipses around one centre, class sizes 1 : 2 : 3.",
    ),
    "rings": _paper(1, "Four rings, three labels", "Four rings; the fourth has no label."),
    "rings_one": _paper(2, "Four rings, one label", "Four rings; only the first has a label."),
    "smile": _paper(
        3, "Smile", "Two square eyes above the arc of a mouth: a look-alike of the paper's Data 3."
    ),
    "blobs_background": _paper(
        4,
        "Blobs in a background",
        "Two tight blobs in a sparse background: a look-alike of the paper's Data 4.",
    ),
    "bars": _paper(
        5,
        "Four bars",
        "Four horizontal bars, long and short by turns: a look-alike of the paper's Data 5.",
    ),
    "disc_rings": _paper(
        "5-icml",
        "Disc in two rings",
        "A disc inside a ring inside a wider ring: a look-alike of Data 5 in the conference "
        "version.",
    ),
    "disc_outliers": Generator(
        "Disc among outliers",
        disc_outliers,
        (
            _whole("outliers", "Outliers", "Points around the disc, without a label.", 30, 150, 60),
            SIZE,
            JITTER,
        ),
        "A disc with one label; the outliers around it are a class of their own, without any.",
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
            _real("spread", "Spread", "Width as a multiple of the usual one.", 0.1, 3.0, 1.0),
        ),
        "Three Gaussian blobs of very different size and width.",
    ),
    "spiral": Generator(
        "Spiral",
        spiral,
        (
            _points(),
            _whole("arms", "Arms", "Number of arms, one class each.", 1, 5, 2),
            _real("turns", "Turns", "How often an arm goes round.", 0.5, 3.0, 1.5),
            _noise(0.05, 0.6),
        ),
        "Arms of a spiral wound around each other.",
    ),
    "grid_outliers": Generator(
        "Grid with outliers",
        grid_outliers,
        (
            _points(),
            _whole("outliers", "Outliers", "Points far from the grid, of no class.", 0, 40, 12),
            _real("noise", "Noise", "Jitter in units of the grid spacing.", 0.0, 0.5, 0.1),
        ),
        "Three square lattices with outliers that belong to no class.",
    ),
    "digits": Generator(
        "Digits",
        digits,
        (_whole("n", "Points", "Number of digits, drawn in proportion.", 100, 1797, 600),),
        "Handwritten digits of 8 × 8 pixels, shown in the plane of largest variance.",
    ),
}


POINTS = Number(
    "n",
    "Points",
    "n",
    "Number of points, drawn in proportion to the classes.",
    1,
    MAX_POINTS,
    None,
    logarithmic=False,
    whole=True,
)
# Ways of `draw_labels`, as a select box shows them.
DRAWS = {
    "balanced": "balanced over classes",
    "per_class": "this many per class",
    "stratified": "proportional to class size",
    "uniform": "any points",
}


class _LabelDraws:
    """Labels are drawn by `draw_labels`."""

    @property
    def draws(self) -> dict[str, str]:
        return DRAWS

    def labelled(self, y: IntArray, n_labelled: int, how: str, seed: int) -> IntArray:
        """Indices of the points to label."""
        return draw_labels(y, n_labelled, how, seed)


@dataclass(frozen=True)
class Generated(_LabelDraws):
    """A generator of `GENERATORS` by its name."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in GENERATORS:
            raise DataError(f"data must be one of {', '.join(GENERATORS)}, got {self.name!r}")

    @property
    def title(self) -> str:
        return GENERATORS[self.name].title

    @property
    def arguments(self) -> tuple[Number, ...]:
        """The declarations of its arguments."""
        return GENERATORS[self.name].params

    def __call__(self, seed: int, **arguments: Any) -> Dataset:
        return GENERATORS[self.name].function(seed=seed, **arguments)


@dataclass(frozen=True)
class Stored(_LabelDraws):
    """n points of an .npz file with X and y; all of them where n is not given."""

    path: str

    @property
    def title(self) -> str:
        return Path(self.path).stem

    @property
    def arguments(self) -> tuple[Number, ...]:
        """The number of points."""
        return (POINTS,)

    def __call__(self, seed: int, **arguments: Any) -> Dataset:
        data = _kept(self.path)
        return subset(data, int(arguments.get("n", data.n)), seed=seed)


_kept = lru_cache(maxsize=2)(from_npz)


def source(name: str) -> Generated | Stored:
    """A source of experiments.

    Parameters
    ----------
    name : of a generator, or the path of an .npz file with X and y.

    Returns
    -------
    hashable object; ``source(seed=0, n=100)`` draws points

    Examples
    --------
    >>> source("three_circles")(seed=0, n=60, noise=0.5).X.shape
    (60, 2)
    """
    if name in GENERATORS:
        return Generated(name)
    if name.endswith(".npz"):
        return Stored(name)
    raise DataError(
        f"data must be one of {', '.join(GENERATORS)} or the path of an .npz file, got {name!r}"
    )
