"""What comes out of the box: collapse and its warning, choosing parameters, the defaults."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

import datasets
import mavr
from mavr.collapse import collapse
from tests.estimator_cases import with_labels


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16, y[:600]


COLLAPSING = [
    mavr.MAVRClassifier.paper(),
    mavr.MAVRClassifier.paper(similarity="knn", gamma=1e5, tau=None),
    mavr.LGCClassifier("local_scaling", width=1.0, gamma=99.0),
]
STANDING = [
    mavr.MAVRClassifier(),
    mavr.MAVRClassifier("local_scaling", width=1.0, laplacian="normalized", tau="auto"),
    mavr.LGCClassifier(),
    mavr.BAVRClassifier(),
    mavr.LapRLSClassifier(),
]


@pytest.mark.parametrize("Classifier", [mavr.BAVRClassifier, mavr.MAVRClassifier])
def test_a_sparse_graph_beyond_the_dense_limit_is_solved(Classifier, monkeypatch, moons):
    X, _, y = moons
    usual = Classifier("knn").fit(X, y).transduction_
    monkeypatch.setattr("mavr.validation.MAX_DENSE_POINTS", 50)
    np.testing.assert_array_equal(Classifier("knn").fit(X, y).transduction_, usual)


@pytest.mark.parametrize("rate", [1, 5])
@pytest.mark.parametrize("model", COLLAPSING, ids=repr)
def test_a_collapse_is_said_with_its_remedy(digits, model, rate):
    X, truth = digits
    y = with_labels(truth, rate, 0)
    with pytest.warns(UserWarning, match=r"one class takes .* of the points .*; use ") as caught:
        model = clone(model).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert accuracy_score(truth, model.transduction_) < 0.6
    Y = (y[:, None] == model.classes_).astype(float)
    found = collapse(model.solution_, Y)
    share = np.bincount(model.transduction_).max() / len(y)
    assert found.share == pytest.approx(share)
    assert found.labels == pytest.approx(0.1)


@pytest.mark.parametrize("rate", [1, 5, 20])
@pytest.mark.parametrize("model", STANDING, ids=repr)
def test_no_collapse_is_no_warning(digits, model, rate):
    X, truth = digits
    model = clone(model).fit(X, with_labels(truth, rate, 0))
    assert accuracy_score(truth, model.transduction_) > 0.6


def test_unequal_classes_are_no_collapse():
    """Nine in ten points of one class, and as many of its labels: that is what is asked for."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(180, 2)), rng.normal(size=(20, 2)) + 6])
    y = np.full(200, -1)
    y[:9], y[180] = 0, 1
    model = mavr.MAVRClassifier("gaussian", sigma=1.0, balance=0.0).fit(X, y)
    assert (model.transduction_ == 0).mean() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [1, 5])
def test_a_large_class_is_no_collapse(rate, seed):
    """Two thirds of the points are of one class, which has a third of the labels: and is found."""
    data = datasets.unequal_blobs(seed=(0, 1, 3)[seed])
    y = with_labels(data.y, rate, seed + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mavr.MAVRClassifier.paper().fit(data.X, y)
    wrong = np.mean(model.transduction_ != data.y)
    Y = (y[:, None] == model.classes_).astype(float)
    found = collapse(model.solution_, Y)
    assert (found is None) == (wrong < 0.2)


# Choosing parameters.


def test_folds_hold_out_labelled_points_only(moons):
    _, _, y = moons
    folds = list(mavr.LabelledFolds(4).split(None, y))
    held_out = np.concatenate([test for _, test in folds])
    np.testing.assert_array_equal(np.sort(held_out), np.flatnonzero(y != -1))
    for train, test in folds:
        assert sorted(y[test]) == [0, 1]
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(120))
    with pytest.raises(ValueError, match=r"n_splits = 5 folds need as many labels .* has 4"):
        next(mavr.LabelledFolds(5).split(None, y))


def test_the_scorer_leaves_unlabelled_rows_out(moons):
    X, truth, y = moons
    model = mavr.MAVRClassifier().fit(X, y)
    mixed = np.where(np.arange(120) < 60, truth, -1)
    expected = accuracy_score(truth[:60], model.predict(X[:60]))
    assert mavr.labelled_accuracy(model, X, mixed) == expected
    with pytest.raises(ValueError, match=r"use cv=mavr\.LabelledFolds"):
        mavr.labelled_accuracy(model, X, np.full(120, -1))
    grid = {"gamma": [1e-3, 9.0]}
    search = GridSearchCV(
        mavr.LGCClassifier(), grid, scoring=mavr.labelled_accuracy, cv=mavr.LabelledFolds(4)
    ).fit(X, y)
    assert search.best_score_ > 0.7
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


# The defaults.


def four_sets():
    X, y = load_digits(return_X_y=True)
    yield pytest.param(X[:500] / 16, y[:500], id="digits")
    for load in (load_wine, load_breast_cancer, load_iris):
        X, y = load(return_X_y=True)
        yield pytest.param(StandardScaler().fit_transform(X), y, id=load.__name__[5:])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*no path to a labelled point")
@pytest.mark.parametrize(("rate", "allowed"), [(1, 0.0), (5, 0.015)])
@pytest.mark.parametrize(("X", "truth"), list(four_sets()))
def test_defaults_beside_the_better_label_spreading(X, truth, rate, allowed):
    """20 draws (seeds 0 to 19) of 1 and 5 labels per class."""
    models = [mavr.MAVRClassifier(), LabelSpreading(), LabelSpreading(alpha=0.99)]
    errors = []
    for seed in range(20):
        y = with_labels(truth, rate, seed)
        rest = y == -1
        errors.append([np.mean((m.fit(X, y).transduction_ != truth)[rest]) for m in models])
    ours, *theirs = np.mean(errors, axis=0)
    assert ours < min(theirs) + allowed


def test_all_of_wine_labelled():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    assert mavr.MAVRClassifier().fit(X, y).score(X, y) > 0.9
