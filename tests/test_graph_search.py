"""Neighbours by cells and projection: nearly all of the true ones, at their true distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

import mavr
from mavr.graphs import cells, distances, search
from mavr.graphs.similarities import similarity_of
from mavr.settings import GraphSpec


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
    assert search.recall(X, distance) == pytest.approx(np.mean(shared) / 10, abs=0.02)


@pytest.mark.parametrize("alone", [True, False])
def test_of_equally_far_points_the_same_are_taken_by_any_number_of_threads(alone):
    """Rows of few words: hundreds of points are equally far."""
    X = (np.random.default_rng(0).random((700, 60)) < 0.04).astype(float)
    Z = None if alone else np.roll(X, 1, axis=1)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(search.nearest(X, 12)(Z))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    distance, index = found[0]
    true = cdist(X if alone else Z, X)
    if alone:
        np.fill_diagonal(true, np.inf)
        assert not (index == np.arange(700)[:, None]).any()
    np.testing.assert_array_equal(distance, np.sort(true, axis=1)[:, :12])
    assert all(len(set(row)) == 12 for row in index.tolist())
    # A new point has its neighbours whoever is asked beside it.
    if not alone:
        np.testing.assert_array_equal(search.nearest(X, 12)(Z[5:9])[1], index[5:9])


def test_no_order_of_equally_far_points_is_preferred():
    """All corners of a simplex are equally far: neither the first nor the next are taken."""
    index = search.nearest(np.eye(200), 10)()[1]
    assert np.bincount(index.ravel(), minlength=200).max() < 40
    step = (index - np.arange(200)[:, None]) % 200
    assert np.bincount(step.ravel(), minlength=200).max() < 40


def test_recall_sees_neighbours_that_are_not():
    X = clusters(400)
    wrong = np.random.default_rng(0).integers(0, 400, (400, 10))
    distance = np.linalg.norm(X[wrong] - X[:, None], axis=2)
    assert search.recall(X, distance) < 0.3


@pytest.mark.parametrize("good", [True, False])
def test_too_few_neighbours_are_searched_exactly(monkeypatch, good):
    monkeypatch.setattr(search, "MANY_POINTS", 100)
    X = clusters(400)
    true = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
    if not good:
        monkeypatch.setattr(cells, "COMPONENTS", 1)
        monkeypatch.setattr(search, "CANDIDATES", 1)
        assert search.projected(X, 5) is None
    distance, found = search.search(X, 5)
    assert search.recall(X, distance) >= search.LEAST_RECALL
    if not good:
        np.testing.assert_array_equal(found, true)
    np.testing.assert_array_equal(search.search(X, 5, "exact")[1], true)


def test_cells_are_taken_in_until_the_neighbours_are_found(monkeypatch):
    """One cell of its own is not enough for points that fill all directions."""
    monkeypatch.setattr(cells, "MEMBERS", 40)
    monkeypatch.setattr(search, "REACH", 40)
    X = np.random.default_rng(0).normal(size=(800, 20))
    asked, whole = [], cells.Cells.candidates

    def counted(self, rows, count, reach, progress=None):
        asked.append(reach)
        return whole(self, rows, count, reach)

    monkeypatch.setattr(cells.Cells, "candidates", counted)
    distance, _ = search.projected(X, 10)
    assert asked[:3] == [40, 80, 160]
    assert asked[-1] == asked[-2] >= 320
    assert search.recall(X, distance) > 0.97


def test_candidates_are_the_nearest_of_the_cells_and_never_the_point_itself():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(500, 8)), 2, axis=0).astype(np.float32)  # every point twice
    X += 100.0  # far from 0, where |x|^2 - 2xy + |y|^2 would lose the distances
    held = cells.gather(X)
    rows = rng.permutation(1000)[:60]
    found = held.candidates(rows, 7, 1000)
    squares = ((X[rows, None].astype(float) - X) ** 2).sum(axis=2)
    squares[np.arange(60), rows] = np.inf
    expected = np.sort(squares, axis=1)[:, :7]
    got = np.sort(np.take_along_axis(squares, found, axis=1), axis=1)
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)


def test_points_that_are_all_the_same_have_neighbours():
    distance, index = search.projected(np.ones((600, 20)), 5)
    assert (distance == 0).all()
    assert not (index == np.arange(600)[:, None]).any()
    assert all(len(set(row)) == 5 for row in index)


def test_similarity_by_projection_is_symmetric_and_near_the_exact_one(monkeypatch):
    monkeypatch.setattr(search, "MANY_POINTS", 100)
    X = clusters(400)
    W, exact = mavr.knn_similarity(X, 8), mavr.knn_similarity(X, 8, search="exact")
    assert abs(W - W.T).max() == 0
    assert abs(W - exact).sum() < 0.02 * exact.sum()
    with pytest.raises(ValueError, match="search must be one of auto, exact, got 'fast'"):
        mavr.knn_similarity(X, 8, search="fast")


def test_neighbours_are_kept_on_disk_by_content(monkeypatch, tmp_path):
    X = clusters(200)
    first = mavr.knn_similarity(X, 6, memory=str(tmp_path))

    def refuse(*_):
        raise AssertionError("searched again")

    monkeypatch.setattr(distances, "search", refuse)
    again = mavr.knn_similarity(X.copy(), 6, memory=str(tmp_path))
    assert abs(again - first).max() == 0
    assert abs(mavr.knn_similarity(X, 6, width=0.5, memory=str(tmp_path)) - first).max() > 0
    X[0, 0] += 1e-9
    with pytest.raises(AssertionError, match="searched again"):
        mavr.knn_similarity(X, 6, memory=str(tmp_path))


def test_progress_is_told_up_to_the_end(monkeypatch):
    monkeypatch.setattr(search, "MANY_POINTS", 100)
    monkeypatch.setattr(cells, "MEMBERS", 40)
    told = []
    spec = GraphSpec(similarity="knn")
    similarity_of(spec, clusters(400), told.append)
    assert told[0] == 0
    assert told == sorted(told)
    assert 0.8 < told[-1] < 1
