"""Error curves: the paper's six panels, or any factor of any data set, computed while you watch."""

from __future__ import annotations

import io
from typing import Any

import streamlit as st

from lab import curve_controls, curves
from lab.entry import require_app
from lab.jobs import Job, Progress, Results, Workers
from lab.sweeps import Curves, playground_view, sweeps
from lab.view import to_query
from mavr.experiments import Row, write_csv

FIGURE = "curves.figure"
JOBS = "curves.jobs"
# Sweeps of this session that can be gone back to.
MAX_JOBS = 6
REFRESH_SECONDS = 0.7

require_app()


@st.cache_resource
def shared() -> tuple[Workers, Results]:
    """Processes and finished samplings, for all users."""
    return Workers(), Results()


def job_for(view: Curves) -> Job:
    """The job of this view; a new one begins at once, and others of this session rest."""
    jobs: dict[Any, Job] = st.session_state.setdefault(JOBS, {})
    wanted = sweeps(view)
    if wanted not in jobs:
        for other in jobs.values():
            other.stop()
        jobs[wanted] = Job(wanted, view.samplings, *shared())
        jobs[wanted].start()
        while len(jobs) > MAX_JOBS:
            del jobs[next(iter(jobs))]
    job = jobs[wanted]
    if view.samplings != job.target:
        job.start(view.samplings)
    return job


def status(p: Progress) -> str:
    said = f"{p.samplings} of {p.target} samplings"
    if p.state == "running":
        left = "" if p.seconds_left is None else f", about {duration(p.seconds_left)} left"
        return said + left
    return {"done": f"{p.target} samplings", "stopped": f"Stopped at {said}"}.get(p.state, said)


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def controls(job: Job, p: Progress) -> None:
    bar, button = st.columns([7, 1.2], vertical_alignment="center")
    bar.progress(p.share, text=status(p))
    if p.state == "running":
        button.button("Stop", icon=":material/stop:", on_click=job.stop, width="stretch")
    elif p.state != "done":
        button.button("Resume", icon=":material/play_arrow:", on_click=job.start, width="stretch")


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


def live(view: Curves, job: Job) -> None:
    job.watch()
    p = job.progress()
    if p.problem:
        st.warning(p.problem, icon=":material/error:")
    controls(job, p)
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
    if st.session_state.get("curves.state") != p.state:
        # The fragment's clock is set where it is made: only a run of the whole page changes it.
        st.session_state["curves.state"] = p.state
        st.rerun()


title, table = st.columns([7, 1.2], vertical_alignment="center")
title.title("Error curves", anchor=False)
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
# Outside the fragment: while numbers arrive, a button in it would be replaced under the click.
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
running = job.progress().state == "running"
st.fragment(run_every=REFRESH_SECONDS if running else None)(live)(view, job)
