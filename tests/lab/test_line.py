"""The line before the processes: places, sharing, stopping, failing."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

from lab.server.line import DIED, Line
from lab.server.parcel import packed
from lab.server.pool import Workers
from lab.text import remedy

PATIENCE = 30


class Lane:
    """A process that does what the test says, when it says so."""

    def __init__(self) -> None:
        self.future: Future[list[object]] | None = None
        self.task: object = None
        self.closed = 0

    def submit(self, work, task):
        _, *self.task = task
        self.future = Future()
        return self.future

    def close(self) -> None:
        self.closed += 1
        if self.future is not None and not self.future.done():
            self.future.set_exception(RuntimeError("the process was killed"))


def until(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Office:
    """A line with two lanes, and what came out of it."""

    def __init__(self) -> None:
        self.lanes = [Lane(), Lane()]
        self.line = Line(self.lanes)
        self.taken: list[object] = []

    def ask(self, key: str, who: str = "anna", there=lambda: True):
        return self.line.ask(key, len, lambda: key, self.taken.append, who, there)

    def lane_of(self, key: str) -> Lane:
        until(lambda: any(lane.task is not None and lane.task[0] == key for lane in self.lanes))
        return next(lane for lane in self.lanes if lane.task and lane.task[0] == key)


@pytest.fixture
def office() -> Office:
    return Office()


def test_two_at_a_time_the_others_see_their_place(office):
    errands = [office.ask(key) for key in "abcd"]
    assert [office.line.place(e) for e in errands] == [0, 0, 1, 2]
    assert [e.state for e in errands] == ["running", "running", "waiting", "waiting"]
    office.lane_of("a").future.set_result([packed("A", "")])
    assert errands[0].wait(PATIENCE)
    assert errands[0].state == "done"
    assert office.taken == ["A"]
    until(lambda: errands[2].state == "running")
    assert [office.line.place(e) for e in errands] == [0, 0, 0, 1]


def test_who_asks_for_the_same_shares_it_and_one_stop_does_not_end_it(office):
    mine, theirs = office.ask("a", "anna"), office.ask("a", "bert")
    assert mine is theirs
    office.line.leave(mine, "anna")
    assert mine.state == "running"
    assert not mine.over
    office.lane_of("a").future.set_result([packed(1, "")])
    assert theirs.wait(PATIENCE)
    assert theirs.state == "done"
    assert office.taken == [1]


def test_a_stop_ends_the_process_and_the_line_goes_on(office):
    first, second, third = (office.ask(key) for key in "abc")
    lane = office.lane_of("a")
    office.line.leave(first, "anna")
    assert first.wait(PATIENCE)
    assert first.state == "stopped"
    assert not first.problem
    assert lane.closed == 1
    assert not office.taken
    until(lambda: third.state == "running")
    again = office.ask("a")
    assert again is not first
    assert office.line.place(again) == 1
    office.line.leave(again, "anna")
    assert again.over
    assert again.state == "stopped"
    assert office.line.place(again) == 0
    assert second.state == "running"


def test_it_ends_when_its_visitor_has_left(office):
    there = threading.Event()
    there.set()
    errand = office.ask("a", there=there.is_set)
    there.clear()
    assert errand.wait(PATIENCE)
    assert errand.state == "stopped"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("graphs of 9 points take too much"), "graphs of 9 points take too much"),
        (MemoryError(), remedy(MemoryError())),
        (np.linalg.LinAlgError("no"), remedy(np.linalg.LinAlgError())),
        (RuntimeError("killed"), DIED),
    ],
)
def test_a_failure_is_a_sentence(office, error, sentence):
    errand = office.ask("a")
    office.lane_of("a").future.set_exception(error)
    assert errand.wait(PATIENCE)
    assert (errand.state, errand.problem) == ("failed", sentence)
    assert office.ask("a") is not errand  # asked again, it is tried again


def slow(task: tuple[float, str]) -> list[np.ndarray]:
    seconds, note = task
    Path(note).write_text("sleeping")
    time.sleep(seconds)
    return [np.full(5000, os.getpid())]


def test_in_a_process(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    line = Line([Workers(1)])
    try:
        pids: list[float] = []
        first = line.ask("a", slow, lambda: 600, pids.extend, "anna", lambda: True)
        second = line.ask("b", slow, lambda: 0, pids.extend, "anna", lambda: True)
        until(lambda: first.stage == "sleeping")
        assert line.place(second) == 1
        line.leave(first, "anna")
        assert first.wait(PATIENCE)
        assert second.wait(PATIENCE)
        assert (first.state, second.state) == ("stopped", "done")
        assert len(pids) == 5000
        assert pids[0] != os.getpid()
        assert not list(tmp_path.glob("mavr-errand-*"))
    finally:
        line.close()
