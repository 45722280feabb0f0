"""The live part of the map's page: the component, what it sends, and what stands below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from lab import scripts
from lab.board.face import with_data
from lab.board.picture import as_json
from lab.board.stage import HERE as BOARD
from lab.board.stage import BoardState
from lab.board.view import View
from lab.data import load
from lab.jobs import controls as jobs
from lab.map.axes import taken_at
from lab.map.face import MapFace, Shown
from lab.map.job import MapJob
from lab.map.request import MAX_POINTS, TooMany, request_of, settled
from lab.map.view import MapView
from lab.page import Page
from lab.server import live
from lab.text import plain
from lab.uploads import uploads

HERE = Path(__file__).parent
# Drawing and the live channel are the board's.
SCRIPTS = (
    scripts.SAVE,
    scripts.TICKS,
    *(BOARD / "js" / f"{name}.js" for name in ("common", "layer", "draw", "live", "apng", "film")),
    *(
        HERE / "js" / f"{name}.js"
        for name in ("scale", "plane", "store", "chart", "vector", "follow", "map")
    ),
)
MapPage = Page[MapView]


class Inner:
    """The board inside of a map's view, as a page of its own: for controls that know boards."""

    def __init__(self, page: MapPage) -> None:
        self._page = page
        self.name, self.key, self.keep, self.widget = page.name, page.key, page.keep, page.widget

    field = Page.field

    @property
    def view(self) -> View:
        return self._page.view.board

    def change(self, path: str, value: Any) -> None:
        self._page.change(f"board.{path}", value)

    def put(self, view: View) -> None:
        self._page.put(replace(self._page.view, board=view))

    def show(self, view: View) -> None:
        self._page.show(replace(self._page.view, board=view))


def settle(page: MapPage) -> None:
    """Axes that the data set and graph in view do not have give way to others."""
    try:
        view, said = settled(page.view, load(page.view.board.data, uploads()))
    except ValueError:
        return  # the file of a link is missing: the page says so
    if said:
        page.problems.append(said)
        page.history = replace(page.history, now=view)


def draw(page: MapPage, details: Callable[[MapPage, MapJob], None]) -> None:
    """The map beside its board, and below it the page's own details."""
    scripts.offer("map", SCRIPTS)
    st.fragment(_draw, key=page.key("stage"))(page, details)


def _draw(page: MapPage, details: Callable[[MapPage, MapJob], None]) -> None:
    # The map is sent before the rest is begun.
    job = _front(page)
    if job is not None:
        details(page, job)
    page.save_link()


def _front(page: MapPage) -> MapJob | None:
    """The map; its job, None where there is none."""
    state = page.keep(BoardState)
    try:
        take(page)
        request = request_of(page.view, uploads())
        make = partial(MapJob, request, uploads())
        face = MapFace(jobs.job_for(page.name, request, 1, make))
        obey(page, face.job)
        shown = face.compute(page.view, uploads())
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        if isinstance(error, TooMany):
            _fewer(page)
        return None
    state.step += 1
    _mount(page, face, state, shown)
    return face.job


def _fewer(page: MapPage) -> None:
    """The way to a map of as many points as it has room for."""
    board = page.view.board
    sized = any(p.name == "n" for p in board.data.numbers)
    if sized and st.button(f"Map of {MAX_POINTS:,} points", key=page.key("fewer"), type="primary"):
        fewer = with_data(board, board.data.having(n=MAX_POINTS), uploads())
        page.put(replace(page.view, board=fewer))
        st.rerun()


def sent(page: MapPage, name: str) -> dict[str, Any]:
    """What the component said last under a name, until it is `heeded`; {} where that is nothing."""
    said = (st.session_state.get(page.key("map")) or {}).get(name)
    if not isinstance(said, dict) or type(said.get("seq")) is not int:
        return {}
    if said["seq"] <= page.keep(Seen).get(name, 0):
        return {}
    # What it has, it says with everything.
    if isinstance(said.get("have"), str):
        page.keep(BoardState).have = said["have"]
    return said


class Seen(dict[str, int]):
    """The last message of each name that was heeded."""


def heeded(page: MapPage, name: str, said: dict[str, Any]) -> None:
    """A message is done with.

    Not before: a run may be broken off wherever it asks Streamlit for something, and the next one
    has to find the message again.
    """
    page.keep(Seen)[name] = said["seq"]


def take(page: MapPage) -> None:
    """The setting that was clicked becomes the view's."""
    if said := sent(page, "have"):
        heeded(page, "have", said)
    said = sent(page, "taken")
    if not said:
        return
    view, files = page.view, uploads()
    c = len(load(view.board.data, files).class_names) + view.board.marks.extra
    at = {
        axis.name: float(value)
        for axis, value in ((view.x, said.get("x")), (view.y, said.get("y")))
        if isinstance(value, int | float) and math.isfinite(value)
    }
    board = taken_at(view.board, at, c, files)
    heeded(page, "taken", said)
    if board != view.board:
        page.put(replace(view, board=board))
        # Sliders and P show it too.
        st.rerun()


def obey(page: MapPage, job: MapJob) -> None:
    """Stop, or go on."""
    said = sent(page, "order")
    if not said:
        return
    heeded(page, "order", said)
    if said.get("do") == "stop":
        job.stop()
    elif said.get("do") == "resume":
        job.start()


def _mount(page: MapPage, face: MapFace, state: BoardState, shown: Shown) -> None:
    data = as_json(face.picture(page.view, shown, state.have)) | {
        "step": state.step,
        "ack": state.ack,
        "base": face.base(page.view),
        "changed": state.changed,
        "live": live.offer(state.ticket, live.Known(page.history, state.ack, face, uploads())),
    }
    component = scripts.board("map", HERE / "map.html", [HERE / "map.css"])
    with st.container(key=f"place_map_{page.name}"):
        component(
            key=page.key("map"),
            data=data,
            on_taken_change=lambda: None,
            on_order_change=lambda: None,
            on_have_change=lambda: None,
        )
