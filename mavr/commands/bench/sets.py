"""Labelled sets on which the estimators are compared as they come, and draws of their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import datasets as toys
from sklearn.preprocessing import StandardScaler

from mavr.arrays import Array

Labels = npt.NDArray[np.int_]

# Of larger sets a part of so many points is taken.
LARGE = 1000
# Sets that took part in the choice of the defaults, by name or name of file.
CHOSEN_ON = (
    *("digits", "wine", "cancer", "iris", "circles", "moons", "blobs", "usps", "20news_w100"),
    *("zelnik1", "zelnik2", "zelnik3", "zelnik5"),
)


@dataclass(frozen=True)
class Points:
    """A labelled set; make : another of its kind by a seed, where it is no set of the world."""

    name: str
    X: Array
    y: Labels
    make: Callable[[int], tuple[Array, Labels]] | None = None

    @classmethod
    def made(cls, name: str, make: Callable[[int], tuple[Array, Labels]]) -> Points:
        return cls(name, *make(0), make)

    def anew(self, seed: int) -> Points:
        """The set for a draw of labels."""
        if self.make is None:
            return self
        X, y = self.make(seed)
        return replace(self, X=X, y=y)

    @property
    def title(self) -> str:
        return self.name if self.name in CHOSEN_ON else f"{self.name}*"


def _circles(seed: int) -> tuple[Array, Labels]:
    import datasets

    made = datasets.three_circles(n=300, noise=0.5, seed=seed)
    assert made.y is not None
    return made.X, made.y


def _moons(seed: int) -> tuple[Array, Labels]:
    X, y = toys.make_moons(300, noise=0.1, random_state=seed)
    return X, y


def _blobs(seed: int) -> tuple[Array, Labels]:
    X, y, *_ = toys.make_blobs(600, centers=5, n_features=10, cluster_std=4, random_state=seed)
    return X, y


def _mixture(seed: int) -> tuple[Array, Labels]:
    X, y = toys.make_classification(
        600, 20, n_informative=6, n_classes=4, class_sep=1.5, random_state=seed
    )
    return X, y


def _unequal(seed: int) -> tuple[Array, Labels]:
    X, y, *_ = toys.make_blobs([300, 100, 35], n_features=8, cluster_std=4, random_state=seed)
    return X, y


# No number of the defaults was set on the last two.
MADE: dict[str, Callable[[int], tuple[Array, Labels]]] = {
    "circles": _circles,
    "moons": _moons,
    "blobs": _blobs,
    "mixture": _mixture,
    "unequal": _unequal,
}


def own_sets() -> list[Points]:
    """The sets that need no file."""
    digits = toys.load_digits()
    rows = np.random.default_rng(0).permutation(len(digits.target))[:LARGE]
    found = [Points("digits", digits.data[rows] / 16, digits.target[rows])]
    for name in ("wine", "breast_cancer", "iris"):
        data = getattr(toys, f"load_{name}")()
        X = StandardScaler().fit_transform(data.data)
        found.append(Points(name.removeprefix("breast_"), X, data.target))
    for name, make in MADE.items():
        found.append(Points.made(name, make))
    return found


def file_sets(files: Iterable[Path], most: int | None = LARGE) -> list[Points]:
    """NPZ files with X and y, divided by their largest entry; at most 1000 points by default."""
    from datasets import from_npz

    found = []
    for file in files:
        data = from_npz(file)
        if data.y is None:
            raise ValueError(f"{file.name} has no y, one class a point; this comparison needs it")
        rows = np.random.default_rng(0).permutation(data.n)[:most]
        X = data.X[rows].toarray() if sp.issparse(data.X) else np.asarray(data.X)[rows]
        # In single precision the peers' kernel underflows to a graph without edges.
        X = X.astype(float)
        found.append(Points(file.stem, X / np.abs(X).max(), data.y[rows]))
    return found


def draw(y: Labels, rate: int | str, seed: int) -> Labels | None:
    """(n,) y with -1 for what is not drawn; None if a class is too small."""
    rng = np.random.default_rng(seed)
    places = [rng.permutation(np.flatnonzero(y == j)) for j in np.unique(y)]
    if isinstance(rate, int):
        if min(len(p) for p in places) <= rate:
            return None
        chosen = np.concatenate([p[:rate] for p in places])
    else:
        # One for each class, the others by chance.
        first = np.array([p[0] for p in places])
        rest = rng.permutation(np.setdiff1d(np.arange(len(y)), first))
        chosen = np.concatenate([first, rest[: 4 * len(places)]])
    return np.where(np.isin(np.arange(len(y)), chosen), y, -1)
