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

from lab.scripts import unseen

Query = dict[str, str]

HERE = Path(__file__).parent
ECHO_SECONDS = 1.5


class Address:
    """One page's part in it, for one visitor."""

    def __init__(self) -> None:
        self.query: Query = {}
        self._told: tuple[Query, int] = ({}, 0)
        self._push = False
        self._left: dict[frozenset[tuple[str, str]], float] = {}

    def opened(self, backs: int = 0) -> Query | None:
        """The link that was opened or gone back to; None where the address is our own or bare.

        backs : how often Back or Forward was pressed, see `backs`.
        """
        query = st.query_params.to_dict()
        (told, counted), self._told = self._told, (query, backs)
        # Streamlit goes on telling the address that a page was opened with, whatever the bar shows
        # since: only another one is news, or the same after Back.
        late = backs == counted and (query == told or self._is_echo(query))
        if not query or query == self.query or late:
            return None
        self.query = query
        return query

    def set(self, query: Query, push: bool = False) -> None:
        """Another address; `push` makes it a step that Back leads away from."""
        if query != self.query:
            self._left[frozenset(self.query.items())] = time.monotonic()
            self.query, self._push = query, push

    def write(self, key: str) -> None:
        """Let the browser show the address."""
        data = {"search": urlencode(self.query), "push": self._push}
        unseen(HERE / "address.js", key, data=data)

    def _is_echo(self, query: Query) -> bool:
        """Whether an address is one that we have just replaced and the browser not yet.

        A change that follows another at once still carries the address before it; read as a link it
        would undo the first change. The same address some seconds later is the back button's.
        """
        left = self._left.get(frozenset(query.items()))
        return left is not None and time.monotonic() - left < ECHO_SECONDS


def backs(key: str) -> int:
    """How often Back or Forward was pressed: a component counts, and lets the page run then.

    Not within a fragment: the whole page follows the address that was gone back to.
    """
    unseen(HERE / "back.js", key, on_backs_change=lambda: None)
    return int((st.session_state.get(key) or {}).get("backs") or 0)
