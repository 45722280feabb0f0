"""Error curves: the paper's six panels, or any factor of any data set, computed while you watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from lab.board.view import CODEC as BOARD
from lab.curves import controls, figure
from lab.curves.job import SweepJob
from lab.curves.sampling import playground_view, sides
from lab.curves.view import CODEC, Curves, sweeps
from lab.export.experiments import curves_code
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


page = open_page("curves", CODEC)
places = jobs.frame(page, "Error curves", INTRODUCTION, controls.sidebar)
try:
    wanted = sweeps(page.view)
except ValueError as error:
    st.warning(plain(str(error)), icon=":material/error:")
    st.stop()
jobs.show(page, places, wanted, SweepJob, live, lambda: curves_code(page.view))
