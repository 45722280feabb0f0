"""The draggable ellipse: h, two eigenvalues and an angle, to and from the browser."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path

import streamlit as st

from lab.scripts import component
from lab.theme import CLASS_COLORS

HERE = Path(__file__).parent
# Eigenvalues between these keep both axes, of length 1 / sqrt(lam), in the picture.
LOWEST, HIGHEST = 0.25, 4.0


@dataclass(frozen=True)
class Picture:
    """lam1, lam2 : eigenvalues of Q; angle : of the first axis, radians; (hx, hy) : h."""

    lam1: float
    lam2: float
    angle: float
    hx: float
    hy: float


def dragged(key: str) -> Picture | None:
    """What the user dragged since the last run, or None. Call it before drawing."""
    acks = st.session_state.setdefault(f"{key}.acks", {"seq": 0})
    edit = (st.session_state.get(key) or {}).get("edit")
    if not edit or edit["seq"] <= acks["seq"]:
        return None
    acks["seq"] = edit["seq"]
    values = [float(edit[name]) for name in Picture.__dataclass_fields__]
    if not all(map(isfinite, values)):
        return None
    lam1, lam2, angle, hx, hy = values
    return Picture(min(max(lam1, LOWEST), HIGHEST), min(max(lam2, LOWEST), HIGHEST), angle, hx, hy)


def draw(key: str, picture: Picture, spoken: str) -> None:
    component(HERE)(
        key=key,
        data={
            "state": asdict(picture),
            "colors": list(CLASS_COLORS[:4]),
            "ack": st.session_state.get(f"{key}.acks", {"seq": 0})["seq"],
            "spoken": spoken,
        },
        on_edit_change=lambda: None,
    )
