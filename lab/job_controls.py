"""What pages with background jobs share: workers, the jobs of a session, progress, stop, resume."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.jobs import BackgroundJob, Progress, Results, Workers

# Jobs of one page and session that can be gone back to.
MAX_JOBS = 6
REFRESH_SECONDS = 0.7
# Until the first sampling is complete: first points should be seen at once.
EARLY_SECONDS = 0.25

J = TypeVar("J", bound=BackgroundJob)


@dataclass
class Clock:
    """How often a page draws its live part, None for not again; made : its run has ended."""

    pace: float | None
    made: bool = False


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


def head(name: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """The title, and two places beside it for buttons.

    Buttons stand outside of what is drawn again and again: there they would be replaced under the
    click.
    """
    title, first, second = st.columns([6, 1.2, 1.2], vertical_alignment="center")
    title.title(name, anchor=False)
    return first, second


def switch(place: DeltaGenerator, page: str, job: BackgroundJob) -> None:
    """Stop or resume; nothing when all is done."""
    state = job.progress().state
    if state == "running":
        place.button(
            "Stop", icon=":material/stop:", key=f"{page}.stop", on_click=job.stop, width="stretch"
        )
    elif state != "done":
        place.button(
            "Resume",
            icon=":material/play_arrow:",
            key=f"{page}.resume",
            on_click=job.start,
            width="stretch",
        )


def progress_bar(p: Progress, note: str = "") -> None:
    """What was a problem, and how far it is."""
    if p.problem:
        st.warning(p.problem, icon=":material/error:")
    st.progress(p.share, text=status(p) + note)


def rerun_when_changed(page: str, p: Progress) -> None:
    """A fragment's clock is set where it is made: only a run of the whole page changes it.

    Not from within such a run: what it has sent, the values of new widgets among it, may not have
    left yet, and would be lost.
    """
    clock: Clock = st.session_state[f"{page}.clock"]
    if clock.made and clock.pace != _pace(p):
        st.rerun()


def _pace(p: Progress) -> float | None:
    if p.state != "running":
        return None
    return REFRESH_SECONDS if p.samplings else EARLY_SECONDS


def run_live(page: str, job: BackgroundJob, live: Callable[..., None], *arguments: Any) -> None:
    """Draw again and again while the job runs; the function's name is the fragment's identity."""
    clock = Clock(_pace(job.progress()))
    st.session_state[f"{page}.clock"] = clock
    st.fragment(run_every=clock.pace)(live)(*arguments)
    clock.made = True
