"""The multi-label page without a browser: links, labels, measures, label sets."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, label_ranking_loss

import datasets
import mavr
from datasets import DataError, Dataset
from lab.labelsets import answers, cache, component
from lab.labelsets.labels import History, Labels, apply, drawn, given, signs, with_row
from lab.labelsets.scores import curves, ranking_loss, scores
from lab.labelsets.view import RULES, LabelView, from_query, to_query
from mavr.graphs.graph import Graph

# Links.

numbers = st.floats(-1e6, 1e6, allow_nan=False)
positive = st.floats(1e-6, 1e6)
rows = st.lists(
    st.tuples(st.integers(0, 500), st.tuples(*[st.sampled_from([-1, 0, 1])] * 3)),
    unique_by=lambda item: item[0],
    max_size=6,
).map(lambda items: tuple(sorted(items)))
labels = st.builds(
    Labels,
    share=st.sampled_from([-1.0, 0.0, 0.3, 1.0]),
    draw=st.integers(0, 999),
    tells=st.sampled_from(["all", "has", "one"]),
    rows=rows,
)
views = st.builds(
    LabelView,
    data=st.sampled_from(["multilabel", "file:0123456789abcdef"]),
    n=st.integers(60, 1200),
    seed=st.integers(0, 99_999),
    labels=labels,
    similarity=st.sampled_from(["gaussian", "local_scaling", "cosine", "knn"]),
    sigma=positive,
    n_neighbors=st.integers(1, 60),
    laplacian=st.sampled_from(["normalized", "unnormalized"]),
    standardise=st.booleans(),
    gamma=positive,
    constrained=st.booleans(),
    tau=positive,
    balance=st.floats(0, 1e6),
    relation=st.sampled_from(["co-occurrence", "own"]),
    strength=st.floats(0, 0.95),
    P=st.sampled_from([None, ((1.0, 0.25), (0.25, 2.0))]),
    rule=st.sampled_from(RULES),
    per_label=st.booleans(),
    thresholds=st.lists(numbers, min_size=1, max_size=5).map(tuple),
    shown=st.integers(0, 1),
    errors=st.booleans(),
)


@draw(views)
@settings(max_examples=60, deadline=None)
def test_a_link_reads_back_as_the_same_view(view):
    again, problems = from_query(to_query(view))
    assert again == view
    assert problems == []


def test_the_default_view_has_a_short_link():
    assert to_query(LabelView()) == {"data": "multilabel"}


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"data": "nowhere"}, "not known"),
        ({"gamma": "-1"}, "gamma in the link must be above 0"),
        ({"balance": "-1"}, "balance in the link must be in 0.0"),
        ({"strength": "1"}, "strength in the link must be in"),
        ({"rule": "best"}, "not one of preset, learned, frequency"),
        ({"share": "2"}, "share in the link must be in 0 … 1"),
        ({"share": "much"}, "not a number"),
        ({"draw": "x"}, "not a whole number"),
        ({"tells": "lies"}, "not one of all, has, one"),
        ({"labels": "3.12"}, "not a row of labels"),
        ({"T": "inf"}, "not a finite number"),
        ({"P": "1~2_3"}, "not a square matrix"),
        ({"P": "1~2_2~1"}, "cannot be used"),
    ],
)
def test_what_cannot_be_read_is_said_and_left_out(query, sentence):
    view, problems = from_query(query)
    assert view == LabelView()
    assert len(problems) == 1
    assert sentence in problems[0]


# Labels.


@pytest.fixture(scope="module")
def discs():
    return datasets.multilabel(120, seed=1)


def test_own_labels_of_the_toy_set(discs):
    Y = drawn(discs, Labels())
    np.testing.assert_array_equal(np.flatnonzero(Y.any(axis=1)), discs.labelled)
    np.testing.assert_array_equal(Y[discs.labelled], 2 * discs.Y[discs.labelled] - 1)


def test_drawn_labels_are_true_and_as_many_as_asked(discs):
    for tells in ("all", "has", "one"):
        Y = drawn(discs, Labels(share=0.25, draw=3, tells=tells))
        assert Y.any(axis=1).sum() == 30
        assert ((Y == 0) | (signs(discs) == Y)).all()
        if tells == "has":
            assert (Y >= 0).all()
        if tells == "one":
            assert np.abs(Y).sum(axis=1).max() == 1
    assert not drawn(discs, Labels(share=0.0)).any()


def test_unknown_truth_is_never_drawn():
    data = Dataset("d", np.eye(3), class_names=("p", "q"), Y=[[1, -1], [-1, -1], [0, 1]])
    assert drawn(data, Labels(share=1.0)).tolist() == [[1, 0], [0, 0], [-1, 1]]
    assert np.abs(drawn(data, Labels(share=1.0, tells="one"))).sum(axis=1).tolist() == [1, 0, 1]


def test_events_set_clear_undo_and_redo(discs):
    history = History(Labels(share=0.0))
    for event in (
        {"op": "set", "index": 5, "label": 1, "value": 1},
        {"op": "set", "index": 5, "label": 2, "value": -1},
        {"op": "truth", "index": 7},
    ):
        history = apply(history, event, discs)
    Y = given(discs, history.now)
    assert Y[5].tolist() == [0, 1, -1]
    assert Y[7].tolist() == signs(discs)[7].tolist()
    assert np.flatnonzero(Y.any(axis=1)).tolist() == [5, 7]
    back = apply(apply(history, {"op": "undo"}, discs), {"op": "undo"}, discs)
    assert given(discs, back.now)[5].tolist() == [0, 1, 0]
    assert apply(apply(back, {"op": "redo"}, discs), {"op": "redo"}, discs).now == history.now
    cleared = apply(history, {"op": "clear", "index": 5}, discs)
    assert not given(discs, cleared.now)[5].any()


@pytest.mark.parametrize(
    "event",
    [
        {"op": "set", "index": 500, "label": 0, "value": 1},
        {"op": "set", "index": 0, "label": 3, "value": 1},
        {"op": "set", "index": 0, "label": 0, "value": 2},
        {"op": "set", "index": "0", "label": 0, "value": 1},
        {"op": "explode", "index": 0},
        {"op": "undo"},
        {"op": "redo"},
    ],
)
def test_an_event_that_does_not_fit_changes_nothing(discs, event):
    assert apply(History(), event, discs) == History()


def test_rows_of_another_data_set_are_left_out(discs):
    odd = with_row(with_row(Labels(), 999, (1, 1, 1)), 3, (1, 1))
    np.testing.assert_array_equal(given(discs, odd), drawn(discs, Labels()))


# Measures.

problems = st.integers(1, 8).flatmap(
    lambda m: st.tuples(
        hnp.arrays(float, (m, 3), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])),
        hnp.arrays(bool, (m, 3)),
    )
)


@draw(problems)
@settings(max_examples=25, deadline=None)
def test_curves_are_those_of_scikit_learn(problem):
    H, truth = problem
    x = np.array([-2.0, -0.7, 0.0, 0.25, 1.0])
    found = curves(H, truth, x)
    for k, t in enumerate(x):
        has = t <= H
        assert found["hamming"][k] == pytest.approx(hamming_loss(truth, has))
        assert found["subset"][k] == pytest.approx(accuracy_score(truth, has))
        for kind in ("micro", "macro"):
            expected = f1_score(truth, has, average=kind, zero_division=0)
            assert found[kind][k] == pytest.approx(expected)
    assert ranking_loss(H, truth) == pytest.approx(label_ranking_loss(truth, H))


def test_a_label_that_no_threshold_gives():
    M = np.array([[-np.inf, 1.0], [-np.inf, -np.inf]])
    truth = np.array([[False, True], [False, False]])
    found = curves(M, truth, np.array([-5.0, 0.5]))
    assert found["subset"].tolist() == [1.0, 1.0]
    assert found["hamming"].tolist() == [0.0, 0.0]


# Label sets.


@pytest.fixture(scope="module")
def graph(discs):
    return Graph(mavr.local_scaling_similarity(discs.X, 7))


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("per_label", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_label_sets_are_those_of_the_estimator(discs, graph, rule, per_label, constrained):
    view = LabelView(
        labels=Labels(share=0.3),
        gamma=9.0,
        rule=rule,
        per_label=per_label,
        thresholds=(0.01, -0.02, 0.0),
        constrained=constrained,
    )
    Y = given(discs, view.labels)
    P = answers.relation(view, Y.astype(float))
    a = answers.answer(view, graph, discs, Y, P)
    preset = view.thresholds if per_label else view.thresholds[0]
    model = mavr.MAVRMultiLabelClassifier(
        "precomputed",
        laplacian="normalized",
        gamma=9.0,
        tau="auto" if constrained else None,
        class_relation="co-occurrence",
        threshold=preset if rule == "preset" else rule,
        per_label=per_label,
    ).fit(graph.W, Y)
    np.testing.assert_array_equal(a.has, model.transduction_)
    np.testing.assert_allclose(a.T, model.threshold_)
    rest = ~Y.any(axis=1)
    truth = discs.Y[rest]
    assert a.scores["hamming"] == pytest.approx(hamming_loss(truth, a.has[rest]))
    assert a.scores["subset"] == pytest.approx(accuracy_score(truth, a.has[rest]))
    assert a.scores["macro"] == pytest.approx(f1_score(truth, a.has[rest], average="macro"))
    assert a.scores["micro"] == pytest.approx(f1_score(truth, a.has[rest], average="micro"))
    ranked = label_ranking_loss(truth, a.solution.H[rest])
    assert a.scores["ranking"] == pytest.approx(ranked)


@pytest.mark.parametrize("rule", RULES)
def test_the_curve_passes_through_the_numbers(discs, graph, rule):
    view = LabelView(rule=rule, per_label=rule != "preset")
    Y = given(discs, view.labels)
    a = answers.answer(view, graph, discs, Y, np.eye(3))
    found = answers.metric_curves(a, discs, Y)
    assert found.shifted == (rule != "preset")
    at = int(np.searchsorted(found.x, found.now))
    for name, curve in found.values.items():
        assert curve[at] == pytest.approx(a.scores[name])


def test_unreached_points_get_no_set_and_undecided_entries_are_named(discs):
    X = np.vstack([discs.X, discs.X[:3] + 100.0])
    data = Dataset("far", X, class_names=discs.class_names, Y=np.vstack([discs.Y, discs.Y[:3]]))
    graph = Graph(mavr.gaussian_similarity(X, 0.2))
    # Nothing is said of the last label: its responses are 0, and so is the threshold.
    view = LabelView(labels=Labels(0.0, rows=((0, (1, -1, 0)), (1, (-1, 1, 0)))), thresholds=(0.0,))
    Y = given(data, view.labels)
    a = answers.answer(view, graph, data, Y, np.eye(3))
    far = a.solution.unreached
    assert far[-3:].all()
    assert not a.has[far].any()
    assert not a.undecided[far].any()
    assert a.undecided[~far, 2].all()
    assert a.n_undecided == (~far).sum()
    assert a.n_unreached == far.sum()


def test_sets_that_no_labelled_point_has(discs, graph):
    view = LabelView(thresholds=(-0.02,))
    Y = given(discs, view.labels)
    a = answers.answer(view, graph, discs, Y, answers.relation(view, Y.astype(float)))
    found = answers.unseen_sets(a, Y)
    seen = {tuple(np.flatnonzero(row)) for row in discs.Y[discs.labelled]}
    assert found
    assert not seen & set(found)
    for labels, count in found.items():
        row = np.isin(range(3), labels)
        assert count == (a.has == row).all(axis=1).sum()


def test_nothing_to_judge(discs, graph):
    view = LabelView(labels=Labels(share=1.0))
    Y = given(discs, view.labels)
    a = answers.answer(view, graph, discs, Y, np.eye(3))
    assert a.scores is None
    assert answers.metric_curves(a, discs, Y) is None
    assert answers.reach([a], Y) == 1.0


def test_an_own_relation_of_another_size_is_none(discs):
    Y = given(discs, Labels()).astype(float)
    view = LabelView(relation="own", P=((1.0, 0.0), (0.0, 1.0)))
    np.testing.assert_array_equal(answers.relation(view, Y), mavr.multilabel.co_occurrence(Y))


@pytest.mark.parametrize("rule", RULES)
def test_what_the_canvas_is_sent_is_finite(discs, graph, rule):
    """A label that no labelled point has gets an infinite threshold; JSON knows none."""
    view = LabelView(labels=Labels(0.0, rows=((0, (1, -1, -1)), (9, (1, 1, -1)))), rule=rule)
    view = replace(view, per_label=True)
    Y = given(discs, view.labels)
    both = [answers.answer(view, graph, discs, Y, np.eye(3))] * 2
    sent = component.payload(
        view,
        discs,
        Y,
        both,
        base="b",
        places=(discs.points, "p"),
        have=None,
        step=1,
        ack=0,
        can_undo=False,
        can_redo=False,
    )
    for panel in sent["panels"]:
        assert np.isfinite([*panel["T"], *panel["scale"]]).all()
    if rule == "learned":
        assert sent["panels"][0]["fixed"] == ["all points", "", "no point"]


# Files.


def test_classes_become_sets_of_one_label():
    data = Dataset("d", np.arange(8.0).reshape(4, 2), [0, 1, -1, 1], ("a", "b"))
    assert cache.with_label_sets(data).Y.tolist() == [[1, 0], [0, 1], [-1, -1], [0, 1]]


def test_files_that_cannot_be_shown_say_why():
    X = np.zeros((3, 2))
    with pytest.raises(DataError, match="has no labels"):
        cache.with_label_sets(Dataset("d", X))
    names = tuple(str(j) for j in range(17))
    with pytest.raises(DataError, match="17 labels"):
        cache.with_label_sets(Dataset("d", X, class_names=names, Y=np.zeros((3, 17))))


def test_many_points_are_sampled():
    X = np.arange(5000.0).reshape(2500, 2)
    data = cache.with_label_sets(Dataset("d", X, class_names=("p",), Y=np.ones((2500, 1))))
    assert data.n == cache.MAX_POINTS


def test_standardised_features():
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.standardised(X).tolist() == [[-1, 0, -1], [1, 0, 1]]


def test_scores_of_margins():
    M = np.array([[1.0, -1.0], [-1.0, 1.0]])
    truth = np.array([[True, False], [False, False]])
    assert scores(M, M, truth) == {
        "hamming": 0.25,
        "subset": 0.5,
        "micro": pytest.approx(2 / 3),
        "macro": 0.5,
        "ranking": 0.0,
    }
