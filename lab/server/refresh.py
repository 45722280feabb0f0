"""Look again after a while: how a fragment draws again and again.

Streamlit's own timer (`run_every`) also fires within a run of the whole page, and the browser then
takes the page's widgets for left over and forgets their values. This one waits until the page is
idle, has one look under way at a time, and its pace may change with every look. Whether the page is
idle it reads off an attribute that Streamlit has for its own tests (`data-test-script-state`); a
test fails when that is no longer there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from lab.scripts import source

HERE = Path(__file__).parent


def came(key: str) -> bool:
    """Whether this run is a look that was asked for; to be called before `look_again`."""
    looked = (st.session_state.get(key) or {}).get("look")
    return bool(looked == st.session_state.get(f"{key}.looks", 0) + 1)


def look_again(key: str, wait_ms: int | None, before: Callable[[], None] = lambda: None) -> None:
    """Run this fragment again after a while; None for not again.

    before : called first, where `st.rerun` may name other fragments to run in its place.
    """
    looks = st.session_state.get(f"{key}.looks", 0) + 1
    st.session_state[f"{key}.looks"] = looks
    refresh = st.components.v2.component("mavr_refresh", js=source(HERE / "refresh.js"))
    with st.container(key=f"unseen_{key.replace('.', '_')}"):
        refresh(key=key, data={"look": looks, "wait": wait_ms}, on_look_change=before)
