"""The style that comes with the page: a failure here means that Streamlit's page has moved."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import streamlit

from lab.server.head import AHEAD, LAB, STATIC, Head, has_sidebar, insert, page_at, with_head

INDEX = (Path(streamlit.__file__).parent / "static" / "index.html").read_bytes()


def test_streamlit_s_page_has_the_places_that_are_written_to():
    assert INDEX.count(b"<body>") == 1
    assert INDEX.count(b"<html") == 1
    assert b"<title>Streamlit</title>" in INDEX
    assert list((STATIC / "static" / "media").glob("SourceSansVF-Italic*.woff2"))
    assert len(list((STATIC / "static" / "js").glob(AHEAD))) == 1


def test_the_page_has_our_styles_once_and_our_title():
    page = with_head(INDEX, sidebar=False)
    assert page.count(insert()) == 1
    assert (LAB / "style.css").read_bytes() in page
    assert b"<title>MAVR Lab</title>" in page
    assert b"data-sidebar=" not in page.split(b"<body>")[0]
    assert b'<html data-sidebar="awaited"' in with_head(INDEX, sidebar=True)


@pytest.mark.parametrize(
    ("path", "query", "sidebar"),
    [
        ("/", "", True),
        ("/map", "x=gamma", True),
        ("/lab/serendipity/", "", True),
        ("/guide", "", False),
        ("/theory", "section=errata", False),
        ("/", "note=Look&keep=gamma", False),
        ("/", "embed=true", False),
    ],
)
def test_which_pages_open_with_a_sidebar(path, query, sidebar):
    assert has_sidebar(path, query) is sidebar


@pytest.mark.parametrize(
    ("path", "name"),
    [("/", ""), ("/lab", ""), ("/guide", "guide"), ("/lab/map/", "map"), ('/"><b>', "")],
)
def test_a_page_knows_its_name(path, name):
    assert page_at(path) == name
    page = with_head(INDEX, sidebar=False, name=page_at(path)).partition(b"<head>")[0]
    assert (f'<html data-page="{name}"'.encode() in page) == bool(name)


def answered(kind: bytes, parts: list[bytes], accept: bytes = b"text/html") -> list[dict[str, Any]]:
    """What leaves the middleware when the app answers in parts."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        names = [name for name, _ in scope["headers"]]
        assert (b"accept-encoding" in names) == (accept != b"text/html")
        length = str(sum(map(len, parts))).encode()
        headers = [(b"content-type", kind), (b"content-length", length), (b"etag", b"x")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for k, part in enumerate(parts):
            more = k + 1 < len(parts)
            await send({"type": "http.response.body", "body": part, "more_body": more})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept", accept), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "path": "/", "query_string": b"", "headers": headers}
    asyncio.run(Head(app)(scope, None, send))  # type: ignore[arg-type]
    return sent


def test_a_page_that_comes_in_parts_is_written_to_once():
    start, body = answered(b"text/html; charset=utf-8", [INDEX[:700], INDEX[700:]])
    headers = dict(start["headers"])
    assert body["body"] == with_head(INDEX, sidebar=True)
    assert headers[b"content-length"] == str(len(body["body"])).encode()
    assert b"etag" not in headers
    assert headers[b"set-cookie"].startswith(b"mavr_visitor=")


@pytest.mark.parametrize(
    ("kind", "accept"), [(b"text/javascript", b"text/html"), (b"text/html", b"*/*")]
)
def test_everything_else_passes_as_it_is(kind, accept):
    start, first, second = answered(kind, [b"<body>", b"x"], accept)
    assert dict(start["headers"])[b"etag"] == b"x"
    assert (first["body"], second["body"]) == (b"<body>", b"x")


def test_the_answer_to_head_has_no_body():
    start, body = answered(b"text/html", [b""])
    assert body["body"] == b""
    assert dict(start["headers"])[b"content-length"] == b"0"
