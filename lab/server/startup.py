"""What a server does once: quiet its garbage collector and threads, and get ready for every page.

The first page is served before the rest is loaded; a visitor of the second page should not wait for
imports, nor the first experiment for its processes.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from lab.server import theme
from lab.server.memory import keep_freed_memory
from lab.server.tidy import Tidy
from lab.server.turns import take_turns

# The first page comes first.
HEAD_START_SECONDS = 1.5
LAB = Path(__file__).resolve().parent.parent


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Around the life of the server."""
    tune_process()
    ready = threading.Thread(target=_get_ready, name="get-ready", daemon=True)
    ready.start()
    tidy = Tidy()
    tidy.start()
    yield
    import_module("lab.server.live").ANSWERING.close()
    tidy.stop()
    close_workers()


def tune_process() -> None:
    """One BLAS thread, one script at a time, memory and theme that are kept, a quiet collector.

    Small solves gain nothing from more threads, and when visitors share the cores, threads that
    wait for each other turn a solve of 2 ms into one of 200.
    """
    import_module("lab.board.stage")
    freeze()
    keep_freed_memory()
    theme.remember()
    take_turns()
    threadpool_limits(1, user_api="blas")


def freeze() -> None:
    """Modules never become garbage: a collection that walks them costs 90 ms."""
    gc.collect()
    gc.freeze()


def _get_ready() -> None:
    time.sleep(HEAD_START_SECONDS)
    # They load by themselves, beside the server.
    threading.Thread(target=_start_workers, name="start-workers", daemon=True).start()
    for path in sorted(LAB.rglob("*.py")):
        name = ".".join(("lab", *path.relative_to(LAB).with_suffix("").parts))
        # The dashboard is a script, not a module.
        if name != "lab.dashboard":
            import_module(name.removesuffix(".__init__"))
    freeze()
    examples = import_module("lab.examples.gallery")
    for panel in examples.PANELS:
        examples.picture(panel)


def _start_workers() -> None:
    import_module("lab.curves.job").warm_up(import_module("lab.jobs").shared()[0])


def close_workers() -> None:
    """No process outlives the server."""
    import_module("lab.jobs").shared()[0].close()
    import_module("lab.server.line").line().close()
