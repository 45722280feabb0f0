"""What a user does to the points by hand: labels, added, moved and deleted points, extra classes.

Points keep their number for good: an added point comes after all others, a deleted one leaves a
gap. So an event that was sent before another one was answered still means the same point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

MAX_ADDED = 500
MAX_CLASSES = 12


@dataclass(frozen=True)
class Marks:
    """labels : (point, class) pairs, sorted; added : (x, y, class or -1); moved : (point, x, y)."""

    labels: tuple[tuple[int, int], ...] = ()
    added: tuple[tuple[float, float, int], ...] = ()
    moved: tuple[tuple[int, float, float], ...] = ()
    deleted: tuple[int, ...] = ()
    extra: int = 0

    @property
    def painted(self) -> bool:
        return bool(self.added or self.moved or self.deleted)


def labelled(marks: Marks, indices: Iterable[int], label: int) -> Marks:
    """`indices` labelled with a class, or without label for -1."""
    labels = dict(marks.labels)
    for i in indices:
        if label < 0:
            labels.pop(i, None)
        else:
            labels[i] = label
    return replace(marks, labels=tuple(sorted(labels.items())))


def _label(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    alive = [i for i in event["indices"] if i not in marks.deleted]
    return labelled(marks, alive, int(event["class"]))


def _erase(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    return labelled(marks, event["indices"], -1)


def _add(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    if len(marks.added) >= MAX_ADDED:
        return marks
    point = (_coordinate(event["x"]), _coordinate(event["y"]), int(event["class"]))
    return replace(marks, added=(*marks.added, point))


def _move(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    i, x, y = event["indices"][0], _coordinate(event["x"]), _coordinate(event["y"])
    if i >= n:
        added = list(marks.added)
        added[i - n] = (x, y, added[i - n][2])
        return replace(marks, added=tuple(added))
    moved = {j: (j, a, b) for j, a, b in marks.moved}
    moved[i] = (i, x, y)
    return replace(marks, moved=tuple(moved[j] for j in sorted(moved)))


def _delete(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    marks = labelled(marks, event["indices"], -1)
    return replace(marks, deleted=tuple(sorted({*marks.deleted, *event["indices"]})))


def _add_class(marks: Marks, event: dict[str, Any], n: int) -> Marks:
    return replace(marks, extra=marks.extra + 1)


def _coordinate(value: float) -> float:
    # As a link writes it: what is shared is what was computed.
    return float(f"{float(value):.5g}")


OPERATIONS: dict[str, Callable[[Marks, dict[str, Any], int], Marks]] = {
    "label": _label,
    "erase": _erase,
    "add": _add,
    "move": _move,
    "delete": _delete,
    "add_class": _add_class,
}


@dataclass(frozen=True)
class History:
    """Marks with what undo and redo lead to."""

    now: Marks = Marks()
    past: tuple[Marks, ...] = ()
    future: tuple[Marks, ...] = ()

    def put(self, marks: Marks) -> History:
        if marks == self.now:
            return self
        return History(marks, (*self.past[-199:], self.now), ())

    def undo(self) -> History:
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redo(self) -> History:
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:])


def apply(history: History, event: dict[str, Any], n: int, n_classes: int) -> History:
    """One event of the canvas; n points and n_classes classes come with the data set.

    An event that does not fit (a point or class that is not there) changes nothing.
    """
    op = event.get("op")
    if op == "undo":
        return history.undo()
    if op == "redo":
        return history.redo()
    marks = history.now
    if op not in OPERATIONS or not _fits(marks, event, n, n_classes):
        return history
    return history.put(OPERATIONS[op](marks, event, n))


def _fits(marks: Marks, event: dict[str, Any], n: int, n_classes: int) -> bool:
    total = n + len(marks.added)
    indices = event.get("indices", ())
    if not all(isinstance(i, int) and 0 <= i < total for i in indices):
        return False
    classes = n_classes + marks.extra
    if event["op"] == "add_class":
        return classes < MAX_CLASSES
    lowest = -1 if event["op"] == "add" else 0
    if "class" in event and not lowest <= event["class"] < classes:
        return False
    if event["op"] == "move" and len(indices) != 1:
        return False
    # Deleting everything would leave nothing to draw.
    return event["op"] != "delete" or total - len(marks.deleted) - len(indices) >= 3
