"""Benchmarks: the paper's protocol on real data, error against n, computed while you watch."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

import datasets
from lab import benchmarks, curves, job_controls
from lab.benchmarks import DATA, FILE, SIZES, TARGETS, BenchmarkJob, Choice
from lab.jobs import Progress
from lab.pagestate import PageState
from lab.sweeps import MAX_SEED
from mavr.experiments.benchmark import (
    COMPETITORS,
    SIMILARITIES,
    Benchmark,
    summarise_benchmark,
)

PAGE = "benchmarks"
STATE = PageState(PAGE, Choice, benchmarks.from_query, benchmarks.to_query)
UPLOADED, SEEN, PROBLEM = map(STATE.key, ("uploaded", "seen", "problem"))


def sidebar(view: Choice) -> Choice:
    """All controls; the view they mean."""
    widget = STATE.widget
    with st.sidebar:
        data = widget(st.selectbox, view, "data", "Data", list(DATA), format_func=DATA.get)
        if data == FILE:
            upload()
        kinds = widget(
            st.multiselect, view, "similarities", "Similarities", list(SIMILARITIES),
            format_func=lambda kind: SIMILARITIES[kind].title.capitalize(),
            help="One panel for each.",
        )  # fmt: skip
        methods = widget(
            st.multiselect, view, "methods", "Methods", list(COMPETITORS),
            format_func=benchmarks.title, help="MAVR with either graph Laplacian, LGC, LapRLS.",
        )  # fmt: skip
        left, right = st.columns(2)
        low = widget(left.selectbox, view, "low", "From n", list(SIZES), help="In steps of 100.")
        high = widget(right.selectbox, view, "high", "to n", list(SIZES))
        target = widget(
            st.segmented_control, view, "samplings", "Samplings", list(TARGETS), required=True,
            help="Each sampling draws the points and the labelled ones anew.",
        )  # fmt: skip
        seed = widget(
            st.number_input, view, "seed", "Seed", 0, MAX_SEED,
            help="Another seed draws other samplings, the same for all methods.",
        )  # fmt: skip
    # Always in the same order: who asks for the same finds it.
    similarities = tuple(k for k in SIMILARITIES if k in kinds) or view.similarities
    chosen = tuple(m for m in COMPETITORS if m in methods) or view.methods
    return replace(
        view, data=data, similarities=similarities, methods=chosen,
        low=min(low, high), high=max(low, high), samplings=int(target), seed=int(seed),
    )  # fmt: skip


def upload() -> None:
    file = st.file_uploader(
        "Points and classes",
        type="npz",
        help="Arrays X (one row for each point) and y (its class), or the CSR arrays of "
        "scipy.sparse.save_npz and y.",
    )
    if file is not None and st.session_state.get(SEEN) != file.file_id:
        st.session_state[SEEN] = file.file_id
        st.session_state.pop(PROBLEM, None)
        try:
            st.session_state[UPLOADED] = benchmarks.keep_file(file.getvalue(), file.name)
        except datasets.DataError as error:
            st.session_state[PROBLEM] = str(error)
    if problem := st.session_state.get(PROBLEM):
        st.error(problem, icon=":material/error:")
    if kept := st.session_state.get(UPLOADED):
        st.caption(f"Shown: {Path(kept).name}")


def ask_for(data: str) -> None:
    """There is no such file on the server: what to do about it."""
    st.space("small")
    if data == FILE:
        st.info("Give an .npz file with points X and classes y.", icon=":material/upload_file:")
        return
    name = DATA[data]
    said = f"{name} is not on this server yet. Fetch it, which can take minutes, or choose "
    st.info(f"{said}“{DATA[FILE]}” and give it there.", icon=":material/cloud_download:")
    if st.button(f"Fetch {name}", icon=":material/download:"):
        bar = st.progress(0.0, text=f"Fetching {name}")
        try:
            datasets.fetch(data, progress=lambda share, text: bar.progress(share, text=text))
        except datasets.DataError as error:
            bar.empty()
            st.error(str(error).split(": fetch(")[0] + ".", icon=":material/cloud_off:")
        else:
            st.rerun()


def live(job: BenchmarkJob) -> Progress:
    job.watch()
    p = job.progress()
    searching = p.state == "running" and job.searching
    job_controls.progress_bar(p, " · choosing hyperparameters" if searching else "")
    rows = job.rows()
    places = summarise_benchmark(rows)
    figure = benchmarks.payload(job.benchmark, places, len(rows))
    curves.component()(key=STATE.key("figure"), data=figure)
    if places:
        st.html(benchmarks.means_table(job.benchmark, places))
        st.caption(benchmarks.HOW_TO_READ)
    st.caption(benchmarks.ORACLE)
    return p


switch, table = job_controls.head("Benchmarks")
view, problems = STATE.open()
for sentence in problems:
    st.warning(sentence, icon=":material/link_off:")
view = sidebar(view)
STATE.save(view)
data = benchmarks.source(view, st.session_state.get(UPLOADED))
if data is None:
    ask_for(view.data)
    st.stop()
wanted = Benchmark(data, view.sizes, view.similarities, view.methods, seed=view.seed)
job = job_controls.job_for(PAGE, wanted, view.samplings, partial(BenchmarkJob, wanted))
job_controls.switch(switch, PAGE, job)
table.download_button(
    "CSV", lambda: benchmarks.as_csv(job.rows()), "benchmarks.csv", "text/csv",
    icon=":material/download:", on_click="ignore", width="stretch",
    help="One line per method, similarity, n and sampling, with the chosen settings.",
)  # fmt: skip
job_controls.run_live(PAGE, job, live, job)
