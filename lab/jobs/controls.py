"""What pages with background jobs share: the jobs of a visitor, progress, stop, resume."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.export.menu import Offer, export_menu
from lab.jobs import shared
from lab.jobs.job import BackgroundJob, Progress
from lab.page import Page, heading
from lab.server import refresh
from lab.server.presence import presence
from lab.text import duration, plain
from mavr.experiments import write_csv

# Jobs of one page and visitor that can be gone back to.
MAX_JOBS = 6
REFRESH_MS = 600
# Until the first sampling is complete: first points should be seen at once.
EARLY_MS = 150

J = TypeVar("J", bound=BackgroundJob)


def job_for(page: str, wanted: Hashable, target: int, make: Callable[..., J]) -> J:
    """The job of a request; a new one begins at once, and the page's others of this visitor rest.

    make : called with the target, the workers and the results.
    """
    jobs: dict[Any, J] = st.session_state.setdefault(f"{page}.jobs", {})
    if wanted not in jobs:
        for other in jobs.values():
            other.stop()
        jobs[wanted] = make(target, *shared())
        jobs[wanted].present = presence()
        jobs[wanted].start()
        while len(jobs) > MAX_JOBS:
            del jobs[next(iter(jobs))]
    job = jobs[wanted]
    if target != job.target:
        job.start(target)
    return job


def status(p: Progress) -> str:
    said = f"{p.samplings} of {p.target} repeats"
    if p.state == "running":
        left = "" if p.seconds_left is None else f", about {duration(max(p.seconds_left, 1))} left"
        return said + left
    return {"done": f"{p.target} repeats", "stopped": f"Stopped at {said}"}.get(p.state, said)


def frame(
    page: Page[Any], name: str, about: str, sidebar: Callable[[Page[Any]], None]
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """The title, what the page is about, what was wrong with the link, the sidebar; two places
    for buttons.

    Buttons stand outside of what is drawn again and again: there they would be replaced under the
    click.
    """
    with heading(name):
        st.space("stretch")
        first, second = (st.container(width="content") for _ in range(2))
    st.caption(about)
    page.show_problems()
    sidebar(page)
    page.save_link()
    return first, second


def switch(place: DeltaGenerator, page: str, job: BackgroundJob) -> None:
    """Stop or resume; nothing when all is done."""
    state = job.progress().state
    if state == "running":
        place.button("Stop", icon=":material/stop:", key=f"{page}.stop", on_click=job.stop)
    elif state != "done":
        place.button(
            "Resume",
            icon=":material/play_arrow:",
            key=f"{page}.resume",
            on_click=job.start,
        )


def table_of(job: BackgroundJob) -> str:
    """All rows so far, as CSV."""
    stream = io.StringIO()
    write_csv(sorted(job.rows(), key=attrgetter(*job.order)), stream)
    return stream.getvalue()


def show(
    page: Page[Any],
    places: tuple[DeltaGenerator, DeltaGenerator],
    wanted: Hashable,
    make: Callable[..., J],
    live: Callable[[Page[Any], J], Progress],
    code: Callable[[], str],
) -> None:
    """The job of what is wanted: its buttons, and what is drawn of it while it runs.

    places : for the buttons, see `frame`; make : called with what is wanted first, see `job_for`.
    """
    job = job_for(page.name, wanted, page.view.target, partial(make, wanted))
    switch(places[0], page.name, job)
    with places[1]:
        export_menu(page, page.name, lambda: Offer(code(), partial(table_of, job), "Every repeat"))
    run_live(page.name, job, live, page, job)


def progress_bar(p: Progress, note: str = "") -> None:
    """What was a problem, and how far it is."""
    if p.problem:
        st.warning(plain(p.problem), icon=":material/error:")
    st.progress(p.share, text=status(p) + note)
    disk = shared()[1].disk
    if disk is not None and disk.problem:
        st.caption(plain(disk.problem))


def run_live(page: str, job: BackgroundJob, live: Callable[..., Progress], *args: Any) -> None:
    """Draw again and again while the job runs; `live` draws it once and returns how far it is."""
    st.session_state[f"{page}.switch"] = job.progress().state
    st.fragment(_look)(page, live, args)


def _look(page: str, live: Callable[..., Progress], args: tuple[Any, ...]) -> None:
    key = f"{page}.refresh"
    asked = refresh.came(key)
    p = live(*args)
    switched = st.session_state[f"{page}.switch"] != p.state
    # The buttons of the page belong to another state. Not within a run of the whole page: what it
    # has sent, the values of new widgets among it, may not have left yet, and would be lost.
    if switched and asked:
        st.rerun()
    refresh.look_again(key, 0 if switched else _wait(p))


def _wait(p: Progress) -> int | None:
    """Milliseconds until the next look."""
    if p.state != "running":
        return None
    return REFRESH_MS if p.samplings else EARLY_MS
