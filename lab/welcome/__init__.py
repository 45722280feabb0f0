"""Three small steps for a first visit; closed or not, a later visit does not show them."""

from __future__ import annotations

from pathlib import Path

from lab.scripts import component

HERE = Path(__file__).parent


def welcome() -> None:
    """Draw it; the browser alone knows whether it was seen."""
    component(HERE)(key="welcome")
