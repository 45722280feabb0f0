"""The comparison of the defaults: its draws, its methods, its verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

import mavr
import mavr.commands.bench
from mavr.commands.bench import defaults as d


@pytest.mark.parametrize("rate", d.RATES)
def test_draws(rate):
    y = np.repeat([0, 1, 2], [30, 60, 90])
    drawn = d.draw(y, rate, 3)
    known = drawn >= 0
    np.testing.assert_array_equal(drawn[known], y[known])
    counts = np.bincount(drawn[known], minlength=3)
    if isinstance(rate, int):
        assert counts.tolist() == [rate] * 3
    else:
        assert counts.sum() == 15
        assert counts.min() >= 1
    np.testing.assert_array_equal(drawn, d.draw(y, rate, 3))
    assert d.draw(np.array([0, 0, 1, 1]), 2, 0) is None


@pytest.mark.parametrize(
    "model",
    [
        # One graph for all draws: none that depends on the labels.
        mavr.MAVRClassifier(directions=None),
        mavr.MAVRClassifier.paper(),
        mavr.LGCClassifier(),
        mavr.BAVRClassifier(),
        mavr.LapRLSClassifier(),
    ],
)
def test_ours_are_the_estimators_as_they_come(model):
    X, truth = make_moons(80, noise=0.1, random_state=0)
    y = d.draw(truth, 3, 0)
    predict = d._ours(model, X)
    np.testing.assert_array_equal(predict(y), model.fit(X, y).transduction_)


def test_mavr_is_fitted_as_it_comes():
    X, truth = make_moons(80, noise=0.1, random_state=0)
    y = d.draw(truth, 3, 0)
    model = mavr.MAVRClassifier().fit(X, y)
    np.testing.assert_array_equal(d._fitted(X)(y), model.transduction_)


def test_sets_that_are_made_are_made_anew_for_each_draw(monkeypatch):
    """Each draw's error is that of the labels of its seed on the points of its seed."""
    monkeypatch.setattr(d, "PEERS", {})
    monkeypatch.setattr(d, "OUR_METHODS", {d.OURS: d.OUR_METHODS[d.OURS]})
    moons = next(points for points in d.own_sets() if points.name == "moons")
    error = d.compare(moons, draws=2, seed=7).error[d.OURS]
    for k in range(2):
        X, truth = make_moons(300, noise=0.1, random_state=7 + k)
        y = d.draw(truth, 1, 7 + k)
        found = mavr.MAVRClassifier().fit(X, y).transduction_
        assert error[0, k] == np.mean((found != truth)[y == -1])
    # A set of the world stays as it is.
    iris = next(points for points in d.own_sets() if points.name == "iris")
    assert iris.anew(3) is iris


def result(ours, theirs):
    points = d.Points("made", np.zeros((4, 1)), np.array([0, 0, 1, 1]))
    return d.Result(points, {d.OURS: np.array(ours), "LabelSpreading": np.array(theirs)})


def test_the_best_peer_and_its_p():
    lower = [[0.1, 0.11, 0.12, 0.1]] * 5
    higher = [[0.2, 0.22, 0.21, 0.23]] * 5
    assert d.best_peer(result(lower, higher), 0) == ("LabelSpreading", 1.0)
    name, p = d.best_peer(result(higher, lower), 0)
    assert name == "LabelSpreading"
    assert p < 0.01


def test_what_is_worse_and_what_was_not_looked_at_is_marked():
    found = d._set_lines(result([[0.2, 0.22, 0.21, 0.23]] * 5, [[0.1, 0.11, 0.12, 0.1]] * 5))
    ours, theirs, *_ = (line.what for line in found)
    assert ours.startswith("made*, MAVR: 21.5† / 21.5†")
    assert theirs.startswith("made*, LabelSpreading: 10.8 / 10.8")


def test_the_section_runs_on_files(monkeypatch, tmp_path):
    X, y = make_moons(60, noise=0.05, random_state=0)
    np.savez(tmp_path / "own.npz", X=X, y=y)
    monkeypatch.setattr(d, "own_sets", list)
    monkeypatch.setattr(d, "PEERS", {"LabelSpreading": d.PEERS["LabelSpreading"]})
    monkeypatch.setattr(d, "OUR_METHODS", {d.OURS: d.OUR_METHODS[d.OURS]})
    found = list(d.lines([tmp_path / "own.npz"]))
    assert found[0].what.startswith("own*, MAVR: ")
    assert any("Holm" in line.what for line in found)
    assert found[-1].least == 0.0
    assert found[-1].met
    assert mavr.commands.bench.SECTIONS["defaults"] is d.lines


def test_holms_correction():
    """Against the definition: the smallest alpha-adjusted p, one after the other."""
    rng = np.random.default_rng(0)
    for m in (1, 3, 20):
        for _ in range(20):
            p = rng.random(m) ** 6
            left, rejected = sorted(p), 0
            while left and left[0] < 0.05 / len(left):
                left, rejected = left[1:], rejected + 1
            assert d.significant_by_holm(p) == rejected
    assert d.significant_by_holm([0.04, 0.04]) == 0
    assert d.significant_by_holm([]) == 0
