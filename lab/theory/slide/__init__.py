"""A slider of a declared number whose section follows while it moves.

It is the sidebar's (`lab.sliders`), drawn by the same code: a mark at the usual value and a way
back to it, the exact number, a sweep. It is heard by the script alone: that of the section, a
fragment, while the hand moves, and the whole page's when the hand rests, so that the link follows.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from lab import sliders
from lab.scripts import SAVE, TEXT, source
from lab.sliders import Slider
from mavr.settings import Number

HERE = Path(__file__).parent


def taken(about: Number, wanted: Any) -> float | None:
    """The value that a browser sent; None if it is none that the number can have.

    >>> about = Number("n", "Points", "", "", 2, 6, 4, whole=True)
    >>> taken(about, 5), taken(about, 7), taken(about, "5"), taken(about, float("nan"))
    (5.0, None, None, None)
    """
    if type(wanted) not in (int, float) or not math.isfinite(wanted):
        return None
    try:
        return float(about.check(wanted))
    except ValueError:
        return None


@cache
def _component() -> Any:
    """Drawn by the code of the sidebar's sliders, mounted by our own."""
    house = Path(sliders.__file__).parent
    main = house / "sliders.js"
    pieces = sorted(path for path in house.glob("*.js") if path != main)
    drawing = source(SAVE, TEXT, *pieces, main)
    mounted = drawing.replace("export default function", "const mountSidebar = function")
    return st.components.v2.component(
        "mavr_slide",
        html=source(house / "sliders.html"),
        css=source(house / "sliders.css", HERE / "slide.css"),
        js=f"{mounted}\n{source(HERE / 'slide.js')}",
    )


def draw(key: str, about: Number, usual: float) -> float:
    """Draw it; st.session_state[key] holds the value and takes each move."""
    state = f"{key}.slide"
    heard = st.session_state.setdefault(f"{key}.heard", {"seq": 0})

    def take() -> None:
        sent = (st.session_state.get(state) or {}).get("at")
        if not isinstance(sent, dict) or type(sent.get("seq")) is not int:
            return
        value = taken(about, sent.get("value"))
        if sent["seq"] <= heard["seq"] or value is None:
            return
        heard["seq"] = sent["seq"]
        st.session_state[key] = value
        if sent.get("rests") is True:
            st.rerun()

    value = float(st.session_state[key])
    data = {"slider": Slider(about, value, usual).sent(), "ack": heard["seq"]}
    _component()(key=state, data=data, on_at_change=take)
    return value
