"""Labels as people write them, and what is said of other ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

import mavr
from tests.estimator_cases import CLASSES

LINE = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])


@pytest.mark.parametrize(
    ("y", "got"),
    [
        ([0.0, 1.0, np.nan, np.nan], "nan at row 2"),
        (np.array(["a", "b", None, "b"], dtype=object), "None at row 2"),
        (["a", "b", "", "a"], "'' at row 2"),
        (np.array([0, 1, 1, np.nan], dtype=object), "nan at row 3"),
        (np.array(["a", "b", "a", ""], dtype=object), "'' at row 3"),
    ],
)
@pytest.mark.parametrize("Classifier", CLASSES)
def test_other_marks_get_a_hint(Classifier, y, got):
    mark = '"-1"' if any(isinstance(label, str) for label in y) else "-1"
    with pytest.raises(ValueError, match=f"got {got}; a point without label is marked {mark}$"):
        Classifier(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], y)


def test_an_empty_name_is_a_class_where_it_is_named():
    X = [[0.0], [0.1], [5.0], [5.1]]
    model = mavr.MAVRClassifier("gaussian", classes=["", "b"]).fit(X, ["", "-1", "b", "-1"])
    assert model.transduction_.tolist() == ["", "", "b", "b"]


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_frames_and_series(moons, kind):
    X, _, y = moons
    names = np.array(["low", "up", "-1"])
    rows = [f"row {i}" for i in range(len(X))]
    frame = pd.DataFrame(X, columns=["east", "north"], index=rows)
    model = mavr.MAVRClassifier().fit(frame, pd.Series(names[y], index=rows, dtype=kind))
    expected = mavr.MAVRClassifier().fit(X, y)
    np.testing.assert_array_equal(model.transduction_, names[expected.transduction_])
    assert model.feature_names_in_.tolist() == ["east", "north"]
    new = frame[::7] + 0.01
    np.testing.assert_array_equal(model.predict(new), names[expected.predict(X[::7] + 0.01)])
    np.testing.assert_array_equal(model.predict_proba(new), expected.predict_proba(X[::7] + 0.01))
    gaps = pd.Series(names[y], dtype=kind).replace("-1", None)
    with pytest.raises(ValueError, match=r'a point without label is marked "-1"$'):
        model.fit(frame, gaps)


def test_score_leaves_unlabelled_rows_out(moons):
    X, truth, y = moons
    model = mavr.MAVRClassifier("gaussian", sigma=0.15).fit(X, y)
    known = y != -1
    assert model.score(X, y) == accuracy_score(y[known], model.predict(X[known]))
    weight = np.arange(120.0)
    expected = accuracy_score(truth, model.predict(X), sample_weight=weight)
    assert model.score(X, truth, weight) == pytest.approx(expected)
    with pytest.raises(ValueError, match="no labelled row to score"):
        model.score(X, np.full(120, -1))


NAMES = np.array(["a", "-1", "-1", "b", "-1", "-1"])


@pytest.mark.parametrize("text", ["nan", "<NA>"])
@pytest.mark.parametrize("dtype", [str, object])
def test_a_string_that_numpy_makes_of_a_gap_gets_a_hint(text, dtype):
    y = np.where(NAMES == "-1", text, NAMES).astype(dtype)
    with pytest.raises(ValueError, match=f"got '{text}' at row 1; .* is marked \"-1\"$"):
        mavr.MAVRClassifier(n_neighbors=2).fit(LINE, y)
    named = mavr.MAVRClassifier("gaussian", sigma=0.5, classes=["a", "b", text]).fit(LINE, y)
    assert named.classes_.tolist() == sorted(["a", "b", text])


def test_scores_refuse_other_marks_as_fit_does():
    model = mavr.MAVRClassifier(n_neighbors=2).fit(LINE, [0, -1, -1, 1, -1, -1])
    for score in (model.score, lambda X, y: mavr.labelled_accuracy(model, X, y)):
        with pytest.raises(ValueError, match=r"got nan at row 1; .* is marked -1$"):
            score(LINE, [0.0, np.nan, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("y", "classes", "kind"),
    [
        (np.array([0, -1, -1, 7, -1, -1], dtype=object), [0, 7], "i"),
        (np.array([np.int64(0), -1, -1, 7, -1, -1], dtype=object), [0, 7], "i"),
        (np.array([True, -1, -1, False, -1, -1], dtype=object), [True, False], "b"),
        (pd.Series([0, -1, -1, 7, -1, -1], dtype="Int64"), [0, 7], "i"),
        (pd.DataFrame({"y": [0, -1, -1, 7, -1, -1]}, dtype="Int64")["y"], [0, 7], "i"),
    ],
    ids=["ints", "NumPy ints", "truth values", "Int64", "a column"],
)
def test_numbers_in_other_dress(y, classes, kind):
    for given in (None, classes):
        model = mavr.MAVRClassifier(n_neighbors=2, classes=given).fit(LINE, y)
        assert model.transduction_.tolist() == [classes[0]] * 3 + [classes[1]] * 3
        assert model.classes_.tolist() == sorted(classes)
        assert model.transduction_.dtype.kind == model.classes_.dtype.kind == kind
        assert model.score(LINE, y) == 1.0


def test_classes_that_are_the_mark_are_shown_as_written():
    with pytest.raises(ValueError, match=r"classes must not name -1: it marks no label"):
        mavr.MAVRClassifier(classes=[-1, 0, 1]).fit(LINE, [0, -1, -1, 1, -1, -1])


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (None, None, "y must give the classes to score against, -1 where unknown, got None"),
        ([0, 1], None, r"inconsistent numbers of samples: \[6, 2\]"),
        ([0, 0, 0, 1, 1, 1], [1.0], r"inconsistent numbers of samples: \[6, 6, 1\]"),
        (
            [0, -1, -1, 1, 1, 1],
            [0, 1, 1, 0, 0, 0],
            "must have a sum > 0 over the labelled .* got 0",
        ),
    ],
    ids=["no y", "short y", "short weights", "no weight"],
)
def test_what_cannot_be_scored_is_said(y, weight, message):
    model = mavr.MAVRClassifier(n_neighbors=2).fit(LINE, [0, -1, -1, 1, -1, -1])
    with pytest.raises(ValueError, match=message):
        model.score(LINE, y, weight)


@pytest.mark.parametrize("Classifier", [*CLASSES, mavr.MAVRMultiLabelClassifier])
def test_fit_without_y_names_the_class(Classifier):
    with pytest.raises(ValueError, match=f"{Classifier.__name__} estimator requires y to be"):
        Classifier().fit(LINE)
