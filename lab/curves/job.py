"""The job of an error-curves page: some sweeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace
from importlib import import_module
from typing import Any

import datasets
from lab.jobs.job import BackgroundJob, Results
from lab.server.pool import Workers
from mavr.experiments import MAX_SAMPLINGS, Design, Sweep, Task, run_task, tasks


class SweepJob(BackgroundJob):
    """Some sweeps."""

    order = ("factor", "value", "method", "sampling")

    def __init__(self, sweeps: Sequence[Sweep], target: int, workers: Workers, results: Results):
        # How many samplings are wanted is the job's business: a longer job finds a shorter one's.
        self.sweeps = tuple(replace(s, samplings=MAX_SAMPLINGS) for s in sweeps)
        super().__init__(target, workers, results)

    def _tasks(self) -> list[Task]:
        return tasks(self.sweeps, range(self.target))

    def _size(self, some: Sequence[Any]) -> float:
        return sum(len(s.values) * len(s.methods) for task in some for s in task.sweeps)

    def _work_of(self, task: Task) -> tuple[Callable[[Any], list[Any]], Task]:
        return run_task, task


def warm_up(workers: Workers) -> None:
    """Start the processes: an experiment that waits for them shows its first points late."""
    design = Design(datasets.source("three_circles"))
    (task,) = tasks([Sweep("gamma", (1.0,), design, ("mavr",))], range(1))
    wait(workers.wake(_first, task))


def _first(task: Task) -> list[Any]:
    """A first sampling, for what it imports; slow enough that every process gets one."""
    rows = run_task(task)
    # A map's, too.
    import_module("lab.map.request")
    time.sleep(0.1)
    return list(rows)
