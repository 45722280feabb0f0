"""Workers that are killed, a server that is killed, a disk that is full: what is lost, and said."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest

import datasets
from lab.curves.job import SweepJob
from lab.jobs import disk as disks
from lab.jobs.disk import Disk, key_of
from lab.jobs.job import Results
from lab.server.pool import Workers
from mavr.experiments import Design, Measurement, Sweep, run, run_task, tasks
from tests.waiting import key, wait_for

ROOT = Path(__file__).resolve().parents[2]
CIRCLES = datasets.source("three_circles")
SMALL = Sweep("gamma", (2.0, 99.0), Design(CIRCLES, (("n", 60), ("noise", 0.4))), ("mavr", "lgc"))


class Dying(Workers):
    """The process of one task dies: the first time, or every time."""

    def __init__(self, sampling: int, always: bool) -> None:
        super().__init__(2)
        self.sampling, self.always, self.died = sampling, always, 0

    def submit(self, work, task):
        return super().submit(self._chosen(work, task), task)

    def submit_alone(self, work, task):
        return super().submit_alone(self._chosen(work, task), task)

    def _chosen(self, work, task):
        if task.sampling == self.sampling and (self.always or not self.died):
            self.died += 1
            return _die
        return work


def _die(_: object) -> list:
    time.sleep(0.2)  # others are under way
    os._exit(9)


def test_a_killed_workers_sampling_is_done_again_and_nobody_elses_job_ends():
    workers, results = Dying(3, always=False), Results()
    try:
        mine = SweepJob([SMALL], 6, workers, results)
        theirs = SweepJob([replace(SMALL, seed=7)], 6, workers, results)
        mine.start(), theirs.start()
        wait_for(lambda: mine.progress().state == theirs.progress().state == "done")
    finally:
        workers.close()
    assert workers.died == 1
    for job, sweep in ((mine, SMALL), (theirs, replace(SMALL, seed=7))):
        expected = sorted(run(sweep, samplings=range(6)), key=key)
        assert sorted(job.rows(), key=key) == expected


def test_a_task_that_kills_its_process_ends_its_own_job_alone():
    workers = Dying(2, always=True)
    try:
        mine = SweepJob([SMALL], 4, workers, Results())
        mine.start()
        wait_for(lambda: mine.progress().state == "failed")
        assert "ended unexpectedly" in mine.progress().problem
        # It died among others, then alone.
        assert workers.died == 2
        theirs = SweepJob([replace(SMALL, seed=7)], 2, workers, Results())
        theirs.start()
        wait_for(lambda: theirs.progress().state == "done")
    finally:
        workers.close()


def test_a_job_waits_for_nobody_after_a_break():
    """A pool that is broken when a task is handed in is as good as one that breaks later."""

    class Broken(Workers):
        def submit(self, work, task):
            future: Future = Future()
            future.set_exception(BrokenProcessPool("killed"))
            return future

        def submit_alone(self, work, task):
            future: Future = Future()
            future.set_result(work(task))
            return future

    job = SweepJob([SMALL], 3, Broken(1), Results())
    job.start()
    wait_for(lambda: job.progress().state == "done")
    assert len(job.rows()) == 12


SERVER = """
import os, time
from lab.server.pool import Workers
if __name__ == "__main__":
    workers = Workers(2)
    futures = [workers.submit(time.sleep, 0.5) for _ in range(2)]
    [f.result() for f in futures]
    print(*workers._shared._processes, flush=True)
    time.sleep(600)
