"""The Theory page's link: the section, and what its controls say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lab.address import Address
from lab.link import as_number, not_followed
from mavr.settings import shortened, write_number

KEY = "page.theory"


@dataclass
class TheoryLink:
    """One visitor's.

    Attributes
    ----------
    wanted : texts of a link that was opened, by control, until the control takes them.
    said : texts of the controls that this run has drawn and that are not where they start.
    starts : where every control starts that was drawn so far.
    problems : sentences on what of the link could not be followed, until they are shown.
    """

    address: Address = field(default_factory=Address)
    wanted: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    starts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def open(self) -> None:
        """Begin a run: take the link that was opened or gone back to."""
        self.said = {}
        if (query := self.address.opened()) is not None:
            self.wanted = dict(query)

    def number(self, name: str, options: Iterable[float], label: str) -> float | None:
        """What the link says of a slider, within its range; None if it says nothing."""
        if (text := self.wanted.pop(name, None)) is None:
            return None
        value = as_number(text)
        values = [float(v) for v in options]
        low, high = min(values), max(values)
        if not low <= value <= high:
            what = f"{label} must be in {low:g} … {high:g}, got {shortened(text)}"
            self.problems.append(not_followed(what))
        return min(max(value, low), high) if value == value else None

    def one_of(self, name: str, options: Mapping[Any, str], label: str) -> Any | None:
        """What the link says of a choice; None if it says nothing that is offered."""
        if (text := self.wanted.pop(name, None)) is None:
            return None
        found = next((option for option in options if str(option) == text), None)
        if found is None:
            what = f"{label} must be one of {', '.join(options.values())}, got {shortened(text)}"
            self.problems.append(not_followed(what))
        return found

    def say(self, name: str, value: Any, start: Any) -> None:
        """Note what a control stands at."""
        self.starts[name] = start
        if value != start:
            self.said[name] = write_number(value) if isinstance(value, float) else str(value)

    def write(self, section: str) -> None:
        """End a run: let the address say what was drawn."""
        self.address.set({"section": section, **self.said})
        self.address.write("theory.address")


def link() -> TheoryLink:
    """This visitor's link."""
    found: TheoryLink = st.session_state.setdefault(KEY, TheoryLink())
    return found
