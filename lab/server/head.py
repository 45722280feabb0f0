"""The style of the lab as a part of Streamlit's page, so that nothing moves when it has loaded.

A style that comes with the script's first message moves what is already drawn, and so does the
sidebar, which Streamlit opens when the first control arrives. This middleware writes the style into
the page itself and keeps the sidebar's place free until it is there. It also makes a new browser
known (`lab.server.visitor`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import streamlit

from lab.server.visitor import cookie, known

LAB = Path(__file__).resolve().parent.parent
STATIC = Path(streamlit.__file__).parent / "static"
# Pages with settings at the side, by the last part of their path.
WITH_SIDEBAR = frozenset(
    {"", "playground", "map", "serendipity", "multilabel", "error_curves", "benchmarks"}
)
PAGES = frozenset(file.stem for file in (LAB.parent / "pages").glob("*.py"))
# A lesson link and an embedded page have none.
WITHOUT_SIDEBAR = frozenset({"note", "keep", "embed"})

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


STYLES = (LAB / "style.css", LAB / "theory" / "style.css")
# What Streamlit draws components with: it would ask for it when the first one comes.
AHEAD = "BidiComponent.*.js"


@cache
def insert() -> bytes:
    """What is written into the page: behind its head, where it comes after Streamlit's styles."""
    style = "".join(path.read_text(encoding="utf-8") for path in STYLES)
    script = (LAB / "server" / "head.js").read_text(encoding="utf-8")
    files = sorted((STATIC / "static" / "js").glob(AHEAD))
    ahead = "".join(f'import "./static/js/{file.name}";' for file in files)
    module = f'<script type="module">{ahead}</script>'
    return f"<body>{_italics()}<style>{style}</style><script>{script}</script>{module}".encode()


def _italics() -> str:
    """Asks for the slanted font at once, as Streamlit's page does for the upright one.

    A font that comes late moves every line that has it.
    """
    files = sorted((STATIC / "static" / "media").glob("SourceSansVF-Italic*.woff2"))
    link = '<link rel="preload" href="./static/media/{}" as="font" type="font/woff2" crossorigin>'
    return "".join(link.format(file.name) for file in files)


def page_at(path: str) -> str:
    """The name of the page at a path; empty for the first, which has none."""
    name = path.rstrip("/").rpartition("/")[2]
    return name if name in PAGES else ""


def has_sidebar(path: str, query: str) -> bool:
    """Whether the page at an address opens with a sidebar."""
    return page_at(path) in WITH_SIDEBAR and not WITHOUT_SIDEBAR & set(
        parse_qs(query, keep_blank_values=True)
    )


def with_head(page: bytes, sidebar: bool, name: str = "") -> bytes:
    """Streamlit's page with our style, our title, its name and a place for the sidebar."""
    page = page.replace(b"<title>Streamlit</title>", b"<title>MAVR Lab</title>")
    said = f' data-page="{name}"' * bool(name) + ' data-sidebar="awaited"' * sidebar
    page = page.replace(b"<html", f"<html{said}".encode(), 1)
    return page.replace(b"<body>", insert(), 1)


class Head:
    """The middleware; everything but whole pages passes as it is."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] != "http" or b"text/html" not in headers.get(b"accept", b""):
            await self.app(scope, receive, send)
            return
        # Neither packed nor "not modified": the page is small, and ours is not what the file is.
        dropped = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
        plain = [(name, value) for name, value in scope["headers"] if name not in dropped]
        query = scope.get("query_string", b"").decode("latin-1")
        page = partial(
            with_head, sidebar=has_sidebar(scope["path"], query), name=page_at(scope["path"])
        )
        rewriter = _Rewriter(send, page, known(scope["headers"]))
        await self.app({**scope, "headers": plain}, receive, rewriter.send)


class _Rewriter:
    """Holds a page back until it is whole."""

    def __init__(self, send: Send, rewritten: Callable[[bytes], bytes], known: bool) -> None:
        self._send, self._rewritten, self._known = send, rewritten, known
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = dict(message["headers"]).get(b"content-type", b"")
            if kind.startswith(b"text/html"):
                self._start = message
                return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._finish(self._start)

    async def _finish(self, start: Message) -> None:
        # The answer to HEAD has no body, and keeps its headers.
        body = self._rewritten(self._body) if self._body else b""
        if body:
            old = (b"content-length", b"etag", b"last-modified", b"accept-ranges")
            kept = [(name, value) for name, value in start["headers"] if name not in old]
            kept.append((b"content-length", str(len(body)).encode()))
            start = {
                **start,
                "headers": kept if self._known else [*kept, (b"set-cookie", cookie())],
            }
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})
