"""Where two methods answer differently, ties and unreached points included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lab.board.answers import DISAGREE, TIE, UNREACHED, compute
from lab.board.compare import Comparison, compare
from lab.board.view import fresh_view
from lab.data import Data


def test_a_class_named_by_one_method_alone_is_no_agreement():
    classes, nobody = np.array([0, 0, 1, -1, 2, -2], dtype=np.int16), np.zeros(6, dtype=bool)
    alive = classes != -2
    # Tied where the other names the same class, tied in both, with no label in both.
    one = np.array([True, False, True, True, False, False])
    other = np.array([False, False, True, True, False, False])
    differ, found = compare((classes, one), (classes, other), alive)
    assert differ.tolist() == [True, False, False, False, False, False]
    assert found == Comparison(n=5, differ=1, one_open=1, both_open=2)
    # What stands first among equal classes is no answer.
    differ, _ = compare((classes, other), (classes[::-1], other), alive & other)
    assert not differ.any()
    assert not compare((classes, nobody), (classes, nobody), alive)[0].any()


def test_ties_of_one_method_alone_are_told_and_ringed():
    """All shapes but the labelled one are tied in MAVR; LGC has one class for all points."""
    tied = replace(fresh_view(Data("rings_one")), shade=False)
    result = compute(tied, {})
    left, right = ((a.flags & (TIE | UNREACHED) > 0) for a in result.answers)
    assert (left != right).any() == (result.compared.one_open > 0)
    differ = (left != right) | (~left & ~right & (result.left.pred != result.right.pred))
    assert result.disagree == differ.sum()
    for a in result.answers:
        assert ((a.flags & DISAGREE > 0) == differ).all()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Comparison(300, 0, 0, 0), "agree everywhere"),
        (Comparison(300, 0, 0, 50), "agree; neither names a class for 50 of 300 points"),
        (Comparison(300, 0, 0, 300), "both name no class anywhere"),
        (Comparison(300, 7, 0, 50), "disagree on 7 of 300 points"),
        (Comparison(300, 7, 5, 0), "disagree on 7 of 300 points; on 5 of them only one names "),
        (Comparison(1731, 1731, 1731, 0), "disagree on 1731 of 1731 points, where only one nam"),
    ],
)
def test_whether_they_agree_is_said_with_the_points_that_have_no_class(found, words):
    assert found.words.startswith(words)
