"""A page must run under app.py, which draws the navigation.

A server that has just started runs a file of pages/ by itself when its address is opened first: the
older way of making pages, which Streamlit uses until st.navigation has been called once. Then we
switch it off and load the page again, and the visitor sees it as everybody else does.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

ENTERED = "entered_by_app"


def enter() -> None:
    """Called by app.py before it runs a page."""
    st.session_state[ENTERED] = True


def require_app() -> None:
    """Called by every page first."""
    if ENTERED in st.session_state:
        return
    # What st.navigation does; calling it here would answer "page not found".
    PagesManager.uses_pages_directory = False
    reload = st.components.v2.component(
        "mavr_reload", js="export default function () { window.location.reload(); }"
    )
    reload(key="reload")
    st.stop()
