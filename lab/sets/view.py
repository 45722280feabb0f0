"""Everything the board of label sets shows, as one frozen object, and its link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import datasets
from datasets import DataError, Dataset
from lab.cache import CACHE
from lab.data import Data, data_parts, load
from lab.link import (
    Codec,
    Part,
    Query,
    choice,
    declared_parts,
    flag,
    read_value,
    read_whole,
    setting_parts,
)
from lab.sets.labels import MAX_LABELS, NO_LABELS, OWN, Labels, labels_parts
from mavr.settings import Number, Setting, declared, write_number

TOY = "multilabel"
# A little below 0: most points lack most labels, so their responses lean to the negative side. It
# finds the overlaps of the toy set that hold no labelled point.
TOY_THRESHOLD = -0.005
# A click is answered from the eigenvectors of the whole graph.
MAX_POINTS = 2000
RELATIONS = {"co-occurrence": "Co-occurrence", "own": "Your own"}
RULES = {"preset": "By hand", "learned": "Learned", "frequency": "Frequencies"}
RULE_HELP = (
    "A point has a label if its response reaches the threshold T.  \n"
    "**By hand**: the slider.  \n"
    "**Learned**: the T with the best F1 on labelled points, each judged by the response it would "
    "have without its own labels.  \n"
    "**Frequencies**: a label goes to that share of the unlabelled points which it has among the "
    "labelled ones."
)
STRENGTH = Number("strength", "Strength", "s", "0 is P = I.", 0.0, 0.95, 0.5, logarithmic=False)
THRESHOLD = Number("T", "Threshold", "T", "A point has a label if its response reaches T.",
                   -1e6, 1e6, TOY_THRESHOLD, logarithmic=False)  # fmt: skip
# Has and has not cancel when smoothed: a fixed norm is not usual here.
USUAL = Setting().having(similarity="local_scaling", gamma=1.0, tau=None)


@dataclass(frozen=True)
class LabelView:
    """A data set with labels, a graph, parameters, where P comes from, and the thresholds.

    Attributes
    ----------
    standardise : features to mean 0 and variance 1.
    relation, strength : P from the labels' company, so strong, or the visitor's own.
    rule, per_label, thresholds : T, one number or one per label where the rule is "preset".
    identity : whether the panels of single labels show the responses with P = I.
    """

    data: Data = field(default_factory=lambda: Data(TOY))
    labels: Labels = NO_LABELS
    setting: Setting = USUAL
    standardise: bool = flag(
        "standardise",
        "Standardise features",
        "Every feature with mean 0 and variance 1, so that none counts more for its unit.",
        link="standard",
    )
    relation: str = choice("relation", "Where P comes from", "", RELATIONS, "co-occurrence")
    strength: float = declared(STRENGTH)
    rule: str = choice("rule", "Threshold", RULE_HELP, RULES, "preset")
    per_label: bool = flag(
        "per_label", "One per label", "A threshold for each label, or one for all.", link="each"
    )
    thresholds: tuple[float, ...] = (TOY_THRESHOLD,)
    identity: bool = flag("identity", "With P = I", "Responses without relations.", link="shown")
    errors: bool = flag(
        "errors",
        "Ring wrong sets",
        "A ring around points whose predicted set is not the true one.",
    )


def preset(view: LabelView, n_labels: int) -> np.ndarray:
    """The thresholds set by hand for this many labels; one that was never set is like the last."""
    T = view.thresholds[:n_labels] if view.per_label else view.thresholds[:1]
    T = T or (0.0,)
    return np.array([*T, *[T[-1]] * (n_labels - len(T))], dtype=float)


def _read_thresholds(view: LabelView, own: Query) -> LabelView:
    if "T" in own:
        values = tuple(read_value(THRESHOLD, item) for item in own["T"].split("~"))
        view = replace(view, thresholds=values[:MAX_LABELS])
    for name, text in own.items():
        if name != "T":
            j = read_whole("the number of a threshold", name.removeprefix("T."), MAX_LABELS - 1)
            T = [float(t) for t in preset(replace(view, per_label=True), max(j + 1, MAX_LABELS))]
            T[j] = read_value(THRESHOLD, text)
            view = replace(view, thresholds=tuple(T))
    return view


def _older(query: dict[str, str]) -> dict[str, str]:
    """Links of the first version: the toy's size was n, and tau counted only beside norm=1."""
    if "n" in query:
        query = query | {"p.n": query["n"]}
    tau = query.get("tau", "1") if query.get("norm") == "1" else "none"
    return query | {"tau": tau}


_THRESHOLDS: Part[LabelView] = Part(
    lambda: ("T", "T."),
    _read_thresholds,
    lambda view: {"T": "~".join(write_number(t) for t in view.thresholds)},
)
CODEC: Codec[LabelView] = Codec(
    LabelView,
    (
        *data_parts(("data",), (TOY,)),
        *declared_parts(LabelView),
        *setting_parts(("setting",)),
        *labels_parts(("labels",)),
        _THRESHOLDS,
        # Links have always said of a norm that it is fixed.
        Part(
            lambda: ("norm",),
            lambda view, own: view,
            lambda view: {} if view.setting.parameters.tau is None else {"norm": "1"},
        ),
    ),
    older=_older,
)


def source_of(view: LabelView, files: Mapping[str, Dataset]) -> Dataset:
    """The data set of a view, with label sets. Raises DataError."""
    source = load(view.data, files)
    if not view.data.uploaded:
        return source
    made: Dataset = CACHE.get(("label sets", view.data), lambda: with_label_sets(source))
    return made


def with_label_sets(data: Dataset) -> Dataset:
    """A file as this page needs it: label sets, not too many labels or points."""
    if data.Y is None:
        if data.y is None:
            raise DataError(
                "This file has no labels. Give an NPZ archive with X and Y, one column of Y per "
                "label, or a CSV file with a column label:name for each label."
            )
        # A class is a set of one label.
        one = np.arange(data.n_classes) == data.y[:, None]
        Y = np.where(data.y[:, None] < 0, datasets.UNKNOWN, one).astype(np.int8)
        data = replace(data, y=None, Y=Y)
    if data.n_classes > MAX_LABELS:
        raise DataError(
            f"This file has {data.n_classes} labels; the page draws up to {MAX_LABELS}. Keep the "
            "columns of Y that matter most."
        )
    if data.n < 3:
        raise DataError(f"This file has {data.n} points; a graph needs at least 3.")
    return datasets.subset(data, MAX_POINTS) if data.n > MAX_POINTS else data


def fresh_view(data: Data, files: Mapping[str, Dataset] | None = None) -> LabelView:
    """A data set in the setting that suits it."""
    view = LabelView(data=data)
    source = source_of(view, files or {})
    if not data.uploaded:
        return view
    # Of points in many dimensions a label is learned from neighbours, on one scale; these values
    # did well on the emotions data (docs/multilabel.md).
    view = replace(view, setting=USUAL.having(gamma=9.0), rule="learned", per_label=True)
    if source.X.shape[1] > 2:
        setting: Any = view.setting.having(similarity="knn")
        view = replace(view, setting=setting, standardise=True)
    return replace(view, labels=Labels(share=OWN if len(source.labelled) else 0.3))
