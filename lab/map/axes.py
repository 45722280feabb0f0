"""What can be an axis of the map, and the values along it. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datasets import Dataset
from lab.board import scene as scenes
from lab.board.view import View
from lab.data import GENERATORS, Data
from lab.link import put_at
from mavr import relations
from mavr.experiments.grid.plane import entry
from mavr.settings import (
    BALANCE,
    GAMMA,
    TAU,
    Number,
    frozen_rows,
    scale_parameters,
    shortened,
)

# Cells along an axis.
FINE = 48
# Parameters of a data set that leave the number of points and of classes as they are.
PLACES = ("noise", "spread", "turns")
LABELS = Number(
    "n_labelled", "Labels", "l", "Number of labelled points, drawn evenly over the classes.", 1,
    500, 3, shown=(2, 40), logarithmic=False, whole=True,
)  # fmt: skip


@dataclass(frozen=True)
class AxisView:
    """An axis as it stands in a view; ends of None are the usual ones."""

    name: str
    low: float | None = None
    high: float | None = None


def offered(view: View, source: Dataset) -> dict[str, Number]:
    """Every setting that can be an axis for what the view shows, by name."""
    found = {p.name: p for p in view.setting.graph.about.parameters}
    found |= {p.name: p for p in (GAMMA, TAU, BALANCE)}
    names = source.class_names + ("new",) * view.marks.extra
    for j in range(len(names)):
        for k in range(j, len(names)):
            if len(names) <= 6:
                found[f"P[{j}, {k}]"] = _entry_number(j, k, names)
    found |= {p.name: p for p in view.data.numbers if p.name in PLACES}
    if source.y is not None:
        found[LABELS.name] = LABELS
    return found


def _entry_number(j: int, k: int, names: tuple[str, ...]) -> Number:
    said = f"How {names[j]} and {names[k]} are related." if j != k else f"Weight of {names[j]}."
    return Number(
        f"P[{j}, {k}]", "Relation" if j != k else "Own weight", f"P{j + 1}{k + 1}", said,
        -1e3, 1e3, 0.0 if j != k else 1.0, logarithmic=False,
    )  # fmt: skip


def axis_word(name: str) -> str:
    """What a page calls an axis, also one that the data set or graph in view does not have."""
    made = [p for made in GENERATORS.values() for p in made.params if p.name in PLACES]
    known = {p.name: p for p in (*made, *scale_parameters().values(), GAMMA, TAU, BALANCE, LABELS)}
    if (place := entry(name)) is not None:
        return f"P{place[0] + 1}{place[1] + 1}"
    return f"{known[name].word} {known[name].symbol}".strip() if name in known else shortened(name)


def values(about: Number, low: float, high: float) -> tuple[float, ...]:
    """The values of the cells, at most `FINE`; each whole number once."""
    steps = np.geomspace if about.logarithmic else np.linspace
    found = steps(low, high, FINE)
    found[[0, -1]] = low, high
    if about.whole:
        found = np.unique(np.round(found))
    # Values are written into links and read by people: three or four digits are enough.
    return tuple(dict.fromkeys(float(f"{v:.4g}") for v in found))


def current(view: View, name: str, n_classes: int) -> float:
    """Where the view stands on an axis."""
    place = entry(name)
    if place is not None:
        return float(view.relation(n_classes)[place])
    if name == LABELS.name:
        return float(len(view.marks.labels))
    if name in view.data.values:
        return float(view.data.values[name])
    p = view.setting.parameters
    value = getattr(p, name) if hasattr(p, name) else view.setting.graph.value(name)
    return float("nan") if value is None else float(value)


def taken_at(view: View, at: Mapping[str, float], n_classes: int, files: Mapping[str, Any]) -> View:
    """The view with several settings changed; entries of P at once, since P has to stay positive
    definite. Raises ValueError.
    """
    P = view.relation(n_classes)
    for name, value in at.items():
        if (place := entry(name)) is not None:
            P[place] = P[place[::-1]] = value
    if any(entry(name) for name in at):
        rows = frozen_rows(relations.check(P, n_classes))
        view = replace(view, setting=view.setting.having(P=rows))
    for name, value in at.items():
        if entry(name) is None:
            view = _taken(view, name, value, files)
    return view


def _taken(view: View, name: str, value: float, files: Mapping[str, Any]) -> View:
    """The view with one setting changed that is no entry of P."""
    if name == LABELS.name:
        return drawn_labels(view, int(value), files)
    if name in {p.name for p in view.data.numbers}:
        return replace(view, data=moved(view.data, name, value))
    known = {p.name: p for p in (*view.setting.graph.about.parameters, GAMMA, TAU, BALANCE)}
    if name not in known:
        raise ValueError(f"{name} is no setting of this view")
    return replace(view, setting=view.setting.having(**{name: known[name].check(value)}))


def moved(data: Data, name: str, value: float) -> Data:
    """The same sample with another noise: labels and marks keep their points."""
    about = next(p for p in data.numbers if p.name == name)
    return data.having(**{name: about.check(value)})


def drawn_labels(view: View, count: int, files: Mapping[str, Any]) -> View:
    """So many labels, balanced over the classes, drawn by the data's seed."""
    scene = scenes.scene_of(view, files)
    if scene.truth is None:
        raise ValueError("labels can be drawn only where the true classes are known")
    labels = scenes.drawn_labels(scene, LABELS.check(count), "balanced", view.data.seed)
    return put_at(view, ("marks", "labels"), labels)
