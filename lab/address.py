"""The address bar: a link opens a view, and the view's link stands there after every change."""

from __future__ import annotations

import time

import streamlit as st

Query = dict[str, str]

ECHO_SECONDS = 5.0


class Address:
    """One page's part in it, for one user."""

    def __init__(self) -> None:
        self.query: Query = {}
        self._left: dict[str, float] = {}

    def opened(self) -> Query | None:
        """The link that was opened or gone back to; None where the address is our own or bare."""
        query = st.query_params.to_dict()
        if not query or query == self.query or self._is_echo(query):
            return None
        self.query = query
        return query

    def write(self, query: Query) -> None:
        """Let the address bar say `query`."""
        if query != self.query:
            self._left[_text(self.query)] = time.monotonic()
            self.query = query
        # A page that is come back to has a bare address: it is written again.
        if query != st.query_params.to_dict():
            st.query_params.from_dict(query)

    def _is_echo(self, query: Query) -> bool:
        """Whether an address is one that we have just replaced and the browser not yet.

        A change that follows another at once still carries the address before it; read as a link it
        would undo the first change. The same address some seconds later is the back button's.
        """
        left = self._left.get(_text(query))
        return left is not None and time.monotonic() - left < ECHO_SECONDS


def _text(query: Query) -> str:
    return str(sorted(query.items()))
