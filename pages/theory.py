"""Theory: every definition and theorem as a picture that moves."""

from __future__ import annotations

import streamlit as st

from lab.theory.address import link
from lab.theory.parts import key, put
from lab.theory.sections import FIRST, SECTIONS

SLUGS = list(SECTIONS)


def neighbours(section: str) -> None:
    """The way to the section before and the one after."""
    at = SLUGS.index(section)
    before, _, after = st.columns([1, 2, 1])
    for place, j, word in ((before, at - 1, "← {}"), (after, at + 1, "{} →")):
        if 0 <= j < len(SLUGS):
            place.button(
                word.format(SECTIONS[SLUGS[j]][0]),
                key=key(f"to.{SLUGS[j]}"),
                on_click=put,
                args=({"section": SLUGS[j]},),
                type="tertiary",
                width="stretch",
            )


st.title("Theory", anchor=False)
st.caption(
    "Every definition and theorem as a picture that moves. Start at the left, or at *Errata*."
)
link().open()
if (wanted := link().one_of("section", SLUGS)) is not None:
    st.session_state[key("section")] = wanted
st.session_state.setdefault(key("section"), FIRST)
section = st.segmented_control(
    "Section",
    SLUGS,
    key=key("section"),
    format_func=lambda name: SECTIONS[name][0],
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
section = section or FIRST
SECTIONS[section][1]()
neighbours(section)
link().write(section)
