"""Error curves: the paper's six panels, or any factor of any data set, computed while you watch."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from lab.board.view import CODEC as BOARD
from lab.curves import controls, figure
from lab.curves.job import SweepJob
from lab.curves.sampling import playground_view, sides
from lab.curves.view import CODEC, Curves, sweeps
from lab.export.experiments import curves_code
from lab.export.menu import Offer, export_menu
from lab.jobs import controls as jobs
from lab.jobs.job import Progress
from lab.page import Page, open_page
from lab.text import plain

INTRODUCTION = (
    "How the error changes when one thing changes: mean and standard error over random repeats, "
    "computed while you watch. Click a point of a curve to see the repeats behind it."
)


def picked(page: Page[Curves]) -> dict[str, Any] | None:
    """The point whose samplings are listed."""
    pick = (st.session_state.get(page.key("chart")) or {}).get("pick")
    return pick if pick and pick.get("panel") else None


def open_sampling(page: Page[Curves], job: SweepJob, sampling: int) -> None:
    point = picked(page)
    sweep = next((s for s in job.sweeps if point and s.factor == point["panel"]), None)
    if point is None or sweep is None:
        return
    left, right = sides(point["method"], page.view.methods)
    target = playground_view(sweep, point["value"], sampling, left, right)
    st.switch_page(Path(__file__).with_name("playground.py"), query_params=BOARD.write(target))


def live(page: Page[Curves], job: SweepJob) -> Progress:
    job.watch()
    progress = job.progress()
    jobs.progress_bar(progress)
    result = figure.component()(
        key=page.key("chart"),
        data=figure.payload(page.view, job.sweeps, job.rows(), picked(page)),
        on_pick_change=lambda: None,
        on_open_change=lambda: None,
    )
    if result.open:
        open_sampling(page, job, int(result.open["sampling"]))
    return progress


def offer(view: Curves, job: SweepJob) -> Offer:
    """What can be taken away: one line per method, value and sampling."""
    return Offer(
        curves_code(view),
        lambda: jobs.table_of(job, lambda r: (r.factor, r.value, r.method, r.sampling)),
        "Every repeat",
    )


page = open_page("curves", CODEC)
switch, table = jobs.frame(page, "Error curves", INTRODUCTION, controls.sidebar)
try:
    wanted = sweeps(page.view)
except ValueError as error:
    st.warning(plain(str(error)), icon=":material/error:")
    st.stop()
job = jobs.job_for(page.name, wanted, page.view.target, partial(SweepJob, wanted))
jobs.switch(switch, page.name, job)
with table:
    export_menu(page, "curves", lambda: offer(page.view, job))
jobs.run_live(page.name, job, live, page, job)
