"""Data sets as sources of experiments: points drawn anew for every seed (`mavr.experiments`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from datasets.draws import draw_labels, subset
from datasets.model import DataError, Dataset, IntArray
from datasets.npzfile import from_npz
from datasets.registry import GENERATORS
from datasets.shapes import MAX_POINTS
from mavr.settings import Number

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
        data = _read(self.path)
        return subset(data, int(arguments.get("n", data.n)), seed=seed)


@lru_cache(maxsize=2)
def _read(path: str) -> Dataset:
    return from_npz(path)


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
