"""Answers of the board of classes against the library itself."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

import datasets
import mavr
from lab.board import answers, far, scene
from lab.board.answers import DISAGREE, TIE, WRONG, compute
from lab.board.face import MAX_LIVE_POINTS, Classes, with_data
from lab.board.marks import Marks
from lab.board.view import View, fresh_view, own_labels
from lab.cache import CACHE, RECENT
from lab.data import GENERATORS, Data, load
from mavr import relations
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import Parameters

CIRCLES = Data("three_circles", (("n", 120),), 3)


@pytest.fixture(scope="module")
def view():
    return fresh_view(CIRCLES)


@pytest.fixture(scope="module")
def data():
    return load(CIRCLES, {})


@pytest.mark.parametrize("method", METHODS)
def test_what_is_drawn_is_what_the_library_says(view, data, method):
    result = compute(replace(view, left=method), {})
    a, scene = result.left, result.scene
    graph = Graph(mavr.gaussian_similarity(data.X, 0.5))
    s = METHODS[method].run(graph, scene.Y, Parameters())
    assert (a.pred == s.labels).all()
    asked = scene.labels < 0
    wrong = asked & (s.labels != data.y) & ~s.ties
    assert a.error == wrong.sum() / asked.sum()
    assert ((a.flags & WRONG > 0) == wrong).all()
    assert a.n_wrong == wrong.sum()


def test_the_right_method_has_settings_of_its_own_on_demand(view):
    base = replace(view, right="mavr", second=Parameters(gamma=3.0, tau=2.0, balance=0.5))
    same = compute(base, {})
    assert (same.left.H == same.right.H).all()
    own = compute(replace(base, own=True), {}).right.parameters
    assert (own.gamma, own.tau, own.balance) == (3.0, 2.0, 0.5)
    assert own.lambda_A == view.setting.parameters.lambda_A


def test_the_norm_is_tau_times_the_root_of_the_labels(view):
    a = compute(replace(view, setting=view.setting.having(tau=2.0)), {}).left
    assert np.linalg.norm(a.solution.H) == pytest.approx(2 * np.sqrt(3))


def test_disagreement_is_flagged_on_both_sides(view):
    result = compute(view, {})
    differ = result.left.pred != result.right.pred
    assert result.disagree == differ.sum() > 0
    for a in result.answers:
        assert ((a.flags & answers.DISAGREE > 0) == differ).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "value"), [("gamma", 7.0), ("tau", 2.0), ("balance", 2.0), ("lambda_A", 0.1)]
)
def test_a_method_is_run_again_where_a_change_moves_it_and_only_there(
    view, method, name, value, monkeypatch
):
    RECENT.clear()
    runs: list[Parameters] = []
    plain = METHODS[method]

    def run(graph, Y, p):
        runs.append(p)
        return plain.run(graph, Y, p)

    monkeypatch.setitem(METHODS, method, replace(plain, run=run))
    shown = replace(view, left=method, right="laprls" if method == "lgc" else "lgc")
    before = compute(shown, {}).left
    changed = replace(shown, setting=view.setting.having(**{name: value}))
    after = compute(changed, {}).left
    assert len(runs) == 1 + (name in plain.uses)
    assert getattr(after.parameters, name) == value
    points = compute(changed, {}).scene
    expected = plain.run(scene.graph(changed, points), points.Y, after.parameters)
    assert (after.pred == expected.labels).all()
    assert np.array_equal(after.H, expected.H.astype(np.float32))
    # The two that are shown change nothing of what is kept.
    other = compute(replace(changed, right=method), {})
    assert not (other.left.flags & DISAGREE).any()
    assert before.parameters != after.parameters


def test_no_labels_no_answers(view):
    result = compute(replace(view, marks=Marks()), {})
    assert result.answers == ()
    assert result.disagree == 0


def test_a_third_method_is_shown_with_balance(view):
    *_, third = compute(view, {}, ("lgc_balanced",)).answers
    assert third.method == "lgc_balanced"
    assert third.parameters.balance == 1.0


def test_painted_points_enter_the_graph_and_deleted_ones_leave_it(view, data):
    marks = replace(view.marks, added=((0.5, 0.5, 2),), moved=((0, 30.0, 30.0),), deleted=(7,))
    painted = replace(view, marks=marks)
    result = compute(painted, {})
    X = np.array(data.X)
    X[0] = 30.0
    X = np.vstack([X, [0.5, 0.5]])
    keep = np.arange(len(X)) != 7
    assert np.allclose(scene.graph(painted, result.scene).W, mavr.gaussian_similarity(X[keep], 0.5))
    assert result.left.pred[7] == -2
    assert result.scene.truth[-1] == 2


def test_the_shade_beside_a_point_is_the_points_class(view, data):
    result = compute(view, {})
    x0, x1, y0, y1 = result.plane.bounds
    gx, gy = result.plane.shape
    column = np.clip(((data.X[:, 0] - x0) / (x1 - x0) * gx).astype(int), 0, gx - 1)
    row = np.clip(((y1 - data.X[:, 1]) / (y1 - y0) * gy).astype(int), 0, gy - 1)
    seen = result.left.grid.reshape(gy, gx)[row, column]
    sure = result.left.confidence > 200
    assert sure.any()
    assert (seen[sure] == result.left.pred[sure]).mean() > 0.95


def test_an_answer_keeps_no_graph_and_no_shading_in_memory(view):
    """Sessions hold what they show; a graph has to go when the cache gives it up."""
    other = replace(view, setting=view.setting.having(sigma=0.4321))
    result = compute(other, {})
    shading = weakref.ref(scene.shading(other, result.scene))
    graph = weakref.ref(scene.graph(other, result.scene))
    assert graph() is not None
    assert shading() is not None
    CACHE.clear()
    gc.collect()
    assert graph() is None
    assert shading() is None
    assert result.left.pred.shape == result.scene.alive.shape
    # What is drawn of it is made again.
    assert far.spectrum_at_hand(other, result.scene) is not None


def test_no_shade_where_nobody_asks_for_one(view):
    result = compute(replace(view, shade=False), {})
    assert result.plane is None
    assert result.left.grid is None


@pytest.mark.parametrize("which", [2, 3, 4, 5, "5-icml"])
def test_a_split_tie_gives_every_shape_one_colour(which):
    names = {2: "rings_one", 3: "smile", 4: "blobs_background", 5: "bars", "5-icml": "disc_rings"}
    right = 0
    for seed in range(10):
        view = replace(fresh_view(Data(names[which], (), seed)), shade=False)
        plain = compute(view, {})
        assert plain.left.solution.interchangeable
        split = compute(replace(view, split=True), {})
        truth, labels = split.scene.truth, split.left.pred
        assert not (split.left.flags & TIE).any()
        assert split.left.n_tied == plain.left.n_tied > 0
        colours = [set(labels[truth == j].tolist()) for j in range(split.scene.n_classes)]
        one_each = all(len(c) == 1 for c in colours)
        right += one_each and len(set.union(*colours)) == split.scene.n_classes
    assert right >= 9


def test_what_the_editor_says_of_a_positive_entry_is_right():
    """Where a labelled class is large, one tied to it by a positive entry is pushed down."""
    view = fresh_view(Data("rings"))
    third = load(view.data, {}).y == 2

    def responses(P):
        setting = view.setting.having(similarity="gaussian", sigma=0.25, P=P, balance=0.0)
        return compute(replace(view, setting=setting, shade=False), {}).left.H

    up = responses(relations.PAPER["P1"])
    assert (up[third, 2] > 0).all()
    assert (up[third, 3] < 0).all()
    flipped = np.array(relations.PAPER["P1"])
    flipped[2, 3] = flipped[3, 2] = -1.0
    assert (responses(flipped)[third, 3] > 0).all()


def test_a_relation_grows_and_is_cut_with_the_classes():
    P = ((2.0, 0.5), (0.5, 1.0))
    view = View(setting=View().setting.having(P=P))
    assert view.relation(3).tolist() == [[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
    assert view.relation(1).tolist() == [[2]]


def test_a_set_has_the_size_that_its_slider_shows():
    for name, generator in datasets.GENERATORS.items():
        for p in generator.params:
            if p.name == "n":
                assert load(Data(name), {}).n == p.usual


@pytest.mark.parametrize("name", datasets.GENERATORS)
def test_every_set_opens_in_its_own_setting_with_labels(name):
    view = fresh_view(Data(name))
    assert view.marks.labels
    result = compute(replace(view, shade=False), {})
    assert len(result.answers) == 2
    source = load(view.data, {})
    assert all(source.y[i] == j for i, j in view.marks.labels)


def test_a_file_without_classes_begins_with_two():
    source = datasets.Dataset("d", np.random.default_rng(0).normal(size=(20, 2)))
    view = fresh_view(Data("file:0123456789abcdef"), {"file:0123456789abcdef": source})
    assert view.marks.extra == 2
    assert view.marks.labels == ()


@pytest.mark.parametrize(
    ("n", "d", "similarity"), [(30, 2, "local_scaling"), (30, 3, "knn"), (2500, 2, "knn")]
)
def test_a_file_gets_a_graph_that_suits_it(n, d, similarity):
    rng = np.random.default_rng(0)
    source = datasets.Dataset("d", rng.normal(size=(n, d)), rng.integers(2, size=n), ("a", "b"))
    view = fresh_view(Data("file:0123456789abcdef"), {"file:0123456789abcdef": source})
    assert view.setting.graph.similarity == similarity


def test_labels_are_drawn_where_a_set_gives_none_or_all():
    data = datasets.Dataset("d", np.eye(4), [0, 0, 1, -1], ("a", "b"), labelled=[])
    drawn = own_labels(data, 0).labels
    assert sorted(j for _, j in drawn) == [0, 1]
    assert all(data.y[i] == j for i, j in drawn)


FACE = Classes()


def test_a_change_of_the_points_draws_labels_for_them(view):
    after = FACE.changed(view, {"p.n": "200", "gamma": "7"}, {})
    assert dict(after.data.params) == {"n": 200}
    assert after.setting.parameters.gamma == 7.0
    assert after == with_data(replace(view, setting=after.setting), after.data, {})
    assert len(after.marks.labels) == 3


def test_a_change_of_a_setting_leaves_the_marks(view):
    after = FACE.changed(view, {"gamma": "7", "sigma": "0.25"}, {})
    assert after.marks == view.marks
    assert after.setting == view.setting.having(gamma=7.0, sigma=0.25)


@pytest.mark.parametrize("changes", [{"gamma": "-1"}, {"P": "1~2_2~1"}, {"p.n": "1"}, {"k": "x"}])
def test_a_change_that_cannot_be_used_is_a_sentence(view, changes):
    with pytest.raises(ValueError, match="must"):
        FACE.changed(view, changes, {})


def test_only_small_or_known_graphs_are_quick():
    assert FACE.quick(fresh_view(Data("three_circles", (("n", MAX_LIVE_POINTS),))), {})
    large = fresh_view(Data("three_circles", (("n", MAX_LIVE_POINTS + 1),), 77))
    assert not FACE.quick(large, {})
    compute(large, {})
    assert FACE.quick(large, {})


def test_every_data_set_of_the_lab_has_a_title_and_a_help():
    assert all(g.title and g.help for g in GENERATORS.values())
