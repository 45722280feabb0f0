"""Theory: every definition and theorem as a picture that moves."""

from __future__ import annotations

import streamlit as st

from lab.text import together
from lab.theory.address import link
from lab.theory.parts import key, put
from lab.theory.sections import FIRST, SECTIONS

SLUGS = list(SECTIONS)


def neighbours(section: str) -> None:
    """The way to the section before and the one after."""
    at = SLUGS.index(section)
    with st.container(horizontal=True):
        if at > 0:
            _to(SLUGS[at - 1], "← {}")
        st.space("stretch")
        if at + 1 < len(SLUGS):
            _to(SLUGS[at + 1], "{} →")


def _to(slug: str, words: str) -> None:
    words = words.format(SECTIONS[slug][0])
    st.button(words, key=key(f"to.{slug}"), on_click=put, args=({"section": slug},))


st.title("Theory", anchor=False)
st.caption(
    "Every definition and theorem as a picture that moves. Start at the left, or at *Errata*."
)
link().open()
said = st.container()
titles = {slug: title for slug, (title, _) in SECTIONS.items()}
if (wanted := link().one_of("section", titles, "Section")) is not None:
    st.session_state[key("section")] = wanted
st.session_state.setdefault(key("section"), FIRST)
section = st.segmented_control(
    "Section",
    SLUGS,
    key=key("section"),
    format_func=lambda name: titles[name],
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
section = section or FIRST
SECTIONS[section][1]()
# Sliders and choices notice what of a link they cannot follow.
for words in together(link().problems):
    said.warning(words, icon=":material/link_off:")
link().problems = []
neighbours(section)
link().write(section)
