"""Who comes back: a browser is known by a random cookie, and finds the files that it brought.

Streamlit's session ends when a page is loaded again; what is uploaded should not be lost with it.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from lab.cache import size

COOKIE = "mavr_visitor"
DAY_SECONDS = 86_400
# For the files of all visitors together.
MAX_BYTES = 512 << 20


def known(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request comes from a browser that has been here."""
    return any(name == b"cookie" and f"{COOKIE}=".encode() in value for name, value in headers)


def cookie() -> bytes:
    """The header that makes a browser known, for a day; no script can read it."""
    token = secrets.token_urlsafe(24)
    text = f"{COOKIE}={token}; Path=/; Max-Age={DAY_SECONDS}; HttpOnly; SameSite=Lax"
    return text.encode()


def visitor() -> str:
    """The name of the browser whose session this is; empty where it keeps no cookie."""
    return str(st.context.cookies.get(COOKIE, ""))


class Shelf:
    """Files by visitor, bounded in bytes; who has not been here for longest goes first."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._files: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def files(self, who: str) -> dict[str, Any]:
        """A visitor's files by name; a new dictionary every time."""
        with self._lock:
            if who in self._files:
                self._files.move_to_end(who)
            return dict(self._files.get(who, {}))

    def put(self, who: str, files: Mapping[str, Any]) -> None:
        """Keep the files of a visitor; nothing is kept of one without a name."""
        if not who:
            return
        with self._lock:
            self._files[who] = dict(files)
            self._files.move_to_end(who)
            sizes = {w: sum(map(size, held.values())) for w, held in self._files.items()}
            for oldest in list(self._files):
                if sum(sizes.values()) <= self.max_bytes:
                    break
                del self._files[oldest], sizes[oldest]


SHELF = Shelf()
