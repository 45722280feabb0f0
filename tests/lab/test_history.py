"""Undo and redo of any frozen value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lab.history import MAX_STEPS, History


def test_undo_leads_back_and_redo_forward():
    history = History(0)
    for k in range(1, 6):
        history = history.put(k)
    for k in range(4, -1, -1):
        history = history.undo()
        assert history.now == k
    assert history.undo() == history
    for k in range(1, 6):
        history = history.redo()
        assert history.now == k
    assert history.redo() == history


def test_a_new_value_forgets_what_was_undone():
    history = History(0).put(1).put(2).undo().put(5)
    assert history.redo() == history
    assert history.undo().now == 1


def test_the_same_value_again_is_no_step():
    history = History(0).put(1).undo()
    assert history.put(0) is history
    assert history.redo().now == 1


def test_it_does_not_grow_for_ever():
    history = History(0)
    for k in range(3 * MAX_STEPS):
        history = history.put(k)
    assert len(history.past) == MAX_STEPS
    for _ in range(3 * MAX_STEPS):
        history = history.undo()
    assert history.now == 2 * MAX_STEPS - 1


@given(st.lists(st.sampled_from(["undo", "redo"]) | st.integers(0, 3), max_size=40))
def test_it_is_a_list_with_a_place_in_it(steps):
    """The model: all values so far, and where one stands."""
    history, values, at = History(0), [0], 0
    for step in steps:
        if step == "undo":
            history, at = history.undo(), max(at - 1, 0)
        elif step == "redo":
            history, at = history.redo(), min(at + 1, len(values) - 1)
        else:
            if step != values[at]:
                values, at = [*values[: at + 1], step], at + 1
            history = history.put(step)
        assert history.now == values[at]
        assert (bool(history.past), bool(history.future)) == (at > 0, at < len(values) - 1)
