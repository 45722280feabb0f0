"""A view as a JSON file: the parameters of its link, with the kind of picture they are for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from lab.link import Codec
from mavr.settings import shortened

V = TypeVar("V")

FORMAT = "MAVR Lab view"
VERSION = 1
MAX_BYTES = 1_000_000
# Where a view of each kind is opened.
PLACES = {
    "classes": "Playground",
    "sets": "Multi-label",
    "map": "Map",
    "curves": "Error curves",
    "benchmarks": "Benchmarks",
    "theory": "Theory",
}


class ViewError(ValueError):
    """A file that holds no view; the message is a sentence for the page."""


def write_view(kind: str, link: Mapping[str, str]) -> str:
    """kind : of picture, one of `PLACES`; link : parameters of the view's link."""
    content = {"format": FORMAT, "version": VERSION, "board": kind, "link": dict(link)}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def read_view(content: bytes, kind: str, codec: Codec[V]) -> tuple[V, list[str]]:
    """The view, and a sentence for each parameter that could not be used.

    Raises
    ------
    ViewError
        The file is no view, or one of another kind of picture.
    """
    link = read_link(content, kind)
    unknown = codec.unknown(link)
    view, problems = codec.read({k: text for k, text in link.items() if k not in unknown})
    told = [f"The file has a setting {shortened(k)} that is not known here." for k in unknown]
    return view, [p.replace("The link was", "The file was") for p in problems] + told


def read_link(content: bytes, kind: str) -> dict[str, str]:
    """The parameters of the link in a file. Raises ViewError."""
    value = _parsed(content)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ViewError(f'This file is no view: it should say "format": "{FORMAT}".')
    if value.get("version") != VERSION:
        found = shortened(str(value.get("version")))
        raise ViewError(f"This view has version {found}; this lab reads version {VERSION}.")
    if value.get("board") != kind:
        where = PLACES.get(str(value.get("board")))
        hint = f"Open it on the page {where}." if where else "Choose a view exported here."
        raise ViewError(f"This view is for another kind of picture. {hint}")
    link = value.get("link")
    if not isinstance(link, dict) or not all(isinstance(text, str) for text in link.values()):
        raise ViewError("The link of this view must hold texts by name.")
    return link


def _parsed(content: bytes) -> Any:
    if len(content) > MAX_BYTES:
        raise ViewError("This file is larger than 1 MB; a view is small. Choose another file.")
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ViewError("This file is not text. Choose a view that was exported here.") from None
    except RecursionError:
        raise ViewError("This file is nested too deeply to be a view.") from None
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ViewError(f"This file is not JSON{where}. Choose a view exported here.") from None
