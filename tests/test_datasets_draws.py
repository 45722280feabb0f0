"""Label draws and subsets: counts, limits, and the same seed giving the same draw."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import datasets
from datasets import DataError, Dataset, draw_labels, subset

classes = st.lists(st.integers(-1, 4), min_size=1, max_size=80).map(np.array)


@given(y=classes, how=st.sampled_from(sorted(datasets.QUOTAS)), data=st.data())
def test_draws_are_sorted_distinct_and_of_known_class(y, how, data):
    withheld = data.draw(st.sets(st.integers(0, 4)))
    eligible = np.isin(y, [j for j in range(5) if j not in withheld])
    sizes = np.unique(y[eligible], return_counts=True)[1]
    most = (sizes.min() if how == "per_class" else sizes.sum()) if len(sizes) else 0
    n_labelled = data.draw(st.integers(0, int(most)))
    drawn = draw_labels(y, n_labelled, how, seed=1, withheld=withheld)
    assert (np.diff(drawn) > 0).all()
    assert eligible[drawn].all()
    assert len(drawn) == n_labelled * (len(sizes) if how == "per_class" else 1)
    assert np.array_equal(drawn, draw_labels(y, n_labelled, how, seed=1, withheld=withheld))


@given(y=classes.filter(lambda y: (y >= 0).any()), data=st.data())
def test_balanced_differs_by_one_unless_a_class_runs_out(y, data):
    n_labelled = data.draw(st.integers(0, int((y >= 0).sum())))
    drawn = y[draw_labels(y, n_labelled, seed=2)]
    present, sizes = np.unique(y[y >= 0], return_counts=True)
    counts = np.array([(drawn == j).sum() for j in present])
    # Whoever has less than the richest minus one has given all it has.
    poor = counts < counts.max() - 1
    assert np.array_equal(counts[poor], sizes[poor])


def test_the_remainder_of_a_balanced_draw_is_random():
    y = np.repeat(np.arange(3), 20)
    extra = [np.bincount(y[draw_labels(y, 4, seed=s)]).argmax() for s in range(60)]
    assert min(np.bincount(extra, minlength=3)) > 5


def test_stratified_follows_the_class_sizes_and_uniform_only_on_average():
    y = np.repeat(np.arange(3), [100, 200, 300])
    assert np.bincount(y[draw_labels(y, 60, "stratified")]).tolist() == [10, 20, 30]
    counts = [np.bincount(y[draw_labels(y, 60, "uniform", seed=s)]) for s in range(200)]
    np.testing.assert_allclose(np.mean(counts, axis=0), [10, 20, 30], atol=1.5)
    assert np.std(counts, axis=0).min() > 1


def test_every_point_of_a_class_can_be_drawn():
    y = np.repeat(np.arange(2), 5)
    seen = np.concatenate([draw_labels(y, 2, seed=s) for s in range(100)])
    assert set(seen) == set(range(10))


def test_withheld_classes_get_no_label():
    y = np.repeat(np.arange(4), 10)
    assert set(y[draw_labels(y, 9, withheld=[1])]) == {0, 2, 3}
    assert len(draw_labels(y, 0, withheld=range(4))) == 0


@pytest.mark.parametrize(
    ("n_labelled", "how", "message"),
    [
        (3, "random", "how must be one of balanced, uniform, stratified, per_class"),
        (-1, "balanced", "n_labelled must be a whole number >= 0, got -1"),
        (float("nan"), "balanced", "n_labelled must be a whole number >= 0, got nan"),
        (float("inf"), "per_class", "n_labelled must be a whole number >= 0, got inf"),
        (1.5, "balanced", "got 1.5"),
        (7, "balanced", "7 labels were asked for and only 6 points"),
        (2, "per_class", "class 1 has 1 points, fewer than the 2"),
    ],
)
def test_impossible_draws_say_why(n_labelled, how, message):
    with pytest.raises(DataError, match=message):
        draw_labels([0, 0, 0, 1, 2, 2, -1], n_labelled, how)


@given(seed=st.integers(0, 50), n=st.integers(1, 300))
def test_subset_keeps_rows_together_and_names(seed, n):
    X = np.arange(300.0)[:, None] * [1, 10]
    y = np.repeat(np.arange(3), [50, 100, 150])
    data = Dataset("d", X, y, ("a", "b", "c"), labelled=np.arange(0, 300, 7))
    part = subset(data, n, seed=seed)
    rows = part.X[:, 0].astype(int)
    assert (part.n, part.class_names) == (n, data.class_names)
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(part.y, y[rows])
    assert set(rows[part.labelled]) == set(rows) & set(data.labelled)
    assert np.abs(np.bincount(part.y, minlength=3) - n * np.array([1, 2, 3]) / 6).max() < 1
    assert np.array_equal(part.X, subset(data, n, seed=seed).X)


def test_uniform_subset_varies_in_its_classes():
    data = datasets.three_circles()
    counts = [np.bincount(subset(data, 60, "uniform", seed=s).y)[0] for s in range(40)]
    assert min(counts) < 10 < max(counts)


def test_subset_of_sparse_and_multilabel_and_unlabelled():
    X = sp.random(200, 40, density=0.1, random_state=0, format="csr")
    part = subset(Dataset("d", X, np.arange(200) % 2, ("a", "b")), 20)
    assert part.is_sparse
    assert part.X.shape == (20, 40)
    toy = datasets.multilabel(n=300)
    small = subset(toy, 100)
    assert small.Y.shape == (100, 3)
    assert np.abs(small.Y.mean(axis=0) - toy.Y.mean(axis=0)).max() < 0.05
    assert subset(Dataset("d", np.zeros((9, 2))), 4).n == 4


def test_subset_counts_points_of_unknown_class_as_a_group():
    data = datasets.grid_outliers(n=300, outliers=30)
    assert (subset(data, 100).y < 0).sum() == 10


def test_subset_of_a_large_set_is_fast():
    rng = np.random.default_rng(0)
    X = np.zeros((70_000, 784), dtype=np.float32)
    data = Dataset("large", X, rng.integers(0, 10, 70_000), tuple("0123456789"))
    start = time.perf_counter()
    assert subset(data, 1000).X.shape == (1000, 784)
    assert time.perf_counter() - start < 2.0


@pytest.mark.parametrize("n", [0, 301, 2.5])
def test_subset_of_impossible_size(n):
    with pytest.raises(DataError, match=r"n must be a whole number in 1..300"):
        subset(datasets.three_circles(), n)
    with pytest.raises(DataError, match="stratified or uniform"):
        subset(datasets.three_circles(), 10, how="balanced")
