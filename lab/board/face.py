"""What a board draws, and how events and changes move it: classes here, label sets in lab.sets.

Pure functions of views: the script's run and the live channel use the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from datasets import Dataset
from lab.board import far
from lab.board.answers import Result, compute, finer, question_of
from lab.board.marks import apply
from lab.board.picture import Picture, classes_picture
from lab.board.scene import graph_key, scene_of
from lab.board.tables import digest
from lab.board.view import CODEC, View, own_labels
from lab.cache import CACHE, RECENT
from lab.data import Data, load
from lab.history import History
from lab.link import Codec
from lab.server.line import Errand

V = TypeVar("V")
Files = Mapping[str, Dataset]
Event = Mapping[str, Any]


class Face(Protocol[V]):
    """What the boards of classes and of label sets have in common."""

    @property
    def codec(self) -> Codec[V]:
        """Views to links and back."""

    def base(self, view: V) -> str:
        """Names the data set that an event belongs to."""

    def apply(self, view: V, event: dict[str, Any], files: Files) -> V:
        """The view after one event of the board; one that does not fit changes nothing."""

    def changed(self, view: V, changes: Mapping[str, str], files: Files) -> V:
        """The view after changes of a link's parameters. Raises ValueError."""

    def quick(self, view: V, files: Files) -> bool:
        """Whether an answer is a matter of milliseconds."""

    def apart(self, view: V) -> bool:
        """Whether another process answers as quickly, from the view alone."""

    def compute(self, view: V, files: Files, coarse: bool = False) -> Any:
        """The answer to a view. Raises ValueError with a sentence.

        coarse : while a hand moves; what is only seen at rest may be left for then.
        """

    def picture(self, view: V, result: Any, have: str | None) -> Picture:
        """What is sent of an answer to a browser that has the points named `have`."""


@runtime_checkable
class Elsewhere(Protocol):
    """A face some of whose answers take long, and are made outside the server first."""

    def errand(self, view: Any, files: Files, who: str, there: Callable[[], bool]) -> Errand | None:
        """What must be done before `compute` answers at once; None where it does.

        who, there : who waits for it, and whether they still do. Raises ValueError.
        """

    def meanwhile(self, view: Any, files: Files, before: Any, shown: Any) -> Any | None:
        """What the board shows until then: the answer shown before, with the labels of now."""


def follow(
    face: Face[V], history: History[V], events: Iterable[dict[str, Any]], files: Files
) -> History[V]:
    """The history after events of the board, each on top of the one before."""
    for event in events:
        op = event.get("op")
        if op in ("undo", "redo"):
            history = history.undo() if op == "undo" else history.redo()
        # An event for another data set came too late.
        elif event.get("base") == face.base(history.now):
            history = history.put(face.apply(history.now, event, files))
    return history


def read_changes(codec: Codec[V], view: V, changes: Mapping[str, str]) -> V:
    """The view with some parameters of its link changed. Raises ValueError."""
    for part in codec.parts:
        if own := part.own(changes):
            view = part.read(view, own)
    return view


def points_of(data: Data, files: Files) -> int:
    """How many points there are; a made set is not made for it."""
    n = dict(data.params).get("n") if not data.uploaded else None
    return int(n or load(data, files).n)


# A graph of so many points is made and answered within a tenth of a second: 32 ms for 500 points,
# 64 for 700, 90 for 800, 160 for 1,000 and 620 for 1,500.
MAX_LIVE_POINTS = 700


@dataclass(frozen=True)
class Classes:
    """The board of classes; also : methods shown in the table beside the two."""

    also: tuple[str, ...] = ()
    max_height: int = 330
    codec: ClassVar[Codec[View]] = CODEC

    def base(self, view: View) -> str:
        return digest(view.data)

    def apply(self, view: View, event: dict[str, Any], files: Files) -> View:
        source = load(view.data, files)
        return replace(view, marks=apply(view.marks, event, source.n, source.n_classes))

    def changed(self, view: View, changes: Mapping[str, str], files: Files) -> View:
        after = read_changes(self.codec, view, changes)
        if after.data == view.data:
            return after
        return with_data(after, after.data, files)

    def quick(self, view: View, files: Files) -> bool:
        if points_of(view.data, files) <= MAX_LIVE_POINTS:
            return True
        known = CACHE.find(graph_key(view)) is not None
        return known and far.at_once(self._question(view, files))

    def apart(self, view: View) -> bool:
        return not view.data.uploaded and points_of(view.data, {}) <= MAX_LIVE_POINTS

    def compute(self, view: View, files: Files, coarse: bool = False) -> Result:
        load(view.data, files)  # a file must be this visitor's, whoever asked before
        known = None if coarse else RECENT.find((view, self.also, True))
        if known is not None:
            return RECENT.get((view, self.also, False), lambda: finer(view, known))
        key = (view, self.also, coarse)
        return RECENT.get(key, lambda: compute(view, files, self.also, coarse))

    def errand(
        self, view: View, files: Files, who: str, there: Callable[[], bool]
    ) -> Errand | None:
        question = self._question(view, files)
        return far.ask(question, who, there) if far.is_far(question) else None

    def meanwhile(self, view: View, files: Files, before: View, shown: Result) -> Result | None:
        same = (view.data, view.marks.places) == (before.data, before.marks.places)
        scene = scene_of(view, files)
        if not same or scene.n_classes != shown.scene.n_classes:
            return None
        return replace(shown, scene=scene)

    def _question(self, view: View, files: Files) -> far.Question:
        return question_of(view, scene_of(view, files), self.also)

    def picture(self, view: View, result: Result, have: str | None) -> Picture:
        return classes_picture(view, result, have, self.max_height)


def with_data(view: View, data: Data, files: Files) -> View:
    """Other points of the same set: the settings stay, labels are drawn for the new points."""
    return replace(view, data=data, marks=own_labels(load(data, files), data.seed))
