"""What a link says that has no place in its data set, in words. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping

from datasets import DataError, Dataset
from lab.board.scene import Scene, scene_of
from lab.board.view import View
from lab.data import load
from lab.link import not_followed


def unplaced(view: View, files: Mapping[str, Dataset]) -> list[str]:
    """A sentence for each thing that is left out; none for a file that is not here yet."""
    try:
        scene, n = scene_of(view, files), load(view.data, files).n
    except DataError:
        return []
    said = [*_marks(view, scene, n), *_classes(view, scene)]
    return [not_followed(sentence) for sentence in said]


def _marks(view: View, scene: Scene, n: int) -> list[str]:
    marks, total, said = view.marks, len(scene.points), []
    placed = int((scene.labels >= 0).sum())
    if lost := len(marks.labels) - placed:
        said.append(f"{lost} of {len(marks.labels)} labels are for points or classes not here")
    if marks.painted and not scene.paintable:
        said.append("points of this data set can be neither added nor moved nor deleted")
    elif any(i >= n for i, _, _ in marks.moved) or any(i >= total for i in marks.deleted):
        said.append("some points that it moves or deletes are not here")
    elif marks.deleted and scene.alive.all():
        said.append("it deletes so many points that too few would be left")
    return said


def _classes(view: View, scene: Scene) -> list[str]:
    P, c, said = view.setting.parameters.P, scene.n_classes, []
    if P is not None and len(P) > c:
        said.append(f"its P is for {len(P)} classes, and there are {c}")
    if view.data.unknown >= scene.data.n_classes:
        said.append(f"there is no class {view.data.unknown + 1} to leave without labels")
    return said
