"""The comparison on digits: one small run of everything, and its statistics on made-up errors."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import ttest_rel

import mavr.commands.bench
from mavr.commands.bench import digits, growth, peers, scale
from mavr.commands.bench.digits import Entry, as_lines, p_values


@pytest.fixture(scope="module")
def small():
    return digits.run(draws=3, rates=(2, 5), n=400)


def test_every_method_takes_part(small):
    assert [entry.name for entry in small] == list(digits.METHODS)
    for entry in small:
        assert entry.error.shape == entry.seconds.shape == (2, 3)
        assert (entry.error < 0.9).all()
        assert (entry.seconds > 0).all()
    assert small[0].mean.max() < 0.25


def test_runs_can_be_repeated(small):
    again = digits.run(draws=3, rates=(2, 5), n=400)
    for first, second in zip(small, again, strict=True):
        np.testing.assert_array_equal(first.error, second.error)


def test_without_graphlearning(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphlearning", None)
    entries = digits.run(draws=2, rates=(5,), n=200)
    assert not any(entry.name.startswith("graphlearning") for entry in entries)
    assert len(entries) == len(digits.METHODS) - 2


def made_up(name, rows, seconds=1.0, peer=True):
    error = np.array(rows, dtype=float)
    return Entry(name, error, np.full_like(error, seconds), peer)


def test_p_values_are_those_of_scipy():
    rng = np.random.default_rng(0)
    ours, other = made_up("a", rng.random((2, 9))), made_up("b", rng.random((2, 9)))
    expected = [ttest_rel(ours.error[r], other.error[r]).pvalue for r in range(2)]
    np.testing.assert_allclose(p_values(ours, other), expected)
    np.testing.assert_array_equal(p_values(ours, ours), [1, 1])
    shifted = made_up("c", ours.error + 0.25)
    assert (p_values(ours, shifted) < 1e-3).all()


def test_lines_fail_where_the_claim_does():
    ours = made_up("ours", [[0.1, 0.12, 0.11], [0.3, 0.31, 0.33]], peer=False)
    worse = made_up("worse", ours.error + 0.1, seconds=2.0)
    assert all(line.met for line in as_lines([ours, worse], (1, 2)))
    gap = np.array([[0.4, 0.401, 0.402], [-0.1, -0.099, -0.098]])
    mixed = made_up("mixed", ours.error + gap, seconds=0.5)
    lost = [line.what for line in as_lines([ours, mixed], (1, 2)) if not line.met]
    assert len(lost) == 2
    assert "2 per class" in lost[0]
    assert lost[1] == "time of mixed / ours"
    better = made_up("better", ours.error - 0.05, seconds=2.0)
    lost = [line.what for line in as_lines([ours, better], (1, 2)) if not line.met]
    assert "error of better / ours" in lost


def test_the_section_is_registered(monkeypatch, small):
    assert mavr.commands.bench.SECTIONS["digits"] is digits.lines
    monkeypatch.setattr(digits, "run", lambda: small)
    monkeypatch.setattr(digits, "as_lines", lambda entries: as_lines(entries, (2, 5)))
    assert len(digits.lines()) == len(small) * 4 + 2 + 3 * 2


def test_one_draw_is_not_enough():
    with pytest.raises(ValueError, match="draws must be >= 2"):
        digits.run(draws=1)


def test_growth_is_measured_beside_the_peers(tmp_path, monkeypatch):
    monkeypatch.setattr(scale, "RATES", (2, 5))
    monkeypatch.setattr(scale, "DRAWS", 1)
    monkeypatch.setattr(scale, "SIZES", (60, 1000))
    monkeypatch.delitem(peers.PEERS, "Poisson learning")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    np.savez(tmp_path / "two.npz", X=rng.normal(size=(120, 3)) + 6 * y[:, None], y=y)
    monkeypatch.setattr(growth, "LARGE", 50)
    monkeypatch.setattr(growth, "_apart", lambda call, *arguments: call(*arguments))
    found = {line.what: line for line in scale.lines([tmp_path / "two.npz"], points=60)}
    assert found["plane, n = 60: classes left open per 1000"].value == 0
    assert 0.05 < found["plane, n = 60: peak memory with the points"].value < 16
    assert "two, n = 60: graph" in found
    assert np.isfinite(found["two: exponent of n, first solve, tau and balance"].value)
    assert found["two: recall of neighbours"].value == 1
    assert found["two, 5 per class: error of MAVR"].value == 0
    assert found["two, 5 per class: error of MAVR"].most == 0
    assert found["two, estimator's graph, 5 per class: error of MAVR"].value == 0
    assert found["two, the named setting, tau: a change of tau, times faster"].least == 20


def test_sizes_are_measured_in_processes_of_their_own(monkeypatch):
    """The peak of a small size is not that of what was done before."""
    # A fresh process imports the main module, which is app.py after a test that has run the app.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    before = growth._peak_mb()
    taken = np.ones(400 * 1024**2 // 8)
    here = growth._peak_mb()
    assert here >= before
    stages, left_open = growth._apart(growth.measure, growth.Source(), 60, ())
    assert max(stage.peak_mb for stage in stages) < here - taken.nbytes / 1024**2 / 2
    assert left_open == 0
    assert [stage.what for stage in stages][:2] == ["graph", "state"]
