"""MAVR Lab: the dashboard. `make run` serves it."""

import gc
from pathlib import Path

import streamlit as st

import lab.board  # noqa: F401  everything heavy is imported before the collector is told to look away

PAGES = {
    "": [
        ("pages/playground.py", "Playground", ":material/touch_app:", True),
        ("pages/serendipity.py", "Serendipity", ":material/auto_awesome:", False),
    ],
}


@st.cache_resource
def keep_imports_out_of_collections() -> bool:
    """Modules never become garbage: a collection that walks them costs 90 ms and finds nothing."""
    gc.collect()
    gc.freeze()
    return True


st.set_page_config(
    page_title="MAVR Lab",
    page_icon=":material/bubble_chart:",
    layout="wide",
    menu_items={"About": "MAVR Lab: transductive learning with multi-class volume approximation."},
)
keep_imports_out_of_collections()
st.html(Path(__file__).parent / "lab" / "style.css")
page = st.navigation(
    [
        st.Page(path, title=title, icon=icon, default=default)
        for section in PAGES.values()
        for path, title, icon, default in section
    ],
    position="top",
)
page.run()
