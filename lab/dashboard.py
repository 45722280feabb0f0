"""The script that Streamlit runs for every visitor: the frame around the pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

import lab.board.stage  # noqa: F401  everything heavy is imported before a visitor waits for it

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "playground": ("Playground", ":material/touch_app:"),
    "map": ("Map", ":material/map:"),
    "serendipity": ("Serendipity", ":material/auto_awesome:"),
    "multilabel": ("Multi-label", ":material/sell:"),
    "lessons": ("Lessons", ":material/school:"),
    "error_curves": ("Error curves", ":material/show_chart:"),
    "benchmarks": ("Benchmarks", ":material/leaderboard:"),
    "theory": ("Theory", ":material/functions:"),
    "guide": ("Guide", ":material/menu_book:"),
}

st.set_page_config(
    page_title="MAVR Lab",
    page_icon=str(ROOT / "lab" / "icon.svg"),
    layout="wide",
    menu_items={"About": "MAVR Lab: transductive learning with multi-class volume approximation."},
)
pages = [
    st.Page(ROOT / "pages" / f"{name}.py", title=title, icon=icon, default=name == "playground")
    for name, (title, icon) in PAGES.items()
]
page = st.navigation(pages, position="top")
# Seen on a phone alone, where Streamlit folds its own row away (lab/style.css).
with st.container(key="phone_pages", horizontal=True, gap="small"):
    for one in pages:
        st.page_link(one, label=one.title)
page.run()
