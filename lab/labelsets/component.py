"""The canvas of label sets: two panels of predicted sets, one panel of responses per label.

Events come as a queue {seq, op, index, ...}, as from the point canvas (lab/canvas).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from datasets import Dataset
from lab import canvas, scripts
from lab.canvas import pack
from lab.labelsets.answers import Answer
from lab.labelsets.labels import Signs, signs
from lab.labelsets.scores import MEASURES
from lab.labelsets.view import LabelView
from lab.theme import CLASS_COLORS

HERE = Path(__file__).parent
SCRIPTS = (*canvas.SHARED, HERE / "sets.js", HERE / "main.js")
HAS, UNDECIDED = 1, 2
# Share of the distances to the threshold that the shades tell apart; the rest is full colour.
SATURATED = 0.98


def offer() -> None:
    """Bring the canvas's code into the page."""
    scripts.offer("label_sets", SCRIPTS)


def mount() -> Any:
    """The mounting function; registering the same source again is free."""
    css = [canvas.HERE / "canvas.css", HERE / "component.css"]
    return scripts.board("label_sets", HERE / "component.html", css)


def payload(
    view: LabelView,
    data: Dataset,
    given: Signs,
    answers: list[Answer],
    *,
    base: str,
    places: tuple[np.ndarray, str],
    have: str | None,
    step: int,
    ack: int,
    can_undo: bool,
    can_redo: bool,
    max_height: int = 286,
) -> dict[str, Any]:
    """What the canvas is sent; points and truth only if the browser does not have them."""
    truth = signs(data)
    points, pid = places
    low, high = points.min(axis=0), points.max(axis=0)
    return {
        "step": step,
        "ack": ack,
        "base": base,
        "pid": pid,
        "points": None if have == pid else pack(points, "f4"),
        "truth": None if have == pid else pack(truth, "i1"),
        "has_truth": bool(truth.any()),
        "given": pack(given, "i1"),
        "names": list(data.class_names),
        "colors": list(CLASS_COLORS),
        "panels": [_panel(a, truth, given) for a in answers],
        "shown": view.shown,
        "bounds": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "show_errors": view.errors,
        "undecided": any(a.n_undecided for a in answers),
        "unreached": any(a.n_unreached for a in answers),
        "can_undo": can_undo,
        "can_redo": can_redo,
        "max_height": max_height,
    }


def _panel(a: Answer, truth: Signs, given: Signs) -> dict[str, Any]:
    H, T = a.solution.H, a.T
    wrong = ((truth != 0) & ((truth > 0) != a.has)).any(axis=1)
    finite = np.isfinite(T)
    return {
        "title": a.title,
        "big": f"{100 * a.scores['macro']:.1f} %" if a.scores else "",
        "sub": MEASURES["macro"].title if a.scores else "",
        "state": pack(HAS * a.has + UNDECIDED * a.undecided, "u1"),
        "H": pack(H, "f4"),
        "unreached": pack(a.solution.unreached, "u1"),
        "wrong": pack(wrong, "u1"),
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
