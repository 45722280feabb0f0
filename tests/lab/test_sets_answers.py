"""Label sets, thresholds and P against the library's own estimator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, label_ranking_loss

import mavr
from datasets import Dataset
from lab.board.picture import as_frame
from lab.data import Data, load
from lab.sets import answers
from lab.sets.face import Sets
from lab.sets.labels import Labels, given
from lab.sets.view import RULES, USUAL, LabelView
from mavr.graphs.graph import Graph

FACE = Sets()
DISCS = Data("multilabel", (("n", 120),), 1)


@pytest.fixture(scope="module")
def discs():
    return load(DISCS, {})


@pytest.fixture(scope="module")
def graph(discs):
    return Graph(mavr.local_scaling_similarity(discs.X, 7))


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("per_label", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_label_sets_are_those_of_the_estimator(discs, graph, rule, per_label, constrained):
    view = LabelView(
        labels=Labels(share=0.3),
        setting=USUAL.having(gamma=9.0, tau=1.0 if constrained else None),
        rule=rule,
        per_label=per_label,
        thresholds=(0.01, -0.02, 0.0),
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
    view = LabelView(relation="own", setting=USUAL.having(P=((1.0, 0.0), (0.0, 1.0))))
    np.testing.assert_array_equal(answers.relation(view, Y), mavr.multilabel.co_occurrence(Y))


@pytest.mark.parametrize("rule", RULES)
def test_what_the_canvas_is_sent_is_finite(discs, graph, rule):
    """A label that no labelled point has gets an infinite threshold; JSON knows none."""
    view = LabelView(labels=Labels(0.0, rows=((0, (1, -1, -1)), (9, (1, 1, -1)))), rule=rule)
    view = replace(view, per_label=True)
    view = replace(view, data=DISCS)
    sent = FACE.picture(view, FACE.compute(view, {}), None)
    as_frame(sent)
    for panel in sent["panels"]:
        assert np.isfinite([*panel["T"], *panel["scale"]]).all()
    if rule == "learned":
        assert sent["panels"][0]["fixed"] == ["all points", "", "no point"]
