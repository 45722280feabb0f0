"""The live part of a page: the board, and below it P, charts and the link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from lab import scripts
from lab.board import wait
from lab.board.draft import Draft
from lab.board.face import Elsewhere, Face, follow
from lab.board.picture import as_json
from lab.page import Page
from lab.server import live
from lab.text import FAILURES, plain, remedy
from lab.uploads import uploads

V = TypeVar("V")

HERE = Path(__file__).parent
# In this order they make one script.
SCRIPTS = tuple(
    HERE / "js" / f"{name}.js"
    for name in (
        *("common", "layer", "draw", "gestures", "live", "board"),
        *("classes", "sets_draw", "sets", "apng", "film", "show"),
    )
)
NO_LABELS = "No point is labelled. Choose a class above and click a point."


@dataclass
class BoardState:
    """What the board has been told, and what it said last.

    Attributes
    ----------
    ack : the last event applied.
    changed : the last change of a setting; taken : the last one of each control.
    step : answers so far.
    shown : the last view that was answered, and its answer.
    have : the points that the browser holds.
    """

    ack: int = 0
    changed: int = 0
    taken: dict[str, int] = field(default_factory=dict)
    step: int = 0
    have: str | None = None
    shown: tuple[Any, Any] | None = None
    ticket: live.Ticket = field(default_factory=live.Ticket)


def draw(
    page: Page[V],
    face: Face[V],
    details: Callable[[Page[V], Any], None],
    above: Callable[[Page[V], Any], None] | None = None,
    tell: Callable[[Page[V]], None] | None = None,
) -> None:
    """The board, and below it the page's own details of what the board shows.

    above : drawn with the board, between the page's head and the board.
    tell : says again, in places outside of this part, what depends on the view.
    """
    scripts.offer("board", SCRIPTS)
    st.fragment(_draw, key=page.key("stage"))(page, face, details, above, tell)


def again(page: Page[Any]) -> None:
    """In the callback of a control: the board answers, and what follows it."""
    try:
        st.rerun([page.key("stage")])
    except StreamlitAPIException:  # there is none yet: the page as a whole
        st.rerun()


def _draw(
    page: Page[V],
    face: Face[V],
    details: Callable[[Page[V], Any], None],
    above: Callable[[Page[V], Any], None] | None,
    tell: Callable[[Page[V]], None] | None,
) -> None:
    state = page.keep(BoardState)
    # The board is sent before the rest is begun.
    result = _front(page, face, state, above)
    if tell is not None:
        tell(page)
    # A place of their own: what comes and goes in it moves nothing else.
    with st.container():
        if result is not None:
            details(page, result)
    page.save_link()


def _front(
    page: Page[V],
    face: Face[V],
    state: BoardState,
    above: Callable[[Page[V], Any], None] | None,
) -> Any:
    """The board; the answer that it shows, None where it is not that of the view."""
    take_events(page, face, state)
    # Its place is kept while nobody waits, as that of what stands above the board.
    place = st.container()
    try:
        here = wait.ready(page, face, place)
        result = face.compute(page.view, uploads()) if here else None
    except FAILURES as error:
        st.error(plain(remedy(error)), icon=":material/error:")
        return None
    if result is None:
        _show_earlier(page, face, state, above is not None)
        return None
    state.shown = (page.view, result)
    if above is not None:
        # The row keeps its place when there is nothing to show: if the board moved up, the browser
        # would make a new one and lose the zoom.
        with st.container():
            above(page, result if result.answers else None)
    state.step += 1
    _mount(page, face, state, result)
    if not result.answers:
        st.info(NO_LABELS)
        return None
    return result


def _show_earlier(page: Page[V], face: Face[V], state: BoardState, above: bool) -> None:
    """While an answer is made: the labels of now on the colours of before."""
    if above:
        st.container()
    if state.shown is None or not isinstance(face, Elsewhere):
        return
    earlier = face.meanwhile(page.view, uploads(), *state.shown)
    if earlier is not None:
        _mount(page, face, state, earlier)


def take_events(page: Page[V], face: Face[V], state: BoardState) -> None:
    """Apply what the board sent since the last run."""
    sent = (st.session_state.get(page.key("board")) or {}).get("events")
    if not isinstance(sent, dict):
        return
    state.have = sent.get("have") if isinstance(sent.get("have"), str) else None
    events = new_events(sent.get("list"), state.ack)
    if not events:
        return
    before = page.view
    page.history = follow(face, page.history, events, uploads())
    state.ack = events[-1]["seq"]
    if any(e.get("op") in ("undo", "redo") for e in events) and page.view != before:
        # Undo may have moved a slider or P: the whole page shows it.
        st.rerun()


def adopt(page: Page[V], face: Face[V], source: str, sent: Any) -> str | None:
    """Take changes of settings that a control sent; a sentence where they cannot be used.

    source : which control; what two of them sent may be heard of in either order.
    sent : {"seq": number, "changes": {name in the link: text}}.
    """
    state = page.keep(BoardState)
    if not isinstance(sent, dict) or type(sent.get("seq")) is not int:
        return None
    changes = sent.get("changes")
    if sent["seq"] <= state.taken.get(source, 0) or not isinstance(changes, dict):
        return None
    view, problem = page.view, None
    try:
        view = face.changed(view, {str(k): str(v) for k, v in changes.items()}, uploads())
    except ValueError as error:
        problem = str(error)
    # Together: a run that is broken off before has heard of nothing, and the next one takes it.
    state.taken[source] = sent["seq"]
    state.changed = max(state.changed, sent["seq"])
    page.put(view)
    return problem


def new_events(sent: Any, ack: int) -> list[dict[str, Any]]:
    """Events beyond `ack`, oldest first; what is no event is left out."""
    if not isinstance(sent, list):
        return []
    events = [e for e in sent if isinstance(e, dict) and type(e.get("seq")) is int]
    return sorted((e for e in events if e["seq"] > ack), key=lambda e: e["seq"])


def _mount(page: Page[V], face: Face[V], state: BoardState, result: Any) -> None:
    picture = face.picture(page.view, result, state.have)
    data = as_json(picture) | {
        "step": state.step,
        "ack": state.ack,
        "applied": state.ack,
        "base": face.base(page.view),
        "can_undo": bool(page.history.past),
        "can_redo": bool(page.history.future),
        "link": page.link(),
        "changed": state.changed,
        "notice": page.keep(Draft).problem(page.view),
        "live": live.offer(state.ticket, live.Known(page.history, state.ack, face, uploads())),
    }
    component = scripts.board("board", HERE / "board.html", [HERE / "board.css"])
    with st.container(key=f"place_board_{page.name}"):
        component(key=page.key("board"), data=data, on_events_change=lambda: None)
