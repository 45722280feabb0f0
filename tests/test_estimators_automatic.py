"""What "auto" means: dimension, kind of the points, held-out labels, proportions that are found."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.model_selection import GridSearchCV

import mavr
from mavr.estimators import automatic
from mavr.graphs.dimension import SAMPLE, intrinsic_dimension
from mavr.graphs.graph import Graph
from tests.estimator_cases import held_out, mean_error, with_labels

# What came before: one setting for all points.
BEFORE = {"n_neighbors": 12, "width": 0.3, "laplacian_power": 1, "class_prior": "labels"}


@pytest.fixture(scope="module")
def cloud():
    return make_blobs(300, centers=3, n_features=10, cluster_std=4, random_state=0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500] / 16, y[:500]


# Dimension.


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_dimension_of_a_cube_in_more_dimensions(d):
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.normal(size=(12, 12)))[0][:d]
    X = rng.random((2000, d)) @ turned
    # Points at the faces see fewer neighbours, which lowers the estimate.
    assert 0.75 * d < intrinsic_dimension(X) < 1.1 * d + 0.1
    assert intrinsic_dimension(1e6 * X) == pytest.approx(intrinsic_dimension(X), rel=1e-6)


def test_dimension_by_hand():
    """Five points on a line: every ratio of distances is known."""
    X = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])
    distance = np.sort(np.abs(X - X.T), axis=1)[:, 1:]
    expected = 12 / np.log(distance[:, -1:] / distance[:, :-1]).sum()
    wide = np.hstack([X, np.zeros((5, 3))])
    assert intrinsic_dimension(wide) == pytest.approx(min(max(expected, 1.0), 4.0))


def test_dimension_of_copies_and_of_few_points():
    rng = np.random.default_rng(1)
    X = rng.random((200, 3))
    copied = np.concatenate([X, X[:40]])
    assert intrinsic_dimension(copied) == intrinsic_dimension(X)
    many = rng.normal(size=(150, 30))
    assert intrinsic_dimension(np.tile(many, (3, 1))) == intrinsic_dimension(many) > 10
    assert intrinsic_dimension(many + 1e6) == pytest.approx(intrinsic_dimension(many), rel=1e-6)
    assert intrinsic_dimension(np.zeros((30, 5))) == 1.0
    assert intrinsic_dimension(np.zeros((2, 5))) == 1.0
    assert intrinsic_dimension(np.eye(20)) == 20.0  # all equally far
    assert intrinsic_dimension(rng.random((SAMPLE + 300, 2))) <= 2.0


# The kind of the points.


def test_shapes_and_clouds(cloud):
    X, _ = make_moons(300, noise=0.1, random_state=0)
    assert automatic.kind_of(X)[0] == automatic.SHAPE
    kind, dimension = automatic.kind_of(cloud[0])
    assert kind == automatic.CLOUD
    assert dimension > automatic.MOST_DIMENSIONS
    many = np.random.default_rng(0).random((automatic.MANY_POINTS + 1, 10))
    assert automatic.kind_of(many) == (automatic.FINE, None)


def test_what_was_taken_is_told_and_gives_the_same_answer(cloud):
    X, truth = cloud
    y = with_labels(truth, 1, 0)
    model = mavr.MAVRClassifier(directions=None).fit(X, y)
    assert (model.n_neighbors_, model.width_, model.laplacian_power_) == (12, 0.5, 2)
    assert model.dimension_ == intrinsic_dimension(X)
    W = mavr.knn_similarity(X, 12, 0.5)
    assert model.gamma_ == pytest.approx(5 * 100 / (W.sum() / 300) ** 2)
    L = mavr.laplacian(W, "unnormalized").toarray()
    Y = (y[:, None] == np.arange(3)).astype(float)
    C = np.eye(3) - 1 / 3
    M = model.gamma_ * np.kron(np.eye(3), L @ L) + np.kron(C, np.ones((300, 300)))
    H = np.linalg.solve(M + np.eye(900), Y.T.ravel()).reshape(3, 300).T
    np.testing.assert_allclose(model.response_, H, atol=1e-8)
    given = mavr.MAVRClassifier(width=0.5, laplacian_power=2).fit(X, y)
    np.testing.assert_array_equal(model.response_, given.response_)
    # A model that is fitted again forgets what it saw.
    line = np.linspace(0, 1, 300)[:, None]
    again = model.fit(line, y)
    assert (again.n_neighbors_, again.width_, again.laplacian_power_) == (20, 0.2, 1)


def test_a_shape_has_more_neighbours_and_a_label_that_reaches_further():
    X, truth = make_moons(200, noise=0.1, random_state=0)
    y = with_labels(truth, 2, 0)
    model = mavr.MAVRClassifier(directions=None).fit(X, y)
    W = mavr.knn_similarity(X, 20, 0.2)
    Y = (y[:, None] == np.arange(2)).astype(float)
    L = mavr.laplacian(W, "unnormalized").toarray()
    plain = mavr.MAVRClassifier(directions=None, class_prior="labels").fit(X, y)
    assert model.gamma_ == plain.gamma_ == 15 * 200 / 4
    C = np.eye(2) - 0.5
    M = plain.gamma_ * np.kron(np.eye(2), L) + np.kron(C, np.ones((200, 200))) + np.eye(400)
    H = np.linalg.solve(M, Y.T.ravel()).reshape(2, 200).T
    np.testing.assert_allclose(plain.response_, H, atol=1e-8)
    # Its width belongs to its many neighbours: a number of one's own has the usual width.
    own = mavr.MAVRClassifier(n_neighbors=9).fit(X, y)
    assert (own.n_neighbors_, own.width_, own.laplacian_power_) == (9, 0.3, 1)
    assert own.dimension_ == model.dimension_


def test_few_points_have_no_more_neighbours_than_there_are():
    X = np.linspace(0, 1, 8)[:, None]
    model = mavr.MAVRClassifier().fit(X, [0, -1, -1, -1, -1, -1, -1, 1])
    assert model.n_neighbors_ == 7
    assert model.transduction_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "setting", [{"width": 0.4}, {"laplacian_power": 1}, {"similarity": "local_scaling"}]
)
def test_what_is_given_is_taken(cloud, setting):
    """Half a choice is none: the other half is that of a fine cloud."""
    X, truth = cloud
    model = mavr.MAVRClassifier(**setting).fit(X, with_labels(truth, 5, 0))
    assert (model.width_, model.laplacian_power_) == (setting.get("width", 0.3), 1)
    assert model.dimension_ is None


def test_a_name_that_is_none(cloud):
    X, truth = cloud
    y = with_labels(truth, 1, 0)
    with pytest.raises(ValueError, match="width must be a number or \"auto\", got 'wide'"):
        mavr.MAVRClassifier(width="wide").fit(X, y)
    with pytest.raises(
        ValueError, match="laplacian_power must be a number or \"auto\", got 'high'"
    ):
        mavr.MAVRClassifier(laplacian_power="high").fit(X, y)
    with pytest.raises(
        ValueError, match='class_prior must be proportions, None, "auto" or "labels", got'
    ):
        mavr.MAVRClassifier(class_prior="all").fit(X, y)


@pytest.mark.parametrize(("weight", "expected"), [(1e-200, 5.0), (1e-12, 1e15), (1e12, 1e-12)])
@pytest.mark.parametrize("name", ["auto", "degree"])
def test_gamma_stays_in_its_range(name, weight, expected):
    """Also where the square of the weights is no number, or one that gamma may not have."""
    graph = Graph(weight * (np.ones((10, 10)) - np.eye(10)), "unnormalized", 2)
    found = automatic.gamma_of(name, graph, 10)
    assert found == pytest.approx(expected if name == "auto" or weight != 1e-200 else 0.01)


# Held-out labels.


def test_a_finer_graph_is_that_of_the_smaller_width(cloud):
    X, _ = cloud
    wide = Graph(mavr.knn_similarity(X, 12, automatic.CLOUD.width), "unnormalized", 2)
    fine = automatic.finer(wide)
    expected = mavr.knn_similarity(X, 12, automatic.FINE.width)
    assert (fine.kind, fine.power) == ("unnormalized", automatic.FINE.power)
    # Nothing else tells the two apart: the same neighbours, the same gamma.
    assert automatic.FINE.n_neighbors == automatic.CLOUD.n_neighbors
    assert automatic.FINE.reach == automatic.CLOUD.reach
    np.testing.assert_allclose(fine.W.toarray(), expected.toarray(), rtol=1e-12)


def test_each_label_is_held_out_once_and_an_only_one_never():
    y = np.array([0, 0, 1, 0, -1, 0, 0, 2, 2, -1])
    Y = (y[:, None] == np.arange(3)).astype(float)
    kept = []

    def answer(part):
        kept.append(part)
        return np.zeros(10, dtype=int)

    wrong = automatic.mistakes(Y, answer)
    assert wrong.tolist() == [False, False, False, False, False, False, True, True]
    left = [set(np.flatnonzero(y >= 0)) - set(np.flatnonzero(part.any(axis=1))) for part in kept]
    assert left == [{0, 3, 6, 7}, {1, 5, 8}]


def test_held_out_labels_choose_the_finer_graph(digits):
    """The choice is that of the fewer mistakes, made anew by hand from two fits each."""
    X, truth = digits
    seen = set()
    for seed in range(6):
        y = with_labels(truth, 6, seed)
        model = mavr.MAVRClassifier(directions=None).fit(X, y)
        wrong = {}
        for kind in (automatic.FINE, automatic.CLOUD):
            fixed = {"width": kind.width, "laplacian_power": kind.power}
            wrong[kind.width] = held_out(X, y, fixed).sum()
        assert model.width_ == (0.3 if wrong[0.3] < wrong[0.5] else 0.5)
        assert model.laplacian_power_ == (1 if model.width_ == 0.3 else 2)
        # New points see the width that was taken.
        fixed = {"width": model.width_, "laplacian_power": model.laplacian_power_}
        given = mavr.MAVRClassifier(**fixed).fit(X, y)
        new = X[::7] + 1e-3
        np.testing.assert_allclose(model.predict_proba(new), given.predict_proba(new), atol=1e-6)
        seen.add(model.width_)
    assert seen == {0.3, 0.5}


# Proportions that are found.


def unequal(seed, spread=4):
    return make_blobs([300, 100, 35], n_features=8, cluster_std=spread, random_state=seed)


@pytest.mark.parametrize("spread", [4, 9, 40])
def test_proportions_are_found_where_equal_counts_hide_them(spread):
    X, truth = unequal(11, spread)
    y = with_labels(truth, 11, 0)
    setting = {"directions": None, "width": 0.3, "laplacian_power": 1}
    first = mavr.MAVRClassifier(class_prior="labels", **setting).fit(X, y)
    np.testing.assert_allclose(first.class_prior_, 1 / 3)
    model = mavr.MAVRClassifier(**setting).fit(X, y)
    shares = np.bincount(np.where(y >= 0, y, first.transduction_)) / len(y)
    # As far as the labels are found better than by guesses, one of three of which is right.
    better = max(0, 1.5 * (1 - held_out(X, y, setting).mean() - 1 / 3))
    trust = (5 / 6) * better**2
    assert {4: trust > 0.7, 9: 0.1 < trust < 0.6, 40: trust < 0.1}[spread]
    np.testing.assert_allclose(model.class_prior_, (1 - trust) / 3 + trust * shares)
    assert model.gamma_ == first.gamma_
    # Labels weigh as their class: columns of the answer have its proportions.
    assert model.width_ == first.width_
    total = model.response_.sum(axis=0)
    np.testing.assert_allclose(total / total.sum(), model.class_prior_, atol=1e-6)


@pytest.mark.parametrize(
    "setting", [{"balance": 0.0}, {"tau": "auto"}, {"class_relation": np.eye(3)}]
)
def test_nothing_is_found_beside_other_terms(setting):
    X, truth = unequal(11)
    y = with_labels(truth, 5, 0)
    auto = mavr.MAVRClassifier(**setting).fit(X, y)
    labels = mavr.MAVRClassifier(class_prior="labels", **setting).fit(X, y)
    np.testing.assert_array_equal(auto.response_, labels.response_)


def test_many_points_are_a_fine_cloud_without_proportions_to_find(monkeypatch):
    monkeypatch.setattr(automatic, "MANY_POINTS", 400)
    X, truth = unequal(11)
    y = with_labels(truth, 5, 0)
    auto, before = mavr.MAVRClassifier().fit(X, y), mavr.MAVRClassifier(**BEFORE).fit(X, y)
    np.testing.assert_array_equal(auto.response_, before.response_)


def test_counts_that_differ_know_the_proportions():
    X, truth = unequal(11)
    y = with_labels(truth, 5, 0)
    y[np.flatnonzero((truth == 0) & (y == -1))[:9]] = 0
    auto = mavr.MAVRClassifier().fit(X, y)
    np.testing.assert_array_equal(
        auto.class_prior_, mavr.methods.estimated_proportions(np.array([14.0, 5.0, 5.0]))
    )
    labels = mavr.MAVRClassifier(class_prior="labels").fit(X, y)
    np.testing.assert_array_equal(auto.response_, labels.response_)


def test_all_points_labelled_are_as_many_as_they_are(cloud):
    X, truth = cloud
    model = mavr.MAVRClassifier().fit(X, truth)
    np.testing.assert_allclose(model.class_prior_, 1 / 3)


# Out of the box.


def test_better_than_one_setting_for_all():
    """On other sets than those of docs/defaults.md: blobs that overlap, and unequal ones."""
    totals = np.zeros(2)
    for state in range(1, 9):
        X, truth = make_blobs(300, centers=5, n_features=10, cluster_std=5, random_state=state)
        totals += [mean_error(X, truth, 5, [0], **s) for s in ({"class_prior": "labels"}, BEFORE)]
    assert totals[0] < 0.95 * totals[1]
    X, truth = unequal(11)
    assert mean_error(X, truth, 10, range(4)) < 0.6 * mean_error(X, truth, 10, range(4), **BEFORE)


def test_names_sparse_points_copies_and_grids(cloud):
    X, truth = cloud
    y = with_labels(truth, 4, 0)
    names = np.array(["a", "b", "c"])
    model = mavr.MAVRClassifier().fit(X, y)
    named = mavr.MAVRClassifier().fit(sp.csr_array(X), np.where(y == -1, "-1", names[y]))
    np.testing.assert_array_equal(named.transduction_, names[model.transduction_])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X + 0.01), model.predict(X + 0.01))
    assert clone(model).get_params()["width"] == "auto"
    grid = {"width": ["auto", 0.4], "laplacian_power": ["auto", 2]}
    search = GridSearchCV(
        mavr.MAVRClassifier(), grid, scoring=mavr.labelled_accuracy, cv=mavr.LabelledFolds(2)
    ).fit(X, y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


@pytest.mark.parametrize("labels", [3, 50])
def test_one_class_of_a_cloud(labels):
    """A power of the Laplacian, and labels that differ from a constant nowhere or at few points."""
    X = np.random.default_rng(0).random((50, 10))
    model = mavr.MAVRClassifier().fit(X, np.where(np.arange(50) < labels, 0, -1))
    assert model.laplacian_power_ == 2
    assert not model.transduction_.any()
