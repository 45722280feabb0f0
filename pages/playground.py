"""Playground: click, and see two methods answer at once."""

from __future__ import annotations

import streamlit as st

import datasets
from lab import controls
from lab.board import details, stage
from lab.board.answers import Result
from lab.board.face import Classes
from lab.board.view import CODEC, View, fresh_view
from lab.data import Data
from lab.examples.presets import PRESETS, Opened
from lab.export.menu import CLASSES, menu
from lab.lessons.controls import offered
from lab.lessons.link import lesson_link, lesson_page
from lab.map.view import CODEC as MAP
from lab.map.view import map_of
from lab.page import Page, open_page
from lab.welcome import welcome

FACE = Classes()
INTRODUCTION = (
    "Click a grey point: two methods label the rest. **MAVR**, multi-class approximate volume "
    "regularisation, fixes the size of all responses; **LGC**, local and global consistency, "
    "does not."
)


def below(page: Page[View], result: Result) -> None:
    details.explain_collapse(page, result)
    details.explain_ties(result)
    with st.container(key="below"):
        secular, relation, curve = st.columns([1, 1.15, 1], gap="medium")
    with secular:
        st.markdown(
            "#### How MAVR chooses ρ",
            help="The responses H(ρ) shrink as −ρ grows. MAVR takes the ρ at which their "
            "norm is τ√l; LGC always takes −1.",
        )
        details.secular_chart(page, result)
    with relation:
        details.relation_editor(page, FACE, result)
    with curve:
        st.markdown(
            "#### Error as labels are added",
            help="One point for every change of the labels, both methods.",
        )
        details.error_chart(page, result)


page = open_page("playground", CODEC, lambda: fresh_view(Data(seed=43)))
if lesson_page(page, FACE):
    st.stop()
title, examples, more = st.columns([1.5, 2.2, 2.6], vertical_alignment="center")
title.title("Playground", anchor=False)
opened = page.keep(Opened)
with examples:
    page.widget(
        st.selectbox, "example", opened.name, lambda name: opened.open(page, name), "Examples",
        list(PRESETS), format_func=lambda name: PRESETS[name].title,
        placeholder="Examples …", label_visibility="collapsed", index=None,
    )  # fmt: skip
with more, st.container(horizontal=True, horizontal_alignment="right"):
    if st.button(
        "Map", key=page.key("map"), icon=":material/map:",
        help="Open the map: what every setting around this one would answer.",
    ):  # fmt: skip
        st.switch_page("pages/map.py", query_params=MAP.write(map_of(page.view)))
    lesson_link(page, offered)
    menu(page, FACE, CLASSES)
st.caption(opened.sentence(page.view) or INTRODUCTION)
page.show_problems()
welcome()
controls.sidebar(page, FACE, datasets.GENERATORS)
stage.draw(page, FACE, below)
