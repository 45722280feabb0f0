"""Multi-label: several labels per point, denied and unknown ones, thresholds, P from company."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from datasets import Dataset
from lab import relation
from lab.entry import require_app
from lab.labelsets import board, component
from lab.labelsets.controls import sidebar
from lab.labelsets.session import LabelSession, open_session

require_app()
session = open_session()


def formula(session: LabelSession) -> None:
    st.markdown("#### How co-occurrence makes P")
    st.latex(r"P = I - s\,R\,/\,\lVert R\rVert_2")
    st.caption(
        "R holds the correlation of each two labels over the points where both are known, 0 on its "
        "diagonal: labels that keep company get a negative entry of P, which lets their responses "
        "rise and fall together, and as its eigenvalues lie in 1 ± s, P stays positive definite."
    )
    st.slider(
        "Strength s",
        0.0,
        0.95,
        step=0.05,
        key=session.key("strength"),
        disabled=session.view.relation != "co-occurrence",
        help="0 is P = I.",
    )


def pair(key: str) -> list[DeltaGenerator]:
    """Two columns that go below each other on a narrow screen (lab/style.css)."""
    with st.container(key=key):
        return st.columns([1.9, 1], gap="medium")


@st.fragment
def live(session: LabelSession, data: Dataset) -> None:
    result = board.prepare(session, data)
    if result is None:
        return
    panels, measures = pair("labelsets_board")
    with panels:
        board.panels(session, result)
    if result.answers:
        with measures:
            board.measures(session, result)
        matrix, origin = pair("labelsets_relation")
        with matrix:
            st.markdown("#### Class relation P", help=relation.MEANING)
            board.relation_panel(session, result)
        with origin:
            formula(session)
    else:
        measures.info("No point is labelled. Click a point and say which labels it has.")
    session.save_link()


st.title("Multi-label", anchor=False)
st.caption(
    "A point may have several labels, or none. Click it and say which it has, which it has not, "
    "and leave the others unknown; the responses decide the rest."
)
for sentence in session.problems:
    st.warning(sentence, icon=":material/link_off:")
session.problems = []
source = sidebar(session)
if source is not None:
    component.offer()
    live(session, source)
