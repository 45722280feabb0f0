"""While an answer is made outside the server: how far it is, and a way to stop it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.board.face import Elsewhere
from lab.page import Page
from lab.server import refresh
from lab.server.line import Errand, line
from lab.server.presence import presence
from lab.text import duration, plain
from lab.uploads import uploads

REFRESH_MS = 500


@dataclass
class Waiting:
    """What this page waits for; view : for which it was asked, stopped : that it was given up."""

    who: str = field(default_factory=lambda: secrets.token_hex(8))
    errand: Errand | None = None
    view: Any = None
    stopped: bool = False

    def leave(self) -> None:
        if self.errand is not None:
            line().leave(self.errand, self.who)
        self.errand = None

    def stop(self) -> None:
        self.leave()
        self.stopped = True

    def again(self) -> None:
        """The same is asked once more."""
        self.view, self.stopped = None, False


def ready(page: Page[Any], face: Any, place: DeltaGenerator) -> bool:
    """Whether the answer is there at once; else it is asked for, and `place` says how far it is.

    Raises ValueError.
    """
    if not isinstance(face, Elsewhere):
        return True
    own = page.keep(Waiting)
    if own.view != page.view:
        own.leave()
        own.stopped = False
    elif own.stopped or (own.errand is not None and own.errand.state == "failed"):
        _say_over(page, own, place)
        return False
    before = own.errand
    own.errand = face.errand(page.view, uploads(), own.who, presence())
    own.view = page.view
    if before is not None and before is not own.errand:
        line().leave(before, own.who)
    if own.errand is None:
        return True
    with place, st.container(horizontal=True, vertical_alignment="center"):
        # The button stands outside of what is drawn again and again: there it would be replaced
        # under the click.
        with st.container():
            st.fragment(_look, key=page.key("wait"))(page, own)
        st.button("Stop", icon=":material/stop:", key=page.key("wait.stop"), on_click=own.stop)
    return False


def _say_over(page: Page[Any], own: Waiting, place: DeltaGenerator) -> None:
    problem = own.errand.problem if own.errand is not None else ""
    with place:
        if problem:
            st.error(plain(problem), icon=":material/error:")
        else:
            st.info("Stopped. Go on, or change a setting.", icon=":material/stop_circle:")
        st.button(
            "Go on", icon=":material/play_arrow:", key=page.key("wait.on"), on_click=own.again
        )


def _look(page: Page[Any], own: Waiting) -> None:
    errand = own.errand
    if errand is not None:
        st.markdown(f":material/hourglass_top: {plain(sentence(errand))}")
    over = errand is None or errand.over

    def draw() -> None:
        if own.errand is None or own.errand.over:
            st.rerun([page.key("stage")])

    refresh.look_again(page.key("wait.refresh"), 0 if over else REFRESH_MS, draw)


def sentence(errand: Errand) -> str:
    """How far it is."""
    if errand.over:
        return "Drawing …"
    place, taken = line().place(errand), duration(max(1.0, errand.seconds))
    if place:
        others = "next" if place == 1 else f"number {place}"
        return f"Waiting for a free process, {others} in line, {taken}."
    doing = errand.stage or "starting a process"
    return f"{doing[0].upper()}{doing[1:]} … {taken}. Meanwhile everything else can be used."
