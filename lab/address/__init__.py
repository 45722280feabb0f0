"""The address bar: a link opens a view, and the view's link stands there after every change.

Streamlit's own query parameters add an entry to the browser's history for each change. A small
component writes the address instead: small changes replace the entry, another view adds one, so
that Back is one step back.
"""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from lab.scripts import source

Query = dict[str, str]

HERE = Path(__file__).parent
ECHO_SECONDS = 1.5


class Address:
    """One page's part in it, for one visitor."""

    def __init__(self) -> None:
        self.query: Query = {}
        self._push = False
        self._left: dict[str, float] = {}

    def opened(self) -> Query | None:
        """The link that was opened or gone back to; None where the address is our own or bare."""
        query = st.query_params.to_dict()
        if not query or query == self.query or self._is_echo(query):
            return None
        self.query = query
        return query

    def set(self, query: Query, push: bool = False) -> None:
        """Another address; `push` makes it a step that Back leads away from."""
        if query != self.query:
            self._left[_text(self.query)] = time.monotonic()
            self.query, self._push = query, push

    def write(self, key: str) -> None:
        """Let the browser show the address."""
        component = st.components.v2.component("mavr_address", js=source(HERE / "address.js"))
        with st.container(key=f"unseen_{key.replace('.', '_')}"):
            component(key=key, data={"search": urlencode(self.query), "push": self._push})

    def _is_echo(self, query: Query) -> bool:
        """Whether an address is one that we have just replaced and the browser not yet.

        A change that follows another at once still carries the address before it; read as a link it
        would undo the first change. The same address some seconds later is the back button's.
        """
        left = self._left.get(_text(query))
        return left is not None and time.monotonic() - left < ECHO_SECONDS


def _text(query: Query) -> str:
    return str(sorted(query.items()))
