"""A slider over given values whose section follows while it moves.

Streamlit's own slider sends its value when the hand rests. This one sends every value that there
is time for: the section, a fragment, is drawn again, and when the hand rests the whole page is, so
that the link follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from lab import sliders
from lab.scripts import made

HERE = Path(__file__).parent


def nearest(values: Sequence[float], wanted: Any) -> float | None:
    """The value that a browser may mean; None if it says no number.

    >>> nearest([0.0, 0.5, 2.0], 0.6), nearest([0.0, 0.5, 2.0], "x")
    (0.5, None)
    """
    if type(wanted) not in (int, float) or not math.isfinite(wanted):
        return None
    return min(values, key=lambda v: abs(v - wanted))


def draw(key: str, name: str, label: str, values: Sequence[float], help: str, fmt: str) -> float:
    """Draw it; st.session_state[key] holds the value, one of `values`, and takes each move."""
    state = f"{key}.slide"
    heard = st.session_state.setdefault(f"{key}.heard", {"seq": 0})

    def take() -> None:
        sent = (st.session_state.get(state) or {}).get("at")
        if not isinstance(sent, dict) or type(sent.get("seq")) is not int:
            return
        value = nearest(values, sent.get("value"))
        if sent["seq"] <= heard["seq"] or value is None:
            return
        heard["seq"] = sent["seq"]
        st.session_state[key] = value
        if sent.get("rests") is True:
            st.rerun()

    value = float(st.session_state[key])
    looks = Path(sliders.__file__).parent / "sliders.css"
    component = made("slide", looks, *(HERE / f"slide.{kind}" for kind in ("html", "css", "js")))
    data = {
        "name": name,
        "label": label,
        "help": help,
        "values": list(values),
        "texts": [fmt.format(v).replace("-", "−") for v in values],
        "at": list(values).index(value),
        "ack": heard["seq"],
    }
    component(key=state, data=data, on_at_change=take)
    return value
