"""Which steps a visitor has done: kept in the browser, nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from lab.scripts import unseen

HERE = Path(__file__).parent
KEY = "lessons.progress"
MAX_LESSONS, MAX_STEP = 200, 100


@dataclass
class Progress:
    """Steps done by the name of their lesson."""

    done: dict[str, list[int]] = field(default_factory=dict)

    def has(self, name: str, step: int) -> bool:
        return step in self.done.get(name, [])

    def add(self, name: str, step: int) -> None:
        self.done[name] = sorted({*self.done.get(name, []), step})

    def take(self, sent: Any) -> None:
        """What the browser remembers beside; what is no progress is left out."""
        if not isinstance(sent, dict):
            return
        for name, steps in list(sent.items())[:MAX_LESSONS]:
            if isinstance(name, str) and isinstance(steps, list):
                for step in steps[:MAX_STEP]:
                    if type(step) is int and 0 <= step < MAX_STEP:
                        self.add(name, step)


def progress() -> Progress:
    """This visitor's."""
    found: Progress = st.session_state.setdefault("lessons.done", Progress())
    return found


def remember() -> None:
    """Let the browser keep it, and say what it kept from earlier visits."""
    found = progress()

    def heard() -> None:
        found.take((st.session_state.get(KEY) or {}).get("done"))

    done = {"done": dict(sorted(found.done.items()))}
    unseen(HERE / "progress.js", KEY, data=done, on_done_change=heard)
