"""The plane: its axes, the setting of a cell, and the points that are classified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr import relations
from mavr.arrays import Array, Mask
from mavr.settings import Parameters, Setting, declarations, frozen_rows, scale_parameters

MAX_VALUES = 512
_ENTRY = re.compile(r"P\[(\d+), ?(\d+)\]")


@dataclass(frozen=True)
class Axis:
    """Values of one setting.

    Parameters
    ----------
    name : a field of `mavr.settings.Parameters`, a parameter of the similarity, an entry of P as
        ``"P[0, 1]"``, or any other name, which is handed to the function that makes the points.
    values : in the order of the cells.

    Examples
    --------
    >>> Axis.between("gamma", 1, 100, 3).values
    (1.0, 10.0, 100.0)
    """

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not 1 <= len(self.values) <= MAX_VALUES:
            raise ValueError(
                f"an axis must have 1 to {MAX_VALUES} values, {self.name} has {len(self.values)}"
            )

    @classmethod
    def between(cls, name: str, low: float, high: float, count: int) -> Axis:
        """Even steps from low to high; even ratios where the setting is logarithmic."""
        if not (np.isfinite([low, high]).all() and low < high):
            raise ValueError(f"{name} must go from a lower to a higher value, got {low} to {high}")
        about = (scale_parameters() | declarations(Parameters)).get(name)
        if about is not None and about.logarithmic:
            if low <= 0:
                raise ValueError(f"{name} has a logarithmic scale and must start above 0, got 0")
            values = np.geomspace(low, high, count)
        else:
            values = np.linspace(low, high, count)
        # The ends as they were given, whatever geomspace makes of them.
        values[[0, -1]] = (low, high) if count > 1 else (low, low)
        if about is not None and about.whole:
            values = np.round(values)
        return cls(name, tuple(values.tolist()))


def entry(name: str) -> tuple[int, int] | None:
    """Row and column of P that an axis stands for."""
    found = _ENTRY.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


@dataclass(frozen=True, eq=False)
class Points:
    """Points with the labels that are given.

    Parameters
    ----------
    X : (n, d) features.
    given : (n,) class of the labelled points, -1 elsewhere.
    truth : (n,) true classes, -1 where unknown; None where nothing is known.
    n_classes : c; by default as many as `given` and `truth` name.
    """

    X: Any
    given: npt.ArrayLike
    truth: npt.ArrayLike | None = None
    n_classes: int = 0

    def __post_init__(self) -> None:
        given = np.asarray(self.given, dtype=np.int64)
        truth = None if self.truth is None else np.asarray(self.truth, dtype=np.int64)
        if given.shape != (self.X.shape[0],):
            raise ValueError(
                f"given must have one class, or -1, for each of the {self.X.shape[0]} points, got "
                f"shape {given.shape}"
            )
        if not (given >= 0).any():
            raise ValueError("no point is labelled; give at least one a class")
        known = [given.max(), -1 if truth is None else truth.max(initial=-1)]
        count = self.n_classes or int(max(known)) + 1
        if given.max() >= count:
            raise ValueError(f"class {given.max()} is given, but there are {count} classes")
        for name, value in (("given", given), ("truth", truth), ("n_classes", count)):
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def Y(self) -> Array:
        """(n, c) labels."""
        return (np.asarray(self.given)[:, None] == np.arange(self.n_classes)).astype(float)

    @property
    def asked(self) -> Mask | None:
        """(n,) unlabelled points whose class is known."""
        if self.truth is None:
            return None
        return np.asarray((np.asarray(self.given) < 0) & (np.asarray(self.truth) >= 0))


def cell_setting(
    setting: Setting, values: Mapping[str, float], n_classes: int
) -> tuple[Setting, dict[str, float]]:
    """The setting of a cell, and the values that are no setting: those the points depend on.

    Raises ValueError with a sentence where a value is out of range or P not positive definite.
    """
    known = {f.name for f in fields(Parameters)} | set(scale_parameters())
    own = {name: value for name, value in values.items() if name in known}
    rest = {name: value for name, value in values.items() if name not in known}
    for name in [name for name in rest if entry(name)]:
        setting = _with_entry(setting, entry(name), rest.pop(name), n_classes)  # type: ignore[arg-type]
    return setting.having(**own), rest


def _with_entry(setting: Setting, place: tuple[int, int], value: float, c: int) -> Setting:
    P = np.eye(c) if setting.parameters.P is None else np.array(setting.parameters.P)
    j, k = place
    if max(place) >= len(P):
        raise ValueError(f"P has {len(P)} classes, got the entry P[{j}, {k}]")
    P[j, k] = P[k, j] = value
    return setting.having(P=frozen_rows(relations.check(P, len(P))))
