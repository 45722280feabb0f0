"""Playground: click, and see two methods answer at once."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

import datasets
from lab import controls
from lab.board import details, stage
from lab.board.answers import Result
from lab.board.face import Classes
from lab.board.unplaced import unplaced
from lab.board.view import CODEC, View
from lab.examples.presets import FIRST, PRESETS, Opened
from lab.export.menu import CLASSES, menu
from lab.lessons.controls import offered
from lab.lessons.link import lesson_link, lesson_page
from lab.map.view import CODEC as MAP
from lab.map.view import map_of
from lab.page import Page, heading, line, open_page
from lab.uploads import uploads
from lab.welcome import welcome

FACE = Classes()
INTRODUCTION = (
    "A few labels, many unknown points: which method labels the rest better? Click a grey point."
)


def below(page: Page[View], result: Result) -> None:
    details.explain_collapse(page, result)
    details.explain_ties(result)
    with st.container(key="below"):
        secular, relation, curve = st.columns([1, 1.15, 1], gap="medium")
    with secular:
        st.markdown(
            "## How MAVR chooses ρ",
            help="The responses H(ρ) shrink as −ρ grows. MAVR takes the ρ at which their "
            "norm is τ√l; LGC always takes −1.",
        )
        details.secular_chart(page, result)
    with relation:
        details.relation_editor(page, FACE, result)
    with curve:
        st.markdown(
            "## Error as labels are added",
            help="One point for every change of the labels, both methods.",
        )
        details.error_chart(page, result)


page = open_page("playground", CODEC, PRESETS[FIRST].make, lambda view: unplaced(view, uploads()))
if lesson_page(page, FACE):
    st.stop()
opened = page.keep(Opened)
with heading("Playground"):
    page.widget(
        st.selectbox, "example", opened.picked, lambda name: opened.open(page, name), "Examples",
        list(PRESETS), format_func=lambda name: PRESETS[name].title,
        placeholder="Examples …", label_visibility="collapsed", index=None, width=320,
    )  # fmt: skip
    st.space("stretch")
    if st.button(
        "Map", key=page.key("map"), icon=":material/map:",
        help="Open the map: what every setting around this one would answer.",
    ):  # fmt: skip
        st.switch_page(
            Path(__file__).with_name("map.py"), query_params=MAP.write(map_of(page.view))
        )
    lesson_link(page, offered)
    menu(page, FACE, CLASSES)
said = line()


def tell(page: Page[View]) -> None:
    said.caption(f"{INTRODUCTION} {page.keep(Opened).sentence(page.view)}")


tell(page)
page.show_problems()
welcome()
controls.sidebar(page, FACE, datasets.GENERATORS)
stage.draw(page, FACE, below, tell=tell)
