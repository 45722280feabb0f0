"""The estimators against scikit-learn's contract, its LabelSpreading, and the core."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

import mavr
from mavr import relations
from mavr.estimators.classifier import distribution
from tests.estimator_cases import ALL_SIMILARITIES, CLASSES, kernel

SINGLE = [
    mavr.MAVRClassifier(),
    mavr.MAVRClassifier("gaussian", tau=None, balance=1.0),
    mavr.MAVRClassifier("knn", laplacian="unnormalized"),
    mavr.MAVRClassifier("cosine"),
    mavr.LGCClassifier(),
    mavr.BAVRClassifier(),
    mavr.LapRLSClassifier(),
]
EVERY = [*SINGLE, mavr.MAVRMultiLabelClassifier()]


def expected_failures(estimator):
    if isinstance(estimator, mavr.MAVRMultiLabelClassifier):
        return {}
    return {
        "check_classifiers_classes": "its last part has the classes -1 and 1, and -1 marks a point "
        "without label; scikit-learn exempts LabelPropagation and LabelSpreading from it by name"
    }


# Some checks have labels by chance, on points half of which are one: a class may well take most.
@pytest.mark.filterwarnings("ignore:one class takes")
@parametrize_with_checks(EVERY, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", SINGLE, ids=repr)
def test_classes_check_as_scikit_learn_runs_it_for_label_spreading(estimator):
    check_classifiers_classes("LabelSpreading", estimator)


@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.99])
def test_lgc_is_label_spreading_run_to_the_end(moons, alpha):
    X, _, y = moons
    ours = mavr.LGCClassifier(kernel, gamma=alpha / (1 - alpha)).fit(X, y)
    theirs = LabelSpreading(kernel=kernel, alpha=alpha, max_iter=20_000, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.label_distributions_, theirs.label_distributions_, atol=1e-9)
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)


@pytest.mark.parametrize("Classifier", CLASSES)
def test_few_labels_separate_the_moons(moons, Classifier):
    X, truth, y = moons
    model = Classifier("gaussian", sigma=0.15).fit(X, y)
    assert accuracy_score(truth, model.transduction_) > 0.9
    assert model.transduction_.dtype == y.dtype
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)
    new, expected = make_moons(60, noise=0.03, random_state=9)
    assert model.score(new, expected) > 0.9


def test_fit_hands_everything_to_the_solver(moons):
    X, _, y = moons
    P = np.array([[1.0, 0.3], [0.3, 2.0]])
    model = mavr.MAVRClassifier(
        "gaussian", sigma=0.3, gamma=7.0, tau="auto", class_relation=P, balance=0.5
    ).fit(X, y)
    Q = mavr.laplacian(mavr.gaussian_similarity(X, 0.3), "unnormalized")
    Y = np.column_stack([y == 0, y == 1]).astype(float)
    s = mavr.solve(Q, Y, P, 7.0, np.sqrt(8), 0.5)
    np.testing.assert_allclose(model.response_, s.H, atol=1e-12)
    assert model.rho_ == pytest.approx(s.rho)
    np.testing.assert_array_equal(model.transduction_, s.labels)
    assert np.linalg.norm(model.response_) == pytest.approx(np.sqrt(8))


@pytest.mark.parametrize("tau", [None, 2.0])
def test_tau_as_given(moons, tau):
    X, _, y = moons
    model = mavr.MAVRClassifier(tau=tau).fit(X, y)
    assert (model.rho_ == -1) == (tau is None)
    if tau:
        assert np.linalg.norm(model.response_) == pytest.approx(tau)


@pytest.mark.parametrize("similarity", ALL_SIMILARITIES)
@pytest.mark.parametrize("Classifier", CLASSES)
def test_predicting_the_training_points_is_the_transduction(moons, Classifier, similarity):
    X, _, y = moons
    model = Classifier(similarity, sigma=0.2).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.transduction_)
    np.testing.assert_allclose(model.predict_proba(X), model.label_distributions_)


def by_hand(name, X, x, k, sigma):
    """Weights of one new point, written out."""
    d = np.linalg.norm(X - x, axis=1)
    if name == "gaussian":
        return np.exp(-(d**2) / (2 * sigma**2))
    among = np.linalg.norm(X[:, None] - X, axis=2)
    scale = np.sort(among, axis=1)[:, k]
    w = np.exp(-(d**2) / (2 * scale * np.sort(d)[k - 1]))
    if name == "local_scaling":
        return w
    if name == "cosine":
        w = np.maximum(X @ x / np.linalg.norm(X, axis=1) / np.linalg.norm(x), 0)
        d = -w
    return np.where(np.isin(np.arange(len(X)), np.argsort(d)[:k]), w, 0)


@pytest.mark.parametrize("name", ["gaussian", "local_scaling", "knn", "cosine"])
def test_new_points_average_over_the_old(moons, name):
    _, _, y = moons
    rng = np.random.default_rng(6)
    X = rng.normal(size=(120, 4))  # not the moons: cosines in the plane are nearly all equal
    new = rng.normal(size=(15, 4))
    model = mavr.MAVRClassifier(name, sigma=0.8, n_neighbors=12, width=1.0).fit(X, y)
    expected = []
    for x in new:
        w = by_hand(name, X, x, 12, 0.8)
        expected.append(w @ model.response_ / w.sum())
    expected = np.array(expected)
    np.testing.assert_allclose(model.predict_proba(new), distribution(expected), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(new), expected.argmax(axis=1))


def test_a_far_point_has_the_class_of_the_nearest(moons):
    X, _, y = moons
    model = mavr.MAVRClassifier("gaussian", sigma=0.1).fit(X, y)
    far = np.array([[1e6, 0.0], [-1e6, 0.0]])
    nearest = [X[:, 0].argmax(), X[:, 0].argmin()]
    np.testing.assert_array_equal(model.predict(far), model.transduction_[nearest])
    assert np.isfinite(model.predict_proba(far)).all()


def test_blocks_of_new_points_change_nothing(moons, monkeypatch):
    X, _, y = moons
    model = mavr.MAVRClassifier().fit(X, y)
    new = make_moons(30, noise=0.2, random_state=5)[0]
    whole = model.predict_proba(new)
    monkeypatch.setattr("mavr.graphs.extension.BLOCK_ENTRIES", 7 * len(X))
    np.testing.assert_allclose(model.predict_proba(new), whole)


TWO_PIECES = np.array([[0.0], [0.1], [0.2], [100.0], [100.1], [100.2]])


@pytest.mark.parametrize(
    ("y", "mark"),
    [
        ([0, -1, -1, -1, -1, -1], -1),
        (np.array([0.0, -1, -1, -1, -1, -1]), -1.0),
        (["a", "-1", "-1", "-1", "-1", "-1"], "-1"),
        (["a", -1, -1, -1, -1, -1], "-1"),  # numpy makes strings of this list
        (np.array(["a", -1, -1, -1, -1, -1], dtype=object), -1),
    ],
    ids=["int", "float", "strings", "mixed list", "object"],
)
@pytest.mark.parametrize("Classifier", CLASSES)
def test_unreached_points_have_no_class_and_one_warning(Classifier, y, mark):
    model = Classifier("gaussian", sigma=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(TWO_PIECES, y)
    assert len(caught) == 1
    assert "3 of 6 points have no path to a labelled point" in str(caught[0].message)
    assert caught[0].filename == __file__
    first = model.classes_[0]
    assert model.transduction_.tolist() == [first] * 3 + [mark] * 3
    # The same for new points beside the unreached, and shares that favour no class.
    assert model.predict([[0.05], [100.05]]).tolist() == [first, mark]
    np.testing.assert_allclose(model.predict_proba(TWO_PIECES[3:]), 1.0)


def test_label_spreading_calls_unreached_points_class_zero():
    """What ours does not do; see the test above."""
    X, y = TWO_PIECES, [-1, -1, -1, 1, 0, -1]
    theirs = LabelSpreading(gamma=50.0).fit(X, y)
    assert theirs.transduction_[:3].tolist() == [0, 0, 0]


def test_string_classes(moons):
    X, truth, y = moons
    names = np.array(["south", "north"])
    strings = np.where(y < 0, "-1", names[y])
    objects = np.array([-1 if j < 0 else str(names[j]) for j in y], dtype=object)
    numbers = mavr.MAVRClassifier("knn").fit(X, y)
    for labels in (strings, objects, strings.tolist()):
        model = mavr.MAVRClassifier("knn").fit(X, labels)
        assert model.classes_.tolist() == ["north", "south"]
        np.testing.assert_array_equal(model.transduction_, names[numbers.transduction_])
        np.testing.assert_array_equal(model.predict(X), names[numbers.transduction_])
        assert model.score(X, names[truth]) > 0.9


def test_a_named_class_without_label_has_its_column(moons):
    X, _, y = moons
    only = np.where(y == 1, -1, y)
    model = mavr.MAVRClassifier(
        "gaussian", classes=[0, 1, 2], class_relation=relations.repelled(3)
    ).fit(X, only)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.response_.shape == (120, 3)
    assert model.predict_proba(X[:5] + 0.01).shape == (5, 3)


@pytest.mark.parametrize("Classifier", CLASSES)
def test_every_classifier_takes_classes(moons, Classifier):
    X, _, y = moons
    # Balance would give an unlabelled class its share of the points.
    without = {"balance": 0.0} if Classifier is mavr.MAVRClassifier else {}
    model = Classifier(classes=[0, 1, 5], n_neighbors=12, **without).fit(X, y)
    assert model.label_distributions_.shape == (120, 3)
    assert 5 not in model.transduction_


def test_the_class_relation_follows_the_order_of_classes(moons):
    X, _, y = moons
    P = np.diag([1.0, 2.0, 3.0]) + 0.2
    sorted_ = mavr.MAVRClassifier(classes=[0, 1, 2], class_relation=P).fit(X, y)
    turned = [2, 0, 1]
    other = mavr.MAVRClassifier(classes=turned, class_relation=P[np.ix_(turned, turned)]).fit(X, y)
    assert other.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(other.response_, sorted_.response_, atol=1e-10)


@pytest.mark.parametrize("similarity", ["gaussian", "local_scaling", "cosine", "knn"])
@pytest.mark.parametrize("Classifier", CLASSES)
def test_sparse_points(Classifier, similarity):
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 30))) * (rng.random((60, 30)) < 0.3)
    X[:30, :8] += 1.0
    X[30:, 8:16] += 1.0
    y = np.full(60, -1)
    y[[0, 1, 30, 31]] = 0, 0, 1, 1
    dense = Classifier(similarity, sigma=2.0, n_neighbors=15).fit(X, y)
    for container in (sp.csr_array, sp.csr_matrix, sp.csc_array):
        model = Classifier(similarity, sigma=2.0, n_neighbors=15).fit(container(X), y)
        np.testing.assert_array_equal(model.transduction_, dense.transduction_)
        new = X[::3] * 0.9
        np.testing.assert_array_equal(model.predict(container(new)), dense.predict(new))
        np.testing.assert_array_equal(model.predict(container(X)), model.transduction_)


def test_sparse_points_too_many_to_be_dense_are_refused_in_words():
    X = sp.csr_array((2000, 1_000_000))
    with pytest.raises(ValueError, match=r"2000 x 1000000 numbers of 14\.9 GiB; use"):
        mavr.MAVRClassifier("knn").fit(X, [0, 1] + [-1] * 1998)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("Classifier", CLASSES)
def test_precomputed_similarity(moons, Classifier, container):
    X, _, y = moons
    new = make_moons(20, noise=0.1, random_state=4)[0]
    called = Classifier(kernel).fit(X, y)
    model = Classifier("precomputed").fit(container(kernel(X, X)), y)
    np.testing.assert_array_equal(model.transduction_, called.transduction_)
    rows = container(kernel(new, X))
    np.testing.assert_allclose(model.predict_proba(rows), called.predict_proba(new))
    np.testing.assert_array_equal(model.predict(rows), called.predict(new))


def test_cross_validation_cuts_a_precomputed_similarity_both_ways(moons):
    X, truth, _ = moons
    predicted = cross_val_predict(mavr.MAVRClassifier("precomputed"), kernel(X, X), truth, cv=4)
    expected = cross_val_predict(mavr.MAVRClassifier(kernel), X, truth, cv=4)
    np.testing.assert_array_equal(predicted, expected)


def test_pipeline_and_grid_search(moons):
    X, truth, y = moons
    pipeline = make_pipeline(StandardScaler(), mavr.MAVRClassifier("gaussian"))
    grid = {"mavrclassifier__sigma": [0.1, 0.3, 3.0], "mavrclassifier__tau": ["auto", None]}

    def on_labelled(given, predicted):
        known = given != -1
        return float(np.mean(given[known] == predicted[known]))

    search = GridSearchCV(pipeline, grid, scoring=make_scorer(on_labelled), cv=4).fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert accuracy_score(truth, search.predict(X)) > 0.9
    full = GridSearchCV(mavr.LGCClassifier(), {"gamma": [0.1, 10.0]}, cv=3).fit(X, truth)
    assert full.best_score_ > 0.95


@pytest.mark.parametrize("similarity", ALL_SIMILARITIES)
@pytest.mark.parametrize("Classifier", CLASSES)
def test_clone_and_pickle(moons, Classifier, similarity):
    X, _, y = moons
    model = Classifier(similarity, sigma=0.2, classes=[0, 1, 2])
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    model.fit(X, y)
    restored = pickle.loads(pickle.dumps(model))
    new = X + 0.01
    np.testing.assert_array_equal(restored.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(restored.transduction_, model.transduction_)


def test_shares_keep_the_order_of_the_responses():
    rng = np.random.default_rng(1)
    H = rng.normal(size=(50, 4)) * 10.0 ** rng.integers(-300, 10, size=(50, 1))
    shares = distribution(H)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), H.argmax(axis=1))
    np.testing.assert_array_equal(distribution(np.zeros((1, 4))), np.full((1, 4), 0.25))
    np.testing.assert_allclose(distribution(np.array([[2.0, -5.0, 6.0]])), [[0.25, 0, 0.75]])


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (mavr.MAVRClassifier("nearest"), "similarity must be one of gaussian, local_scaling"),
        (mavr.MAVRClassifier(tau="big"), 'tau must be a number, None or "auto", got .big'),
        (mavr.MAVRClassifier(tau=-1.0), "tau must be in 1e-12 … .* or None, got -1"),
        (mavr.BAVRClassifier(tau=None), "use LGCClassifier"),
        (mavr.MAVRClassifier(gamma=0.0), "gamma must be in 1e-12 … .*, got 0"),
        (mavr.MAVRClassifier("gaussian", sigma=0.0), "sigma must be in .*, got 0"),
        (mavr.MAVRClassifier(n_neighbors=2.5), "n_neighbors must be a whole number, got 2.5"),
        (mavr.MAVRClassifier(laplacian="sym"), "laplacian must be one of normalized, unnormalized"),
        (mavr.MAVRClassifier(laplacian_power=9), "laplacian_power must be in 1 … 4, got 9"),
        (mavr.MAVRClassifier(class_relation=np.eye(3)), r"class_relation must have shape \(2, 2\)"),
        (mavr.MAVRClassifier(classes=[0, 2]), "y has the label 1, which `classes` does not name"),
        (mavr.MAVRClassifier(classes=[0, 0, 1]), "distinct"),
        (mavr.MAVRClassifier(classes=[-1, 0, 1]), "it marks no label"),
        (mavr.MAVRClassifier("precomputed"), r"must be \(n, n\), got shape \(120, 2\)"),
        (mavr.MAVRClassifier(lambda A, B: A @ B.T), "similarities must be >= 0"),
        (mavr.MAVRClassifier(lambda A, B: np.ones(3)), r"shape \(120, 120\)"),
        (mavr.LapRLSClassifier(lambda_A=0.0), "lambda_A must be in .*, got 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_say_what_to_do(moons, estimator, message):
    X, _, y = moons
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


def test_no_label_and_no_fit(moons):
    X, _, _ = moons
    with pytest.raises(ValueError, match="no labelled point"):
        mavr.MAVRClassifier().fit(X, np.full(120, -1))
    with pytest.raises(NotFittedError):
        mavr.MAVRClassifier().predict(X)
