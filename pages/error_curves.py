"""Error curves: the paper's six panels, or any factor of any data set, computed while you watch."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import streamlit as st
from lab.view import to_query

from lab import curve_controls, curves, job_controls
from lab.jobs import Job, Progress
from lab.sweeps import Curves, playground_view, sweeps
from mavr.experiments import Row, write_csv

FIGURE = "curves.figure"


def job_for(view: Curves) -> Job:
    wanted = sweeps(view)
    return job_controls.job_for("curves", wanted, view.samplings, partial(Job, wanted))


def as_csv(rows: list[Row]) -> str:
    file = io.StringIO()
    write_csv(sorted(rows, key=lambda r: (r.factor, r.value, r.method, r.sampling)), file)
    return file.getvalue()


def picked() -> dict[str, Any] | None:
    """The point whose samplings are listed."""
    pick = (st.session_state.get(FIGURE) or {}).get("pick")
    return pick if pick and pick.get("panel") else None


def sides(method: str, methods: tuple[str, ...]) -> tuple[str, str]:
    """The picked method beside MAVR, or MAVR beside LGC."""
    if method != "mavr":
        return "mavr", method
    return "mavr", next((m for m in ("lgc", *methods) if m in methods and m != "mavr"), "lgc")


def open_sampling(view: Curves, job: Job, sampling: int) -> None:
    point = picked()
    sweep = next((s for s in job.sweeps if point and s.factor == point["panel"]), None)
    if point is None or sweep is None:
        return
    left, right = sides(point["method"], view.methods)
    target = playground_view(sweep, point["value"], sampling, left, right)
    st.switch_page("pages/playground.py", query_params=to_query(target))


def live(view: Curves, job: Job) -> Progress:
    job.watch()
    p = job.progress()
    job_controls.progress_bar(p)
    rows = job.rows()
    mount = curves.component()
    result = mount(
        key=FIGURE,
        data=curves.payload(view, job.sweeps, rows, picked()),
        on_pick_change=lambda: None,
        on_open_change=lambda: None,
    )
    if result.open:
        open_sampling(view, job, int(result.open["sampling"]))
    return p


switch, table = job_controls.head("Error curves")
view, problems = curve_controls.open_view()
for sentence in problems:
    st.warning(sentence, icon=":material/link_off:")
view = curve_controls.sidebar(view)
curve_controls.save_link(view)
try:
    job = job_for(view)
except ValueError as error:
    st.warning(str(error), icon=":material/error:")
    st.stop()
job_controls.switch(switch, "curves", job)
table.download_button(
    "CSV",
    lambda: as_csv(job.rows()),
    "error-curves.csv",
    "text/csv",
    icon=":material/download:",
    on_click="ignore",
    width="stretch",
    help="One line per method, value and sampling.",
)
job_controls.run_live("curves", job, live, view, job)
