"""Measures of label sets against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, label_ranking_loss

from lab.sets.scores import curves, ranking_loss, scores

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
