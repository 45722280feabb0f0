"""What pages with background jobs share: workers, the jobs of a session, progress, stop, resume."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, TypeVar

import streamlit as st

from lab.jobs import BackgroundJob, Progress, Results, Workers

# Jobs of one page and session that can be gone back to.
MAX_JOBS = 6
REFRESH_SECONDS = 0.7
# Until the first sampling is complete: first points should be seen at once.
EARLY_SECONDS = 0.25

J = TypeVar("J", bound=BackgroundJob)


@cache
def shared() -> tuple[Workers, Results]:
    """Processes and finished samplings, for all users and pages."""
    return Workers(), Results()


def job_for(page: str, wanted: Hashable, target: int, make: Callable[..., J]) -> J:
    """The job of a request; a new one begins at once, and the page's others of this session rest.

    make : called with the target, the workers and the results.
    """
    jobs: dict[Any, J] = st.session_state.setdefault(f"{page}.jobs", {})
    if wanted not in jobs:
        for other in jobs.values():
            other.stop()
        jobs[wanted] = make(target, *shared())
        jobs[wanted].start()
        while len(jobs) > MAX_JOBS:
            del jobs[next(iter(jobs))]
    job = jobs[wanted]
    if target != job.target:
        job.start(target)
    return job


def status(p: Progress) -> str:
    said = f"{p.samplings} of {p.target} samplings"
    if p.state == "running":
        left = "" if p.seconds_left is None else f", about {duration(p.seconds_left)} left"
        return said + left
    return {"done": f"{p.target} samplings", "stopped": f"Stopped at {said}"}.get(p.state, said)


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def progress_bar(job: BackgroundJob, p: Progress, note: str = "") -> None:
    """What was a problem, how far it is, and the button that stops or resumes."""
    if p.problem:
        st.warning(p.problem, icon=":material/error:")
    bar, button = st.columns([7, 1.2], vertical_alignment="center")
    bar.progress(p.share, text=status(p) + note)
    if p.state == "running":
        button.button("Stop", icon=":material/stop:", on_click=job.stop, width="stretch")
    elif p.state != "done":
        button.button("Resume", icon=":material/play_arrow:", on_click=job.start, width="stretch")


def rerun_when_changed(page: str, p: Progress) -> None:
    """A fragment's clock is set where it is made: only a run of the whole page changes it."""
    pace = _pace(p)
    if st.session_state.get(f"{page}.pace", pace) != pace:
        st.session_state[f"{page}.pace"] = pace
        st.rerun()


def _pace(p: Progress) -> float | None:
    if p.state != "running":
        return None
    return REFRESH_SECONDS if p.samplings else EARLY_SECONDS


def run_live(page: str, job: BackgroundJob, live: Callable[..., None], *arguments: Any) -> None:
    """Draw again and again while the job runs; the function's name is the fragment's identity."""
    pace = _pace(job.progress())
    st.session_state[f"{page}.pace"] = pace
    st.fragment(run_every=pace)(live)(*arguments)
