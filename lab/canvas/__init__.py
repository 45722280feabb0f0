"""The point canvas: one component that draws all panels and turns gestures into events.

Events come as a queue {seq, op, indices, ...}; Python applies what it has not seen and returns the
last number it has. The browser shows pending labels at once and drops them when acknowledged.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from lab import scripts
from lab.scene import Answer, Scene, Shading
from lab.theme import CLASS_COLORS
from lab.view import View

HERE = Path(__file__).parent
# In this order they make one script.
SHARED = tuple(
    HERE / name for name in ("common.js", "layer.js", "draw.js", "gestures.js", "board.js")
)
SCRIPTS = (*SHARED, HERE / "main.js")
# Responses are sent for the tooltip while they are small; beyond, a click would wait for them.
MAX_TOOLTIP_VALUES = 12_000
MAX_RUN = 65_535


def offer() -> None:
    """Bring the canvas's code into the page."""
    scripts.offer("canvas", SCRIPTS)


def component() -> Any:
    """The mounting function; registering the same source again is free."""
    return scripts.board("canvas", HERE / "canvas.html", [HERE / "canvas.css"])


def follow(key: str, step: int) -> None:
    """In a fragment: run it again whenever the board has come to rest after `step`."""
    component = st.components.v2.component("mavr_follow", js=scripts.source(HERE / "follow.js"))
    with st.container(key="unseen_follow"):
        component(key=key, data={"step": step}, on_step_change=lambda: None)


def pack(array: np.ndarray | None, dtype: str) -> str | None:
    """An array as base64 of its little-endian bytes."""
    if array is None:
        return None
    raw = np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
    return base64.b64encode(raw).decode("ascii")


def runs(grid: np.ndarray | None) -> dict[str, str | None] | None:
    """A grid as runs of equal cells: a tenth of its size."""
    if grid is None:
        return None
    ends = np.flatnonzero(np.diff(grid)) + 1
    # No run is longer than its 16 bits can say.
    ends = np.union1d(ends, np.arange(MAX_RUN, len(grid), MAX_RUN))
    starts = np.concatenate([[0], ends]).astype(np.intp)
    lengths = np.diff(np.append(starts, len(grid)))
    return {"lengths": pack(lengths, "u2"), "values": pack(grid[starts], "i1")}


def new_events(key: str, ack: int) -> tuple[list[dict[str, Any]], str | None]:
    """Events beyond `ack`, oldest first, and which points the browser says it has."""
    state = st.session_state.get(key) or {}
    sent = state.get("events") or {}
    events = [e for e in sent.get("list") or [] if isinstance(e, dict) and e.get("seq", 0) > ack]
    return sorted(events, key=lambda e: e["seq"]), sent.get("have")


def payload(
    view: View,
    scene: Scene,
    answers: list[Answer],
    shading: Shading | None,
    *,
    base: str,
    pid: str,
    have: str | None,
    step: int,
    ack: int,
    can_undo: bool,
    can_redo: bool,
    can_add_class: bool,
    suggestions: list[dict[str, Any]],
    below: str = "",
    max_height: int = 420,
) -> dict[str, Any]:
    """What the canvas is sent; points and truth only if the browser does not have them."""
    labelled = int((scene.labels >= 0).sum())
    return {
        "step": step,
        "ack": ack,
        "base": base,
        "pid": pid,
        "points": None if have == pid else pack(scene.points, "f4"),
        "truth": None if have == pid else pack(scene.truth, "i1"),
        "alive": None if scene.alive.all() else pack(scene.alive, "u1"),
        "labels": pack(scene.labels, "i1"),
        "names": list(scene.names),
        "colors": list(CLASS_COLORS),
        "first": "Your labels",
        "first_sub": f"{labelled} of {int(scene.alive.sum())} points",
        "panels": [_panel(view, scene, a) for a in answers],
        "bounds": list(scene.bounds),
        "grid_shape": list(shading.shape) if shading else None,
        "grid_bounds": list(shading.bounds) if shading else None,
        "shade": view.shade,
        "show_errors": view.errors,
        "show_disagree": view.disagree,
        "suggest": suggestions,
        "can_undo": can_undo,
        "can_redo": can_redo,
        "can_add_class": can_add_class,
        "paintable": scene.paintable,
        # With the picture, not as an element of its own: both change in the same frame.
        "below": below,
        "max_height": max_height,
    }


def _panel(view: View, scene: Scene, a: Answer) -> dict[str, Any]:
    small = a.H.size <= MAX_TOOLTIP_VALUES
    return {
        "title": a.title,
        "big": "" if a.error is None else f"{100 * a.error:.1f} %",
        "sub": "" if a.error is None else "error",
        "pred": pack(a.pred, "i1"),
        "conf": pack(a.confidence, "u1"),
        "flags": pack(a.flags, "u1"),
        "H": pack(a.H, "f4") if small else None,
        "grid": runs(a.grid) if view.shade else None,
    }
