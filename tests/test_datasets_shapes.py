"""Generators: class ratios, shapes and moments."""

from __future__ import annotations

import inspect
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

import datasets
from datasets import GENERATORS, DataError
from datasets.draws import shares
from mavr.settings import Number, Setting

SEEDS = range(5)


def by_class(data):
    return [data.X[data.y == j] for j in range(data.n_classes)]


# ---- 3circles


@pytest.mark.parametrize("n", [120, 138, 300, 480])
def test_three_circles_has_classes_as_1_2_3(n):
    data = datasets.three_circles(n=n)
    assert np.bincount(data.y).tolist() == [n // 6, n // 3, n // 2]


@given(n=st.integers(6, 2000))
def test_three_circles_rounds_the_ratio(n):
    counts = np.bincount(datasets.three_circles(n=n).y)
    assert counts.sum() == n
    assert (np.abs(counts - n * np.array([1, 2, 3]) / 6) < 1).all()


def test_three_circles_without_noise_lies_on_the_ellipses():
    data = datasets.three_circles(noise=0.0, seed=3)
    radius = np.hypot(data.X[:, 0] / 6, data.X[:, 1] / 5)
    np.testing.assert_allclose(radius, data.y + 1)


def test_three_circles_noise_is_gaussian_of_the_given_width_and_independent():
    clean = datasets.three_circles(n=6000, noise=0.0, seed=1).X
    noise = datasets.three_circles(n=6000, noise=0.5, seed=1).X - clean
    assert np.abs(noise.mean(axis=0)).max() < 0.03
    np.testing.assert_allclose(noise.std(axis=0), 0.5, rtol=0.03)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.05


def test_three_circles_angles_are_uniform():
    X = datasets.three_circles(n=6000, noise=0.0, seed=2).X
    counts = np.histogram(np.arctan2(X[:, 1] / 5, X[:, 0] / 6), bins=8)[0]
    assert np.abs(counts - 750).max() < 120  # more than four standard deviations


def test_three_circles_carries_the_paper_setting():
    setting = datasets.three_circles().setting
    assert setting == Setting().having(
        similarity="gaussian", sigma=0.5, gamma=99.0, tau=1.0, balance=0.0
    )


# ---- serendipity shapes


@pytest.mark.parametrize("which", [1, 2])
def test_rings_are_four_unit_circles_three_apart(which):
    data = datasets.serendipity(which, seed=1)
    assert [len(ring) for ring in by_class(data)] == [50] * 4
    for ring, centre in zip(by_class(data), [(0, 3), (3, 3), (0, 0), (3, 0)], strict=True):
        radius = np.linalg.norm(ring - centre, axis=1)
        assert abs(radius.mean() - 1) < 0.01
        assert 0.03 < radius.std() < 0.05


def test_data_2_has_the_points_of_data_1():
    one, two = datasets.serendipity(1, seed=4), datasets.serendipity(2, seed=4)
    assert np.array_equal(one.X, two.X)
    assert one.y[one.labelled].tolist() == [0, 1, 2]
    assert two.y[two.labelled].tolist() == [0]


@pytest.mark.parametrize("seed", SEEDS)
def test_smile_has_two_square_eyes_and_an_arc(seed):
    left, right, mouth = by_class(datasets.serendipity(3, seed=seed))
    assert (len(left), len(right), len(mouth)) == (75, 73, 118)
    for eye in (left, right):
        extent = np.ptp(eye, axis=0)
        assert extent.max() / extent.min() < 1.2
        # A uniform square has standard deviation side / sqrt(12) in both directions.
        np.testing.assert_allclose(eye.std(axis=0), extent / np.sqrt(12), rtol=0.12)
    assert left[:, 0].max() < right[:, 0].min()
    radius = np.linalg.norm(mouth, axis=1)
    assert radius.std() < 0.05 * radius.mean()
    assert mouth[:, 1].min() < left[:, 1].min()
    assert mouth[:, 1].max() < 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_blobs_are_tight_and_the_background_keeps_clear_of_them(seed):
    lower, upper, background = by_class(datasets.serendipity(4, seed=seed))
    assert (len(lower), len(upper), len(background)) == (102, 95, 106)
    for blob in (lower, upper):
        assert blob.std(axis=0).max() < background.std(axis=0).min() / 20
        assert cKDTree(blob).query(background)[0].min() > 0.1
    # Evenly over a square: uniform moments, and points in each of its nine parts.
    np.testing.assert_allclose(background.std(axis=0), 2.1 / np.sqrt(12), rtol=0.12)
    thirds = np.clip(((background + 1.05) / 0.7).astype(int), 0, 2)
    assert len(np.unique(thirds, axis=0)) == 9


@pytest.mark.parametrize("seed", SEEDS)
def test_bars_are_flat_and_separate(seed):
    data = datasets.serendipity(5, seed=seed)
    bars = by_class(data)
    assert data.n == 512
    for bar in bars:
        assert np.ptp(bar[:, 1]) < np.ptp(bar[:, 0]) / 3
    for above, below in pairwise(bars):
        assert above[:, 1].min() > below[:, 1].max() + 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_disc_lies_inside_two_rings(seed):
    radii = [np.linalg.norm(p, axis=1) for p in by_class(datasets.serendipity("5-icml", seed=seed))]
    assert [len(r) for r in radii] == [61, 139, 99]
    assert radii[0].max() < radii[1].min() / 2
    assert radii[1].max() < radii[2].min() / 1.5
    np.testing.assert_allclose([radii[1].mean(), radii[2].mean()], [1.0, 2.5], rtol=0.02)


@pytest.mark.parametrize("which", datasets.PANELS)
def test_every_set_carries_its_panel(which):
    data, panel = datasets.serendipity(which), datasets.PANELS[which]
    assert np.array(data.setting.parameters.P).shape == (data.n_classes, data.n_classes)
    assert data.y[data.labelled].tolist() == list(panel.labelled_classes)
    assert (data.setting.parameters.gamma, data.setting.parameters.tau) == (99.0, 1.0)
    assert data.setting.parameters.balance == (0.0 if which == 1 else 1.0)
    if which in (1, 2):
        assert (data.setting.graph.similarity, data.setting.graph.value("sigma")) == (
            "gaussian",
            0.25,
        )
    else:
        assert (data.setting.graph.similarity, data.setting.graph.value("n_neighbors")) == (
            "local_scaling",
            7,
        )


@pytest.mark.parametrize("which", datasets.PANELS)
def test_size_and_noise_scale_points_and_jitter(which):
    usual, large = datasets.serendipity(which), datasets.serendipity(which, size=2.0)
    assert np.bincount(large.y).tolist() == (2 * np.bincount(usual.y)).tolist()
    clean = datasets.serendipity(which, noise=0.0, seed=1)
    gaps = [
        np.abs(datasets.serendipity(which, noise=noise, seed=1).X - clean.X).mean()
        for noise in (0.3, 0.6)
    ]
    assert 0 < gaps[0] < gaps[1]


@pytest.mark.parametrize("which", [0, 6, "five", None])
def test_unknown_set_is_named(which):
    with pytest.raises(DataError, match="which must be one of 1, 2, 3, 4, 5, '5-icml', got"):
        datasets.serendipity(which)


# ---- more shapes


def test_two_moons_without_noise_are_half_circles():
    upper, lower = by_class(datasets.two_moons(n=100, noise=0.0))
    np.testing.assert_allclose(np.linalg.norm(upper, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(lower - (1, 0.5), axis=1), 1)


def test_unequal_blobs_differ_in_size_and_width():
    blobs = by_class(datasets.unequal_blobs(n=1200))
    assert [len(blob) for blob in blobs] == [800, 300, 100]
    for blob, sd in zip(blobs, (1.2, 0.6, 0.4), strict=True):
        np.testing.assert_allclose(blob.std(axis=0), sd, rtol=0.2)


@pytest.mark.parametrize("arms", [1, 2, 3, 5])
def test_spiral_arms_are_turned_copies_evenly_spaced(arms):
    data = datasets.spiral(n=100 * arms, arms=arms, noise=0.0, seed=1)
    radius = np.linalg.norm(data.X, axis=1)
    turn = np.arctan2(data.X[:, 1], data.X[:, 0]) / (2 * np.pi) - 1.5 * radius - data.y / arms
    np.testing.assert_allclose(np.cos(2 * np.pi * turn), 1, atol=1e-9)
    outer = by_class(data)[0][30:]
    steps = np.linalg.norm(np.diff(outer, axis=0), axis=1)
    assert steps.max() < 4 * np.median(steps)


def test_grid_has_outliers_of_unknown_class_far_from_it():
    data = datasets.grid_outliers(n=300, outliers=12)
    assert np.bincount(data.y + 1).tolist() == [12, 96, 96, 96]
    outliers, grid = data.X[data.y < 0], data.X[data.y >= 0]
    inside = np.sort(cKDTree(grid).query(grid, 2)[0][:, 1])[-1]
    assert cKDTree(grid).query(outliers)[0].min() > 2 * inside


def test_multilabel_sets_overlap_and_some_have_no_label():
    data = datasets.multilabel(n=300, seed=2)
    assert (data.n, data.y, data.Y.shape) == (300, None, (300, 3))
    sets = {tuple(row) for row in data.Y.tolist()}
    labelled = {tuple(row) for row in data.Y[data.labelled].tolist()}
    assert len(sets) == 7
    assert labelled == {(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)}
    # Each label is a disc: points with it are closer to its centre than any without.
    for j in range(3):
        centre = data.X[data.Y[:, j] == 1].mean(axis=0)
        distance = np.linalg.norm(data.X - centre, axis=1)
        assert distance[data.Y[:, j] == 1].mean() < distance[data.Y[:, j] == 0].mean() / 1.5


def test_digits_are_all_there():
    data = datasets.digits()
    assert (data.X.shape, data.n_classes) == ((1797, 64), 10)
    assert datasets.digits(n=200).n == 200


# ---- every generator


@pytest.mark.parametrize("key", GENERATORS)
@pytest.mark.parametrize("end", ["low", "usual", "high"])
def test_generators_work_over_the_range_of_their_sliders(key, end):
    generator = GENERATORS[key]
    data = generator.function(seed=1, **{p.name: getattr(p, end) for p in generator.params})
    assert np.isfinite(data.X).all()
    assert data.points.shape == (data.n, 2)
    assert set(np.unique(data.y)) - {-1} == set(range(data.n_classes))


@pytest.mark.parametrize("key", GENERATORS)
def test_sliders_fit_the_functions(key):
    generator = GENERATORS[key]
    accepted = inspect.signature(generator.function).parameters
    assert "seed" in accepted
    for param in generator.params:
        assert param.name in accepted
        assert isinstance(param, Number)
        assert not param.logarithmic
        assert param.check(param.usual) == param.usual
        # A slider takes three numbers of one kind.
        kind = int if param.whole else float
        assert {type(param.low), type(param.high), type(param.usual)} == {kind}
        assert param.help.endswith(".")
    assert generator.help.endswith(".")


@pytest.mark.parametrize(
    "function",
    [*(generator.function for generator in GENERATORS.values()), datasets.multilabel],
)
def test_the_seed_alone_decides(function):
    arguments = {"n": 300} if function is datasets.digits else {}
    once, again, other = (function(seed=seed, **arguments) for seed in (5, 5, 6))
    assert np.array_equal(once.X, again.X)
    assert np.array_equal(once.labelled, again.labelled)
    assert not np.array_equal(once.X, other.X)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, None, "1", True, float("nan")])
