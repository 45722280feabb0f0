"""What a board shows when it shows all points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lab.board import scene
from lab.board.answers import compute
from lab.board.view import fresh_view
from lab.data import Data, load

CIRCLES = Data("three_circles", (("n", 120),), 3)


def test_the_frame_holds_every_point_that_there_is():
    data, view = load(CIRCLES, {}), fresh_view(CIRCLES)
    x0, x1, y0, y1 = home = scene.compose(data, view.marks).bounds
    assert home == (*np.sort(data.X[:, 0])[[0, -1]], *np.sort(data.X[:, 1])[[0, -1]])

    def bounds(**marks):
        return scene.compose(data, replace(view.marks, **marks)).bounds

    # Within what the board shows anyway, and gone again: the frame stays where it is.
    near = x1 + 0.02 * (x1 - x0)
    assert bounds(moved=((3, near, 0.0),), added=((0.0, 0.0, -1),), deleted=(5,)) == home
    assert bounds(added=((90.0, 0.0, -1),), deleted=(120,)) == home
    middle, half = (x0 + x1) / 2, (x1 - x0) / 2
    for marks in ({"moved": ((3, 90.0, 0.0),)}, {"added": ((90.0, 0.0, 1),)}):
        a, b, c, d = bounds(**marks)
        assert (c, d) == (y0, y1)
        # Of a panel, 1 / 0.92 times as large, it is at 0.97 of the way to the edge.
        assert (90.0 - middle) / ((b - middle) / 0.92) == pytest.approx(0.97)
        # About the same middle: a board that showed all still does.
        assert (a + b) / 2 == pytest.approx(middle)
        assert b - a > 2 * half
    far = replace(view, marks=replace(view.marks, moved=((3, 90.0, 0.0),)))
    shaded = compute(far, {}).plane.bounds
    assert shaded[0] < bounds(moved=((3, 90.0, 0.0),))[0] < 90.0 < shaded[1]
