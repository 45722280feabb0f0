"""Answers that are made outside the server are those of the server, and are shared and bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_moons

from datasets import Dataset
from lab.board import far, picture, scene, shelf, thin
from lab.board.answers import compute, question_of
from lab.board.face import Classes
from lab.board.marks import labelled
from lab.board.scene import scene_of, suited
from lab.board.view import View, fresh_view
from lab.cache import CACHE, RECENT
from lab.data import Data
from lab.server import line as lines
from lab.server.line import Line
from lab.sets import far as sets_far
from lab.sets.answers import graph_key
from lab.sets.face import Sets
from lab.sets.view import fresh_view as fresh_sets
from mavr.solvers.sparse_state import state_of

NAME = "file:00000000000000aa"
FACE = Classes()


class Here:
    """A lane that is no process: it works at once."""

    def submit(self, work, task):
        from concurrent.futures import Future

        future: Future[list[object]] = Future()
        try:
            future.set_result(work(task))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def here(monkeypatch):
    line = Line([Here(), Here()])
    monkeypatch.setattr(far, "line", lambda: line)
    CACHE.clear()
    RECENT.clear()


def moons(n: int, truth: bool = True) -> tuple[View, dict[str, Dataset]]:
    X, y = make_moons(n, noise=0.08, random_state=0)
    made = Dataset("moons", X, y, ("a", "b")) if truth else Dataset("moons", X)
    files = {NAME: made}
    return fresh_view(Data(NAME), files), files


def test_an_errand_answers_as_the_server_would():
    view, files = moons(3200)
    errand = FACE.errand(view, files, "anna", lambda: True)
    assert errand is not None
    assert errand.wait(30)
    assert errand.state == "done"
    assert FACE.errand(view, files, "anna", lambda: True) is None
    found = compute(view, files)
    CACHE.clear()
    question = question_of(view, scene_of(view, files))
    graph = scene.build_graph(view.setting.graph, question.scene)
    CACHE.put(question.graph_key, graph)
    state_of(graph).krylov(question.scene.Y)
    assert not far.is_far(question)
    for a, b in zip(found.answers, compute(view, files).answers, strict=True):
        assert (a.pred == b.pred).all()
        assert a.error == b.error


def test_another_setting_is_near_and_another_labelling_far():
    view, files = moons(3200)
    assert not FACE.quick(view, files)
    FACE.errand(view, files, "anna", lambda: True).wait(30)
    assert FACE.quick(view, files)
    moved = replace(view, setting=view.setting.having(gamma=12.0))
    assert FACE.errand(moved, files, "anna", lambda: True) is None
    assert FACE.quick(moved, files)
    clicked = replace(view, marks=labelled(view.marks, [5], 0))
    assert not FACE.quick(clicked, files)
    graph = CACHE.find(scene.graph_key(view))
    FACE.errand(clicked, files, "anna", lambda: True).wait(30)
    # One graph for all labellings: it has taken over the Krylov spaces of the newest.
    assert CACHE.find(scene.graph_key(view)) is graph
    assert FACE.quick(clicked, files)
    least_squares = replace(view, left="laprls")
    assert not FACE.quick(least_squares, files)


def test_slow_answers_are_given_at_rest_only():
    view, files = moons(3200)
    FACE.errand(view, files, "anna", lambda: True).wait(30)
    question = question_of(view, scene_of(view, files))
    far.note_pace(question, 2 * far.LIVE_SECONDS)
    # One may have been a hard case.
    assert FACE.quick(view, files)
    far.note_pace(question, 2 * far.LIVE_SECONDS)
    assert not FACE.quick(view, files)
    # Once: the next question may be an easier one.
    assert FACE.quick(view, files)
    far.note_pace(question, far.LIVE_SECONDS / 2)
    assert FACE.quick(view, files)


def test_small_sets_and_decomposed_graphs_are_answered_here():
    assert not far.is_far(question_of(*_asked(900)))
    view, files = moons(1300)
    assert view.setting.graph.similarity == "local_scaling"
    errand = FACE.errand(view, files, "anna", lambda: True)
    assert errand is not None
    assert errand.wait(60)
    clicked = replace(view, marks=labelled(view.marks, [5], 0))
    assert FACE.errand(clicked, files, "anna", lambda: True) is None
    assert FACE.quick(clicked, files)


def _asked(n: int):
    view, files = moons(n)
    return view, scene_of(view, files)


def test_what_does_not_fit_is_a_sentence(monkeypatch):
    monkeypatch.setenv("MAVR_MEMORY_MB", "2")
    view, files = moons(3200)
    with pytest.raises(ValueError, match="graphs of 3200 points with 10 neighbours each take"):
        FACE.errand(view, files, "anna", lambda: True)
    monkeypatch.setenv("MAVR_MEMORY_MB", "100")
    with pytest.raises(ValueError, match="the matrices of LapRLS for 3200 points take"):
        FACE.errand(replace(view, right="laprls"), files, "anna", lambda: True)


def test_a_failure_is_the_sentence_of_compute(monkeypatch):
    view, files = moons(3200)

    def broken(*_):
        raise ValueError("no such thing")

    monkeypatch.setattr(scene, "build_graph", broken)
    with pytest.raises(ValueError, match="no such thing"):
        compute(view, files)


def test_many_points_take_a_sparse_graph_and_two_classes():
    view, files = moons(6000, truth=False)
    assert view.setting.graph.similarity == "knn"
    assert view.marks.extra == 2
    dense = replace(view, setting=view.setting.having(similarity="gaussian"))
    assert suited(dense, 6000) == view
    assert suited(dense, 3000) == dense
    result = compute(view, files)
    assert result.answers == ()
    assert scene.graph(view, result.scene).sparse


def test_the_board_keeps_its_colours_while_labels_are_added():
    view, files = moons(3200)
    shown = compute(view, files)
    clicked = replace(view, marks=labelled(view.marks, [5], 0))
    earlier = FACE.meanwhile(clicked, files, view, shown)
    assert earlier.answers == shown.answers
    assert earlier.scene.labels[5] == 0
    more = replace(view, marks=replace(view.marks, extra=1))
    assert FACE.meanwhile(more, files, view, shown) is None


def test_graphs_of_label_sets_wait_in_the_same_line(monkeypatch):
    monkeypatch.setattr(sets_far, "line", far.line)
    face, (_, files) = Sets(), moons(1200)
    view = fresh_sets(Data(NAME), files)
    assert not face.quick(view, files)
    errand = face.errand(view, files, "anna", lambda: True)
    assert errand is not None
    assert errand.wait(60)
    assert errand.state == "done"
    assert face.errand(view, files, "anna", lambda: True) is None
    assert face.quick(view, files)
    made = CACHE.find(graph_key(view))
    shown = face.compute(view, files)
    assert shown.answers
    assert CACHE.find(graph_key(view)) is made
    free = int(np.flatnonzero(~shown.given.any(axis=1))[0])
    event = {"op": "set", "index": free, "label": 1, "value": 1}
    clicked = face.apply(view, event, files)
    earlier = face.meanwhile(clicked, files, view, shown)
    assert earlier.answers == shown.answers
    assert earlier.given[free].tolist() == [0, 1]
    assert face.meanwhile(replace(view, standardise=True), files, view, shown) is None
    # A small one is made by the server itself, and one that does not fit is a sentence.
    CACHE.clear()
    _, few = moons(900)
    assert face.errand(fresh_sets(Data(NAME), few), few, "anna", lambda: True) is None
    CACHE.clear()
    monkeypatch.setenv("MAVR_MEMORY_MB", "32")
    with pytest.raises(ValueError, match="graphs of 1200 points take 33 MB"):
        face.errand(view, files, "anna", lambda: True)


def test_of_many_points_some_are_drawn_and_all_labelled_ones(monkeypatch):
    monkeypatch.setattr(thin, "MAX_DRAWN", 400)
    view, files = moons(3200)
    first = FACE.picture(view, compute(view, files), None)
    index = first["index"]
    assert set(np.array(view.marks.labels)[:, 0]) <= set(index.tolist())
    assert 400 <= len(index) <= 402
    assert len(set(index.tolist())) == len(index)
    data = files[NAME]
    np.testing.assert_allclose(first["points"], data.X[index], rtol=1e-6)
    assert (first["truth"] == data.y[index]).all()
    assert abs(np.bincount(data.y[index])[0] - 200) <= 3
    assert all(len(p["pred"]) == len(index) for p in first["panels"])
    assert "of 3,200 points are drawn" in first["below"]
    # A label of a drawn point moves no point; one of another is drawn from then on.
    on = replace(view, marks=labelled(view.marks, [int(index[3])], 0))
    again = FACE.picture(on, compute(on, files), first["pid"])
    assert again["points"] is None
    assert again["index"] is None
    other = int(np.setdiff1d(np.arange(3200), index)[7])
    off = replace(view, marks=labelled(view.marks, [other], 1))
    after = FACE.picture(off, compute(off, files), first["pid"])
    assert after["index"][-1] == other or other in after["index"]
    assert after["labels"][after["index"].tolist().index(other)] == 1
    assert picture.points_id(view) == picture.points_id(on)


def test_the_choice_is_even_and_the_same_every_time():
    y = np.repeat([0, 1, 2], [7000, 2900, 100])
    index = thin.chosen(len(y), y, 1000)
    assert (index == thin.chosen(len(y), y, 1000)).all()
    assert len(index) == 1000
    np.testing.assert_allclose(np.bincount(y[index]), [700, 290, 10], atol=2)
    assert len(thin.chosen(5000, None, 1000)) == 1000


def test_the_line_is_one_for_the_server():
    assert lines.line() is lines.line()


def test_a_graph_is_kept_on_disk_by_content(monkeypatch, tmp_path):
    """Read, not made; another width or point makes another; what cannot be read is made anew."""
    monkeypatch.setenv(shelf.FOLDER, str(tmp_path))
    view, files = moons(3200)
    spec, asked = view.setting.graph, scene_of(view, files)
    first = scene.build_graph(spec, asked).W
    [place] = tmp_path.iterdir()

    def never(*_):
        raise AssertionError("made again")

    with monkeypatch.context() as other:
        other.setattr(scene, "similarity_of", never)
        assert (first != scene.build_graph(spec, asked).W).nnz == 0
    wider = scene.build_graph(spec.having(width=2.0), asked).W
    assert (wider != first).nnz > 0
    assert len(list(tmp_path.iterdir())) == 2
    place.write_bytes(b"no graph")
    assert (first != scene.build_graph(spec, asked).W).nnz == 0
    monkeypatch.setattr(shelf, "MAX_BYTES", place.stat().st_size)
    scene.build_graph(spec.having(width=3.0), asked)
    assert len(list(tmp_path.iterdir())) == 1
