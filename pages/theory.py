"""Theory: every definition and theorem as a picture that moves."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lab.entry import require_app
from lab.theory import (
    accuracy,
    classes,
    errata,
    hard,
    links,
    pitfalls,
    root,
    stability,
    volume,
)
from lab.theory.parts import key

SECTIONS = {
    "volume": ("Volume", volume.plane),
    "space": ("Three points", volume.space),
    "classes": ("Many classes", classes.draw),
    "root": ("The root ρ", root.draw),
    "hard": ("Hard case", hard.draw),
    "stability": ("Stability", stability.draw),
    "accuracy": ("Accuracy", accuracy.draw),
    "links": ("Other methods", links.draw),
    "pitfalls": ("Pitfalls", pitfalls.draw),
    "errata": ("Errata", errata.draw),
}

require_app()
st.html(Path(errata.__file__).parent / "style.css")
st.title("Theory", anchor=False)
st.caption(
    "Every definition and theorem as a picture that moves. Start at the left, or at *Errata*."
)
st.session_state.setdefault(key("section"), "volume")
section = st.segmented_control(
    "Section",
    list(SECTIONS),
    key=key("section"),
    format_func=lambda name: SECTIONS[name][0],
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
SECTIONS[section or "volume"][1]()
