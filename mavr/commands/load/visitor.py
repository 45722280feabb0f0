"""One visitor over the real protocol: Streamlit's messages on its socket, ours on the live channel.

Nothing is drawn: of the elements that arrive, those of our own components are kept, and the
visitor answers for them as their JavaScript does in a browser.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

# Nobody waits longer for an answer.
PATIENCE = 60.0


class Unanswered(Exception):
    """The server did not answer, or answered with a fault; the text says which."""


@dataclass
class Component:
    """A mounted component: its id, the fragment that it stands in, and what it was sent."""

    id: str
    fragment: str
    data: dict[str, Any]


class Visitor:
    """A session at `url`. What it holds of the page: its components by name, its faults."""

    def __init__(self, url: str) -> None:
        self._ws = url.replace("http", "ws", 1)
        self.components: dict[str, Component] = {}
        self.faults: list[str] = []
        self._states: dict[str, dict[str, Any]] = {}
        self._cached: dict[str, Any] = {}
        self._page, self._script = ("", ""), ""
        self._finished = 0
        self._news = asyncio.Event()
        self._stream: Any = None
        self._live: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._asked = 0

    async def open(self, page: str = "", query: str = "") -> float:
        """Open a page by its link; seconds until it is drawn."""
        if self._stream is None:
            self._stream = await self._connect("/_stcore/stream", subprotocols=["streamlit"])
            self._reader = asyncio.create_task(self._read())
        self._page = (page, query)
        self._script = ""
        self._states = {}
        self.components = {}
        return await self.run()

    async def close(self) -> None:
        """Leave, as a tab that is closed."""
        for socket in (self._live, self._stream):
            if socket is not None:
                await socket.close()
        if self._reader is not None:
            await self._reader

    async def ask(self, changes: dict[str, str], events: list[dict[str, Any]]) -> float:
        """Ask the live channel; seconds until the picture is here."""
        board = self.components["board"].data
        if self._live is None:
            self._live = await self._connect(board["live"]["path"])
        self._asked += 1
        message = {"token": board["live"]["token"], "seq": self._asked, "changes": changes}
        message |= {"events": events, "have": board["pid"]}
        start = time.perf_counter()
        await self._live.send(json.dumps(message))
        frame = await asyncio.wait_for(self._live.recv(), PATIENCE)
        took = time.perf_counter() - start
        size = int.from_bytes(frame[:4], "little")
        answer = json.loads(frame[4 : 4 + size])
        if answer.get("problem") or answer.get("wait"):
            raise Unanswered(f"the live channel said {answer}")
        return took

    async def tell(self, name: str, key: str, value: Any) -> None:
        """A component says something to the script, which runs the fragment it stands in."""
        component = self.components[name]
        self._states[component.id] = {key: value}
        await self._send(component.fragment)

    async def run(self) -> float:
        """Run the whole page; seconds until it is drawn."""
        start, before = time.perf_counter(), self._finished
        await self._send("")
        await self.until(lambda: self._finished > before)
        return time.perf_counter() - start

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for messages until something is true."""
        deadline = time.monotonic() + PATIENCE
        while not true():
            if self.faults:
                raise Unanswered(self.faults.pop())
            self._news.clear()
            left = deadline - time.monotonic()
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                raise Unanswered(f"no answer within {PATIENCE:.0f} s") from None

    async def _connect(self, path: str, **options: Any) -> Any:
        connect = import_module("websockets.asyncio.client").connect
        return await connect(self._ws + path, max_size=None, open_timeout=PATIENCE, **options)

    async def _send(self, fragment: str) -> None:
        message = import_module("streamlit.proto.BackMsg_pb2").BackMsg()
        state = message.rerun_script
        state.page_name, state.query_string = self._page
        state.page_script_hash = self._script
        state.fragment_id = fragment
        state.cached_message_hashes.extend(self._cached)
        for id, said in self._states.items():
            state.widget_states.widgets.add(id=id, json_value=json.dumps(said))
        await self._stream.send(message.SerializeToString())

    async def _read(self) -> None:
        read = import_module("streamlit.proto.ForwardMsg_pb2").ForwardMsg
        closed = import_module("websockets.exceptions").ConnectionClosed
        try:
            async for raw in self._stream:
                message = read()
                message.ParseFromString(raw)
                self._take(message)
                self._news.set()
        except closed as error:
            self.faults.append(f"the connection ended: {error}")
            self._news.set()

    def _take(self, message: Any) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            delta = self._cached[message.ref_hash]
        elif kind == "delta":
            delta = message.delta
            if message.metadata.cacheable:
                self._cached[message.hash] = delta
        elif kind == "script_finished":
            # 2: given up for the next run, whose end counts.
            self._finished += message.script_finished != 2
            return
        else:
            if kind == "page_not_found":
                self.faults.append("page not found")
            elif kind == "navigation":
                self._script = message.navigation.page_script_hash
            return
        self._see(delta)

    def _see(self, delta: Any) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.faults.append(f"the page shows {element.exception.type}")
        elif kind == "alert" and element.alert.format == element.alert.ERROR:
            self.faults.append(f"the page says {element.alert.body}")
        elif kind == "bidi_component":
            found = element.bidi_component
            name = found.component_name.removeprefix("mavr_")
            data = json.loads(found.json) if found.json else {}
            # Sliders stand in several groups: each is found by one of its names.
            for key in (name, *(f"slider.{s['link']}" for s in data.get("sliders", ()))):
                self.components[key] = Component(found.id, delta.fragment_id, data)
