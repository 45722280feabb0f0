"""The second look: directions that tell classes apart, and the graph along them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.covariance import LedoitWolf
from sklearn.datasets import load_iris, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

import mavr
from mavr.estimators import automatic, directions
from mavr.estimators.directions import directions_of
from mavr.graphs.apart import held
from mavr.graphs.graph import Graph
from tests.estimator_cases import held_out, mean_error, with_labels

FINE, WIDE = {"width": 0.3, "laplacian_power": 1}, {"width": 0.5, "laplacian_power": 2}


def drowned(seed, n=300, c=6, d=30):
    """Classes whose means differ little beside what all of them share."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    shared = rng.normal(size=(n, 5)) @ rng.normal(size=(5, d))
    return 0.9 * rng.normal(size=(c, d))[y] + shared + 0.5 * rng.normal(size=(n, d)), y


def side_by_side(X, classes, part):
    """By another way: (x - x')' A (x - x') with A = S^-1 M (M' S^-1 M)^+ M' S^-1, M the means."""
    names = np.unique(classes[classes >= 0])
    means = np.array([X[classes == j].mean(axis=0) for j in names])
    R = np.vstack([X[classes == j] - m for j, m in zip(names, means, strict=True)])
    S = LedoitWolf(assume_centered=True).fit(R).covariance_
    M = (means - means.mean(axis=0)).T
    B = np.linalg.solve(S, M)
    A = B @ np.linalg.pinv(M.T @ B, rcond=1e-10) @ B.T
    value, vector = np.linalg.eigh((A + A.T) / 2)
    root = vector * np.sqrt(np.maximum(value, 0.0))
    along = X @ root
    scale = np.sqrt(part / along.var(axis=0).sum())
    return lambda Z: np.hstack([Z / np.sqrt(X.var(axis=0).sum()), scale * Z @ root])


# Directions.


def test_distances_along_them_by_another_way():
    X, y = drowned(0)
    classes = np.where(np.arange(300) < 200, y, -1)
    found = directions_of(X, classes, 0.7)
    assert found.vectors.shape == (30, 5)
    expected = side_by_side(X, classes, 0.7)
    np.testing.assert_allclose(pdist(found(X)), pdist(expected(X)), rtol=1e-8)
    assert (X @ found.vectors).var(axis=0).sum() == pytest.approx(0.7)
    assert (X / found.size).var(axis=0).sum() == pytest.approx(1.0)


def test_they_are_those_of_discriminant_analysis():
    """With many points hardly anything is shrunk."""
    X, y = drowned(1, n=20_000, d=8)
    Z = X[:200] @ directions_of(X, y, 1.0).vectors
    analysis = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    ratio = pdist(Z) / pdist(analysis.transform(X[:200]))
    np.testing.assert_allclose(ratio, ratio.mean(), rtol=2e-2)


def test_units_and_order_do_not_matter():
    X, y = drowned(2)
    found = directions_of(X, y, 0.5)
    larger = directions_of(1e6 * X, y, 0.5)
    np.testing.assert_allclose(larger(1e6 * X), found(X), rtol=1e-6)
    renamed = directions_of(X[::-1], 5 - y[::-1], 0.5)
    np.testing.assert_allclose(pdist(renamed(X)), pdist(found(X)), rtol=1e-8)


def test_where_there_are_none(monkeypatch):
    X, y = drowned(3)
    assert directions_of(X, np.zeros(300, dtype=int), 0.5) is None  # one class
    assert directions_of(X, np.where(np.arange(300) < 6, y, -1), 0.5) is None  # one point of each
    assert directions_of(np.zeros((300, 30)), y, 0.5) is None  # no spread
    assert directions_of(np.eye(6)[y], y, 0.5) is None  # none within the classes
    twice = np.concatenate([X, X])
    assert directions_of(twice, np.repeat([0, 1], 300), 0.5) is None  # the same mean
    monkeypatch.setattr(directions, "MOST_FEATURES", 29)
    assert directions_of(X, y, 0.5) is None


def test_columns_that_say_nothing():
    X, y = drowned(4)
    found = directions_of(X, y, 0.5)
    wide = np.hstack([X, np.full((300, 2), 7.0), X[:, :1]])
    more = directions_of(wide, y, 0.5)
    assert np.isfinite(more.vectors).all()
    assert np.corrcoef(pdist(more(wide)), pdist(found(X)))[0, 1] > 0.9


# The second look.