"""


def test_no_worker_outlives_a_server_that_is_killed(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        workers = [int(pid) for pid in server.stdout.readline().split()]
        assert len(workers) == 2
        assert all(map(_lives, workers))
    finally:
        server.send_signal(signal.SIGKILL)
        server.communicate()
    wait_for(lambda: not any(map(_lives, workers)), 60)


def _lives(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


# Finished samplings on disk.


@pytest.fixture
def task():
    (found,) = tasks([SMALL], range(1))
    return found


def test_finished_samplings_outlive_the_server(tmp_path, task):
    rows = list(run_task(task))
    first = Results(disk=Disk(tmp_path))
    first.put(task, rows)
    first.disk.close()
    again = Results(disk=Disk(tmp_path))
    assert again.get(task) == rows
    assert again.disk.problem == ""
    assert Results(disk=Disk(tmp_path)).get(replace(task, sampling=1)) is None
    # A job finds them and computes only the rest.
    computed = []

    class Here(Workers):
        def submit(self, work, task):
            computed.append(task.sampling)
            future: Future = Future()
            future.set_result(work(task))
            return future

    job = SweepJob([SMALL], 2, Here(1), Results(disk=Disk(tmp_path)))
    (kept,) = job._tasks()[:1]
    again.put(kept, list(run_task(kept)))
    job.start()
    wait_for(lambda: job.progress().state == "done")
    assert computed == [1]
    assert sorted(job.rows(), key=key) == sorted(run(SMALL, samplings=range(2)), key=key)


def test_rows_of_a_benchmark_come_back_as_they_were(tmp_path):
    rows = [Measurement("d", "cosine", 40, "mavr", 3, 0.1, float("inf"), 1 / 3, 0)]
    Disk(tmp_path).put("task", rows)
    assert Disk(tmp_path).get("task") == rows


def test_another_version_of_the_code_or_file_computes_again(tmp_path, task, monkeypatch):
    file = tmp_path / "d.npz"
    stored = f"Stored(path='{file}')"
    file.write_bytes(b"one")

    class Reading:
        def __repr__(self):
            return stored

    before = key_of(task), key_of(Reading())
    file.write_bytes(b"other")
    assert key_of(Reading()) != before[1]
    monkeypatch.setattr(disks, "code_digest", lambda: "another")
    assert key_of(task) != before[0]


@pytest.mark.parametrize("content", [b"not a database at all" * 99, b"SQLite format 3\x00" * 900])
def test_a_damaged_file_is_begun_anew_and_said(tmp_path, task, content):
    (tmp_path / "samplings.sqlite").write_bytes(content)
    disk = Disk(tmp_path)
    assert disk.get(task) is None
    assert "damaged" in disk.problem
    disk.put(task, list(run_task(task)))
    assert disk.get(task) == list(run_task(task))


@pytest.mark.parametrize("text", ["[[1]]", "{", "[3]", '[["gamma", 1]]', "null"])
def test_rows_that_are_not_ours_are_computed_again(tmp_path, task, text):
    disk = Disk(tmp_path)
    disk.put(task, list(run_task(task)))
    with sqlite3.connect(tmp_path / "samplings.sqlite") as base:
        base.execute("UPDATE samplings SET rows = ?", (text,))
    base.close()
    assert disk.get(task) is None


def test_a_home_that_cannot_be_written_is_said_and_the_job_runs(tmp_path):
    (tmp_path / "home").write_text("a file where the folder should be")

    class Here(Workers):
        def submit(self, work, task):
            future: Future = Future()
            future.set_result(work(task))
            return future

    results = Results(disk=Disk(tmp_path / "home" / "cache"))
    job = SweepJob([SMALL], 2, Here(1), results)
    job.start()
    wait_for(lambda: job.progress().state == "done")
    assert "not kept on disk" in results.disk.problem


def test_a_full_disk_is_said_and_what_is_there_stays(tmp_path, task):
    disk = Disk(tmp_path)
    disk.put(task, list(run_task(task)))
    disk._base.execute("PRAGMA max_page_count = 1")
    rows = [Measurement("d" * 5000, "cosine", 40, "mavr", 3, 0.1, 1.0, 0.5, 0)]
    disk.put("another", rows)
    assert "full" in disk.problem
    assert "not kept on disk" in disk.problem
    assert Disk(tmp_path).get(task) == list(run_task(task))


def test_the_file_is_bounded(tmp_path):
    disk = Disk(tmp_path, max_bytes=20_000)
    for k in range(2 * disks.TIMES_BETWEEN_CHECKS + 2):
        disk.put(k, [Measurement("d" * 200, "cosine", 40, "mavr", k, 0.1, 1.0, 0.5, 0)])
    assert disk.get(0) is None
    assert disk.get(2 * disks.TIMES_BETWEEN_CHECKS + 1) is not None
