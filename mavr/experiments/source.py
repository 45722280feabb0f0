"""Where the points of an experiment come from. Experiments are handed a source; they read no data.

A source is small: it is hashed to find finished work and pickled for other processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mavr.settings import Number

IntArray = npt.NDArray[np.int64]

# Samplings of one seed; the next seed starts its own draws beyond them.
MAX_SAMPLINGS = 1000


class Sample(Protocol):
    """Points with their true classes.

    Attributes
    ----------
    X : (n, d) array or sparse matrix.
    y : (n,) classes 0..n_classes-1, -1 where the truth is unknown; None if there is none.
    n_classes : number of classes, those without a point in this sample included.
    """

    @property
    def X(self) -> Any: ...
    @property
    def y(self) -> IntArray | None: ...
    @property
    def n_classes(self) -> int: ...


class Source(Protocol):
    """Draws points and labels. Equal sources draw the same for the same seed.

    Attributes
    ----------
    title : name in tables and figures.
    arguments : what can be set beside the seed, one declaration each; a sweep may vary it.
    draws : ways to draw the labelled points, names with their titles.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from mavr.settings import Number
    >>> @dataclass(frozen=True)
    ... class TwoBlobs:
    ...     title = "Two blobs"
    ...     arguments = (Number("n", "Points", "n", "Number of points.", 4, 1000, 40, whole=True),)
    ...     draws = {"any": "any points"}
    ...
    ...     def __call__(self, seed, n):
    ...         y = np.arange(n) % 2
    ...         X = np.random.default_rng(seed).normal(4 * y[:, None], 1, (n, 2))
    ...         return SimpleNamespace(X=X, y=y, n_classes=2)
    ...
    ...     def labelled(self, y, n_labelled, how, seed):
    ...         return np.random.default_rng(seed).choice(len(y), n_labelled, replace=False)
    >>> TwoBlobs()(0, n=6).y
    array([0, 1, 0, 1, 0, 1])
    """

    @property
    def title(self) -> str: ...
    @property
    def arguments(self) -> tuple[Number, ...]: ...
    @property
    def draws(self) -> Mapping[str, str]: ...
    def __call__(self, seed: int, **arguments: Any) -> Sample:
        """A sample."""
        ...

    def labelled(self, y: IntArray, n_labelled: int, how: str, seed: int) -> IntArray:
        """Indices of the points to label, drawn in the way `how`."""
        ...


def true_classes(source: Source, sample: Sample) -> IntArray:
    """The classes of a sample; ValueError where there are none."""
    if sample.y is None:
        raise ValueError(f"{source.title} has no true classes: its error cannot be measured")
    return sample.y


def sampling_seed(seed: int, sampling: int) -> int:
    """Seed of points and labels of one sampling.

    Parameters
    ----------
    seed : of the whole experiment.
    sampling : 0 .. MAX_SAMPLINGS - 1.

    Returns
    -------
    int, different for every pair: what a link to this sampling carries.
    """
    return MAX_SAMPLINGS * seed + sampling
