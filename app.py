"""MAVR Lab: the dashboard. `make run` serves it."""

from pathlib import Path

import streamlit as st

import lab.board  # noqa: F401  everything heavy is imported before the collector is told to look away
from lab.entry import enter
from lab.startup import prepare_process

PAGES = {
    "": [
        ("pages/playground.py", "Playground", ":material/touch_app:", True),
        ("pages/serendipity.py", "Serendipity", ":material/auto_awesome:", False),
        ("pages/multilabel.py", "Multi-label", ":material/sell:", False),
        ("pages/error_curves.py", "Error curves", ":material/show_chart:", False),
        ("pages/benchmarks.py", "Benchmarks", ":material/leaderboard:", False),
        ("pages/theory.py", "Theory", ":material/functions:", False),
        ("pages/guide.py", "Guide", ":material/menu_book:", False),
    ],
}


st.set_page_config(
    page_title="MAVR Lab",
    page_icon=":material/bubble_chart:",
    layout="wide",
    menu_items={"About": "MAVR Lab: transductive learning with multi-class volume approximation."},
)
prepare_process()
st.html(Path(__file__).parent / "lab" / "style.css")
page = st.navigation(
    [
        st.Page(path, title=title, icon=icon, default=default)
        for section in PAGES.values()
        for path, title, icon, default in section
    ],
    position="top",
)
enter()
page.run()
