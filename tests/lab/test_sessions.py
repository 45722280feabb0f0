"""Sessions are separate: files, labels, jobs and tokens of one visitor are not another's."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from datasets import Dataset
from lab.board.face import Classes
from lab.board.stage import BoardState
from lab.data import NOT_HERE
from lab.server import tidy
from lab.text import plain
from tests.lab.driver import App, labels

NAME = "file:0000000000000a11"
LINK = {"data": NAME, "labels": "0.0_20.1"}


def blobs() -> Dataset:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 2)), rng.normal(4, 1, (20, 2))])
    return Dataset("mine.csv", X, np.repeat([0, 1], 20), ("first", "second"))


def owner() -> App:
    app = App()
    app.test.session_state["uploads"] = {NAME: blobs()}
    app.go("playground", LINK)
    assert app.components("board")
    return app


def test_a_file_is_shown_to_its_visitor_alone():
    """Its graph and its answers are in the shared caches: the digest in a link opens none."""
    owner()
    other = App("playground", LINK)
    assert not other.components("board")
    assert [e.value for e in other.test.error] == [plain(NOT_HERE)]
    with pytest.raises(ValueError, match="not uploaded here"):
        Classes().compute(other.view, {})


def test_labels_of_one_visitor_do_not_move_anothers_board():
    mine, theirs = App(), App()
    before = labels(theirs.board())
    point = next(i for i in range(300) if i not in before)
    mine.tell({"op": "label", "indices": [point], "class": 1})
    theirs.test.run()
    assert labels(theirs.board()) == before
    assert labels(mine.board()) == {**before, point: 1}


def test_settings_of_one_visitor_do_not_move_anothers():
    mine, theirs = App(), App()
    before = theirs.view
    mine.slide(gamma=3)
    theirs.test.run()
    assert theirs.view == before
    assert mine.view != before


def test_a_stop_of_one_visitor_stops_no_other_job(monkeypatch):
    monkeypatch.setattr("lab.jobs.job.BackgroundJob._run", lambda job: job._stop.wait(60))
    query = {"figure": "own", "data": "two_moons", "samplings": "5", "steps": "2"}
    mine, theirs = App("error_curves", query), App("error_curves", query)
    (one,) = mine.test.session_state["curves.jobs"].values()
    (two,) = theirs.test.session_state["curves.jobs"].values()
    try:
        assert one is not two
        one.stop()
        assert one.progress().state == "stopped"
        assert two.progress().state == "running"
    finally:
        one.stop()
        two.stop()


def test_tokens_of_two_visitors_differ():
    mine, theirs = owner(), owner()
    tickets = [app.state.keep(BoardState).ticket for app in (mine, theirs)]
    assert tickets[0] is not tickets[1]
    assert tickets[0].token != tickets[1].token


# Memory comes back.


class Cycle:
    """As an ended session: only a collection frees it."""

    def __init__(self) -> None:
        self.me = self


def test_memory_is_given_back_when_sessions_have_ended():
    counts = iter([3, 3, 1, 1])
    look = tidy.Tidy(lambda: next(counts)).look
    gc.disable()
    try:
        gone = weakref.ref(Cycle())
        assert [look(), look()] == [False, False]
        assert gone() is not None
        assert look()
        assert gone() is None
        assert not look()
    finally:
        gc.enable()


def test_streamlit_still_lists_its_sessions():
    from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

    assert callable(WebsocketSessionManager.list_sessions), "lab/server/tidy.py counts nothing"
    assert tidy.sessions() == 0
