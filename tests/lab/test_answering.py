"""Processes that answer boards beside the server."""

from __future__ import annotations

import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from subprocess import PIPE, Popen, check_output
from threading import Barrier

import numpy as np
import pytest

from lab.board.asked import Asked, framed
from lab.board.face import Classes
from lab.board.view import fresh_view
from lab.data import Data
from lab.history import History
from lab.server import answering
from lab.server.answering import Answering
from lab.server.live import Known, answer, asked
from lab.sets.face import Sets
from lab.sets.view import LabelView

VIEW = fresh_view(Data("three_circles", (("n", 90),), 3))
MESSAGE = {"seq": 4, "changes": {"gamma": "7"}, "events": [], "have": None}


def request(face=None, view=VIEW):
    found = asked(Known(History(view), 0, face or Classes(), {}), MESSAGE)
    assert isinstance(found, Asked)
    return found


def without_times(frame):
    """The header has the milliseconds of the solves; the arrays behind it are what is drawn."""
    return frame[4 + int.from_bytes(frame[:4], "little") :]


def when_ready(aside):
    aside.start()
    deadline = time.monotonic() + 100
    while not aside.ready and time.monotonic() < deadline:
        time.sleep(0.05)


def test_what_was_shown_before_a_process_was_there_is_made_ready_by_it(monkeypatch):
    seen, exchange = [], answering._exchange

    def spied(process, request):
        frame = exchange(process, request)
        seen.append((request, without_times(frame)))
        return frame

    monkeypatch.setattr(answering, "_exchange", spied)
    aside, first = Answering(count=1), pickle.dumps(request())
    aside.prepare(first)
    when_ready(aside)
    assert seen == [(first, without_times(framed(request())))]
    # A page that ends the process is not tried for ever.
    aside.close()
    other = Answering(count=1)
    other.prepare(b"no pickle")
    when_ready(other)
    assert other.ready
    assert without_times(other.ask(first)) == without_times(framed(request()))
    other.close()


def test_a_process_answers_as_the_server_does_and_is_replaced_when_it_dies():
    aside = Answering(count=1)
    when_ready(aside)
    for found in (request(), request(Sets(), LabelView()), request(Classes(also=("bavr",)))):
        frame = aside.ask(pickle.dumps(found))
        assert without_times(frame) == without_times(framed(found))
    # Many at once wait for their turn.
    with ThreadPoolExecutor(8) as threads:
        frames = list(threads.map(aside.ask, [pickle.dumps(request())] * 8))
    assert len({without_times(frame) for frame in frames}) == 1
    (process,) = aside._all
    process.kill()
    assert aside.ask(pickle.dumps(request())) is None
    when_ready(aside)
    frame = aside.ask(pickle.dumps(request()))
    assert without_times(frame) == without_times(framed(request()))
    # Its end of the pipe is closed when the server goes, however that happens.
    (process,) = aside._all
    process.stdin.close()
    assert process.wait(10) == 0
    aside.close()


def test_who_asks_first_is_answered_first(monkeypatch):
    """Threads that ask again and again share one process alike: none is overtaken."""
    monkeypatch.setattr(answering, "_exchange", lambda *_: time.sleep(0.002) or b"frame")
    aside, process, together = Answering(count=1), object(), Barrier(4)
    aside._all.add(process)
    aside._give(process)
    turns = []

    def asked_again(who):
        together.wait()
        for _ in range(100):
            assert aside.ask(b"a question") == b"frame"
            turns.append(who)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(asked_again, range(4)))
    # Whenever one has been answered, the others have been as often, but for the last round.
    so_far = np.cumsum(np.eye(4, dtype=int)[turns], axis=0)[:380]
    assert np.ptp(so_far, axis=1).max() <= 4


def test_one_that_is_silent_is_ended(monkeypatch):
    monkeypatch.setattr(answering, "PATIENCE", 0.5)
    aside = Answering(count=1)
    with Popen(["sleep", "60"], stdin=PIPE, stdout=PIPE, bufsize=0) as process:
        aside._all.add(process)
        aside._give(process)
        assert aside.ask(b"a question") is None
        assert process.poll() is not None
        aside.close()
    assert not aside.ready


def test_where_no_process_starts_the_server_answers(monkeypatch):
    monkeypatch.setattr(answering, "PROCESS", "lab.no_such_module")
    aside = Answering(count=1)
    aside.start()
    aside._start()
    assert not aside.ready
    assert aside.ask(b"a question") is None


def test_a_question_that_fails_there_is_a_sentence_or_left_to_the_script():
    wrong = replace(request(), view=replace(VIEW, left="no such method"))
    assert b'"wait": true' in framed(wrong)


def test_a_process_does_not_load_streamlit():
    code = "import sys, lab.server.solver_process; print('streamlit' in sys.modules)"
    assert check_output([sys.executable, "-c", code]).split() == [b"False"]


def test_only_few_points_of_made_data_are_asked_elsewhere():
    assert Classes().apart(VIEW)
    assert not Classes().apart(fresh_view(Data("three_circles", (("n", 900),), 3)))
    assert not Classes().apart(replace(VIEW, data=Data("file:0123456789ab")))
    assert Sets().apart(LabelView())


@pytest.mark.parametrize("face", [Classes(), Sets()])
def test_faces_travel(face):
    assert pickle.loads(pickle.dumps(face)) == face


def test_what_is_made_here_and_there_is_the_same():
    known = Known(History(VIEW), 0, Classes(), {})
    found = answer(known, MESSAGE)
    assert found["kind"] == "classes"
    assert found["applied"] == 0
