"""The sections of the Theory page: slug, title, what draws it. A link names the slug."""

from __future__ import annotations

from collections.abc import Callable

from lab.theory import (
    accuracy,
    classes,
    errata,
    hard,
    label_sets,
    links,
    losses,
    pitfalls,
    root,
    stability,
    two_classes,
    volume,
)

SECTIONS: dict[str, tuple[str, Callable[[], None]]] = {
    "volume": ("Volume", volume.plane),
    "space": ("Three points", volume.space),
    "classes": ("Many classes", classes.draw),
    "two": ("Two classes", two_classes.draw),
    "sets": ("Label sets", label_sets.draw),
    "losses": ("Losses", losses.draw),
    "root": ("The root ρ", root.draw),
    "hard": ("Hard case", hard.draw),
    "stability": ("Stability", stability.draw),
    "accuracy": ("Accuracy", accuracy.draw),
    "links": ("Other methods", links.draw),
    "pitfalls": ("Pitfalls", pitfalls.draw),
    "errata": ("Errata", errata.draw),
}
FIRST = "volume"
