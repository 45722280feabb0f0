"""Playground: click, and see two methods answer at once."""

from __future__ import annotations

import streamlit as st

import datasets
from lab import board, controls
from lab.entry import require_app
from lab.presets import PRESETS
from lab.session import Session, fresh_view, open_session

require_app()
session = open_session("playground", lambda: fresh_view("three_circles", seed=43))


def open_preset(session: Session) -> None:
    name = st.session_state["playground_preset"]
    if name:
        session.show(PRESETS[name].make())


def details(session: Session, result: board.Result) -> None:
    with st.container(key="below"):
        secular, relation, curve = st.columns([1, 1.15, 1], gap="medium")
    with secular:
        st.markdown(
            "#### Where the norm meets τ",
            help="The responses H(ρ) shrink as −ρ grows. MAVR takes the ρ at which their "
            "norm is τ; LGC always takes −1.",
        )
        board.secular_chart(session, result)
    with relation:
        board.relation_editor(session, result.scene)
    with curve:
        st.markdown(
            "#### Error as labels are added",
            help="One point for every change of the labels, both methods.",
        )
        board.error_chart(session, result)


title, preset = st.columns([3, 2], vertical_alignment="center")
title.title("Playground", anchor=False)
preset.selectbox(
    "Preset",
    list(PRESETS),
    index=None,
    key="playground_preset",
    format_func=lambda name: PRESETS[name].title,
    placeholder="Open an example that teaches one thing …",
    label_visibility="collapsed",
    on_change=open_preset,
    args=(session,),
)
if chosen := st.session_state.get("playground_preset"):
    st.caption(PRESETS[chosen].lesson)
for sentence in session.problems:
    st.warning(sentence, icon=":material/link_off:")
session.problems = []
controls.sidebar(session, datasets.GENERATORS)
board.live(session, details)
