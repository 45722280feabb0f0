"""Points that lie on each other, or far from zero: their neighbours, and who answers for whom."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs
from sklearn.metrics import accuracy_score

import mavr
from mavr.graphs.distances import nearest_neighbors


def test_duplicate_training_points():
    X = np.repeat([[0.0], [1.0], [5.0], [6.0]], 5, axis=0)
    y = np.full(20, -1)
    y[[0, 10]] = 0, 1
    for name in ("gaussian", "local_scaling", "knn"):
        model = mavr.MAVRClassifier(name, n_neighbors=7, sigma=1.0).fit(X, y)
        assert model.predict([[0.0], [0.4], [5.5], [6.0]]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["local_scaling", "knn"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_twenty_copies_of_each_point_stay_joined(moons, name, shuffled):
    X, truth, _ = moons
    place = np.repeat(np.arange(120), 20)
    place = np.random.default_rng(0).permutation(place) if shuffled else place
    y = np.full(2400, -1)
    for j in (0, 1):
        y[np.flatnonzero(truth[place] == j)[::300]] = j
    model = mavr.MAVRClassifier(name, n_neighbors=10, width=1.0).fit(X[place], y)
    assert not model.solution_.unreached.any()
    assert accuracy_score(truth[place], model.transduction_) > 0.85


def test_copies_have_the_scale_and_the_neighbours_of_distinct_points():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    copied = np.repeat(X, 5, axis=0)
    near = nearest_neighbors(copied, 2)
    np.testing.assert_array_equal(near.scale, np.repeat([3.0, 2.0, 3.0, 6.0], 5))
    W = mavr.knn_similarity(copied, 2)
    of_distinct = mavr.knn_similarity(X, 2).toarray()
    np.testing.assert_allclose(W[::5][:, ::5].toarray(), of_distinct)
    assert W.diagonal().max() == 0
    # Degrees are as even as can be: no copy has the neighbours of all of them.
    edges = (W > 0).sum(axis=1)
    assert edges.max() <= 2 * edges.min()
    # One point, many times: joined, and nothing else to know.
    alike = mavr.knn_similarity(np.zeros((30, 2)), 3)
    assert connected_components(alike)[0] == 1
    np.testing.assert_array_equal(alike.data, 1)


@pytest.mark.parametrize("times", [2, 5, 8, 13, 20])
@pytest.mark.parametrize("d", [5, 14, 20, 200])
@pytest.mark.parametrize("name", ["knn", "cosine"])
def test_copies_never_cut_a_graph_apart(name, d, times):
    """In few and many dimensions, where distances are found in other ways, near 0 and far away."""
    X, _ = make_blobs(60, d, centers=3, random_state=0)
    X = X + 1e4 * (name == "knn")
    plain = mavr.make_graph(X, name, n_neighbors=12).W
    copied = mavr.make_graph(np.tile(X, (times, 1)), name, n_neighbors=12).W
    pieces, of = connected_components(plain)
    many, found = connected_components(copied)
    assert many == pieces
    np.testing.assert_array_equal(found.reshape(times, 60), np.tile(of, (times, 1)))
    # Each distinct point sees the distinct neighbours that it has without copies, as alike.
    folded = np.zeros((60, 60))
    entries = copied.tocoo()
    np.maximum.at(folded, (entries.row % 60, entries.col % 60), entries.data)
    np.fill_diagonal(folded, 0.0)
    np.testing.assert_allclose(folded, plain.toarray(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("offset", [1e5, 1e8])
@pytest.mark.parametrize("d", [2, 30])
def test_points_far_from_zero_have_the_same_graph(d, offset):
    X, truth = make_blobs(120, d, centers=3, random_state=1)
    W = mavr.knn_similarity(X, 7)
    np.testing.assert_allclose(mavr.knn_similarity(X + offset, 7).toarray(), W.toarray(), atol=1e-6)
    y = np.where(np.arange(120) < 12, truth, -1)
    near, far = (mavr.MAVRClassifier().fit(A, y) for A in (X, X + offset))
    np.testing.assert_array_equal(far.transduction_, near.transduction_)
    new = X[::5] + 0.05
    np.testing.assert_array_equal(far.predict(new + offset), near.predict(new))


def test_rows_of_a_sparse_matrix_are_known_in_a_dense_one():
    X = np.random.default_rng(0).random((40, 6))
    X[X < 0.6] = 0.0
    y = np.full(40, -1)
    y[[0, 1]] = [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mavr.MAVRClassifier("cosine", n_neighbors=4).fit(sp.csr_array(X), y)
    assert (model.transduction_ >= 0).any()
    once = np.unique(X, axis=0, return_index=True)[1]
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_array_equal(model.predict(rows)[once], model.transduction_[once])


def test_of_equal_rows_a_reached_one_answers():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    W = np.zeros((4, 4))
    W[1, 3] = W[3, 1] = 1.0
    model = mavr.MAVRClassifier(lambda A, B: W if A is B else np.zeros((len(A), 4)))
    with pytest.warns(UserWarning, match="no path"):
        model.fit(X, ["-1", "a", "b", "-1"])
    assert model.transduction_.tolist() == ["-1", "a", "b", "a"]
    assert model.predict([[0.0, 0.0]]).tolist() == ["a"]


def test_a_new_point_on_many_duplicates_that_is_no_training_point():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    y = np.array([0] + [-1] * 8 + [1])
    model = mavr.MAVRClassifier("local_scaling", n_neighbors=3).fit(X, y)
    assert model.predict([[-1e-320], [1.0 + 1e-15]]).tolist() == [0, 1]
