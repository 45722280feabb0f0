"""Memory comes back: what ended sessions leave behind is collected and given to the system.

An ended session is a cycle of objects that holds graphs and files. Python's own collection looks
at what is old ever more rarely, and the C library keeps what is freed (lab/server/memory.py).
"""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Callable

import streamlit as st

LOOK_SECONDS = 5.0


def sessions() -> int:
    """Sessions of the server, those that a visitor may still come back to included.

    The manager is Streamlit's own; a test fails when it is no longer there.
    """
    if not st.runtime.exists():
        return 0
    return len(st.runtime.get_instance()._session_mgr.list_sessions())


def give_back() -> None:
    """Collect, and hand free memory to the system where the C library can."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return


class Tidy:
    """Gives memory back when sessions have ended since the last look."""

    def __init__(self, count: Callable[[], int] = sessions) -> None:
        self._count, self._last = count, 0
        self._stop = threading.Event()

    def look(self) -> bool:
        """One look; whether there was something to do."""
        now, before = self._count(), self._last
        self._last = now
        if now < before:
            give_back()
        return now < before

    def start(self) -> None:
        threading.Thread(target=self._run, name="tidy", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            self.look()
