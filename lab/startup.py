"""What a server does once: quiet its garbage collector and threads, and get ready for every page.

The first page is served before the rest is loaded; a visitor of the second page should not wait for
imports, nor the first experiment for its processes.
"""

from __future__ import annotations

import gc
import threading
import time
from importlib import import_module

import streamlit as st
from threadpoolctl import threadpool_limits

from lab.server.memory import keep_freed_memory

# The first page comes first.
HEAD_START_SECONDS = 1.5
LATER = (
    "lab.curve_controls",
    "lab.curves",
    "lab.benchmarks",
    "lab.labelsets.board",
    "lab.labelsets.controls",
    "lab.theory.sections",
)


def freeze() -> None:
    """Modules never become garbage: a collection that walks them costs 90 ms."""
    gc.collect()
    gc.freeze()


@st.cache_resource(show_spinner=False)
def prepare_process() -> bool:
    """Once per server.

    One BLAS thread: small solves gain nothing from more, and when users share the cores, threads
    that wait for each other turn a solve of 2 ms into one of 200.
    """
    freeze()
    keep_freed_memory()
    threadpool_limits(1, user_api="blas")
    if st.runtime.exists():
        threading.Thread(target=_get_ready, name="get-ready", daemon=True).start()
    return True


def _get_ready() -> None:
    time.sleep(HEAD_START_SECONDS)
    for name in LATER:
        import_module(name)
    freeze()
    import_module("lab.job_controls").shared()[0].warm_up()
