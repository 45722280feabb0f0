"""The code that a map is exported as computes the same cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lab.board.view import fresh_view
from lab.data import Data
from lab.map.axes import AxisView
from lab.map.code import as_code
from lab.map.request import NUMBERS, TIED, answered, request_of
from lab.map.view import map_of
from tests.lab.test_map import small


def painted(view):
    """With a point moved, one added, one deleted, and a class more."""
    marks = replace(
        view.board.marks,
        moved=((4, 1.0, -2.0),),
        added=((0.5, 0.5, 1), (9.0, 9.0, -1)),
        deleted=(7, 20),
        extra=1,
    )
    return replace(view, board=replace(view.board, marks=marks))


def with_setting(view, **values):
    board = view.board
    return replace(view, board=replace(board, setting=board.setting.having(**values)))


CODES = {
    "tau": small(y=AxisView("tau", 1, 4)),
    "noise": small(y=AxisView("noise")),
    "labels": small(y=AxisView("n_labelled")),
    "an entry of P": small(y=AxisView("P[0, 1]")),
    "painted": painted(small(y=AxisView("tau"))),
    "painted, noise": painted(small(x=AxisView("noise"), y=AxisView("n_labelled"))),
    "neighbours, balance": with_setting(
        small(x=AxisView("balance"), y=AxisView("n_neighbors")),
        **{"similarity": "knn", "class_prior": (1.0, 2.0, 3.0), "tau": None},
    ),
    "an unknown class": replace(
        map_of(fresh_view(Data("disc_rings", seed=1, unknown=1))), y=AxisView("tau")
    ),
}


@pytest.mark.parametrize("name", CODES)
def test_the_code_computes_the_map(name, capsys):
    view = CODES[name]
    request = request_of(view, {})
    assert len(as_code(request, {}).splitlines()) <= (22 if "painted" in name else 16)
    short = replace(
        request,
        x=replace(request.x, values=request.x.values[:2]),
        y=replace(request.y, values=request.y.values[:2]),
    )
    space: dict = {}
    exec(as_code(short, {}), space)
    chunk = answered(short, range(4), {})
    codes = np.where(space["grid"].ties, TIED, 0) + space["grid"].labels
    alive = (chunk.codes != -2).all(axis=(0, 1))
    np.testing.assert_array_equal(codes.reshape(2, 4, -1), chunk.codes[:, :, alive])
    error = space["grid"].measures["error"].reshape(2, 4)
    np.testing.assert_allclose(error, chunk.numbers[:, NUMBERS.index("error")], atol=1e-6)
    assert "(2, 2, 2, " in capsys.readouterr().out


def test_the_code_has_the_values_of_every_axis():
    for name in ("sigma", "tau", "balance", "P[0, 1]", "P[1, 1]", "noise", "n_labelled"):
        request = request_of(small(y=AxisView(name)), {})
        line = next(t for t in as_code(request, {}).splitlines() if t.startswith("y = "))
        space = {"np": np, "Axis": lambda _, values: tuple(values)}
        exec(line, space)
        assert space["y"] == request.y.values


def test_the_code_keeps_settings_of_the_right_method(capsys):
    view = small()
    own = replace(view.board, own=True, second=replace(view.board.second, gamma=3.0))
    request = request_of(replace(view, board=own), {})
    short = replace(
        request,
        x=replace(request.x, values=request.x.values[10:12]),
        y=replace(request.y, values=request.y.values[20:22]),
    )
    space: dict = {}
    exec(as_code(short, {}), space)
    chunk = answered(short, range(4), {})
    np.testing.assert_array_equal(space["grid"].labels[0].reshape(4, -1), chunk.codes[0] % TIED)
    np.testing.assert_array_equal(space["right"].labels[0], chunk.codes[1] % TIED)
