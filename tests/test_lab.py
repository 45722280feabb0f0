"""The app's own logic without a browser: marks, links, scenes, suggestions, measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import datasets
import mavr
from lab import scene as scenes
from lab import suggest
from lab.marks import History, Marks, apply
from lab.measures import measure, tie_sentences
from lab.numbers import number
from lab.view import View, from_query, to_query
from mavr import relations
from mavr.methods import METHODS


def event(op, *indices, **more):
    return {"op": op, "indices": list(indices), **more}


def test_marks_follow_events_and_undo_leads_back():
    history = History()
    steps = [
        event("label", 3, 5, **{"class": 1}),
        event("erase", 5),
        event("add", x=0.5, y=0.25, **{"class": -1}),
        event("move", 10, x=1.0, y=2.0),
        event("move", 2, x=9.0, y=9.0),
        event("delete", 3),
        event("add_class"),
    ]
    for e in steps:
        history = apply(history, e, 10, 2)
    marks = history.now
    assert marks == Marks((), ((1.0, 2.0, -1),), ((2, 9.0, 9.0),), (3,), 1)
    for _ in steps:
        history = apply(history, event("undo"), 10, 2)
    assert history.now == Marks()
    for _ in steps:
        history = apply(history, event("redo"), 10, 2)
    assert history.now == marks


@pytest.mark.parametrize(
    "bad",
    [
        event("label", 10, **{"class": 0}),
        event("label", -1, **{"class": 0}),
        event("label", 0, **{"class": 2}),
        event("label", "0", **{"class": 1}),
        event("move", 0, 1, x=0, y=0),
        event("delete", *range(9)),
        event("nonsense", 0),
    ],
)
def test_events_that_do_not_fit_change_nothing(bad):
    assert apply(History(), bad, 10, 2) == History()


floats = st.floats(1e-6, 1e9)
labels = st.dictionaries(st.integers(0, 299), st.integers(0, 2), max_size=20)


@given(
    labels=labels,
    gamma=floats,
    tau=floats,
    balance=st.floats(0, 1e6),
    sigma=floats,
    left=st.sampled_from(list(METHODS)),
    own=st.booleans(),
    added=st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.integers(-1, 2)), max_size=3),
    deleted=st.sets(st.integers(0, 299), max_size=4),
    entry=st.floats(-0.49, 0.49),
)
def test_a_link_says_everything(
    labels, gamma, tau, balance, sigma, left, own, added, deleted, entry
):
    P = np.eye(3)
    P[0, 1] = P[1, 0] = entry
    view = View(
        params=(("n", 120), ("noise", 0.25)),
        seed=7,
        marks=Marks(
            labels=tuple(sorted(labels.items())),
            added=tuple(added),
            deleted=tuple(sorted(deleted)),
            extra=1,
        ),
        gamma=gamma,
        tau=tau,
        balance=balance,
        sigma=sigma,
        left=left,
        own=own,
        P=tuple(tuple(row) for row in P.tolist()),
        shade=False,
    )
    again, problems = from_query(to_query(view))
    assert not problems
    assert again == view


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=30), max_size=6))
def test_no_link_breaks_the_app(query):
    view, problems = from_query(query)
    assert isinstance(view, View)
    assert all(isinstance(p, str) for p in problems)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"gamma": "-1"}, "gamma"),
        ({"tau": "nan"}, "tau"),
        ({"P": "1~2_2~1"}, "positive definite"),
        ({"P": "1~2_3"}, "square"),
        ({"labels": "1.x"}, "label"),
        ({"graph": "magic"}, "graph"),
        ({"data": "nowhere"}, "nowhere"),
        ({"data": "two_moons", "p.foo": "1"}, "foo"),
        ({"add": "1~2"}, "add"),
    ],
)
def test_a_bad_link_is_explained(query, word):
    _, problems = from_query(query)
    assert len(problems) == 1
    assert word in problems[0]


def answered(view, data):
    scene = scenes.compose(data, view.marks)
    graph = scenes.build_graph(view, scene)
    shading = scenes.build_shading(view, scene)
    P = view.relation(scene.n_classes)
    p = scenes.parameters(view, int((scene.labels >= 0).sum()), P)
    return scene, graph, scenes.answer(view.left, p, graph, scene, shading)


@pytest.fixture(scope="module")
def circles():
    data = datasets.three_circles(n=120, seed=3)
    drawn = datasets.draw_labels(data.y, 3, seed=3)
    marks = Marks(labels=tuple((int(i), int(data.y[i])) for i in drawn))
    return data, View(marks=marks)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_drawn_is_what_the_library_says(circles, method):
    data, view = circles
    scene, _, a = answered(replace(view, left=method), data)
    W = mavr.gaussian_similarity(data.X, 0.5)
    graph = mavr.graphs.graph.Graph(W)
    s = METHODS[method].run(graph, scene.Y, mavr.settings.Parameters(tau=1.0))
    assert (a.pred == s.labels).all()
    asked = scene.labels < 0
    wrong = asked & ((s.labels != data.y) | s.ties)
    assert a.error == wrong.sum() / asked.sum()
    assert ((a.flags & scenes.WRONG > 0) == wrong).all()


def test_painted_points_enter_the_graph_and_deleted_ones_leave_it(circles):
    data, view = circles
    marks = replace(view.marks, added=((0.5, 0.5, 2),), moved=((0, 30.0, 30.0),), deleted=(7,))
    scene, graph, a = answered(replace(view, marks=marks), data)
    X = np.array(data.X)
    X[0] = 30.0
    X = np.vstack([X, [0.5, 0.5]])
    keep = np.arange(len(X)) != 7
    assert np.allclose(graph.W, mavr.gaussian_similarity(X[keep], 0.5))
    assert a.pred[7] == -2
    assert scene.truth[-1] == 2


def test_the_shade_beside_a_point_is_the_points_class(circles):
    data, view = circles
    scene, _, a = answered(view, data)
    shading = scenes.build_shading(view, scene)
    x0, x1, y0, y1 = shading.bounds
    gx, gy = shading.shape
    column = np.clip(((data.X[:, 0] - x0) / (x1 - x0) * gx).astype(int), 0, gx - 1)
    row = np.clip(((y1 - data.X[:, 1]) / (y1 - y0) * gy).astype(int), 0, gy - 1)
    seen = a.grid.reshape(gy, gx)[row, column]
    sure = a.confidence > 200
    assert (seen[sure] == a.pred[sure]).mean() > 0.95


def test_v_optimality_against_brute_force():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 2))
    Q = mavr.laplacian(mavr.gaussian_similarity(X, 0.8))
    S = mavr.decompose(Q)
    labelled = np.array([3, 11])
    C0 = np.linalg.inv(5.0 * Q + 0.3 * np.eye(25))

    def trace_given(points):
        K = C0[np.ix_(points, points)] + np.eye(len(points))
        return np.trace(C0 - C0[:, points] @ np.linalg.solve(K, C0[points]))

    now = trace_given(labelled)
    gain = [now - trace_given(np.append(labelled, k)) for k in range(25)]
    score = suggest.variance_reduction(S, 5.0, 0.3, labelled)
    free = np.setdiff1d(np.arange(25), labelled)
    assert np.allclose(score[free], np.array(gain)[free])
    assert suggest.v_optimal(S, 5.0, 0.3, labelled) == free[np.argmax(np.array(gain)[free])]


def test_measures_against_scikit_learn():
    truth = np.array([0, 0, 1, 1, 2, 2, 2, -1])
    pred = np.array([0, 1, 2, 2, 1, 1, 0, 0])
    none = np.zeros(8, dtype=bool)
    m = measure(truth, pred, none, known=[0], n_classes=3)
    assert m.known_error == 0.5
    assert m.unknown_accuracy == pytest.approx(4 / 5)
    assert m.rand == pytest.approx(adjusted_rand_score(truth[:7], pred[:7]))
    tied = none.copy()
    tied[4] = True
    assert measure(truth, pred, tied, [0], 3).unknown_accuracy == pytest.approx(3 / 5)


def test_a_tie_is_said_in_words():
    (sentence,) = tie_sentences(((1, 2),), ("a", "b", "c"))
    assert "b and c" in sentence
    assert "interchangeable" in sentence


@pytest.mark.parametrize("which", [2, 3, 4, 5, "5-icml"])
def test_a_split_tie_gives_every_shape_one_colour(which):
    right = 0
    for seed in range(10):
        data = datasets.serendipity(which, seed=seed)
        s = data.setting
        marks = Marks(labels=tuple((int(i), int(data.y[i])) for i in data.labelled))
        view = View(
            marks=marks,
            similarity=s.graph.similarity,
            sigma=s.graph.value("sigma"),
            n_neighbors=s.graph.value("n_neighbors"),
            balance=s.parameters.balance,
            P=s.parameters.P,
        )
        _, graph, a = answered(view, data)
        assert a.solution.interchangeable
        labels = scenes.split_ties(a.solution, graph.W, seed)
        assert labels is not None
        colours = [set(labels[data.y == j]) for j in range(data.n_classes)]
        one_each = all(len(c) == 1 for c in colours)
        right += one_each and len(set.union(*colours)) == data.n_classes
    assert right >= 9


def test_what_the_editor_says_of_a_positive_entry_is_right():
    """Where a labelled class is large, one tied to it by a positive entry is pushed down."""
    data = datasets.serendipity(1, seed=0)
    W = mavr.gaussian_similarity(data.X, 0.25)
    S = mavr.decompose(mavr.laplacian(W))
    Y = np.zeros((data.n, 4))
    Y[data.labelled, data.y[data.labelled]] = 1
    third = data.y == 2
    up = mavr.solve(S, Y, relations.PAPER["P1"], tau=np.sqrt(3)).H
    assert (up[third, 2] > 0).all()
    assert (up[third, 3] < 0).all()
    flipped = np.array(relations.PAPER["P1"])
    flipped[2, 3] = flipped[3, 2] = -1.0
    assert (mavr.solve(S, Y, flipped, tau=np.sqrt(3)).H[third, 3] > 0).all()


def test_numbers_are_written_with_a_true_minus():
    assert number(-0.2264) == "−0.226"
    assert number(float("nan")) == "–"
