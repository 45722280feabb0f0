"""Three small steps for a first visit; closed or not, a later visit does not show them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lab.scripts import source

HERE = Path(__file__).parent


def welcome() -> None:
    """Draw it; the browser alone knows whether it was seen."""
    component = st.components.v2.component(
        "mavr_welcome",
        html=source(HERE / "welcome.html"),
        css=source(HERE / "welcome.css"),
        js=source(HERE / "welcome.js"),
    )
    component(key="welcome")
