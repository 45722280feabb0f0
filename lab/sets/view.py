"""Everything the multi-label picture depends on, to and from the link that opens it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lab.labelsets.labels import OWN, TELLS, Labels, Row
from lab.view import LinkError, Rows, read_number, write_value
from mavr import relations
from mavr.graphs.laplacians import KINDS
from mavr.settings import SIMILARITIES

TOY = "multilabel"
# A little below 0: most points lack most labels, so their responses lean to the negative side. It
# finds the overlaps of the toy set that hold no labelled point.
TOY_THRESHOLD = -0.005
MAX_LABELS = 16
RELATIONS = ("co-occurrence", "own")
RULES = ("preset", "learned", "frequency")
NO_LABELS = Labels()


@dataclass(frozen=True)
class LabelView:
    """A data set with labels, a graph, the problem's parameters, the threshold and P.

    data : "multilabel", the toy set, or "file:" and a digest; n, seed : of the toy set;
    standardise : features to mean 0 and variance 1; constrained : the norm is tau sqrt(l);
    relation : where P comes from, with P the user's own and strength that of co-occurrence;
    rule, per_label, thresholds : T, one number or one per label where the rule is "preset";
    shown : the responses that the panels of single labels show: 0 with P, 1 with I.
    """

    data: str = TOY
    n: int = 300
    seed: int = 0
    labels: Labels = NO_LABELS
    similarity: str = "local_scaling"
    sigma: float = 0.5
    n_neighbors: int = 7
    laplacian: str = "normalized"
    standardise: bool = False
    gamma: float = 1.0
    constrained: bool = False
    tau: float = 1.0
    balance: float = 0.0
    relation: str = "co-occurrence"
    strength: float = 0.5
    P: Rows | None = None
    rule: str = "preset"
    per_label: bool = False
    thresholds: tuple[float, ...] = (TOY_THRESHOLD,)
    shown: int = 0
    errors: bool = False


SHORT = {
    "data": "data",
    "n": "n",
    "seed": "seed",
    "similarity": "graph",
    "sigma": "sigma",
    "n_neighbors": "k",
    "laplacian": "L",
    "standardise": "standard",
    "gamma": "gamma",
    "constrained": "norm",
    "tau": "tau",
    "balance": "balance",
    "relation": "relation",
    "strength": "strength",
    "rule": "rule",
    "per_label": "each",
    "shown": "shown",
    "errors": "errors",
}
ALLOWED: dict[str, tuple[str, ...]] = {
    "similarity": tuple(SIMILARITIES),
    "laplacian": KINDS,
    "relation": RELATIONS,
    "rule": RULES,
}
POSITIVE = frozenset({"sigma", "n_neighbors", "gamma", "tau"})
# Lowest and highest of what has a fixed range.
RANGES = {
    "n": (60, 1200),
    "seed": (0, 99_999),
    "strength": (0.0, 0.95),
    "shown": (0, 1),
    "balance": (0.0, 1e9),
}
SIGNS = {"1": 1, "0": -1, "x": 0}
LETTERS = {sign: letter for letter, sign in SIGNS.items()}


def to_query(view: LabelView) -> dict[str, str]:
    """The link's parameters; what has its default is left out, the data set never."""
    default = LabelView()
    query = {
        short: write_value(getattr(view, name))
        for name, short in SHORT.items()
        if getattr(view, name) != getattr(default, name)
    }
    query["data"] = view.data
    labels = view.labels
    if labels.share != OWN:
        query["share"] = write_value(labels.share)
    if labels.draw:
        query["draw"] = str(labels.draw)
    if labels.tells != "all":
        query["tells"] = labels.tells
    if labels.rows:
        query["labels"] = "_".join(
            f"{i}." + "".join(LETTERS[sign] for sign in row) for i, row in labels.rows
        )
    if view.thresholds != default.thresholds:
        query["T"] = "~".join(write_value(t) for t in view.thresholds)
    if view.P is not None:
        query["P"] = "_".join("~".join(write_value(v) for v in row) for row in view.P)
    return query


