"""Views that teach one thing each. A preset is data: a view and the sentence that goes with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lab import cache
from lab.marks import Marks, labelled
from lab.session import fresh_view, uploads
from lab.view import View


@dataclass(frozen=True)
class Preset:
    title: str
    lesson: str
    make: Callable[[], View]


def _beats() -> View:
    return fresh_view("three_circles", seed=43)


def _agree() -> View:
    return replace(fresh_view("three_circles", {"noise": 0.2}, seed=1), sigma=1.0)


def _collapse() -> View:
    view = fresh_view("unequal_blobs", seed=2)
    return replace(view, right="mavr", own=True, balance_2=1.0)


def _wrong_label() -> View:
    view = fresh_view("two_moons", seed=2)
    y = np.asarray(cache.dataset(view, uploads()).y)
    points = cache.dataset(view, uploads()).points
    upper = np.flatnonzero(y == 0)
    odd = int(upper[points[upper, 1].argmax()])
    return replace(view, marks=labelled(view.marks, [odd], 1))


def _moons() -> View:
    return replace(fresh_view("two_moons", seed=0), similarity="local_scaling", n_neighbors=7)


def _no_label() -> View:
    view = fresh_view("rings", seed=0)
    return replace(view, right="lgc")


def _disconnected() -> View:
    view = fresh_view("three_circles", {"noise": 0.1}, seed=0)
    marks = Marks(labels=view.marks.labels[:2])
    return replace(view, similarity="knn", n_neighbors=5, marks=marks)


PRESETS: dict[str, Preset] = {
    "beats": Preset(
        "Where MAVR beats LGC",
        "Three circles with one label each. The norm constraint finds an effective α nearer to 1 "
        "than LGC's 0.99, so labels travel further along each circle before they leak to the next.",
        _beats,
    ),
    "agree": Preset(
        "Where they agree",
        "Little noise and a wide kernel: the circles are easy, and both methods say the same.",
        _agree,
    ),
    "collapse": Preset(
        "Collapse without balance",
        "One label per blob, and one class takes nearly everything (left): its label lies where "
        "the graph is dense. The class-balance term (right) removes that advantage.",
        _collapse,
    ),
    "wrong_label": Preset(
        "A wrong label and what it does",
        "One point on the upper moon carries the label of the lower one. Erase it (right-click) "
        "and watch what changes.",
        _wrong_label,
    ),
    "moons": Preset(
        "Two moons, one label each",
        "The classic: two labels are enough once the graph follows the shape.",
        _moons,
    ),
    "no_label": Preset(
        "A class without labels",
        "Four rings, three labels. P says that the fourth class is related to the third; LGC knows "
        "nothing of a fourth class and gives its ring to a neighbour.",
        _no_label,
    ),
    "disconnected": Preset(
        "Points that no label reaches",
        "Five neighbours leave the circles unconnected, and one circle has no label. Its points "
        "stay grey: no class is claimed for them.",
        _disconnected,
    ),
}