@pytest.mark.parametrize(
    "function",
    [*(generator.function for generator in GENERATORS.values()), datasets.multilabel],
)
def test_a_seed_that_is_none_is_refused(function, seed):
    arguments = {"n": 300} if function is datasets.digits else {}
    with pytest.raises(DataError, match=r"seed must be a whole number in 0\.\.4294967295, got"):
        function(seed=seed, **arguments)
    assert function(seed=np.int64(2**32 - 1), **arguments).n > 0


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (datasets.three_circles, {"n": 5}, "n must be a whole number in 6"),
        (datasets.three_circles, {"n": 10**9}, "n must be a whole number"),
        (datasets.three_circles, {"n": 60.5}, "n must be a whole number"),
        (datasets.three_circles, {"noise": -1.0}, "noise must be finite and >= 0, got -1.0"),
        (datasets.two_moons, {"noise": float("nan")}, "noise must be finite"),
        (datasets.spiral, {"arms": 9}, "arms must be"),
        (datasets.spiral, {"turns": 0.0}, "turns must lie in"),
        (datasets.grid_outliers, {"outliers": 290}, "outliers must be"),
        (datasets.multilabel, {"n": 10}, "n must be"),
    ],
)
def test_impossible_arguments_are_refused(function, arguments, message):
    with pytest.raises(DataError, match=message):
        function(**arguments)


@pytest.mark.parametrize("size", [0.0, -1.0, float("inf"), 1e9])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(DataError):
        datasets.serendipity(3, size=size)


@given(n=st.integers(0, 5000), weights=st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_shares_are_proportional(n, weights):
    counts = shares(n, weights)
    assert counts.sum() == n
    assert (np.abs(counts - n * np.array(weights) / sum(weights)) < 1).all()
