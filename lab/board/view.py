"""Everything the board of classes shows, as one frozen object, and its link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import datasets
from datasets import Dataset
from lab.board.marks import Marks, marks_parts
from lab.data import Data, data_parts, load
from lab.link import Codec, Part, choice, declared_parts, flag, setting_parts
from mavr.methods import METHODS
from mavr.settings import Parameters, Setting

# Above this many points a graph is sparse unless somebody asks for another.
MANY_POINTS = 2000
NO_MARKS = Marks()
METHOD_HELP = "  \n".join(f"**{m.title}**: {m.help}" for m in METHODS.values())
METHOD_TITLES = {name: m.title for name, m in METHODS.items()}


@dataclass(frozen=True)
class View:
    """A data set with the visitor's marks, a graph, two methods and what is shown of them.

    Attributes
    ----------
    setting : the graph, and the parameters of both methods.
    own, second : whether the right method has parameters of its own, and which.
    """

    data: Data = field(default_factory=Data)
    marks: Marks = NO_MARKS
    setting: Setting = field(default_factory=Setting)
    left: str = choice("left", "Left", METHOD_HELP, METHOD_TITLES, "mavr")
    right: str = choice("right", "Right", METHOD_HELP, METHOD_TITLES, "lgc")
    own: bool = flag(
        "own",
        "Separate settings for the right method",
        "Compare two settings, of one method or of two.",
    )
    second: Parameters = field(default_factory=Parameters)
    shade: bool = flag(
        "shade",
        "Shade the plane",
        "Colour the space between the points by what the method would say there.",
        True,
    )
    errors: bool = flag("errors", "Ring errors", "A ring around points whose class is wrong.", True)
    disagree: bool = flag(
        "disagree",
        "Ring disagreement",
        "A ring around points that the two methods answer differently.",
    )
    suggest: bool = flag(
        "suggest",
        "What to label next",
        "Marks the least certain point, and the point whose label would lower the variance of "
        "all responses most.",
    )
    split: bool = flag(
        "split",
        "Split the tie by clustering",
        "Our addition, not the paper's: the tied points are clustered into as many groups as "
        "there are interchangeable classes, by spectral clustering on the same graph.",
    )

    def relation(self, n_classes: int) -> np.ndarray:
        """P for this many classes: grown by unrelated classes, or cut, where the number changed."""
        P, given = np.eye(n_classes), self.setting.parameters.P
        if given is not None:
            m = min(n_classes, len(given))
            P[:m, :m] = np.array(given)[:m, :m]
        return P

    def parameters(self, n_classes: int, *, right: bool = False) -> Parameters:
        """What a method is run with."""
        both = self.setting.parameters
        P = tuple(map(tuple, self.relation(n_classes).tolist()))
        prior = fitted(both.class_prior, n_classes)
        if not (right and self.own):
            return replace(both, P=P, class_prior=prior)
        shared = {"P": P, "class_prior": prior}
        return replace(self.second, lambda_A=both.lambda_A, lambda_I=both.lambda_I, **shared)


def fitted(prior: Any, n_classes: int) -> Any:
    """Proportions for this many classes: cut, or grown by shares of 1, where the number changed."""
    if not isinstance(prior, tuple) or len(prior) == n_classes:
        return prior
    shares = (prior + (1.0,) * n_classes)[:n_classes]
    return shares if any(shares) else None


SECOND = ("gamma", "tau", "balance")


def fresh_view(data: Data, uploads: Mapping[str, Dataset] | None = None) -> View:
    """A data set in its own setting, with its own labels or one drawn per class."""
    source = load(data, uploads or {})
    view = View(data=data, setting=source.setting or _setting_of(source))
    if view.setting.parameters.tau is None:
        view = replace(view, left="unconstrained", setting=view.setting.having(tau=1.0))
    marks = own_labels(source, data.seed)
    if source.y is None or not source.class_names:
        # Nothing is known of the classes: two to begin with.
        marks = replace(marks, extra=max(0, 2 - source.n_classes))
    return replace(view, marks=marks)


def _setting_of(source: Dataset) -> Setting:
    """A graph that suits a file."""
    flat = not source.is_sparse and source.X.shape[1] == 2
    if source.is_sparse:
        return Setting().having(similarity="cosine")
    if flat and source.n <= MANY_POINTS:
        return Setting().having(similarity="local_scaling")
    return Setting().having(similarity="knn")


def own_labels(source: Dataset, seed: int) -> Marks:
    """The labels a set comes with; one drawn per class where it gives none or all."""
    if source.y is None:
        return Marks()
    given = source.labelled
    if len(given) == 0 or len(given) == source.n:
        classes = np.unique(source.y[source.y >= 0])
        if not len(classes):
            return Marks()
        given = datasets.draw_labels(source.y, len(classes), "balanced", seed)
    return Marks(labels=tuple((int(i), int(source.y[i])) for i in given))


def _older(query: dict[str, str]) -> dict[str, str]:
    """Links of the first version: a neighbour graph without k had 7 neighbours."""
    if query.get("graph") in ("knn", "cosine", "local_scaling") and "k" not in query:
        query = query | {"k": "7"}
    return _in_order(query) if "unknown" in query else query


def _in_order(query: dict[str, str]) -> dict[str, str]:
    """Links in which the class without labels, `unknown`, stood before all others."""
    query = dict(query)
    query["hidden"] = text = query.pop("unknown")
    if not (text.isascii() and text.isdigit()):
        return query
    hidden = int(text[:9])

    def place(j: int) -> int:
        return hidden if j == 0 else j - (j <= hidden)

    pairs = [item.rpartition(".") for item in query.get("labels", "").split("_")]
    if all(j.isascii() and j.isdigit() for _, _, j in pairs):
        query["labels"] = "_".join(f"{i}.{place(int(j[:9]))}" for i, _, j in pairs)
    rows = [row.split("~") for row in query.get("P", "").split("_")]
    if hidden < len(rows) and all(len(row) == len(rows) for row in rows):
        # The classes of before in the order of now.
        old = sorted(range(len(rows)), key=place)
        query["P"] = "_".join("~".join(rows[j][k] for k in old) for j in old)
    return query


def _base(query: Mapping[str, str]) -> View:
    """A link that gives no labels means the data set's own setting and labels."""
    data, _ = _DATA_ONLY.read(query)
    if "labels" in query or data.data.uploaded:
        return View()
    return fresh_view(data.data)


_DATA_PARTS = data_parts(("data",))
_DATA_ONLY: Codec[View] = Codec(View, _DATA_PARTS)
CODEC: Codec[View] = Codec(
    View,
    (
        *_DATA_PARTS,
        *declared_parts(View),
        *setting_parts(("setting",)),
        *declared_parts(Parameters, ("second",), SECOND, suffix="2"),
        *marks_parts(("marks",)),
        # Read by `_older`; a name that a link may have.
        Part(lambda: ("unknown",), lambda view, own: view, lambda view: {}),
    ),
    always=frozenset({"data", "labels"}),
    older=_older,
    base=_base,
)
