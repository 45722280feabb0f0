"""Marks of the board of classes: what each event does, and what does not fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.board.face import Classes, follow
from lab.board.marks import MAX_ADDED, MAX_CLASSES, Marks, apply
from lab.board.view import View
from lab.history import History


def event(op, *indices, **more):
    return {"op": op, "indices": list(indices), **more}


STEPS = [
    event("label", 3, 5, **{"class": 1}),
    event("erase", 5),
    event("add", x=0.5, y=0.25, **{"class": -1}),
    event("move", 10, x=1.0, y=2.0),
    event("move", 2, x=9.0, y=9.0),
    event("delete", 3),
    event("add_class"),
]
AFTER = Marks((), ((1.0, 2.0, -1),), ((2, 9.0, 9.0),), (3,), 1)


def test_marks_follow_events():
    marks = Marks()
    for e in STEPS:
        marks = apply(marks, e, 10, 2)
    assert marks == AFTER


BAD = [
    event("label", 10, **{"class": 0}),
    event("label", -1, **{"class": 0}),
    event("label", 0, **{"class": 2}),
    event("label", 0, **{"class": True}),
    event("label", 0),
    event("label", "0", **{"class": 1}),
    event("label", 0.0, **{"class": 1}),
    {"op": "label", "indices": "01", "class": 1},
    {"op": "label", "indices": None, "class": 1},
    event("move", 0, 1, x=0, y=0),
    event("move", 0, x=float("nan"), y=0),
    event("move", 0, x=float("inf"), y=0),
    event("move", 0, x="0", y=0),
    event("add", x=1e13, y=0, **{"class": 0}),
    event("add", x=0, y=0, **{"class": -2}),
    event("delete", *range(9)),
    event("nonsense", 0),
    {"indices": [0]},
    {"op": ["label"], "indices": [0]},
    {"op": {}, "indices": [0]},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_events_that_do_not_fit_change_nothing(bad):
    assert apply(Marks(), bad, 10, 2) == Marks()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["label", "erase", "add", "move", "delete", "add_class"])},
        optional={name: anything for name in ("indices", "class", "x", "y")},
    )
)
def test_whatever_a_browser_sends_gives_marks(sent):
    marks = apply(Marks(), sent, 10, 2)
    assert all(0 <= i < 10 and 0 <= j < 2 for i, j in marks.labels)
    assert all(0 <= i < 10 for i in marks.deleted)


def test_points_and_classes_are_not_added_without_end():
    marks = Marks()
    for _ in range(MAX_ADDED + 5):
        marks = apply(marks, event("add", x=0, y=0, **{"class": 0}), 10, 2)
        marks = apply(marks, event("add_class"), 10, 2)
    assert len(marks.added) == MAX_ADDED
    assert 2 + marks.extra == MAX_CLASSES


def test_a_deleted_point_takes_no_label():
    marks = apply(Marks(deleted=(3,)), event("label", 3, 4, **{"class": 1}), 10, 2)
    assert marks.labels == ((4, 1),)


FACE = Classes()


def sent(view, *events):
    base = FACE.base(view)
    return [{"seq": k + 1, "base": base, **e} for k, e in enumerate(events)]


def test_undo_leads_back_through_every_event_and_redo_forward():
    start = History(View())
    events = sent(start.now, *STEPS)
    done = follow(FACE, start, events, {})
    assert len(done.past) == len(STEPS)
    back = follow(FACE, done, sent(start.now, *[event("undo")] * len(STEPS)), {})
    assert back.now == start.now
    again = follow(FACE, back, sent(start.now, *[event("redo")] * len(STEPS)), {})
    assert again.now == done.now


def test_an_event_for_another_data_set_comes_too_late():
    start = History(View())
    late = {"seq": 1, "base": "another", **event("label", 1, **{"class": 1})}
    assert follow(FACE, start, [late], {}) == start


def test_an_event_that_changes_nothing_is_no_step():
    start = History(View())
    assert follow(FACE, start, sent(start.now, event("erase", 5), event("nonsense")), {}) == start
