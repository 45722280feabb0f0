"""What the browser is sent of an answer. Arrays travel as bytes.

A picture is a dictionary of plain values and arrays. With a run of the script it goes as JSON, its
arrays as base64 (`as_json`); through the live channel as one binary frame (`as_frame`): the length
of the JSON header as four bytes, the header, then the arrays one after the other.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from lab.board import tables
from lab.board.answers import Answer, Result
from lab.board.marks import MAX_CLASSES
from lab.board.suggest import suggestions
from lab.board.thin import drawn
from lab.board.view import View
from lab.theme import CLASS_COLORS
from mavr.methods import METHODS

Picture = dict[str, Any]

# Responses are sent for the tooltip while they are small; beyond, a click would wait for them.
MAX_TOOLTIP_VALUES = 12_000


def as_json(picture: Picture) -> Picture:
    """The picture with its arrays as base64 of their little-endian bytes."""
    packed: Picture = _packed(picture, lambda raw: base64.b64encode(raw).decode("ascii"))
    return packed


def as_frame(picture: Picture) -> bytes:
    """The picture as one binary message."""
    parts: list[bytes] = []
    at = 0

    def place(raw: bytes) -> dict[str, list[int]]:
        nonlocal at
        parts.append(raw)
        at += len(raw)
        return {"$": [at - len(raw), len(raw)]}

    header = json.dumps(_packed(picture, place), allow_nan=False).encode()
    return b"".join([len(header).to_bytes(4, "little"), header, *parts])


def _packed(value: Any, pack: Callable[[bytes], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return pack(np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes())
    if isinstance(value, dict):
        return {key: _packed(inner, pack) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        # Not a list: Streamlit would look into it for a table, which takes longer than to send it.
        return tuple(_packed(inner, pack) for inner in value)
    return value


def classes_picture(view: View, result: Result, have: str | None, max_height: int) -> Picture:
    """The board of classes; points and truth only if the browser does not have them."""
    scene, plane = result.scene, result.plane
    labelled = int((scene.labels >= 0).sum())
    whole = class_type(scene.n_classes)
    suggested = suggestions(view, result) if view.suggest and result.answers else []
    part = drawn(view, scene, [s["index"] for s in suggested])
    index, extra = part if part is not None else (slice(None), None)
    truth = None if scene.truth is None else scene.truth[index]
    pid = points_id(view, extra)
    said = "" if part is None else tables.part(len(part[0]), len(scene.points))
    return {
        "kind": "classes",
        "wide": whole == "i2",
        **points_of(pid, scene.points[index], truth, have, whole),
        "index": None if part is None or have == pid else part[0].astype("i4"),
        "alive": None if scene.alive.all() else scene.alive[index].astype("u1"),
        "labels": scene.labels[index].astype(whole),
        "names": list(scene.names),
        "colors": list(CLASS_COLORS),
        "spelled": spelled(result),
        "first": "Your labels",
        "first_sub": f"{labelled} of {int(scene.alive.sum())} points",
        "panels": [_panel(view, a, whole, index) for a in result.answers],
        "bounds": list(scene.bounds),
        **({"painted": True} if view.marks.painted else {}),
        "grid_shape": list(plane.shape) if plane else None,
        "grid_bounds": list(plane.bounds) if plane else None,
        "shade": view.shade,
        "show_errors": view.errors,
        "show_disagree": view.disagree,
        "suggest": suggested,
        "can_add_class": scene.n_classes < MAX_CLASSES,
        "paintable": scene.paintable,
        # With the picture, not as an element of its own: both change in the same frame.
        "below": tables.strip(result.answers, result.compared) + said,
        "spoken": spoken(result),
        "max_height": max_height,
    }


def points_id(view: View, extra: np.ndarray | None = None) -> str:
    """Names the points and where they are; extra : those drawn of many for what they are."""
    key: tuple[Any, ...] = (view.data, view.marks.added, view.marks.moved)
    return tables.digest(key if extra is None else (*key, extra.tolist()))


def class_type(n_classes: int) -> str:
    """The narrowest type that holds every class and the marks below 0."""
    return "i1" if n_classes <= 127 else "i2"


def points_of(
    pid: str, points: np.ndarray, truth: np.ndarray | None, have: str | None, whole: str
) -> dict[str, Any]:
    """Points and truth, or only their name if the browser has them."""
    known = have == pid
    return {
        "pid": pid,
        "points": None if known else points.astype("f4"),
        "truth": None if known or truth is None else truth.astype(whole),
    }


def _panel(view: View, a: Answer, whole: str, index: Any) -> Picture:
    return {
        "title": a.title,
        "big": "" if a.error is None else f"{100 * a.error:.1f} %",
        "sub": ", ".join(([] if a.error is None else ["wrong"]) + open_words(a)),
        "pred": a.pred[index].astype(whole),
        "conf": a.confidence[index],
        "flags": a.flags[index],
        "H": a.H if a.H.size <= MAX_TOOLTIP_VALUES else None,
        "grid": a.grid.astype(whole) if view.shade and a.grid is not None else None,
    }


def spelled(result: Result) -> str:
    """The names of the methods shown, spelled out."""
    known = {m.title: m.help.partition(":")[0] for m in METHODS.values()}
    shown = dict.fromkeys(METHODS[a.method].title.partition(",")[0] for a in result.answers)
    return " · ".join(f"{name}: {known[name]}" for name in shown)


def spoken(result: Result) -> str:
    """The answers in one line, for who cannot see them."""
    if not result.answers:
        return "No point is labelled."
    said = []
    for a in result.answers[:2]:
        told = [] if a.error is None else [f"{100 * a.error:.1f} % wrong"]
        told += open_words(a) or ([] if told else ["0 tied"])
        said.append(f"{a.title} {', '.join(told)}")
    c = result.compared
    said.append(f"{c.differ} of {c.n} points differ" if c.differ else "no point differs")
    return "; ".join(said) + "."


def open_words(a: Answer) -> list[str]:
    """How many points have no class, and why."""
    counts = ((a.n_tied, "tied"), (a.n_unreached, "with no label connected"))
    return [f"{count} {word}" for count, word in counts if count]
