"""Theory: every definition and theorem as a picture that moves."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lab.theory import sections
from lab.theory.parts import key
from lab.theory.sections import FIRST, SECTIONS

st.html(Path(sections.__file__).parent / "style.css")
st.title("Theory", anchor=False)
st.caption(
    "Every definition and theorem as a picture that moves. Start at the left, or at *Errata*."
)
st.session_state.setdefault(key("section"), FIRST)
section = st.segmented_control(
    "Section",
    list(SECTIONS),
    key=key("section"),
    format_func=lambda name: SECTIONS[name][0],
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
SECTIONS[section or FIRST][1]()
