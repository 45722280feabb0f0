"""Multi-label: several labels per point, denied and unknown ones, thresholds, P from company."""

from __future__ import annotations

import streamlit as st

from lab.board import stage
from lab.export.menu import SETS, menu
from lab.lessons.controls import offered_sets
from lab.lessons.link import lesson_link, lesson_sets_page
from lab.page import Page, heading, open_page
from lab.sets import details
from lab.sets.answers import Result
from lab.sets.controls import sidebar, threshold_row
from lab.sets.face import Sets
from lab.sets.view import CODEC, LabelView

FACE = Sets()


def below(page: Page[LabelView], result: Result) -> None:
    # They go below each other on a narrow screen (lab/style.css).
    with st.container(key="labelsets_relation"):
        matrix, measures = st.columns([1.9, 1], gap="medium")
    with matrix:
        details.relation_panel(page, FACE, result)
        details.formula(page, FACE)
    with measures:
        details.measures(page, result)


page = open_page("multilabel", CODEC)
if lesson_sets_page(page, FACE):
    st.stop()
with heading("Multi-label"):
    st.space("stretch")
    lesson_link(page, offered_sets)
    menu(page, FACE, SETS)
st.caption(
    "A point may have several labels, or none. Click it and say which it has, which it has not, "
    "and leave the others unknown; the responses decide the rest."
)
page.show_problems()
if sidebar(page, FACE) is not None:
    stage.draw(page, FACE, below, lambda page, result: threshold_row(page, FACE, result))
