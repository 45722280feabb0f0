"""Everything a picture depends on, as one frozen object, to and from the link that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import datasets
from lab.marks import MAX_ADDED, MAX_CLASSES, Marks
from mavr import relations
from mavr.graphs.laplacians import KINDS
from mavr.methods import METHODS
from mavr.settings import SIMILARITIES

Rows = tuple[tuple[float, ...], ...]


NO_MARKS = Marks()


class LinkError(ValueError):
    """A part of a link that cannot be read."""


@dataclass(frozen=True)
class View:
    """A data set with the user's marks, a graph, two methods and what is shown of them.

    data : name of a generator, or "file:" and a digest; params : its sliders; unknown : the class
    that `datasets.all_but_one` hides, -1 for none; tau : as a multiple of sqrt(l);
    own : the right method has gamma_2, tau_2 and balance_2 of its own.
    """

    data: str = "three_circles"
    params: tuple[tuple[str, float], ...] = ()
    seed: int = 0
    unknown: int = -1
    marks: Marks = NO_MARKS
    similarity: str = "gaussian"
    sigma: float = 0.5
    n_neighbors: int = 7
    laplacian: str = "normalized"
    left: str = "mavr"
    right: str = "lgc"
    gamma: float = 99.0
    tau: float = 1.0
    balance: float = 0.0
    own: bool = False
    gamma_2: float = 99.0
    tau_2: float = 1.0
    balance_2: float = 0.0
    lambda_A: float = 1e-3
    lambda_I: float = 99.0
    P: Rows | None = None
    shade: bool = True
    errors: bool = True
    disagree: bool = False
    suggest: bool = False
    split: bool = False

    def relation(self, n_classes: int) -> np.ndarray:
        """P for this many classes: grown by unrelated classes, or cut, where the number changed."""
        P = np.eye(n_classes)
        if self.P is not None:
            m = min(n_classes, len(self.P))
            P[:m, :m] = np.array(self.P)[:m, :m]
        return P


# Names in a link are short; a field that has its default is left out.
SHORT = {
    "data": "data",
    "seed": "seed",
    "unknown": "unknown",
    "similarity": "graph",
    "sigma": "sigma",
    "n_neighbors": "k",
    "laplacian": "L",
    "left": "left",
    "right": "right",
    "gamma": "gamma",
    "tau": "tau",
    "balance": "balance",
    "own": "own",
    "gamma_2": "gamma2",
    "tau_2": "tau2",
    "balance_2": "balance2",
    "lambda_A": "lambdaA",
    "lambda_I": "lambdaI",
    "shade": "shade",
    "errors": "errors",
    "disagree": "disagree",
    "suggest": "suggest",
    "split": "split",
}
ALLOWED: dict[str, tuple[str, ...]] = {
    "similarity": tuple(SIMILARITIES),
    "laplacian": KINDS,
    "left": tuple(METHODS),
    "right": tuple(METHODS),
}
POSITIVE = frozenset(
    {"sigma", "n_neighbors", "gamma", "tau", "gamma_2", "tau_2", "lambda_A", "lambda_I"}
)


def to_query(view: View) -> dict[str, str]:
    """The link's parameters. Labels are always written: an empty list is a choice."""
    default = View()
    query = {
        SHORT[f.name]: write_value(getattr(view, f.name))
        for f in fields(View)
        if f.name in SHORT and getattr(view, f.name) != getattr(default, f.name)
    }
    query["data"] = view.data
    query |= {f"p.{name}": write_value(value) for name, value in view.params}
    marks = view.marks
    query["labels"] = "_".join(f"{i}.{j}" for i, j in marks.labels)
    if view.P is not None:
        query["P"] = "_".join("~".join(write_value(v) for v in row) for row in view.P)
    if marks.added:
        query["add"] = "_".join("~".join(write_value(v) for v in point) for point in marks.added)
    if marks.moved:
        query["move"] = "_".join("~".join(write_value(v) for v in point) for point in marks.moved)
    if marks.deleted:
        query["cut"] = "_".join(str(i) for i in marks.deleted)
    if marks.extra:
        query["extra"] = str(marks.extra)
    return query


