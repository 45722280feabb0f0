"""Graphs of many points are made outside the server, in line, as those of the board of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from datasets import Dataset
from lab.board.far import MAX_DENSE_HERE
from lab.board.scene import DENSE_COPIES
from lab.cache import CACHE, fitting
from lab.server.line import Errand, line
from lab.sets.answers import build_graph, features, graph_key
from lab.sets.view import LabelView
from mavr.graphs.graph import Graph
from mavr.settings import GraphSpec


def ask(view: LabelView, data: Dataset, who: str, there: Callable[[], bool]) -> Errand | None:
    """Have the graph made in a process; None where it is there, or made within a blink.

    who, there : who waits for it, and whether they still do. Raises ValueError if it does not fit.
    """
    key = graph_key(view)
    if data.n <= MAX_DENSE_HERE or CACHE.find(key) is not None:
        return None
    fitting(DENSE_COPIES * 8 * data.n**2, f"graphs of {data.n} points")
    order = (view.setting.graph, features(view, data))
    return line().ask(key, work, lambda: order, lambda made: CACHE.put(key, made), who, there)


def work(task: tuple[tuple[GraphSpec, Any], str]) -> list[Graph]:
    """In a process: make what was ordered, and say in a file how far it is."""
    (spec, X), note = task
    Path(note).write_text("decomposing the graph", "utf-8")
    with threadpool_limits(1):
        return [build_graph(spec, X)]
