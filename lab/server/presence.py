"""Whether a visitor is still there, asked from a thread that is no script run."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def presence() -> Callable[[], bool]:
    """A question about the browser of this script run: is it still connected?"""
    context = get_script_run_ctx()
    if context is None or not st.runtime.exists():
        return lambda: True
    runtime, session = st.runtime.get_instance(), context.session_id
    return lambda: runtime.is_active_session(session)