@pytest.mark.parametrize("rate", [1, 5])
def test_a_second_answer_by_hand(rate):
    X, truth = make_blobs(300, centers=3, n_features=10, cluster_std=4, random_state=0)
    y = with_labels(truth, rate, 0)
    model = mavr.MAVRClassifier().fit(X, y)
    first = mavr.MAVRClassifier(directions=None).fit(X, y)
    join = side_by_side(X, first.transduction_, rate / (rate + 1))
    given = {"width": first.width_, "laplacian_power": first.laplacian_power_}
    second = mavr.MAVRClassifier(**given).fit(join(X), y)
    np.testing.assert_allclose(model.response_, second.response_, atol=1e-8)
    assert model.directions_.shape == (10, 2)
    assert (model.width_, model.laplacian_power_) == (first.width_, first.laplacian_power_)
    # New points are seen along the same directions.
    new = X[::7] + 0.01
    np.testing.assert_allclose(model.predict_proba(new), second.predict_proba(join(new)), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.transduction_)


def with_found_proportions(X, y, trust, setting):
    """(n, 6) responses by the proportions of a first answer, mixed with equal ones."""
    first = mavr.MAVRClassifier(**setting, class_prior="labels").fit(X, y)
    shares = np.bincount(np.where(y >= 0, y, first.transduction_)) / len(y)
    prior = (1 - trust) / 6 + trust * shares
    W = mavr.knn_similarity(X, 12, setting["width"])
    Q = held(Graph(W, "unnormalized", setting["laplacian_power"])).Q
    Y = 6 * prior * (y[:, None] == np.arange(6))
    return mavr.solve(Q, Y, gamma=first.gamma_, balance=1.0, prior=prior).H


@pytest.mark.parametrize("seed", range(3))
def test_held_out_labels_choose_whose_classes_are_looked_at(seed):
    """First the directions of the labels alone, if these find more of what is held out."""
    X, truth = drowned(seed)
    y = with_labels(truth, 6, seed)

    def along_labels(X, part):
        r = (part >= 0).sum() / 6
        return side_by_side(X, part, r / (r + 1))(X)

    plain = [held_out(X, y, s) for s in (FINE, WIDE)]
    finer = plain[0].sum() < plain[1].sum()
    wrong, setting = (plain[0], FINE) if finer else (plain[1], WIDE)
    along = held_out(X, y, setting, along_labels)
    # They do here, or the test would show nothing.
    assert wrong.sum() - along.sum() > np.sqrt((wrong != along).sum())
    # What was held out had no part in these directions: it tells how far proportions are trusted.
    trust = (1 - along.mean() * 6 / 5) ** 2 * 5 / 7
    first = with_found_proportions(along_labels(X, y), y, trust, setting)
    second = side_by_side(X, np.where(y >= 0, y, first.argmax(axis=1)), 6 / 7)(X)
    model = mavr.MAVRClassifier().fit(X, y)
    expected = with_found_proportions(second, y, trust, setting)
    np.testing.assert_allclose(model.response_, expected, atol=1e-7)
    assert model.width_ == setting["width"]


def test_what_is_given_is_taken(monkeypatch):
    X, truth = drowned(5)
    y = with_labels(truth, 5, 0)
    for setting in (FINE, {"width": 0.4}, {"similarity": "local_scaling"}, {"directions": None}):
        assert mavr.MAVRClassifier(**setting).fit(X, y).directions_ is None
    with pytest.raises(ValueError, match="directions must be \"auto\" or None, got 'all'"):
        mavr.MAVRClassifier(directions="all").fit(X, y)
    monkeypatch.setattr(automatic, "MANY_POINTS", 299)
    assert mavr.MAVRClassifier().fit(X, y).directions_ is None


def test_sparse_points_copies_and_a_second_fit():
    X, truth = drowned(6)
    y = with_labels(truth, 5, 0)
    model = mavr.MAVRClassifier().fit(X, y)
    sparse = mavr.MAVRClassifier().fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(sparse.transduction_, model.transduction_)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X + 0.01), model.predict(X + 0.01))
    # A model that is fitted again forgets its directions.
    same = np.repeat(np.arange(6.0)[:, None], 50, axis=0) + np.zeros(3)
    assert (
        model.fit(same, np.where(np.arange(300) % 10, -1, np.arange(300) // 50)).directions_ is None
    )


# Out of the box.


def test_better_than_the_graph_of_the_points():
    X, truth = drowned(7)
    assert mean_error(X, truth, 6, range(3)) < 0.5 * mean_error(
        X, truth, 6, range(3), directions=None
    )
    X, truth = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    assert mean_error(X, truth, 5, range(10)) < 0.9 * mean_error(
        X, truth, 5, range(10), directions=None
    )
