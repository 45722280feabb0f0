"""From where to where the axes of a map go, and sentences for ranges that make none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from lab.board.scene import Scene
from lab.board.view import View
from lab.data import load
from lab.map.axes import LABELS, AxisView
from mavr import relations
from mavr.experiments.grid.plane import entry
from mavr.settings import GraphSpec, Number

# Where the interesting part of a setting lies, if not where its slider ends.
SHOWN: Mapping[str, tuple[float, float]] = {
    "gamma": (1e-2, 1e6),
    "tau": (1e-2, 1e4),
    "balance": (1e-3, 1e3),
    "n_neighbors": (2, 40),
}
# The width goes from and to these multiples of the data set's own.
WIDTHS = (0.4, 6.0)
# Entries of P stay this far from the ends of what is positive definite.
INSIDE = 0.96
MAX_ENTRY = 5.0
# Smallest eigenvalue of a P in the usual range.
LEAST = 1e-6

Ends = tuple[float, float]
Place = tuple[int, int]


def ends_of(
    axes: Sequence[AxisView], abouts: Sequence[Number], view: View, scene: Scene
) -> list[Ends]:
    """First and last values of both axes. Raises ValueError with a sentence for what is no axis."""
    places = [entry(about.name) for about in abouts]
    if None in places:
        return [ends(axis, about, view, scene) for axis, about in zip(axes, abouts, strict=True)]
    return _of_entries(axes, abouts, view.relation(scene.n_classes), [p for p in places if p])


def ends(axis: AxisView, about: Number, view: View, scene: Scene) -> Ends:
    """The first and the last value. Raises ValueError with a sentence where they make no axis."""
    low, high = _chosen(axis, about, _usual(about, view, scene))
    if about.logarithmic and low <= 0:
        raise ValueError(
            f"{about.word} has a logarithmic scale and must begin above 0, got {low:g}"
        )
    if about.name == LABELS.name and high > (most := _drawable(scene)):
        raise ValueError(f"{most} points can be labelled here, got {high:g}; end the range there")
    if (place := entry(about.name)) is not None:
        P = view.relation(scene.n_classes)
        for value in (low, high):
            if not _definite(P, {place: value}):
                raise ValueError(
                    f"{about.label} = {value:g} makes P no longer positive definite; choose a "
                    "smaller range"
                )
    return low, high


def _chosen(axis: AxisView, about: Number, usual: Ends) -> Ends:
    low = usual[0] if axis.low is None else axis.low
    high = usual[1] if axis.high is None else axis.high
    for value in (low, high):
        about.check(value)
    if not low < high:
        raise ValueError(
            f"{about.word} must go from a lower to a higher value, got {low:g} to {high:g}; "
            "change one of the ends"
        )
    return float(low), float(high)


def _usual(about: Number, view: View, scene: Scene) -> Ends:
    place = entry(about.name)
    if place is not None:
        return entry_range(view.relation(scene.n_classes), *place)
    if about.name == "sigma":
        own = None if view.data.uploaded else load(view.data, {}).setting
        sigma = (own.graph if own else GraphSpec()).value("sigma")
        return WIDTHS[0] * sigma, WIDTHS[1] * sigma
    low, high = SHOWN.get(about.name) or about.shown or (about.low, about.high)
    if about.name == LABELS.name:
        return max(low, scene.n_classes), min(high, _drawable(scene))
    return low, high


def _drawable(scene: Scene) -> int:
    """How many points have a class to be labelled with."""
    return 0 if scene.truth is None else int((scene.alive & (scene.truth >= 0)).sum())


def _definite(P: np.ndarray, entries: Mapping[Place, float]) -> bool:
    """Whether P is positive definite with these entries."""
    P = np.array(P)
    for place, value in entries.items():
        P[place] = P[place[::-1]] = value
    try:
        relations.check(P, len(P))
    except ValueError:
        return False
    return True


def entry_range(P: np.ndarray, j: int, k: int) -> Ends:
    """Values of an entry with which P stays positive definite, a little inside."""

    def good(value: float) -> bool:
        P[j, k] = P[k, j] = value
        return bool(relations.eigenvalues(P)[0] > LEAST)

    start = float(P[j, k])

    def farthest(stop: float) -> float:
        low, high = start, stop
        if good(stop):
            return stop
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if good(middle) else (low, middle)
        return low

    low, high = farthest(-MAX_ENTRY), farthest(MAX_ENTRY)
    middle = (low + high) / 2
    return middle + INSIDE * (low - middle), middle + INSIDE * (high - middle)


def _of_entries(
    axes: Sequence[AxisView], abouts: Sequence[Number], P: np.ndarray, places: Sequence[Place]
) -> list[Ends]:
    """Of two entries of P: positive definite matrices are convex, so the four corners decide.

    Usual ends are drawn in, towards I, until the corners are positive definite. They must not
    depend on where the view stands: a click would make another map.
    """
    same = np.eye(len(P))
    neutral = {place: float(same[place]) for place in places}
    start = np.array(P)
    for place, value in neutral.items():
        start[place] = start[place[::-1]] = value
    if not _definite(start, {}):
        start, neutral = np.array(P), {place: float(P[place]) for place in places}
    usual = [entry_range(np.array(start), *place) for place in places]
    for share in np.linspace(1, 0, 51):
        drawn = [
            tuple(neutral[place] + share * (end - neutral[place]) for end in both)
            for place, both in zip(places, usual, strict=True)
        ]
        try:
            found = [
                _chosen(axis, about, (both[0], both[1]))
                for axis, about, both in zip(axes, abouts, drawn, strict=True)
            ]
        except ValueError:
            # An end that was chosen lies beyond the other, which was drawn in.
            if share == 1:
                raise
            break
        corners = product(*found)
        if all(_definite(start, dict(zip(places, corner, strict=True))) for corner in corners):
            return found
    names = " and ".join(about.label for about in abouts)
    raise ValueError(
        f"{names} together make P no longer positive definite at a corner of the map; choose "
        "smaller ranges"
    )
