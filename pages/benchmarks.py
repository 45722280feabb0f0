"""Benchmarks: the paper's protocol on real data, error against n, computed while you watch."""

from __future__ import annotations

import streamlit as st

from datasets import DataError
from lab.benchmarks import controls, figure
from lab.benchmarks.job import BenchmarkJob
from lab.benchmarks.view import CODEC, BenchmarkView, source_of
from lab.curves.figure import component
from lab.export.experiments import benchmark_code
from lab.jobs import controls as jobs
from lab.jobs.job import Progress
from lab.page import Page, open_page
from lab.text import plain
from lab.uploads import uploads
from mavr.experiments import summarise_benchmark

INTRODUCTION = (
    "Real data by the paper's protocol: the error of each method against the number of points, a "
    "tenth of them labelled, computed while you watch."
)


def live(page: Page[BenchmarkView], job: BenchmarkJob) -> Progress:
    job.watch()
    progress = job.progress()
    searching = progress.state == "running" and job.searching
    jobs.progress_bar(progress, " · choosing hyperparameters" if searching else "")
    rows = job.rows()
    cells = summarise_benchmark(rows)
    component()(key=page.key("chart"), data=figure.payload(job.benchmark, cells, len(rows)))
    if cells:
        st.html(figure.means_table(job.benchmark, cells))
        st.caption(figure.HOW_TO_READ)
    st.caption(figure.ORACLE)
    return progress


def code() -> str:
    data = page.view.data
    return benchmark_code(page.view, uploads()[data].name if data in uploads() else "")


page = open_page("benchmarks", CODEC)
places = jobs.frame(page, "Benchmarks", INTRODUCTION, controls.sidebar)
try:
    source = source_of(page.view, uploads())
    wanted = page.view.benchmark(source) if source else None
except (DataError, ValueError) as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()
if wanted is None:
    controls.ask_for(page.view)
    st.stop()
jobs.show(page, places, wanted, BenchmarkJob, live, code)
