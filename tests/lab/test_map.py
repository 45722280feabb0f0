"""The map without a browser: links, requests, units of work, what is sent, what is exported."""

from __future__ import annotations

import csv
import io
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from lab.board.answers import compute
from lab.board.face import Classes
from lab.board.view import fresh_view
from lab.data import Data, load
from lab.export.table import map_table
from lab.map import stage
from lab.map.axes import AxisView, current, offered, taken_at
from lab.map.face import MapFace
from lab.map.job import Kept, MapJob, parts
from lab.map.ranges import entry_range
from lab.map.request import NUMBERS, TIED, answered, request_of, settled
from lab.map.view import CODEC, map_of
from tests.lab.driver import App
from tests.waiting import wait_for


def small(name="three_circles", **changes):
    data = Data(name, (("n", 60),) if name == "three_circles" else (), seed=3)
    return replace(map_of(fresh_view(data)), **changes)


def test_a_link_reopens_the_same_map():
    view = small(x=AxisView("tau", 0.1, 50.0), y=AxisView("P[0, 1]"), show="evidence", side="right")
    back, problems = CODEC.read(CODEC.write(view))
    assert back == view
    assert problems == []


@pytest.mark.parametrize("y", ["sigma", "tau", "balance", "P[0, 2]", "noise", "n_labelled"])
def test_cells_are_what_the_board_says_there(y):
    view = small(y=AxisView(y))
    request = request_of(view, {})
    cells = [5, 700, len(request.x.values) * len(request.y.values) - 1]
    chunk = answered(request, cells, {})
    assert chunk.numbers.shape == (2, len(NUMBERS), 3)
    for place, k in enumerate(cells):
        board = view.board
        for name, value in request.cell(k).items():
            board = taken_at(board, {name: value}, 3, {})
            assert current(board, name, 3) == value
        # Taken, the setting is on the same map.
        assert request_of(replace(view, board=board), {}) == request
        result = compute(board, {})
        for side, answer in enumerate(result.answers):
            codes = chunk.codes[side, place]
            np.testing.assert_array_equal(
                codes % TIED if (codes >= 0).all() else codes, answer.pred
            )
            np.testing.assert_array_equal(codes >= TIED, answer.solution.ties)
            error = chunk.numbers[side, NUMBERS.index("error"), place]
            assert error == pytest.approx(answer.error, abs=1e-6)
        if chunk.given is not None:
            given = chunk.given[chunk.scene[place]]
            np.testing.assert_array_equal(given, result.scene.labels)
        if chunk.places is not None:
            places = chunk.places[chunk.scene[place]]
            np.testing.assert_allclose(places, result.scene.points, atol=1e-5)


def test_the_right_method_keeps_settings_of_its_own():
    view = small()
    own = replace(view.board, own=True, second=replace(view.board.second, gamma=3.0))
    request = request_of(replace(view, board=own), {})
    chunk = answered(request, [10, 40], {})
    assert (chunk.codes[1, 0] == chunk.codes[1, 1]).all()
    np.testing.assert_allclose(chunk.numbers[1, NUMBERS.index("effective")], 3.0, rtol=1e-6)


@pytest.mark.parametrize(("x", "y"), [("gamma", "sigma"), ("sigma", "gamma"), ("gamma", "tau")])
def test_parts_hold_every_cell_once_coarse_ones_first(x, y):
    request = request_of(small(x=AxisView(x), y=AxisView(y)), {})
    work = parts(request, {})
    cells = [k for part in work for k in part.cells]
    assert sorted(cells) == list(range(48 * 48))
    coarse = {divmod(k, 48) for k in cells[:144]}
    assert coarse == {(4 * i + 2, 4 * j + 2) for i in range(12) for j in range(12)}
    if "sigma" in (x, y):
        # One graph for each part.
        assert all(len({request.cell(k)["sigma"] for k in part.cells}) == 1 for part in work)


def test_axes_that_are_not_there_give_way():
    view = small(y=AxisView("n_neighbors"))
    source = load(view.board.data, {})
    after, said = settled(view, source)
    assert after.y == AxisView("sigma")
    assert "Neighbours k cannot be the axis" in said
    assert settled(after, source) == (after, "")
    twice, _ = settled(small(x=AxisView("tau"), y=AxisView("tau")), source)
    assert twice.x.name != twice.y.name


