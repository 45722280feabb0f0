"""Sliders of declared numbers that speak while they move.

Streamlit's own slider sends its value when the hand rests. These ask the live channel at every
move, and hand the value to the script when the hand rests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from lab.board.face import MAX_LIVE_POINTS, Face
from lab.board.stage import BoardState, adopt, again
from lab.page import Page
from lab.scripts import SAVE, TEXT, component
from lab.text import plain
from mavr.settings import Number, scale_parameters

V = TypeVar("V")

HERE = Path(__file__).parent
PIECES = (SAVE, TEXT, HERE / "scale.js", HERE / "sweep.js")

# Said of what makes another graph.
RESTS = (
    f"Above {MAX_LIVE_POINTS:,} points the picture follows when the hand rests, below it while the "
    "hand moves."
)


@dataclass(frozen=True)
class Slider:
    """A number on the page: its declaration, its value now, and the value reset goes back to."""

    about: Number
    value: Any
    usual: Any

    def sent(self) -> dict[str, Any]:
        """What the browser needs to draw it."""
        about = self.about
        low, high = about.shown or (about.low, about.high)
        # 0 has no place on a logarithmic scale.
        remade = about.link.startswith("p.") or about.name in scale_parameters()
        reach = [v for v in (self.value, self.usual) if v or (v == 0 and not about.logarithmic)]
        return {
            "link": about.link,
            "label": about.label,
            "help": f"{about.help} {RESTS}".strip() if remade else about.help,
            "value": self.value,
            "usual": self.usual,
            # A value from a link may lie beyond the usual ends: the slider reaches it.
            "low": min([low, *reach]),
            "high": max([high, *reach]),
            "least": about.low,
            "most": about.high,
            "range": about.range,
            "log": about.logarithmic,
            "whole": about.whole,
            "zero": about.zero,
            "none": about.none,
        }


def sliders(page: Page[V], face: Face[V], name: str, items: Sequence[Slider]) -> None:
    """Draw sliders; a change goes into the view, and the board answers.

    To be called in a fragment: a change runs no more than it must.
    """
    if not items:
        return
    key = page.key(f"sliders.{name}")
    problem = page.key(f"sliders.{name}.problem")

    def take() -> None:
        sent = (st.session_state.get(key) or {}).get("sent")
        if sentence := adopt(page, face, name, sent):
            # The whole page: the sentence is shown here, and the board forgets the change.
            st.session_state[problem] = sentence
            st.rerun()
        again(page)

    state = page.keep(BoardState)
    data = {
        "sliders": tuple(item.sent() for item in items),
        # A page's own: what one step of a lesson has not heard yet is not for the next.
        "name": key,
        "changed": state.changed,
        # Another token is another server, or another session: it has not heard of what was sent.
        "token": state.ticket.token,
    }
    with st.container(key=f"place_sliders_{len(items)}_{key.replace('.', '_')}"):
        component(HERE, *PIECES)(key=key, data=data, on_sent_change=take)
    if sentence := st.session_state.pop(problem, None):
        st.warning(plain(sentence), icon=":material/error:")
