"""What a user does to the points by hand: labels, added, moved and deleted points, extra classes.

Points keep their number for good: an added point comes after all others, a deleted one leaves a
gap. So an event that was sent before another one was answered still means the same point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from lab.link import (
    MAX_COORDINATE,
    MAX_INDEX,
    LinkError,
    Part,
    Path,
    read_rows,
    read_whole,
    text_part,
    write_rows,
)
from mavr.settings import shortened

MAX_ADDED = 500
# Classes that one may add up to; a file may have more of its own.
MAX_CLASSES = 12
MAX_LABEL = 999


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

    @property
    def places(self) -> tuple[Any, ...]:
        """What moves points, without what is known of them."""
        return (tuple((x, y) for x, y, _ in self.added), self.moved, self.deleted)


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


def _coordinate(value: float) -> float:
    # As a link writes it: what is shared is what was computed.
    return float(f"{float(value):.5g}")


OPERATIONS: dict[str, Callable[[Marks, dict[str, Any], int], Marks]] = {
    "label": _label,
    "erase": lambda marks, event, n: labelled(marks, event["indices"], -1),
    "add": _add,
    "move": _move,
    "delete": _delete,
    "add_class": lambda marks, event, n: replace(marks, extra=marks.extra + 1),
}


def apply(marks: Marks, event: dict[str, Any], n: int, n_classes: int) -> Marks:
    """One event of the board; n points and n_classes classes come with the data set.

    An event that does not fit (a point or class that is not there) changes nothing.
    """
    op = event.get("op")
    if not isinstance(op, str) or op not in OPERATIONS or not _fits(marks, event, n, n_classes):
        return marks
    return OPERATIONS[op](marks, event, n)


def _fits(marks: Marks, event: dict[str, Any], n: int, n_classes: int) -> bool:
    op, total = event["op"], n + len(marks.added)
    indices = event.get("indices")
    if not isinstance(indices, list | tuple) or not all(_within(i, 0, total) for i in indices):
        return False
    classes = n_classes + marks.extra
    if op == "add_class":
        return classes < MAX_CLASSES
    if op in ("label", "add") and not _within(event.get("class"), -(op == "add"), classes):
        return False
    if op in ("add", "move") and not all(_is_coordinate(event.get(k)) for k in "xy"):
        return False
    if op == "move":
        return len(indices) == 1
    # Deleting everything would leave nothing to draw.
    gone = {*marks.deleted, *indices}
    return op != "delete" or total - len(gone) >= 3


def _within(value: Any, low: int, end: int) -> bool:
    return type(value) is int and low <= value < end


def _is_coordinate(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_COORDINATE


def marks_parts(path: Path) -> tuple[Part[Any], ...]:
    """The marks in a link; labels are always written: an empty list is a choice."""
    return (
        text_part("labels", (*path, "labels"), _read_labels, _write_labels, empty=True),
        text_part("add", (*path, "added"), _read_added, write_rows),
        text_part("move", (*path, "moved"), _read_moved, write_rows),
        text_part("cut", (*path, "deleted"), _read_deleted, lambda v: "_".join(map(str, v))),
        text_part("extra", (*path, "extra"), _read_extra, lambda v: str(v or "")),
    )


def _write_labels(labels: tuple[tuple[int, int], ...]) -> str:
    return "_".join(f"{i}.{j}" for i, j in labels)


def _read_extra(text: str) -> int:
    return read_whole("the number of added classes", text, MAX_CLASSES)


def _read_labels(text: str) -> tuple[tuple[int, int], ...]:
    pairs: dict[int, int] = {}
    for item in filter(None, text.split("_")):
        point, dot, label = item.partition(".")
        if not dot:
            raise LinkError(f"{shortened(item)} is not a label; it should look like 12.0")
        pairs[read_whole("the point of a label", point)] = read_whole(
            "the class of a label", label, MAX_LABEL
        )
    return tuple(sorted(pairs.items()))


def _read_added(text: str) -> tuple[tuple[float, float, int], ...]:
    rows = read_rows("an added point", text, 3)[:MAX_ADDED]
    if any(not -1 <= j <= MAX_LABEL for _, _, j in rows):
        raise LinkError("an added point must have a class, or -1 for none")
    return tuple((x, y, int(j)) for x, y, j in rows)


def _read_moved(text: str) -> tuple[tuple[int, float, float], ...]:
    rows = read_rows("a moved point", text, 3)
    if any(not 0 <= i <= MAX_INDEX for i, _, _ in rows):
        raise LinkError("a moved point must be named by its number")
    return tuple((int(i), x, y) for i, x, y in rows)


def _read_deleted(text: str) -> tuple[int, ...]:
    return tuple(sorted({read_whole("a deleted point", i) for i in filter(None, text.split("_"))}))
