"""MAVR Lab: the dashboard. `make run` serves it."""

import gc
from pathlib import Path

import streamlit as st
from threadpoolctl import threadpool_limits

import lab.board  # noqa: F401  everything heavy is imported before the collector is told to look away
from lab.entry import enter

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


@st.cache_resource
def prepare_process() -> bool:
    """Once per server. Modules never become garbage: a collection that walks them costs 90 ms.

    One BLAS thread: small solves gain nothing from more, and when users share the cores, threads
    that wait for each other turn a solve of 2 ms into one of 200.
    """
    gc.collect()
    gc.freeze()
    threadpool_limits(1, user_api="blas")
    return True


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
