"""Several labels per point: folds, scores, and what is said of odd labels."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import datasets
import mavr
from mavr import multilabel

nan = np.nan


@pytest.fixture(scope="module")
def discs():
    """Points, their labels, and the labels of a third of them with +-1."""
    data = datasets.multilabel(150, seed=1)
    chosen = np.random.default_rng(0).permutation(150)[:50]
    Y = np.zeros(data.Y.shape)
    Y[chosen] = 2.0 * data.Y[chosen] - 1
    return data.X, data.Y.astype(int), Y


def with_nan(Y):
    """The same labels, the other way to write them."""
    return np.where(Y == 0, nan, Y > 0)


def affirmed(Y):
    return np.maximum(Y, 0)


WAYS = [np.asarray, with_nan, affirmed, sp.csr_array, lambda Y: pd.DataFrame(with_nan(Y))]
IDS = ["signed", "NaN", "affirmed", "sparse", "frame"]


# Folds.


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_folds_hold_out_rows_of_which_something_is_known(discs, way):
    X, _, Y = discs
    given = way(Y)
    folds = list(mavr.LabelledFolds(3).split(X, given))
    assert len(folds) == 3
    held_out = np.sort(np.concatenate([test for _, test in folds]))
    known = Y.any(axis=1) if way is not affirmed else (Y > 0).any(axis=1)
    np.testing.assert_array_equal(held_out, np.flatnonzero(known))
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(150))
        # Each label is there to be found.
        assert (Y[test] > 0).any(axis=0).all()
        assert (Y[train] > 0).any(axis=0).all()


def test_a_rare_label_is_in_every_fold():
    Y = np.full((60, 3), -1)
    Y[:, 0], Y[:30, 1], Y[:3, 2] = 1, 1, 1
    for seed in range(10):
        for train, test in mavr.LabelledFolds(3, seed=seed).split(None, Y):
            assert (Y[test, 2] > 0).sum() == 1
            assert (Y[train, 2] > 0).sum() == 2


def test_rows_of_zeros_are_known_where_zero_means_no():
    Y = np.array([[1, 0], [0, 0], [0, 1], [0, 0]])
    counts = {zero: 0 for zero in ("auto", "unknown", "no")}
    for zero in counts:
        counts[zero] = sum(len(t) for _, t in mavr.LabelledFolds(2, zero=zero).split(None, Y))
    assert counts == {"auto": 2, "unknown": 2, "no": 4}


def test_folds_need_labelled_rows():
    with pytest.raises(ValueError, match=r"n_splits = 3 folds need as many labelled .* are 1; use"):
        next(mavr.LabelledFolds(3).split(None, [[1, 0], [0, 0], [0, 0]]))


# Scores.


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_the_score_counts_known_entries(discs, way):
    X, truth, Y = discs
    model = mavr.MAVRMultiLabelClassifier().fit(X, way(Y))
    wrong = np.random.default_rng(3).permutation(truth)
    model.predict = lambda X: wrong
    rows = np.asarray(multilabel.encode(way(Y)).any(axis=1))
    expected = f1_score(truth[rows], wrong[rows], average="macro")
    assert mavr.labelled_f1(model, X, way(Y)) == pytest.approx(expected)
    weight = np.arange(150.0)
    expected = f1_score(truth[rows], wrong[rows], average="macro", sample_weight=weight[rows])
    assert mavr.labelled_f1(model, X, way(Y), weight) == pytest.approx(expected)


def test_single_entries_are_known():
    class Given:
        zero_ = "unknown"

        def predict(self, X):
            return np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0]])

    X = np.zeros((3, 1))
    # Label 0: one hit, one false; label 1: one missed; label 2: nothing to find, and not found.
    Y = np.array([[1, 0, -1], [-1, 1, 0], [0, 0, 0]])
    assert mavr.labelled_f1(Given(), X, Y) == pytest.approx((2 / 3 + 0) / 2)
    assert mavr.labelled_f1(Given(), X, [[0, 0, -1]] * 3) == 1.0


def test_what_zero_means_is_asked_of_the_model(discs):
    """A fold of a Y with NaN may have none: its zeros are still "has it not"."""
    X, truth, Y = discs
    pipeline = make_pipeline(StandardScaler(), mavr.MAVRMultiLabelClassifier())
    pipeline.fit(X, with_nan(Y))
    assert pipeline[-1].zero_ == "no"
    empty = ~truth.any(axis=1)
    rows = np.flatnonzero(empty)[:3].tolist() + np.flatnonzero(~empty)[:20].tolist()
    found = mavr.labelled_f1(pipeline, X[rows], truth[rows])
    expected = f1_score(truth[rows], pipeline.predict(X[rows]), average="macro")
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("way", WAYS[:3], ids=IDS[:3])
def test_a_search_among_few_labels(discs, way):
    X, truth, Y = discs
    given = way(Y)
    scores = cross_val_score(
        mavr.MAVRMultiLabelClassifier(),
        X,
        given,
        scoring=mavr.labelled_f1,
        cv=mavr.LabelledFolds(3),
    )
    assert scores.shape == (3,)
    assert scores.mean() > 0.6
    pipeline = make_pipeline(StandardScaler(), mavr.MAVRMultiLabelClassifier())
    grid = {"mavrmultilabelclassifier__gamma": [1e-6, 9.0]}
    search = GridSearchCV(pipeline, grid, scoring=mavr.labelled_f1, cv=mavr.LabelledFolds(3))
    search.fit(X, given)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert mavr.labelled_f1(search, X, given) > 0.9
    rest = ~Y.any(axis=1)
    assert f1_score(truth[rest], search.predict(X)[rest], average="macro") > 0.7


def test_the_models_own_score_needs_all_entries(discs):
    X, truth, Y = discs
    model = mavr.MAVRMultiLabelClassifier().fit(X, Y)
    expected = accuracy_score(truth, model.predict(X))
    assert model.score(X, truth) == expected
    assert model.score(X, 2 * truth - 1) == expected
    for unknown in (Y, with_nan(Y)):
        with pytest.raises(ValueError, match=r"300 unknown entries, .* mavr\.labelled_f1\(model"):
            model.score(X, unknown)
    with pytest.raises(ValueError, match="y must give the labels to score against, got None"):
        model.score(X, None)


def test_scores_say_what_they_cannot_count(discs):
    X, _, Y = discs
    model = mavr.MAVRMultiLabelClassifier().fit(X, Y)
    for y, weight, message in (
        (np.zeros((150, 3)), None, r"no known entry to score; use cv=mavr\.LabelledFolds"),
        (None, None, "y must give the labels to score against, got None"),
        (Y[:5], None, r"inconsistent numbers of samples: \[150, 5\]"),
        (Y, np.zeros(150), "sample_weight must have a sum > 0 .* got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            mavr.labelled_f1(model, X, y, weight)


# Odd labels.


def said(Y, **setting):
    """What warnings say when such labels are fitted."""
    n = len(Y) if isinstance(Y, list) else Y.shape[0]
    X = np.linspace(0, 1, n)[:, None]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mavr.MAVRMultiLabelClassifier(n_neighbors=3, **setting).fit(X, Y)
    assert all(w.filename == __file__ for w in caught)
    return " ".join(str(w.message) for w in caught)


HIDDEN = [[1, 1], [1, 0], [0, 1], [-1, -1], [-1, -1], [-1, -1]]
DENIED = [[1, 1], [1, -1], [-1, 1], [-1, -1], [-1, -1], [-1, -1]]


@pytest.mark.parametrize("Y", [HIDDEN, DENIED], ids=["0 and 1", "signed"])
def test_rows_of_denied_labels_get_a_hint(Y):
    text = said(Y)
    assert text.startswith("3 rows of y are -1 alone, which denies these points every label; write")
    assert said(sp.csr_array(Y)) == text
    assert said(Y, zero="unknown") == ""


@pytest.mark.parametrize(
    "Y",
    [
        [[1, -1], [-1, 1], [-1, -1], [0, 0]],
        [[1, 1], [1, 0], [nan, nan], [-1, -1]],
        [[1], [-1], [-1], [1]],
        [[1, 0], [0, 1], [1, 1], [0, 0]],
    ],
    ids=["unknown rows", "NaN", "one column", "no -1"],
)
def test_other_labels_get_none(Y):
    assert said(Y) == ""


def test_the_hint_is_worth_following(discs):
    """Rows meant to be unlabelled deny every label; as zeros they do not."""
    X, truth, Y = discs
    rest = ~Y.any(axis=1)
    scores = []
    for hidden in (-1, 0):
        given = np.where(rest[:, None], hidden, Y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = mavr.MAVRMultiLabelClassifier().fit(X, given)
        assert len(caught) == (hidden == -1)
        scores.append(f1_score(truth[rest], model.transduction_[rest], average="macro"))
    assert scores[1] > scores[0] + 0.1


@pytest.mark.parametrize("threshold", ["learned", "frequency"])
def test_a_label_that_is_known_nowhere_is_told(threshold):
    Y = [[1, 0, -1], [-1, 0, 1], [0, 0, 0], [1, 0, 1], [0, 0, 0]]
    text = said(Y, threshold=threshold)
    assert "the labels [1] are known at no point and given to none" in text
    assert said(np.delete(Y, 1, axis=1), threshold=threshold) == ""
    assert said(Y, threshold=0.0) == ""


@pytest.mark.parametrize("threshold", [None, nan, [0.0, None], [0.0, nan], ["a", 1]], ids=repr)
def test_a_threshold_that_is_no_number(threshold):
    with pytest.raises(ValueError, match="threshold must be a number, learned, frequency, got"):
        said(HIDDEN, threshold=threshold, zero="unknown")


def test_classes_in_one_row_get_a_hint_at_columns():
    with pytest.raises(ValueError, match=r"one column per label .* -1 .* use MAVRClassifier"):
        said(np.array([0, 1, -1, -1]))


def test_a_norm_with_denied_labels_beyond_the_dense_limit():
    X, Y = np.arange(20_000.0)[:, None], np.tile([[1, -1], [-1, 1]], (10_000, 1))
    model = mavr.MAVRMultiLabelClassifier(tau="auto", threshold="frequency")
    with pytest.raises(ValueError, match=r"20000 points .* use tau=None$"):
        model.fit(X, Y)


def test_the_library_says_how_unlabelled_rows_are_written():
    text = re.sub(r"\s+", " ", mavr.__doc__)
    assert "with several labels per point its row of y is 0, or NaN" in text