def test_entries_of_P_stay_positive_definite():
    for j, k in ((0, 1), (2, 2)):
        low, high = entry_range(np.eye(3), j, k)
        for value in (low, high):
            P = np.eye(3)
            P[j, k] = P[k, j] = value
            assert np.linalg.eigvalsh(P)[0] > 0
    assert low > 0


@pytest.mark.parametrize(
    ("x", "y"), [("P[0, 1]", "P[1, 2]"), ("P[0, 0]", "P[0, 1]"), ("P[2, 2]", "P[0, 0]")]
)
def test_two_entries_of_P_make_a_map(x, y):
    view = small("smile", x=AxisView(x), y=AxisView(y))
    request = request_of(view, {})
    w, h = len(request.x.values), len(request.y.values)
    assert (w, h) == (48, 48)
    cells = [0, w - 1, w * (h - 1), w * h - 1]
    answered(request, cells, {})
    for k in cells:
        # Every setting can be taken, from any other, and is on the same map.
        view = replace(view, board=taken_at(view.board, request.cell(k), 3, {}))
        assert request_of(view, {}) == request
        assert [current(view.board, name, 3) for name in (x, y)] == list(request.cell(k).values())


def test_two_entries_of_P_whose_corners_are_no_P_get_a_sentence():
    view = small(x=AxisView("P[0, 1]", -0.9, 0.9), y=AxisView("P[1, 2]", -0.9, 0.9))
    with pytest.raises(ValueError, match="at a corner of the map; choose smaller ranges"):
        request_of(view, {})
    narrow = small(x=AxisView("P[0, 1]", -0.9, 0.9), y=AxisView("P[1, 2]"))
    high = request_of(narrow, {}).y.values[-1]
    assert 0.3 < high < np.sqrt(1 - 0.9**2)


def test_no_more_labels_than_points():
    view = small(y=AxisView("n_labelled"))
    few = replace(view.board.marks, deleted=tuple(range(12, 60)))
    request = request_of(replace(view, board=replace(view.board, marks=few)), {})
    assert request.y.values[-1] == 12
    with pytest.raises(ValueError, match="60 points can be labelled here, got 500"):
        request_of(small(y=AxisView("n_labelled", high=500.0)), {})


@pytest.mark.parametrize(
    ("axis", "sentence"),
    [
        (AxisView("gamma", 5.0, 1.0), "must go from a lower to a higher value"),
        (AxisView("gamma", -1.0), "gamma must be in"),
        (AxisView("balance", 0.0), "must begin above 0"),
        (AxisView("P[0, 1]", high=7.0), "no longer positive definite"),
        (AxisView("turns"), "is no setting of this data set"),
        (AxisView("sigma"), "two axes must differ"),
    ],
)
def test_an_absurd_axis_gets_a_sentence(axis, sentence):
    with pytest.raises(ValueError, match=sentence):
        request_of(small(x=axis), {})


def test_only_what_is_new_is_sent_and_all_of_it_is_exported():
    view = small(x=AxisView("tau"), y=AxisView("n_labelled"))
    request = request_of(view, {})
    job = MapJob(request, {}, 1, None, None)
    work = parts(request, {})
    for part in work[:3]:
        job._add(part, [answered(request, part.cells, {})])
    job.watch = lambda: None
    face = MapFace(job)
    shown = face.compute(view, {})
    first = face.picture(view, shown, None)
    assert len(first["chunks"]) == 3
    have = f"{first['pid']}|{first['map']['id']}:2"
    again = face.picture(view, shown, have)
    assert (len(again["chunks"]), again["first_chunk"], again["points"]) == (1, 2, None)
    rows = list(csv.DictReader(io.StringIO(map_table(job))))
    assert len(rows) == 2 * sum(len(part.cells) for part in work[:3])
    moved = face.changed(view, {"tau": "3"}, {})
    assert face.quick(moved, {})
    assert not face.picture(moved, face.compute(moved, {}), None)["map"]["outdated"]


