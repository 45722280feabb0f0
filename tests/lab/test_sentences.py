"""What an example says is true of the numbers that it shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest

import lab
from lab.board.answers import TIE, Answer, Result, compute
from lab.board.scene import graph
from lab.board.view import CODEC, View, fresh_view
from lab.data import Data
from lab.examples.gallery import PANELS
from lab.examples.presets import PRESETS, Opened
from mavr import relations
from mavr.methods import METHODS

GUIDE = Path(lab.__file__).parent / "guide"


def solved(view: View) -> Result:
    """The answers alone, without the shading of the plane."""
    return compute(replace(view, shade=False), {})


def shown(name: str) -> tuple[View, Result]:
    view = PRESETS[name].make()
    return view, solved(view)


def taken(result: Result, a: Answer, ring: int) -> list[int]:
    """How many points of a true class each class takes, tied ones left out."""
    here = (result.scene.truth == ring) & ((a.flags & TIE) == 0)
    return [int((a.pred[here] == j).sum()) for j in range(result.scene.n_classes)]


def relation(view: View) -> np.ndarray:
    return np.array(view.parameters(4).P if view.setting.parameters.P is not None else np.eye(4))


def test_where_mavr_beats_lgc():
    view, result = shown("beats")
    assert [j for _, j in sorted(view.marks.labels, key=lambda mark: mark[1])] == [0, 1, 2]
    gamma, rho = view.setting.parameters.gamma, result.left.solution.rho
    assert gamma / (gamma + 1) == pytest.approx(0.99)
    assert 0.99 < gamma / (gamma - rho) < 1
    assert result.left.error < result.right.error / 2
    assert (result.left.method, result.right.method) == ("mavr", "lgc")


def test_where_they_agree():
    _, result = shown("agree")
    assert result.disagree == 0
    assert result.left.error == result.right.error == 0


def test_collapse_without_balance():
    view, result = shown("collapse")
    assert view.parameters(3).balance == 0 < view.parameters(3, right=True).balance
    assert 0.6 < result.left.error < 2 / 3
    assert result.right.error < 0.05
    assert [a.title for a in result.answers] == ["MAVR, balance 0", "MAVR, balance 1"]
    same = solved(replace(view, own=False))
    assert [a.title for a in same.answers] == ["MAVR, left", "MAVR, right"]
    labelled = {j: i for i, j in view.marks.labels}
    degrees = np.asarray(graph(view, result.scene).W.sum(axis=1)).ravel()
    best = max(labelled, key=lambda j: degrees[labelled[j]])
    assert best == np.bincount(result.left.pred[result.left.pred >= 0]).argmax()


def test_a_wrong_label():
    view, result = shown("wrong_label")
    truth = result.scene.truth
    wrong = [(i, j) for i, j in view.marks.labels if truth[i] != j]
    assert [(truth[i], j) for i, j in wrong] == [(0, 1)]
    y = result.scene.points[:, 1]
    assert y[truth == 0].mean() > y[truth == 1].mean(), "class 1 is the upper moon"
    assert all(a.error > 1 / 3 for a in result.answers)
    kept = tuple(mark for mark in view.marks.labels if mark not in wrong)
    without = solved(replace(view, marks=replace(view.marks, labels=kept)))
    assert without.left.method == "mavr"
    assert without.left.error == 0


def test_two_moons():
    view, result = shown("moons")
    assert len(view.marks.labels) == 2
    assert result.scene.data.n == 300
    assert all(a.n_wrong <= 1 for a in result.answers)


def test_a_class_without_labels():
    view, result = shown("no_label")
    P = relation(view)
    assert set(map(tuple, np.argwhere(np.triu(P, 1) > 0))) == {(1, 3), (2, 3)}
    assert {j for _, j in view.marks.labels} == {0, 1, 2}
    assert taken(result, result.left, 3) == [0, 0, 0, 50]
    assert sum(n > 0 for n in taken(result, result.right, 3)[:3]) > 1


def test_two_classes_that_attract():
    view, result = shown("attraction")
    P = relation(view)
    assert P[0, 1] == -0.9
    assert set(map(tuple, np.argwhere(np.triu(P, 1)))) == {(0, 1)}
    assert taken(result, result.left, 3) == [0, 0, 50, 0]
    first, second, third, fourth = taken(result, result.right, 3)
    assert first == fourth == 0 < min(second, third)


def test_points_that_no_label_reaches():
    view, result = shown("disconnected")
    assert view.setting.graph.value("n_neighbors") == 5
    assert 2 not in {j for _, j in view.marks.labels}
    for a in result.answers:
        assert (a.pred[result.scene.truth == 2] == -1).all()
        assert a.n_unreached == (result.scene.truth == 2).sum()


def test_every_example_was_checked():
    tested = {"beats", "agree", "collapse", "wrong_label", "moons", "no_label", "attraction"}
    assert set(PRESETS) == tested | {"disconnected"}


def test_an_example_that_was_changed_is_marked():
    view = PRESETS["moons"].make()
    opened = Opened("moons", view)
    assert opened.sentence(view).endswith("~~(You have changed it.)~~")
    changed = replace(view, setting=view.setting.having(gamma=7))
    assert opened.sentence(changed).endswith(" *(You have changed it.)*")
    # Other points of the same set keep its place, another set does not.
    noisy = replace(view, data=view.data.having(noise=0.2))
    assert opened.sentence(noisy).endswith(" *(You have changed it.)*")
    assert opened.sentence(replace(view, data=Data("bars"))) == ""


@pytest.mark.parametrize(
    ("name", "counts"), [("P1", [0, 0, 50, 0]), ("P2", [0, 50, 0, 0]), ("P3", [0, 0, 0, 50])]
)
def test_ring_four_goes_where_the_panel_says(name, counts):
    panel = PANELS[f"1-{name}"]
    result = solved(panel.view())
    assert taken(result, result.left, 3) == counts
    repelled = [j + 1 for j in range(3) if np.array(relations.PAPER[name])[j, 3] > 0]
    word = " and ".join(map(str, repelled))
    assert f"repelled by class{'es' if len(repelled) > 1 else ''} {word}" in panel.lesson


def test_lgc_shares_ring_four_out():
    result = solved(PANELS["1-I"].view())
    assert result.left.method == "lgc"
    assert METHODS["lgc"].title in PANELS["1-I"].title
    first, second, third, fourth = taken(result, result.left, 3)
    assert first == fourth == 0 < min(second, third)


@pytest.mark.parametrize("name", ["2-P4", "3-P5", "4-P5", "5-P6", "5i-P5"])
def test_one_label_finds_every_shape_once_its_tie_is_split(name):
    view = PANELS[name].view()
    assert len(view.marks.labels) == 1
    tied = solved(replace(view, split=False)).left
    assert tied.n_tied > 0
    if name == "2-P4":
        assert tied.solution.interchangeable == ((1, 2),)
    result = solved(view)
    assert "split" in result.left.title
    np.testing.assert_array_equal(result.left.pred, result.scene.truth)


@pytest.mark.parametrize("name", [name for name in PANELS if name.endswith("but")])
def test_the_class_without_a_label_is_found(name):
    view = PANELS[name].view()
    result = solved(view)
    labelled = {j for _, j in view.marks.labels}
    assert set(range(result.scene.n_classes)) - labelled == {view.data.unknown}
    assert result.left.n_tied == 0
    np.testing.assert_array_equal(result.left.pred, result.scene.truth)


def test_a_class_that_is_hidden_keeps_its_colour_and_so_do_the_others():
    given, hidden = (solved(fresh_view(Data("rings", unknown=j))).scene for j in (-1, 1))
    assert given.names == hidden.names
    np.testing.assert_array_equal(given.truth, hidden.truth)
    assert {int(j) for j in hidden.labels if j >= 0} == {0, 2, 3}


TOUR = re.findall(r"\[([^\]]+)\]\(\./(\w*)\?([^)]+)\)", (GUIDE / "help.md").read_text("utf-8"))


def tour(words: str) -> tuple[View, Result]:
    """The view that a link of the Guide's tour opens, by the beginning of its words."""
    ((_, _, query),) = [link for link in TOUR if link[0].startswith(words)]
    view, problems = CODEC.read(dict(parse_qsl(query)))
    assert problems == []
    return view, solved(view)


def test_the_tour_says_what_its_links_show():
    assert len(TOUR) == 8
    _, first = tour("Three circles")
    assert (round(100 * first.left.error), round(100 * first.right.error)) == (7, 30)
    _, large = tour("The same with a large")
    assert large.left.error == large.right.error == 0
    _, same = tour("The τ at which")
    alpha = same.left.solution.alpha
    assert alpha == pytest.approx(0.99, abs=5e-4)
    assert same.disagree == 0
    _, collapsed = tour("One class takes")
    assert np.bincount(collapsed.left.pred).max() / 300 > 2 / 3
    _, balanced = tour("the same with balance")
    assert balanced.left.error < 0.05
    _, found = tour("A ring without a label")
    assert taken(found, found.left, 3) == [0, 0, 0, 50]
    _, tied = tour("Two rings that nothing")
    assert tied.left.n_tied == 100
