"""Streamlit's theme is read once, not at every run of a script.

Streamlit tells a browser the theme when a run begins, and for that goes through all its options six
times: more processor than the answer to a click. They do not change while a server runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.runtime import app_session

Populate = Callable[..., None]


def remember() -> None:
    """Let every session after the first repeat what the first was told."""
    if not isinstance(app_session._populate_theme_msg, Remembered):
        app_session._populate_theme_msg = Remembered(app_session._populate_theme_msg)


class Remembered:
    """In the place of Streamlit's function that writes one section of the theme."""

    def __init__(self, populate: Populate) -> None:
        self._populate = populate
        self._known: dict[str, Any] = {}

    def __call__(self, msg: Any, section: str = "theme") -> None:
        if section not in self._known:
            told = type(msg)()
            self._populate(told, section)
            self._known[section] = told
        # A section that says nothing is not sent at all.
        if self._known[section].ListFields():
            msg.MergeFrom(self._known[section])
