"""The sidebar of the benchmarks."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import datasets
from datasets import DataError
from lab.benchmarks.figure import title
from lab.benchmarks.view import ANY_FILE, DATA, SEED, SIZES, BenchmarkView
from lab.curves.controls import samplings_and_seed, several
from lab.data import title as data_title
from lab.page import Page
from lab.text import plain
from lab.uploads import uploader, uploads
from mavr.experiments.benchmark import COMPETITORS, PANELS

FILE_HELP = (
    "CSV with a column named label, class, y or target, or NPZ with arrays X and y: every point "
    "with its class."
)
BenchmarkPage = Page[BenchmarkView]


def sidebar(page: BenchmarkPage) -> None:
    """All controls."""
    with st.sidebar:
        _data(page)
        panels = {name: panel.title.capitalize() for name, panel in PANELS.items()}
        several(page, "similarities", "Similarities", panels, "One panel for each.", "similarity")
        methods = {name: title(name) for name in COMPETITORS}
        help = (
            "MAVR with either graph Laplacian, LGC, LapRLS. The weight λₐ = 10⁻³ of LapRLS is for "
            "the cosine similarity; the paper used it there for 20 Newsgroups."
        )
        several(page, "methods", "Methods", methods, help, "method")
        _sizes(page)
        samplings_and_seed(page, SEED, "Random repeats")
        uploader(
            page, "Your own points (CSV or NPZ)", FILE_HELP,
            lambda name: page.show(replace(page.view, data=name)),
        )  # fmt: skip


def _data(page: BenchmarkPage) -> None:
    files = uploads()
    options = [*DATA, *files]
    options += [page.view.data] if page.view.data not in options else []
    page.field(
        st.selectbox, "data", "Data", options,
        format_func=lambda name: DATA.get(name) or data_title(name, files),
    )  # fmt: skip


def _sizes(page: BenchmarkPage) -> None:
    left, right = st.columns(2)
    page.field(left.selectbox, "low", "Points from", list(SIZES), help="In steps of 100.")
    page.field(right.selectbox, "high", "to", list(SIZES))


def ask_for(view: BenchmarkView) -> None:
    """There is no such file on the server: what to do about it."""
    st.space("small")
    if view.data not in DATA:
        given = "" if view.data == ANY_FILE else "This link belongs to a file of somebody else. "
        st.info(
            f"{given}Give a CSV or NPZ file with points and their classes, in the sidebar.",
            icon=":material/upload_file:",
        )
        return
    name = DATA[view.data]
    st.info(
        f"{name} is not on this server yet. Fetch it, which can take minutes, or give it as a file "
        "in the sidebar.",
        icon=":material/cloud_download:",
    )
    if st.button(f"Fetch {name}", icon=":material/download:"):
        bar = st.progress(0.0, text=f"Fetching {name}")
        try:
            datasets.fetch(view.data, progress=lambda share, text: bar.progress(share, text=text))
        except DataError as error:
            bar.empty()
            sentence = str(error).split(": fetch(")[0] + "."
            st.error(plain(sentence), icon=":material/cloud_off:")
        else:
            st.rerun()
