"""What a warning advises helps, and is not what is set already."""

from __future__ import annotations

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

import mavr
from mavr.estimators import remedies
from tests.estimator_cases import with_labels

PAPER = mavr.MAVRClassifier.paper


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def told(model, X, y):
    """The error of a model's answer on the unlabelled points, and what its warnings say."""
    X, truth = X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    wrong = (model.transduction_ != truth)[y == -1]
    return float(np.mean(wrong)), " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("rate", [1, 5])
@pytest.mark.parametrize(
    "model",
    [PAPER(), PAPER(tau=None), PAPER(gamma=9.0)],
    ids=["paper", "no tau", "small gamma"],
)
def test_the_remedy_of_a_collapse_helps(digits, model, rate):
    y = with_labels(digits[1], rate, 0)
    error, text = told(clone(model), digits, y)
    assert error > 0.7
    assert "use balance=1, best with the other defaults, those of MAVRClassifier(), too" in text
    assert not re.search(r"tau|gamma", text)
    followed, text = told(clone(model).set_params(balance=1.0), digits, y)
    assert followed < error - 0.4
    assert "one class takes" not in text
    assert told(mavr.MAVRClassifier(), digits, y)[0] < 0.1


def test_the_remedy_of_lgc_helps(digits):
    y = with_labels(digits[1], 1, 0)
    error, text = told(mavr.LGCClassifier.paper(), digits, y)
    assert text.endswith("; use MAVRClassifier(), which has balance=1, or gamma=1")
    assert told(mavr.LGCClassifier.paper(gamma=1.0), digits, y)[0] < error - 0.4
    assert told(mavr.MAVRClassifier(), digits, y)[0] < error - 0.6


def test_a_remedy_keeps_given_similarities_and_leaves_a_small_gamma():
    told = remedies.of_collapse("precomputed")
    assert told == 'use MAVRClassifier("precomputed"), which has balance=1'
    lgc = SimpleNamespace(similarity="knn", gamma_=0.5)
    assert mavr.LGCClassifier._remedy(lgc) == "use MAVRClassifier(), which has balance=1"
    assert mavr.BAVRClassifier._remedy(lgc) == "use MAVRClassifier(), which has balance=1"


@pytest.mark.parametrize(
    ("similarity", "advice"),
    [
        ("gaussian", "join the graph with a larger sigma$"),
        ("knn", "join the graph with a larger n_neighbors or width$"),
        ("cosine", "join the graph with a larger n_neighbors$"),
        ("precomputed", "add similarities between the pieces of the graph$"),
        (lambda A, B: near_ones(A, B), "add similarities between the pieces of the graph$"),
    ],
    ids=["gaussian", "knn", "cosine", "precomputed", "function"],
)
def test_unreached_points_are_told_of_this_similarity(similarity, advice):
    X = np.array([[1.0, 0.0], [1.0, 0.01], [0.0, 100.0], [0.01, 100.0]])
    X = near_ones(X, X) if similarity == "precomputed" else X
    with pytest.warns(UserWarning, match=rf"2 of 4 points have no path .* them, or {advice}"):
        mavr.MAVRClassifier(similarity, sigma=0.1, n_neighbors=1).fit(X, [0, -1, -1, -1])


def near_ones(A, B):
    """Only near points are alike."""
    return (np.abs(A[:, None] - B).sum(axis=2) < 1.0).astype(float)
