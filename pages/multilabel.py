"""Multi-label: several labels per point, denied and unknown ones, thresholds, P from company."""

from __future__ import annotations

import streamlit as st

from datasets import Dataset
from lab import relation
from lab.entry import require_app
from lab.labelsets import board
from lab.labelsets.controls import sidebar
from lab.labelsets.session import LabelSession, open_session

require_app()
session = open_session()


def formula(session: LabelSession) -> None:
    st.markdown("#### How co-occurrence makes P")
    st.latex(r"P = I - s\,\frac{R}{\lVert R\rVert_2},\qquad R_{jk}=\mathrm{corr}(j,k),\; R_{jj}=0")
    st.caption(
        "R is the correlation of the labels over the points where both are known: labels that keep "
        "company get a negative entry, which lets their responses rise and fall together, and as "
        "the eigenvalues lie in 1 ± s, P stays positive definite."
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


@st.fragment
def live(session: LabelSession, data: Dataset) -> None:
    result = board.draw(session, data)
    if result is not None and result.answers:
        left, right = st.columns([1.9, 1], gap="medium")
        with left:
            st.markdown("#### Class relation P", help=relation.MEANING)
            board.relation_panel(session, result)
        with right:
            formula(session)
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
    live(session, source)
