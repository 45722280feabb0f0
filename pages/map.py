"""Map: every setting of a plane at once; move the pointer and the picture follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import streamlit as st

import datasets
from lab import controls
from lab.board.face import Classes
from lab.board.unplaced import unplaced
from lab.board.view import CODEC as BOARD
from lab.export.menu import Offer, export_menu
from lab.export.table import map_table
from lab.lessons.controls import offered_map
from lab.lessons.link import lesson_link, lesson_map_page
from lab.map import stage
from lab.map.code import as_code
from lab.map.head import head
from lab.map.job import MapJob
from lab.map.view import CODEC, MapView, fresh_map
from lab.page import Page, heading, open_page
from lab.uploads import uploads

INTRODUCTION = (
    "Every spot of the map is a setting of two parameters. Move over it and the points beside it "
    "show what the methods answer there; click to take that setting."
)


def below(page: Page[MapView], job: MapJob) -> None:
    """Ways out of the page."""

    def offer() -> Offer:
        code = as_code(job.request, uploads())
        return Offer(code, lambda: map_table(job), "Every setting")

    with st.container(horizontal=True):
        export_menu(page, "map", offer)
        if st.button("Open in Playground", key=page.key("open"), icon=":material/touch_app:"):
            st.switch_page(
                Path(__file__).with_name("playground.py"), query_params=BOARD.write(page.view.board)
            )


page = open_page("map", CODEC, fresh_map, lambda view: unplaced(view.board, uploads()))
stage.settle(page)
if lesson_map_page(page):
    st.stop()
with heading("Map"):
    st.space("stretch")
    lesson_link(page, offered_map)
st.caption(INTRODUCTION)
page.show_problems()
controls.sidebar(cast(Any, stage.Inner(page)), Classes(), datasets.GENERATORS)
head(page)
stage.draw(page, below)
