"""The board of label sets: two panels of predicted sets, one panel of responses per label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from datasets import Dataset
from lab.board.face import MAX_LIVE_POINTS, read_changes
from lab.board.frame import bounds_of
from lab.board.picture import Picture, points_of
from lab.board.tables import digest
from lab.cache import CACHE
from lab.link import Codec
from lab.server.line import Errand
from lab.sets import far
from lab.sets.answers import Answer, Result, compute, graph_key
from lab.sets.labels import Signs, apply, given, signs
from lab.sets.scores import MEASURES
from lab.sets.view import CODEC, LabelView, source_of
from lab.theme import CLASS_COLORS

HAS, UNDECIDED = 1, 2
# Share of the distances to the threshold that the shades tell apart; the rest is full colour.
SATURATED = 0.98
Files = Mapping[str, Dataset]


@dataclass(frozen=True)
class Sets:
    """What the board of label sets draws, see `lab.board.face.Face`."""

    max_height: int = 286
    codec: ClassVar[Codec[LabelView]] = CODEC

    def base(self, view: LabelView) -> str:
        return digest(view.data)

    def apply(self, view: LabelView, event: dict[str, Any], files: Files) -> LabelView:
        return replace(view, labels=apply(view.labels, event, source_of(view, files)))

    def changed(self, view: LabelView, changes: Mapping[str, str], files: Files) -> LabelView:
        after = read_changes(self.codec, view, changes)
        if "P" in changes:
            after = replace(after, relation="own")
        if after.data != view.data or "share" in changes:
            # Labels set by hand belonged to the old points, or to what was drawn before.
            after = replace(after, labels=replace(after.labels, rows=()))
        return after

    def quick(self, view: LabelView, files: Files) -> bool:
        if CACHE.find(graph_key(view)) is not None:
            return True
        return source_of(view, files).n <= MAX_LIVE_POINTS

    def apart(self, view: LabelView) -> bool:
        return not view.data.uploaded and source_of(view, {}).n <= MAX_LIVE_POINTS

    def compute(self, view: LabelView, files: Files, coarse: bool = False) -> Result:
        return compute(view, files)

    def errand(
        self, view: LabelView, files: Files, who: str, there: Callable[[], bool]
    ) -> Errand | None:
        return far.ask(view, source_of(view, files), who, there)

    def meanwhile(
        self, view: LabelView, files: Files, before: LabelView, shown: Result
    ) -> Result | None:
        if (view.data, view.standardise) != (before.data, before.standardise):
            return None
        return replace(shown, given=given(shown.data, view.labels))

    def picture(self, view: LabelView, result: Result, have: str | None) -> Picture:
        truth, points = signs(result.data), result.places
        pid = digest(("places", view.data, view.standardise))
        return {
            "kind": "sets",
            **points_of(pid, points, truth, have, "i1"),
            "has_truth": bool(truth.any()),
            "given": result.given.astype("i1"),
            "names": list(result.data.class_names),
            "colors": list(CLASS_COLORS),
            "panels": [_panel(a, truth, result.given) for a in result.answers],
            "shown": int(view.identity),
            "bounds": list(bounds_of(points)),
            "show_errors": view.errors,
            "undecided": any(a.n_undecided for a in result.answers),
            "unreached": any(a.n_unreached for a in result.answers),
            "spoken": _spoken(result),
            "max_height": self.max_height,
        }


def _spoken(result: Result) -> str:
    said = [f"{a.title}: macro F1 {a.scores['macro']:.3f}" for a in result.answers if a.scores]
    return "; ".join(said) + "." if said else ""


def _panel(a: Answer, truth: Signs, given: Signs) -> Picture:
    H, T = a.solution.H, a.T
    finite = np.isfinite(T)
    return {
        "title": a.title,
        "big": f"{100 * a.scores['macro']:.1f} %" if a.scores else "",
        "sub": MEASURES["macro"].title if a.scores else "",
        "state": (HAS * a.has + UNDECIDED * a.undecided).astype("u1"),
        "H": H.astype("f4"),
        "unreached": a.solution.unreached.astype("u1"),
        "wrong": a.wrong(truth).astype("u1"),
        # An infinite threshold gives a label to all points or to none: any shade says so.
        "T": np.where(finite, T, np.where(T > 0, H.max(axis=0) + 1, H.min(axis=0) - 1)).tolist(),
        "scale": _scales(a, given).tolist(),
        "fixed": [
            "" if f else ("no point" if t > 0 else "all points")
            for f, t in zip(finite, T, strict=True)
        ],
        "counts": (a.has & ~a.undecided).sum(axis=0).tolist(),
    }


def _scales(a: Answer, given: Signs) -> np.ndarray:
    """(c,) the distance from the threshold at which the shade is full."""
    rows = ~a.solution.unreached & ~given.any(axis=1)
    distance = np.abs(a.solution.H[rows] - a.T)
    if not len(distance):
        return np.ones(len(a.T))
    scale = np.quantile(np.where(np.isfinite(distance), distance, 0.0), SATURATED, axis=0)
    return np.where(scale > 0, scale, 1.0)
