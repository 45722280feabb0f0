"""The live channel: a socket beside Streamlit through which a board is answered while a hand moves.

A page hands its board a ticket, whose token nobody can guess. A message names the token, parameters
of the link that were changed and events of the board that the script has not seen; the answer is
the picture of that view with a coarse shading, as one binary frame. The view itself stays the
script's, whose picture, when the hand rests, has a fine one: nothing here changes it. The browser
sends a message only when the last one is answered, so the newest wins.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lab.board.asked import Asked, failed, framed, made
from lab.board.face import Face, follow
from lab.board.picture import Picture
from lab.history import History
from lab.server.answering import Answering
from lab.server.turns import TURNS
from lab.text import FAILURES, remedy

PATH = "/live"
MAX_MESSAGE = 200_000
MAX_CHANGES, MAX_CHANGE = 24, 4_000
MAX_EVENTS = 2_000
MAX_CONNECTIONS = 200
# Messages of one connection within a second; a display shows no more.
MAX_RATE = 150
POLICY, TOO_BIG, TRY_LATER = 1008, 1009, 1013

# More than cores: beside the scripts of many visitors two threads get too small a share.
_POOL = ThreadPoolExecutor(2 * max(2, os.cpu_count() or 1), thread_name_prefix="live")
_open: set[int] = set()
ANSWERING = Answering()


@dataclass(frozen=True, eq=False)
class Known:
    """What the script knew in its last run; ack : the last event of the board that it applied."""

    history: History[Any]
    ack: int
    face: Face[Any]
    files: Mapping[str, Any]


@dataclass(eq=False)
class Ticket:
    """Lets a browser ask about one page of one session; it goes when the session goes."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    session: str = ""
    known: Known | None = None
    warmed: str = ""


_TICKETS: WeakValueDictionary[str, Ticket] = WeakValueDictionary()


def offer(ticket: Ticket, known: Known) -> dict[str, str] | None:
    """Make a ticket good for what the page shows now; what the board needs to ask."""
    context = get_script_run_ctx()
    if context is None or not st.runtime.exists():
        return None
    ticket.session, ticket.known = context.session_id, known
    _TICKETS[ticket.token] = ticket
    _warm(ticket, known)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return {"token": ticket.token, "path": f"/{base}{PATH}" if base else PATH}


def _warm(ticket: Ticket, known: Known) -> None:
    """The process that will be asked makes the graph of new data before the hand moves."""
    face, view = known.face, known.history.now
    if ticket.warmed != face.base(view) and face.apart(view):
        ticket.warmed = face.base(view)
        _POOL.submit(ANSWERING.prepare, pickle.dumps(Asked(face, view, {}, None, {})))


class Refused(Exception):
    """A message that no page of ours sends."""


def respond(text: str) -> Picture:
    """The answer to one message: a picture, or {"wait": True}, or {"problem": a sentence}."""
    return made(received(text))


def received(text: str) -> Asked | Picture:
    """What one message asks, or the answer where no picture is needed for it."""
    message = _read(text)
    ticket = _TICKETS.get(message["token"])
    if ticket is None or ticket.known is None:
        raise Refused("the token is not known")
    if not st.runtime.get_instance().is_active_session(ticket.session):
        raise Refused("the session has ended")
    found = asked(ticket.known, message)
    if isinstance(found, Asked):
        return replace(found, also={"seq": message["seq"], **found.also})
    return found


def answer(known: Known, message: Mapping[str, Any]) -> Picture:
    """The picture of the page's view with the message's events and changes, made here."""
    return made(asked(known, message))


def asked(known: Known, message: Mapping[str, Any]) -> Asked | Picture:
    """The page's view with the message's events and changes."""
    face, files = known.face, known.files
    events = sorted((e for e in message["events"] if e["seq"] > known.ack), key=lambda e: e["seq"])
    try:
        history = follow(face, known.history, events, files)
        view = face.changed(history.now, message["changes"], files)
        if not face.quick(view, files):
            return {"wait": True}
    except FAILURES as error:
        return {"problem": remedy(error)}
    also = {
        "applied": events[-1]["seq"] if events else known.ack,
        "base": face.base(view),
        "can_undo": bool(history.past),
        "can_redo": bool(history.future),
    }
    return Asked(face, view, files, message["have"], also)


def _read(text: str) -> dict[str, Any]:
    """A message, checked: whoever sends another is no board of ours."""
    try:
        message = json.loads(text)
        changes, events = message["changes"], message["events"]
        good = (
            isinstance(message["token"], str)
            and type(message["seq"]) is int
            and (message["have"] is None or isinstance(message["have"], str))
            and isinstance(changes, dict)
            and len(changes) <= MAX_CHANGES
            and all(isinstance(v, str) and len(v) <= MAX_CHANGE for v in changes.values())
            and isinstance(events, list)
            and len(events) <= MAX_EVENTS
            and all(isinstance(e, dict) and type(e.get("seq")) is int for e in events)
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        good = False
    if not good:
        raise Refused("the message cannot be read")
    return dict(message)


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a page of this very server opens the socket; scripts without an origin may."""
    return origin is None or (host is not None and origin.partition("://")[2] == host)


def _answered(text: str) -> bytes:
    """The frame for a message, made here or in another process."""
    try:
        found = received(text)
        if isinstance(found, Asked) and found.face.apart(found.view):
            frame = ANSWERING.ask(pickle.dumps(replace(found, files={})))
            if frame is not None:
                return frame
    except Refused:
        raise
    except Exception as error:
        return failed(error)
    with TURNS.turn(first=True):
        return framed(found)


async def channel(socket: WebSocket) -> None:
    """Serve one connection."""
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(POLICY)
        return
    if len(_open) >= MAX_CONNECTIONS:
        await socket.close(TRY_LATER)
        return
    await socket.accept()
    ANSWERING.start()
    _open.add(id(socket))
    try:
        await _serve(socket)
    except WebSocketDisconnect:
        pass
    finally:
        _open.discard(id(socket))


async def _serve(socket: WebSocket) -> None:
    loop, pace = asyncio.get_running_loop(), 1 / MAX_RATE
    while True:
        began = time.monotonic()
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text is None or len(text) > MAX_MESSAGE:
            await socket.close(TOO_BIG)
            return
        try:
            frame = await loop.run_in_executor(_POOL, _answered, text)
        except Refused:
            await socket.close(POLICY)
            return
        await socket.send_bytes(frame)
        # A connection that asks faster than any display shows has to wait.
        if (left := pace - (time.monotonic() - began)) > 0:
            await asyncio.sleep(left)


ROUTE = WebSocketRoute(PATH, channel)