def test_a_setting_that_is_no_axis_moves_the_board_and_leaves_the_map_behind():
    view = small(x=AxisView("tau"), y=AxisView("n_labelled"))
    job = MapJob(request_of(view, {}), {}, 1, None, None)
    job.watch = lambda: None
    face = MapFace(job)
    for changes in ({"gamma": "3"}, {"p.noise": "0.3"}, {"p.n": "71"}):
        moved = face.changed(view, changes, {})
        assert face.quick(moved, {})
        found = face.picture(moved, face.compute(moved, {}), None)
        board = Classes()
        expected = board.picture(moved.board, compute(moved.board, {}), None)
        for shown, exact in zip(found["panels"], expected["panels"], strict=True):
            np.testing.assert_array_equal(shown["pred"], exact["pred"])
        # The map is that of before, and says so; nothing beside it is of another setting.
        assert found["map"]["outdated"]
        assert found["map"]["usual"] == [None, None]
        assert found["map"]["id"] == face.picture(view, face.compute(view, {}), None)["map"]["id"]


def test_finished_parts_are_found_by_others():
    # Points of its own: a job of another test may still be at the same part.
    view = map_of(fresh_view(Data("three_circles", (("n", 40),), seed=29)))
    request = request_of(view, {})
    part = parts(request, {})[0]
    chunk = answered(request, part.cells[:1], {})
    Kept().put(part, [chunk])
    (found,) = Kept().get(parts(request_of(view, {}), {})[0])
    assert found is chunk


class Loading:
    """Processes that never come."""

    count, ready = 2, False

    def __init__(self):
        self.woken, self.futures = [], []

    def wake(self, work, task):
        self.woken.append(task)

    def submit(self, work, task):
        self.futures.append(Future())
        return self.futures[-1]


@pytest.mark.parametrize(("y", "n", "here"), [("sigma", 45, True), ("tau", 620, False)])
def test_the_first_map_does_not_wait_for_the_processes(y, n, here):
    data = Data("three_circles", (("n", n),), seed=31)
    view = replace(map_of(fresh_view(data)), y=AxisView(y))
    workers = Loading()
    job = MapJob(request_of(view, {}), {}, 1, workers, None)
    job.start()
    wait_for(lambda: len(workers.futures) == 2, 60)
    cells = {int(k) for chunk in job.rows() for k in chunk.cells}
    # The other cells, and all those of many points, wait for the processes.
    assert cells == ({k for part in parts(job.request, {}) if part.coarse for k in part.cells}
                     if here else set())  # fmt: skip
    assert len(cells) in (0, 144)
    assert bool(workers.woken) == here
    job.stop()
    for future in workers.futures:
        future.set_exception(ValueError("enough"))
    wait_for(lambda: not job.running, 60)


def test_a_map_is_kept_for_who_comes_back():
    view = map_of(fresh_view(Data("three_circles", (("n", 40),), seed=37)))
    request = request_of(replace(view, y=AxisView("tau")), {})
    for part in parts(request, {}):
        Kept().put(part, [answered(request, part.cells[:1], {})])
    workers = Loading()
    job = MapJob(request, {}, 1, workers, None)
    job.start()
    wait_for(lambda: not job.running, 60)
    assert job.progress().state == "done"
    assert workers.woken == workers.futures == []


def test_files_without_true_classes_offer_no_drawing_of_labels():
    view = small().board
    source = load(view.data, {})
    assert "n_labelled" in offered(view, source)
    assert "n_labelled" not in offered(view, replace(source, y=None, labelled=np.array([], int)))


def test_a_click_that_meets_a_run_broken_off_is_not_lost(monkeypatch):
    """Streamlit breaks a run off for a newer one, which finds the click again."""
    runs = []

    def taken_later(*args):
        runs.append(get_script_run_ctx())
        if len(runs) == 1:
            states = WidgetStates(
                widgets=runs[0].session_state._state._new_widget_state.as_widget_states()
            )
            page = runs[0].page_script_hash
            raise RerunException(RerunData(widget_states=states, page_script_hash=page))
        return taken_at(*args)

    app = App("map", {"p.n": "60", "seed": "3"})
    x, y = (axis["values"] for axis in app.picture("map")["map"]["axes"])
    monkeypatch.setattr(stage, "taken_at", taken_later)
    app.say("map", "taken", {"seq": 7, "x": x[20], "y": y[30], "have": ""})
    assert len(runs) == 2
    assert [axis["at"] for axis in app.picture("map")["map"]["axes"]] == [x[20], y[30]]
    # Once alone.
    assert len(app.state.history.past) == 1
