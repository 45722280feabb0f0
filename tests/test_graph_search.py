"""Neighbours by projection: nearly all of the true ones, at their true distances."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import mavr
from mavr.graphs import search


def clusters(n=1500, d=200, seed=0):
    """Clusters in many dimensions, most of whose variance lies in a few."""
    rng = np.random.default_rng(seed)
    inner = rng.normal(size=(n, 12)) + 4 * rng.normal(size=(8, 12))[rng.integers(0, 8, n)]
    return inner @ rng.normal(size=(12, d)) + 0.05 * rng.normal(size=(n, d))


def test_projection_finds_the_neighbours_at_their_distances():
    X = clusters()
    distance, index = search.projected(X, 10)
    true_distance, true = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    shared = [len(np.intersect1d(a, b)) for a, b in zip(index, true, strict=True)]
    assert np.mean(shared) > 9.8
    assert not (index == np.arange(len(X))[:, None]).any()
    exact = np.linalg.norm(X[index] - X[:, None], axis=2)
    np.testing.assert_allclose(distance, exact, rtol=1e-12)
    assert (np.diff(distance, axis=1) >= 0).all()
    assert (distance >= true_distance - 1e-9).all()
    assert search.recall(X, index) == pytest.approx(np.mean(shared) / 10, abs=0.02)


def test_recall_sees_neighbours_that_are_not(monkeypatch):
    X = clusters(400)
    wrong = np.random.default_rng(0).integers(0, 400, (400, 10))
    assert search.recall(X, wrong) < 0.3


@pytest.mark.parametrize("good", [True, False])
def test_too_few_neighbours_are_searched_exactly(monkeypatch, good):
    monkeypatch.setattr(search, "MANY_POINTS", 100)
    X = clusters(400)
    true = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
    if not good:
        monkeypatch.setattr(search, "COMPONENTS", 1)
        monkeypatch.setattr(search, "CANDIDATES", 1)
        assert search.recall(X, search.projected(X, 5)[1]) < search.LEAST_RECALL
    found = search.search(X, 5)[1]
    assert search.recall(X, found) >= search.LEAST_RECALL
    if not good:
        np.testing.assert_array_equal(found, true)
    np.testing.assert_array_equal(search.search(X, 5, "exact")[1], true)


def test_similarity_by_projection_is_symmetric_and_near_the_exact_one(monkeypatch):
    monkeypatch.setattr(search, "MANY_POINTS", 100)
    X = clusters(400)
    W, exact = mavr.knn_similarity(X, 8), mavr.knn_similarity(X, 8, search="exact")
    assert abs(W - W.T).max() == 0
    assert abs(W - exact).sum() < 0.02 * exact.sum()
    with pytest.raises(ValueError, match="search must be one of auto, exact, got 'fast'"):
        mavr.knn_similarity(X, 8, search="fast")
