"""Which points carry a label, and which points take part: random draws, fixed by their seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from datasets.model import DataError, Dataset, IntArray

# What scikit-learn's generators take; more than anybody tries.
MAX_SEED = 2**32 - 1

# Class sizes, number of labels, random generator -> labels per class.
Quota = Callable[[IntArray, int, np.random.Generator], IntArray]


def check_seed(seed: int) -> int:
    """The seed, or a `DataError` if it is none."""
    if (
        isinstance(seed, bool)
        or not isinstance(seed, int | np.integer)
        or not 0 <= seed <= MAX_SEED
    ):
        raise DataError(f"seed must be a whole number in 0..{MAX_SEED}, got {seed!r}")
    return int(seed)


def check_whole(name: str, value: float, low: int, high: int, meaning: str = "") -> int:
    """The value as a whole number in low..high, or a `DataError` if it is none."""
    if not (low <= value <= high and value == int(value)):
        said = f"{low}..{high}{meaning}"
        raise DataError(f"{name} must be a whole number in {said}, got {value!r}")
    return int(value)


def draw_labels(
    y: npt.ArrayLike,
    n_labelled: int,
    how: str = "balanced",
    seed: int = 0,
    withheld: Iterable[int] = (),
) -> IntArray:
    """Points to label, drawn at random.

    Parameters
    ----------
    y : (n,) classes; points of unknown class, -1, are never drawn.
    n_labelled : number of labels; with "per_class", of each class.
    how : "uniform" over the points, as in the paper, where "a subset [...] of size l is picked
        uniformly at random"; "balanced" over the classes as far as possible, the remainder by
        chance, which is our choice for few labels; "stratified" as the class sizes; "per_class".
    withheld : classes that get no label.

    Returns
    -------
    array of indices, increasing

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, 2, 2])
    >>> y[draw_labels(y, 2, withheld=[1])]
    array([0, 2])
    """
    y = np.asarray(y)
    if how not in QUOTAS:
        raise DataError(f"how must be one of {', '.join(QUOTAS)}, got {how!r}")
    if not (0 <= n_labelled < np.inf and n_labelled == int(n_labelled)):
        raise DataError(f"n_labelled must be a whole number >= 0, got {n_labelled!r}")
    eligible = (y >= 0) & ~np.isin(y, list(withheld))
    classes, sizes = np.unique(y[eligible], return_counts=True)
    rng = np.random.default_rng(check_seed(seed))
    quota = _quotas(how, classes, sizes, int(n_labelled), rng)
    drawn = [
        rng.choice(np.flatnonzero(y == j), count, replace=False)
        for j, count in zip(classes, quota, strict=True)
    ]
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *drawn]))


def _quotas(
    how: str, classes: IntArray, sizes: IntArray, n_labelled: int, rng: np.random.Generator
) -> IntArray:
    if how == "per_class":
        short = np.flatnonzero(sizes < n_labelled)
        if len(short):
            raise DataError(
                f"class {classes[short[0]]} has {sizes[short[0]]} points, fewer than the "
                f"{n_labelled} labels asked of each class; ask for fewer or withhold the class"
            )
    elif n_labelled > sizes.sum():
        raise DataError(
            f"{n_labelled} labels were asked for and only {sizes.sum()} points have a class that "
            "is known and not withheld; ask for fewer"
        )
    return QUOTAS[how](sizes, n_labelled, rng) if len(sizes) else sizes


def _balanced(sizes: IntArray, n_labelled: int, rng: np.random.Generator) -> IntArray:
    quota = np.zeros_like(sizes)
    # A class that runs out leaves its share to the others, hence rounds.
    while (left := n_labelled - int(quota.sum())) > 0:
        open_classes = rng.permutation(np.flatnonzero(quota < sizes))
        each = left // len(open_classes)
        if each == 0:
            quota[open_classes[:left]] += 1
        else:
            quota[open_classes] += np.minimum(each, (sizes - quota)[open_classes])
    return quota


QUOTAS: dict[str, Quota] = {
    "balanced": _balanced,
    # How many of each class a uniform draw of points takes is hypergeometric.
    "uniform": lambda sizes, n, rng: rng.multivariate_hypergeometric(sizes, n).astype(np.int64),
    "stratified": lambda sizes, n, rng: shares(n, sizes),
    "per_class": lambda sizes, n, rng: np.full_like(sizes, n),
}


def shares(n: int, weights: npt.ArrayLike) -> IntArray:
    """n split in proportion to the weights, by largest remainder.

    >>> shares(301, (1, 2, 3))
    array([ 50, 100, 151])
    """
    weights = np.asarray(weights, dtype=float)
    exact = n * weights / weights.sum()
    counts = np.floor(exact + 1e-9).astype(np.int64)
    # Stable: of equal remainders the earlier class is served first.
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: n - counts.sum()]] += 1
    return counts


def subset(data: Dataset, n: int, how: str = "stratified", seed: int = 0) -> Dataset:
    """Some of the points, in their order; all classes keep their number and name.

    Parameters
    ----------
    n : number of points to keep.
    how : "stratified" keeps the proportions of the classes (multi-label: of the label sets), and
        without a truth is the same as "uniform".
    """
    if how not in ("stratified", "uniform"):
        raise DataError(f"how must be stratified or uniform, got {how!r}")
    n = check_whole("n", n, 1, data.n, ", the size of the set")
    if n == data.n:
        return data
    groups = _groups(data) if how == "stratified" else np.zeros(data.n, dtype=np.int64)
    kept = draw_labels(groups, n, "stratified", seed)
    return replace(
        data,
        X=data.X[kept],
        y=None if data.y is None else data.y[kept],
        Y=None if data.Y is None else data.Y[kept],
        labelled=np.flatnonzero(np.isin(kept, data.labelled)),
        note=" ".join([data.note, f"{n} of {data.n} points, drawn at random."]).strip(),
    )


def _groups(data: Dataset) -> IntArray:
    if data.y is not None:
        return data.y - data.y.min()  # points of unknown class are a group, too
    if data.Y is not None:
        sets = np.unique(data.Y, axis=0, return_inverse=True)[1]
        return np.asarray(sets, dtype=np.int64).ravel()
    return np.zeros(data.n, dtype=np.int64)
