"""Label sets of points: how they are drawn, what is set by hand, which files can be shown."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from datasets import DataError, Dataset
from lab.board.face import follow
from lab.data import Data, load
from lab.history import History
from lab.sets.answers import standardised
from lab.sets.face import Sets
from lab.sets.labels import Labels, apply, drawn, given, signs, with_row
from lab.sets.view import MAX_POINTS, LabelView, fresh_view, preset, with_label_sets

FACE = Sets()
DISCS = Data("multilabel", (("n", 120),), 1)


@pytest.fixture(scope="module")
def discs():
    return load(DISCS, {})


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


def told(view, *events):
    base = FACE.base(view)
    return [{"seq": k + 1, "base": base, **e} for k, e in enumerate(events)]


def test_events_set_clear_undo_and_redo(discs):
    view = LabelView(data=DISCS, labels=Labels(share=0.0))
    done = follow(FACE, History(view), told(
        view,
        {"op": "set", "index": 5, "label": 1, "value": 1},
        {"op": "set", "index": 5, "label": 2, "value": -1},
        {"op": "truth", "index": 7},
    ), {})  # fmt: skip
    Y = given(discs, done.now.labels)
    assert Y[5].tolist() == [0, 1, -1]
    assert Y[7].tolist() == signs(discs)[7].tolist()
    assert np.flatnonzero(Y.any(axis=1)).tolist() == [5, 7]
    undo, redo = {"op": "undo"}, {"op": "redo"}
    back = follow(FACE, done, told(view, undo, undo), {})
    assert given(discs, back.now.labels)[5].tolist() == [0, 1, 0]
    assert follow(FACE, back, told(view, redo, redo), {}).now == done.now
    cleared = apply(done.now.labels, {"op": "clear", "index": 5}, discs)
    assert not given(discs, cleared)[5].any()


@pytest.mark.parametrize(
    "event",
    [
        {"op": "set", "index": 500, "label": 0, "value": 1},
        {"op": "set", "index": -1, "label": 0, "value": 1},
        {"op": "set", "index": 0, "label": 3, "value": 1},
        {"op": "set", "index": 0, "label": 0, "value": 2},
        {"op": "set", "index": 0, "label": 0, "value": None},
        {"op": "set", "index": "0", "label": 0, "value": 1},
        {"op": "set", "index": True, "label": 0, "value": 1},
        {"op": "explode", "index": 0},
        {"op": ["set"], "index": 0},
        {},
    ],
    ids=str,
)
def test_an_event_that_does_not_fit_changes_nothing(discs, event):
    assert apply(Labels(), event, discs) == Labels()


def test_rows_of_another_data_set_are_left_out(discs):
    odd = with_row(with_row(Labels(), 999, (1, 1, 1)), 3, (1, 1))
    np.testing.assert_array_equal(given(discs, odd), drawn(discs, Labels()))


def test_classes_become_sets_of_one_label():
    data = Dataset("d", np.arange(8.0).reshape(4, 2), [0, 1, -1, 1], ("a", "b"))
    assert with_label_sets(data).Y.tolist() == [[1, 0], [0, 1], [-1, -1], [0, 1]]


def test_files_that_cannot_be_shown_say_why():
    X = np.zeros((3, 2))
    with pytest.raises(DataError, match="has no labels"):
        with_label_sets(Dataset("d", X))
    names = tuple(str(j) for j in range(17))
    with pytest.raises(DataError, match="17 labels"):
        with_label_sets(Dataset("d", X, class_names=names, Y=np.zeros((3, 17))))


def test_many_points_are_sampled():
    X = np.arange(5000.0).reshape(2500, 2)
    data = with_label_sets(Dataset("d", X, class_names=("p",), Y=np.ones((2500, 1))))
    assert data.n == MAX_POINTS


def test_standardised_features():
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert standardised(X).tolist() == [[-1, 0, -1], [1, 0, 1]]


def test_a_threshold_that_was_never_set_is_like_the_last():
    view = LabelView(thresholds=(0.1, 0.2))
    assert preset(view, 3).tolist() == [0.1, 0.1, 0.1]
    assert preset(replace(view, per_label=True), 3).tolist() == [0.1, 0.2, 0.2]
    assert preset(replace(view, per_label=True), 1).tolist() == [0.1]


def test_one_threshold_is_moved_and_the_others_stay():
    view = LabelView(data=DISCS, per_label=True, thresholds=(0.1, 0.2, 0.3))
    after = FACE.changed(view, {"T.1": "0.5"}, {})
    assert preset(after, 3).tolist() == [0.1, 0.5, 0.3]


def test_an_own_p_and_other_points():
    view = LabelView(data=DISCS, labels=with_row(Labels(), 3, (1, 1, 1)))
    own = FACE.changed(view, {"P": "1~0~0_0~1~0_0~0~1"}, {})
    assert own.relation == "own"
    other = FACE.changed(view, {"seed": "5"}, {})
    assert other.data.seed == 5
    assert other.labels.rows == ()


def test_a_file_opens_in_the_setting_that_suits_it():
    rng = np.random.default_rng(0)
    name = "file:00000000000005e7"
    data = Dataset("d", rng.normal(size=(30, 5)), class_names=("p", "q"), Y=np.ones((30, 2)))
    view = fresh_view(Data(name), {name: data})
    assert (view.rule, view.per_label, view.standardise) == ("learned", True, True)
    assert view.setting.graph.similarity == "knn"
    assert fresh_view(DISCS) == LabelView(data=DISCS)