def from_query(query: Mapping[str, str]) -> tuple[LabelView, list[str]]:
    """The view a link means, and a sentence for each part that could not be read."""
    view, problems = LabelView(), []
    names = {short: name for name, short in SHORT.items()}
    for key, text in query.items():
        try:
            if key in names:
                name = names[key]
                view = replace(view, **{name: _value(name, text, getattr(view, name))})
            elif key in _PARTS:
                view = _PARTS[key](view, text)
        except LinkError as error:
            problems.append(str(error))
    return view, problems


def _value(name: str, text: str, default: Any) -> Any:
    key = SHORT[name]
    if isinstance(default, bool):
        return text == "1"
    if isinstance(default, str):
        if name == "data" and text != TOY and not text.startswith("file:"):
            raise LinkError(f"The link's data set {text!r} is not known; the discs are shown.")
        if name in ALLOWED and text not in ALLOWED[name]:
            raise LinkError(f"{key}={text!r} in the link is not one of {', '.join(ALLOWED[name])}.")
        return text
    value = read_number(key, text)
    if name in POSITIVE and value <= 0:
        raise LinkError(f"{key} in the link must be above 0, got {text}.")
    low, high = RANGES.get(name, (-np.inf, np.inf))
    if not low <= value <= high:
        raise LinkError(f"{key} in the link must be in {low} … {high}, got {text}.")
    return int(value) if isinstance(default, int) else value


def _read_share(view: LabelView, text: str) -> LabelView:
    share = read_number("share", text)
    if not 0 <= share <= 1:
        raise LinkError(f"share in the link must be in 0 … 1, got {text}.")
    return replace(view, labels=replace(view.labels, share=share))


def _read_draw(view: LabelView, text: str) -> LabelView:
    if not text.isdecimal():
        raise LinkError(f"draw={text!r} in the link is not a whole number.")
    return replace(view, labels=replace(view.labels, draw=int(text)))


def _read_tells(view: LabelView, text: str) -> LabelView:
    if text not in TELLS:
        raise LinkError(f"tells={text!r} in the link is not one of {', '.join(TELLS)}.")
    return replace(view, labels=replace(view.labels, tells=text))


def _read_rows(view: LabelView, text: str) -> LabelView:
    rows: dict[int, Row] = {}
    for item in filter(None, text.split("_")):
        point, _, letters = item.partition(".")
        if not (point.isdecimal() and letters and set(letters) <= set(SIGNS)):
            raise LinkError(f"{item!r} in the link is not a row of labels, such as 12.10x.")
        rows[int(point)] = tuple(SIGNS[letter] for letter in letters)
    return replace(view, labels=replace(view.labels, rows=tuple(sorted(rows.items()))))


def _read_thresholds(view: LabelView, text: str) -> LabelView:
    values = tuple(read_number("T", item) for item in text.split("~"))
    return replace(view, thresholds=values[:MAX_LABELS])


def _read_relation(view: LabelView, text: str) -> LabelView:
    rows = [[read_number("P", v) for v in row.split("~")] for row in text.split("_") if row]
    if not rows or any(len(row) != len(rows) for row in rows) or len(rows) > MAX_LABELS:
        raise LinkError("P in the link is not a square matrix; co-occurrence is used.")
    P = tuple(tuple(row) for row in rows)
    try:
        relations.check(P, len(P))
    except ValueError as error:
        raise LinkError(f"P in the link cannot be used: {error}") from None
    return replace(view, P=P)


_PARTS: dict[str, Callable[[LabelView, str], LabelView]] = {
    "share": _read_share,
    "draw": _read_draw,
    "tells": _read_tells,
    "labels": _read_rows,
    "T": _read_thresholds,
    "P": _read_relation,
}
