"""The job of a map: first every fourth cell of every fourth line, then whole lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from lab.cache import CACHE
from lab.data import load
from lab.jobs.job import BackgroundJob
from lab.map.request import Files, Part, Request, answered, run_part
from lab.server.pool import Workers

# Cells of the first map along an axis.
COARSE = 12
# Points up to which the server itself may begin a map, and its turn to do so.
MAX_HERE, HERE = 500, threading.Lock()
# Lines on one graph that are computed together: one part for each of two workers at first.
BUNDLE = 6


class Kept:
    """Finished parts, in the app's cache: shared by all visitors and bounded with the rest."""

    def get(self, task: Part) -> list[Any] | None:
        return CACHE.find(("map", task))

    def put(self, task: Part, rows: list[Any]) -> None:
        CACHE.get(("map", task), lambda: rows)


class MapJob(BackgroundJob):
    """All cells of a request, coarse ones first."""

    def __init__(
        self, request: Request, files: Files, target: int, workers: Workers, results: Any
    ) -> None:
        super().__init__(target, workers, Kept())
        self.request = request
        # The board that was asked about last, and what is shown of it.
        self.shown: tuple[Any, Any] | None = None
        # A worker has no uploads: it is handed the one that the map shows.
        name = request.board.data.name
        self._files = {name: files[name]} if name in files else {}

    @cached_property
    def _all(self) -> list[Part]:
        return parts(self.request, self._files)

    def _tasks(self) -> list[Part]:
        return self._all

    def _size(self, some: Sequence[Part]) -> float:
        return sum(len(part.cells) for part in some)

    def _begin(self, task: Part) -> list[Any] | None:
        """The first map, while the processes load: the server has all that it takes.

        One line after the other, of one map at a time, in this job's thread: decompositions leave
        the interpreter to others.
        """
        few = load(self.request.board.data, self._files).n <= MAX_HERE
        if self._workers.ready or not task.coarse or not few:
            return None
        self._workers.wake(run_part, replace(task, cells=task.cells[:1]))
        with HERE:
            if self._workers.ready or self._resting():
                return None
            known = self._results.get(task)
            return known or [answered(self.request, task.cells, self._files)]

    def _work_of(self, task: Part) -> tuple[Callable[[Any], list[Any]], Part]:
        return run_part, task


def parts(request: Request, files: Files) -> list[Part]:
    """Units of work, coarse to fine: cells of one line share their graph."""
    w, h = len(request.x.values), len(request.y.values)
    along, across = (h, w) if request.columns else (w, h)

    def cells(line: int, places: Sequence[int]) -> tuple[int, ...]:
        if request.columns:
            return tuple(place * w + line for place in places)
        return tuple(line * w + place for place in places)

    first, places = coarse(across), coarse(along)
    early = [cells(line, places) for line in first]
    late = []
    for line in dict.fromkeys([*first, *coarse(across, 2), *range(across)]):
        known = set(places) if line in first else set()
        late.append(cells(line, [place for place in range(along) if place not in known]))
    # On one graph all lines share their decomposition: some go together.
    step = 1 if request.x.of_graph or request.y.of_graph else BUNDLE
    found = [
        (sum(some[k : k + step], ()), some is early)
        for some in (early, late)
        for k in range(0, len(some), step)
    ]
    wanted = [(some, first) for some, first in found if some]
    return [Part(request, some, k, first, files) for k, (some, first) in enumerate(wanted)]


def coarse(count: int, times: int = 1) -> list[int]:
    """About `COARSE` places, evenly among `count`; for `times` 2 twice as many."""
    step = max(1, count // (COARSE * times))
    return list(range(step // 2, count, step))
