"""Points to label next, and how good an answer is, against slow and obvious computations."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import mavr
from lab.board import suggest
from lab.board.measures import measure, tie_sentences


def test_v_optimality_against_brute_force():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 2))
    Q = mavr.laplacian(mavr.gaussian_similarity(X, 0.8))
    S = mavr.decompose(Q)
    labelled = np.array([3, 11])
    C0 = np.linalg.inv(5.0 * np.asarray(Q) + 0.3 * np.eye(25))

    def trace_given(points):
        K = C0[np.ix_(points, points)] + np.eye(len(points))
        return np.trace(C0 - C0[:, points] @ np.linalg.solve(K, C0[points]))

    now = trace_given(labelled)
    gain = [now - trace_given(np.append(labelled, k)) for k in range(25)]
    score = suggest.variance_reduction(S, 5.0, 0.3, labelled)
    free = np.setdiff1d(np.arange(25), labelled)
    assert np.allclose(score[free], np.array(gain)[free])
    assert suggest.v_optimal(S, 5.0, 0.3, labelled) == free[np.argmax(np.array(gain)[free])]


def test_the_least_certain_point_is_an_open_one():
    margin = np.array([0.0, 0.3, 0.1, 0.2])
    assert suggest.least_certain(margin, np.array([False, True, True, True])) == 2
    assert suggest.least_certain(margin, np.zeros(4, dtype=bool)) is None


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