def from_query(query: Mapping[str, str]) -> tuple[View, list[str]]:
    """The view a link means, and a sentence for each part that could not be read."""
    view, problems = View(), []
    names = {short: name for name, short in SHORT.items()}
    params: dict[str, float] = {}
    for key, text in query.items():
        try:
            if key in names:
                name = names[key]
                view = replace(view, **{name: _value(name, text, getattr(view, name))})
            elif key.startswith("p."):
                params[key[2:]] = read_number(key, text)
            elif key in _PARTS:
                view = _PARTS[key](view, text)
        except LinkError as error:
            problems.append(str(error))
    if view.data in datasets.GENERATORS:
        known = {p.name: p for p in datasets.GENERATORS[view.data].params}
        for name in list(params):
            if name not in known:
                problems.append(f"{view.data} has no parameter {name!r}; it was left out.")
                del params[name]
            else:
                p = known[name]
                params[name] = p.clamped(params[name])
    return replace(view, params=tuple(sorted(params.items()))), problems


def _value(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        return text == "1"
    if isinstance(default, str):
        if name == "data" and text not in datasets.GENERATORS and not text.startswith("file:"):
            raise LinkError(f"The link's data set {text!r} is not known; three circles are shown.")
        if name in ALLOWED and text not in ALLOWED[name]:
            choices = ", ".join(ALLOWED[name])
            raise LinkError(f"{SHORT[name]}={text!r} in the link is not one of {choices}.")
        return text
    value = read_number(SHORT[name], text)
    if name in POSITIVE and value <= 0:
        raise LinkError(f"{SHORT[name]} in the link must be above 0, got {text}.")
    if name.startswith("balance") and value < 0:
        raise LinkError(f"{SHORT[name]} in the link must be 0 or more, got {text}.")
    return int(value) if isinstance(default, int) else value


def read_number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise LinkError(f"{key}={text!r} in the link is not a number.") from None
    if not np.isfinite(value):
        raise LinkError(f"{key}={text!r} in the link is not a finite number.")
    return value


def _rows(key: str, text: str, width: int | None = None) -> list[list[float]]:
    rows = [[read_number(key, v) for v in row.split("~")] for row in text.split("_") if row]
    if width is not None and any(len(row) != width for row in rows):
        raise LinkError(f"{key} in the link must have {width} numbers per point.")
    return rows


def _read_labels(view: View, text: str) -> View:
    pairs: dict[int, int] = {}
    for item in filter(None, text.split("_")):
        point, _, label = item.partition(".")
        if not (point.isdigit() and label.isdigit()):
            raise LinkError(f"{item!r} in the link is not a label; it should look like 12.0.")
        pairs[int(point)] = int(label)
    return replace(view, marks=replace(view.marks, labels=tuple(sorted(pairs.items()))))


def _read_relation(view: View, text: str) -> View:
    rows = _rows("P", text)
    if not rows or any(len(row) != len(rows) for row in rows) or len(rows) > MAX_CLASSES:
        raise LinkError("P in the link is not a square matrix; unrelated classes are used.")
    P = tuple(tuple(row) for row in rows)
    try:
        relations.check(P, len(P))
    except ValueError as error:
        raise LinkError(f"P in the link cannot be used: {error}") from None
    return replace(view, P=P)


def _read_added(view: View, text: str) -> View:
    added = tuple((x, y, int(j)) for x, y, j in _rows("add", text, 3)[:MAX_ADDED])
    return replace(view, marks=replace(view.marks, added=added))


def _read_moved(view: View, text: str) -> View:
    moved = tuple((int(i), x, y) for i, x, y in _rows("move", text, 3))
    return replace(view, marks=replace(view.marks, moved=moved))


def _read_deleted(view: View, text: str) -> View:
    deleted = tuple(sorted({int(read_number("cut", i)) for i in filter(None, text.split("_"))}))
    return replace(view, marks=replace(view.marks, deleted=deleted))


def _read_extra(view: View, text: str) -> View:
    extra = min(max(int(read_number("extra", text)), 0), MAX_CLASSES)
    return replace(view, marks=replace(view.marks, extra=extra))


_PARTS = {
    "labels": _read_labels,
    "P": _read_relation,
    "add": _read_added,
    "move": _read_moved,
    "cut": _read_deleted,
    "extra": _read_extra,
}


def write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        # The shortest text that reads back as the same number.
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return str(value)
