"""The estimators against scikit-learn's contract, its LabelSpreading, and the core."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

import datasets
import mavr
from mavr import relations, settings
from mavr.collapse import collapse
from mavr.estimators.classifier import distribution
from mavr.graphs.distances import nearest_neighbors
from mavr.graphs.graph import graph_of
from mavr.solvers.leave_one_out import left_out
from mavr.solvers.problem import make_problem
from mavr.solvers.solver import solve_problem
from mavr.solvers.structure import inspect as structure_of

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


@parametrize_with_checks(EVERY, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", SINGLE, ids=repr)
def test_classes_check_as_scikit_learn_runs_it_for_label_spreading(estimator):
    check_classifiers_classes("LabelSpreading", estimator)


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(120, noise=0.03, random_state=3)
    partial = np.full(120, -1)
    for j in (0, 1):
        partial[np.flatnonzero(y == j)[:4]] = j
    return X, y, partial


def kernel(A, B):
    return rbf_kernel(A, B, gamma=8.0)


ALL_SIMILARITIES = ["gaussian", "local_scaling", "knn", "cosine", kernel]
CLASSES = [
    mavr.MAVRClassifier,
    mavr.LGCClassifier,
    mavr.BAVRClassifier,
    mavr.LapRLSClassifier,
]


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
    # One point, many times: joined, and nothing else to know.
    alike = mavr.knn_similarity(np.zeros((30, 2)), 3)
    assert connected_components(alike)[0] == 1
    np.testing.assert_array_equal(alike.data, 1)


def test_a_new_point_on_many_duplicates_that_is_no_training_point():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    y = np.array([0] + [-1] * 8 + [1])
    model = mavr.MAVRClassifier("local_scaling", n_neighbors=3).fit(X, y)
    assert model.predict([[-1e-320], [1.0 + 1e-15]]).tolist() == [0, 1]


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
        (mavr.MAVRClassifier(class_relation=np.eye(3)), r"P must have shape \(2, 2\)"),
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


# Parameters come from the declarations.


@pytest.fixture
def taxicab():
    """A similarity of one parameter, registered while the test runs."""

    def function(X, reach):
        W = np.exp(-np.abs(X[:, None] - X).sum(axis=2) / reach)
        np.fill_diagonal(W, 0.0)
        return W

    about = settings.Number("reach", "Reach", "r", "Length of a walk.", 0.1, 10.0, 2.0)
    similarity = settings.Similarity("taxicab", "Taxicab", "By blocks.", function, (about,))
    before = mavr.MAVRClassifier()
    settings.register_similarity(similarity)
    yield before
    del settings.SIMILARITIES["taxicab"]


@pytest.mark.parametrize("Classifier", [*CLASSES, mavr.MAVRMultiLabelClassifier])
def test_a_registered_similarity_is_a_parameter(moons, taxicab, Classifier):
    X, _, y = moons
    assert Classifier().get_params()["reach"] == 2.0
    assert inspect.signature(Classifier).parameters["reach"].default == 2.0
    model = Classifier("taxicab", reach=0.3)
    assert "reach=0.3" in repr(model)
    assert "n_neighbors" not in repr(model)
    assert clone(model).reach == 0.3
    model.set_params(reach=20.0)
    y = y if Classifier in CLASSES else np.column_stack([y == 0, y == 1])
    with pytest.raises(ValueError, match=r"reach must be in 0\.1 … 10, got 20"):
        model.fit(X, y)
    near = model.set_params(reach=0.1).fit(X, y)
    far = clone(model).set_params(reach=10.0).fit(X, y)
    assert not np.allclose(near.response_, far.response_)
    assert near.predict(X + 0.01).shape == (120, *np.shape(y)[1:])


def test_an_older_model_knows_a_newer_similarity(taxicab):
    assert taxicab.get_params()["reach"] == 2.0
    assert taxicab.set_params(reach=1.0).reach == 1.0
    assert clone(taxicab).reach == 1.0


def test_a_parameter_that_does_not_exist():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigmas'"):
        mavr.MAVRClassifier(sigmas=1.0)
    with pytest.raises(ValueError, match="Invalid parameter 'reach'"):
        mavr.MAVRClassifier().set_params(reach=1.0)
    with pytest.raises(AttributeError, match="no attribute 'reach'"):
        mavr.MAVRClassifier().reach  # noqa: B018


NAMES = {
    mavr.MAVRClassifier: "similarity sigma n_neighbors width laplacian laplacian_power self_loops "
    "gamma tau class_relation balance class_prior classes",
    mavr.LGCClassifier: "similarity sigma n_neighbors width self_loops gamma classes",
    mavr.BAVRClassifier: "similarity sigma n_neighbors width laplacian laplacian_power self_loops "
    "gamma tau classes",
    mavr.LapRLSClassifier: "similarity sigma n_neighbors width lambda_A lambda_I classes",
    mavr.MAVRMultiLabelClassifier: "similarity sigma n_neighbors width laplacian laplacian_power "
    "self_loops gamma tau class_relation balance class_prior threshold per_label zero",
}


@pytest.mark.parametrize("Classifier", NAMES, ids=lambda Classifier: Classifier.__name__)
def test_public_names_and_help(Classifier):
    names = NAMES[Classifier].split()
    assert set(Classifier().get_params()) == set(names)
    parameters = inspect.signature(Classifier).parameters
    assert set(parameters) == set(names)
    assert next(iter(parameters)) == "similarity"
    page = pydoc.render_doc(Classifier, renderer=pydoc.plaintext)
    for name in names:
        assert re.search(rf"^ \|  {name} : .*, default ", page, re.MULTILINE), name
    assert "{parameters}" not in page


def test_settings_of_the_graph_reach_it(moons):
    X, _, y = moons
    model = mavr.MAVRClassifier(
        "local_scaling",
        n_neighbors=9,
        width=0.6,
        laplacian="normalized",
        laplacian_power=2,
        self_loops=True,
        tau=None,
        gamma=5.0,
        balance=0.0,
    ).fit(X, y)
    L = mavr.laplacian(mavr.local_scaling_similarity(X, 9, 0.6), self_loops=True)
    Y = np.column_stack([y == 0, y == 1]).astype(float)
    expected = np.linalg.solve(5 * L @ L + np.eye(120), Y)
    np.testing.assert_allclose(model.response_, expected, atol=1e-12)


def test_a_power_of_a_sparse_laplacian(moons):
    X, _, y = moons
    model = mavr.MAVRClassifier(laplacian="normalized", laplacian_power=2, gamma=500.0).fit(X, y)
    L = mavr.laplacian(mavr.knn_similarity(X, 7, 0.4)).toarray()
    Y = np.column_stack([y == 0, y == 1]).astype(float)
    C = np.eye(2) - 0.5
    M = 500 * np.kron(np.eye(2), L @ L) + np.kron(C, np.ones((120, 120))) + np.eye(240)
    H = np.linalg.solve(M, Y.T.ravel()).reshape(2, 120).T
    np.testing.assert_allclose(model.response_, H, atol=1e-8)


def test_the_papers_setting():
    model = mavr.MAVRClassifier.paper()
    values = model.get_params()
    assert (values["similarity"], values["n_neighbors"]) == ("local_scaling", 7)
    assert (values["gamma"], values["tau"], values["balance"]) == (99.0, "auto", 0.0)
    assert mavr.MAVRClassifier.paper(gamma=3.0).gamma == 3.0
    assert mavr.BAVRClassifier.paper().gamma == 1.0
    assert mavr.LapRLSClassifier.paper().lambda_I == 1.0


# BAVR.


@pytest.mark.parametrize("similarity", ["knn", "cosine", "local_scaling"])
def test_bavr_is_the_method_of_that_name(moons, similarity):
    X, _, y = moons
    model = mavr.BAVRClassifier(similarity, n_neighbors=12, width=1.0, gamma=3.0).fit(X, y)
    graph = graph_of(settings.GraphSpec.of(similarity, n_neighbors=12), X)
    Y = np.column_stack([y == 0, y == 1]).astype(float)
    solution = mavr.METHODS["bavr"].run(graph, Y, settings.Parameters(gamma=3.0, tau=1.0))
    np.testing.assert_array_equal(model.response_, solution.H)
    np.testing.assert_array_equal(model.solution_.labels, solution.labels)


def test_bavr_is_undecided_between_symmetric_points():
    X = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]])
    with pytest.warns(UserWarning, match="1 of 5 points have a largest response that is not"):
        model = mavr.BAVRClassifier("gaussian", sigma=1.0).fit(X, [0, -1, -1, -1, 1])
    assert model.solution_.uncertain.tolist() == [False, False, True, False, False]
    assert np.abs(model.response_[2]).max() < 1e-15
    np.testing.assert_allclose(model.label_distributions_[2], [0.5, 0.5])
    np.testing.assert_allclose(model.predict_proba([[0.0], [1e-17]]), 0.5)
    assert model.predict_proba([[0.1]])[0, 1] > 0.5
    assert model.label_distributions_[3].tolist() == [0.0, 1.0]


# Labels as people write them.


@pytest.mark.parametrize(
    ("y", "got"),
    [
        ([0.0, 1.0, np.nan, np.nan], "nan at row 2"),
        (np.array(["a", "b", None, "b"], dtype=object), "None at row 2"),
        (["a", "b", "", "a"], "'' at row 2"),
        (np.array([0, 1, 1, np.nan], dtype=object), "nan at row 3"),
        (np.array(["a", "b", "a", ""], dtype=object), "'' at row 3"),
    ],
)
@pytest.mark.parametrize("Classifier", CLASSES)
def test_other_marks_get_a_hint(Classifier, y, got):
    with pytest.raises(ValueError, match=f'got {got}; a point without label is marked "?-1"?'):
        Classifier(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], y)


def test_an_empty_name_is_a_class_where_it_is_named():
    X = [[0.0], [0.1], [5.0], [5.1]]
    model = mavr.MAVRClassifier("gaussian", classes=["", "b"]).fit(X, ["", "-1", "b", "-1"])
    assert model.transduction_.tolist() == ["", "", "b", "b"]


def test_score_leaves_unlabelled_rows_out(moons):
    X, truth, y = moons
    model = mavr.MAVRClassifier("gaussian", sigma=0.15).fit(X, y)
    known = y != -1
    assert model.score(X, y) == accuracy_score(y[known], model.predict(X[known]))
    weight = np.arange(120.0)
    expected = accuracy_score(truth, model.predict(X), sample_weight=weight)
    assert model.score(X, truth, weight) == pytest.approx(expected)
    with pytest.raises(ValueError, match="no labelled row to score"):
        model.score(X, np.full(120, -1))


@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("name", ["local_scaling", "knn", "cosine"])
def test_fewer_points_than_neighbours(name, n):
    X = np.column_stack([np.arange(1.0, n + 1), np.ones(n)])
    y = [0] * (n - 1) + [1]
    model = mavr.MAVRClassifier(name, n_neighbors=7).fit(X, y)
    assert set(model.transduction_) <= {0, 1}
    assert set(model.predict(X + 1e-3)) <= {0, 1}


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (mavr.LapRLSClassifier("knn"), "LapRLSClassifier needs it .* use MAVRClassifier or LGC"),
        (mavr.MAVRMultiLabelClassifier("knn"), 'use threshold="frequency" or a number'),
    ],
    ids=["laprls", "thresholds"],
)
def test_a_sparse_graph_beyond_the_dense_limit_names_another_way(model, remedy):
    X = np.arange(20_000.0)[:, None]
    y = np.arange(20_000) % 2
    y = y[:, None] if isinstance(model, mavr.MAVRMultiLabelClassifier) else y
    with pytest.raises(ValueError, match=f"20000 points need a dense .* GiB.*{remedy}") as caught:
        model.fit(X, y)
    assert "knn_similarity" not in str(caught.value)


# The collapse.


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16, y[:600]


def with_labels(y, rate, seed):
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(np.flatnonzero(y == j))[:rate] for j in np.unique(y)]
    return np.where(np.isin(np.arange(len(y)), np.concatenate(chosen)), y, -1)


COLLAPSING = [
    mavr.MAVRClassifier.paper(),
    mavr.MAVRClassifier.paper(similarity="knn", gamma=1e5, tau=None),
    mavr.LGCClassifier("local_scaling", width=1.0, gamma=99.0),
]
STANDING = [
    mavr.MAVRClassifier(),
    mavr.MAVRClassifier("local_scaling", width=1.0, laplacian="normalized", tau="auto"),
    mavr.LGCClassifier(),
    mavr.BAVRClassifier(),
    mavr.LapRLSClassifier(),
]


@pytest.mark.parametrize("Classifier", [mavr.BAVRClassifier, mavr.MAVRClassifier])
def test_a_sparse_graph_beyond_the_dense_limit_is_solved(Classifier, monkeypatch, moons):
    X, _, y = moons
    usual = Classifier("knn").fit(X, y).transduction_
    monkeypatch.setattr("mavr.validation.MAX_DENSE_POINTS", 50)
    np.testing.assert_array_equal(Classifier("knn").fit(X, y).transduction_, usual)


@pytest.mark.parametrize("rate", [1, 5])
@pytest.mark.parametrize("model", COLLAPSING, ids=repr)
def test_a_collapse_is_said_with_its_remedy(digits, model, rate):
    X, truth = digits
    y = with_labels(truth, rate, 0)
    with pytest.warns(UserWarning, match=r"one class takes .* of the points .*; use ") as caught:
        model = clone(model).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert accuracy_score(truth, model.transduction_) < 0.6
    Y = (y[:, None] == model.classes_).astype(float)
    found = collapse(model.solution_, Y)
    share = np.bincount(model.transduction_).max() / len(y)
    assert found.share == pytest.approx(share)
    assert found.labels == pytest.approx(0.1)


@pytest.mark.parametrize("rate", [1, 5, 20])
@pytest.mark.parametrize("model", STANDING, ids=repr)
def test_no_collapse_is_no_warning(digits, model, rate):
    X, truth = digits
    model = clone(model).fit(X, with_labels(truth, rate, 0))
    assert accuracy_score(truth, model.transduction_) > 0.6


def test_unequal_classes_are_no_collapse():
    """Nine in ten points of one class, and as many of its labels: that is what is asked for."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(180, 2)), rng.normal(size=(20, 2)) + 6])
    y = np.full(200, -1)
    y[:9], y[180] = 0, 1
    model = mavr.MAVRClassifier("gaussian", sigma=1.0, balance=0.0).fit(X, y)
    assert (model.transduction_ == 0).mean() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [1, 5])
def test_a_large_class_is_no_collapse(rate, seed):
    """Two thirds of the points are of one class, which has a third of the labels: and is found."""
    data = datasets.unequal_blobs(seed=(0, 1, 3)[seed])
    y = with_labels(data.y, rate, seed + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mavr.MAVRClassifier.paper().fit(data.X, y)
    wrong = np.mean(model.transduction_ != data.y)
    Y = (y[:, None] == model.classes_).astype(float)
    found = collapse(model.solution_, Y)
    assert (found is None) == (wrong < 0.2)


# Choosing parameters.


def test_folds_hold_out_labelled_points_only(moons):
    _, _, y = moons
    folds = list(mavr.LabelledFolds(4).split(None, y))
    held_out = np.concatenate([test for _, test in folds])
    np.testing.assert_array_equal(np.sort(held_out), np.flatnonzero(y != -1))
    for train, test in folds:
        assert sorted(y[test]) == [0, 1]
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(120))
    with pytest.raises(ValueError, match=r"n_splits = 5 folds need as many labels .* has 4"):
        next(mavr.LabelledFolds(5).split(None, y))


def test_the_scorer_leaves_unlabelled_rows_out(moons):
    X, truth, y = moons
    model = mavr.MAVRClassifier().fit(X, y)
    mixed = np.where(np.arange(120) < 60, truth, -1)
    expected = accuracy_score(truth[:60], model.predict(X[:60]))
    assert mavr.labelled_accuracy(model, X, mixed) == expected
    with pytest.raises(ValueError, match=r"use cv=mavr\.LabelledFolds"):
        mavr.labelled_accuracy(model, X, np.full(120, -1))
    grid = {"gamma": [1e-3, 9.0]}
    search = GridSearchCV(
        mavr.LGCClassifier(), grid, scoring=mavr.labelled_accuracy, cv=mavr.LabelledFolds(4)
    ).fit(X, y)
    assert search.best_score_ > 0.7
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


# The defaults.


def four_sets():
    X, y = load_digits(return_X_y=True)
    yield pytest.param(X[:500] / 16, y[:500], id="digits")
    for load in (load_wine, load_breast_cancer, load_iris):
        X, y = load(return_X_y=True)
        yield pytest.param(StandardScaler().fit_transform(X), y, id=load.__name__[5:])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*no path to a labelled point")
@pytest.mark.parametrize(("rate", "allowed"), [(1, 0.0), (5, 0.015)])
@pytest.mark.parametrize(("X", "truth"), list(four_sets()))
def test_defaults_beside_the_better_label_spreading(X, truth, rate, allowed):
    """20 draws (seeds 0 to 19) of 1 and 5 labels per class."""
    models = [mavr.MAVRClassifier(), LabelSpreading(), LabelSpreading(alpha=0.99)]
    errors = []
    for seed in range(20):
        y = with_labels(truth, rate, seed)
        rest = y == -1
        errors.append([np.mean((m.fit(X, y).transduction_ != truth)[rest]) for m in models])
    ours, *theirs = np.mean(errors, axis=0)
    assert ours < min(theirs) + allowed


def test_all_of_wine_labelled():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    assert mavr.MAVRClassifier().fit(X, y).score(X, y) > 0.9


# The prior of the classes.


@pytest.mark.parametrize("tau", [None, 2.0])
@pytest.mark.parametrize("form", [mavr.decompose, np.asarray, sp.csr_array])
def test_the_prior_against_a_dense_system(form, tau):
    """(gamma P (x) Q + balance C (x) 11' - rho I) vec H = vec Y, C = I - pp'/|p|^2."""
    rng = np.random.default_rng(4)
    n, c, prior = 25, 3, np.array([1.0, 3.0, 9.0])
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(n, 2)), 1.0))
    P = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]])
    Y = np.zeros((n, c))
    Y[[0, 1, 2, 3], [0, 1, 2, 2]] = 1
    s = mavr.solve(form(Q), Y, P, 5.0, tau, 0.7, prior)
    C = np.eye(c) - np.outer(prior, prior) / (prior @ prior)
    M = 5.0 * np.kron(P, Q) + 0.7 * np.kron(C, np.ones((n, n))) - s.rho * np.eye(n * c)
    H = np.linalg.solve(M, Y.T.ravel()).reshape(c, n).T
    np.testing.assert_allclose(s.H, H, atol=1e-10)
    total = np.trace(H.T @ Q @ H @ P) * 5.0 + 0.7 * H.sum(axis=0) @ C @ H.sum(axis=0)
    assert s.objective == pytest.approx(((Y - H) ** 2).sum() + total)
    if tau:
        assert np.linalg.norm(s.H) == pytest.approx(tau)


@pytest.mark.parametrize("tau", [None, 2.0])
def test_the_prior_in_the_closest_answer(tau):
    """Refinement computes its residual with the same C: H agrees to rounding, and says so."""
    rng = np.random.default_rng(0)
    n, c, prior = 40, 3, np.array([1.0, 3.0, 9.0])
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(n, 2)), 0.5))
    Y = np.zeros((n, c))
    Y[[0, 1, 2, 3], [0, 1, 2, 2]] = 1
    P = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]])
    structure = structure_of(Q)
    problem = make_problem(structure, Y, P, 99.0, tau, 1.0, prior)
    s = solve_problem(problem, structure, exact=True)
    C = np.eye(c) - np.outer(prior, prior) / (prior @ prior)
    M = 99.0 * np.kron(P, Q) + np.kron(C, np.ones((n, n))) - s.rho * np.eye(n * c)
    H = np.linalg.solve(M, Y.T.ravel()).reshape(c, n).T
    assert s.method.endswith("refined")
    np.testing.assert_allclose(s.H, H, atol=1e-11)
    assert s.error_bound.max() < 1e-11


@pytest.mark.parametrize("prior", [None, [1.0, 3.0, 9.0]])
@pytest.mark.parametrize("form", [mavr.decompose, np.asarray, sp.csr_array])
def test_leaving_a_label_out_heeds_the_prior(form, prior):
    """Against a dense solve without the label, at the same rho."""
    rng = np.random.default_rng(6)
    n, c = 20, 3
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(n, 2)), 1.0))
    P = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]])
    Y = np.zeros((n, c))
    Y[[0, 1, 2, 3], [0, 1, 2, 2]] = 1
    s = mavr.solve(form(Q), Y, P, 5.0, None, 0.7, prior)
    found = left_out(form(Q), s, Y, P, 5.0, 0.7, prior)
    p = np.ones(c) if prior is None else np.array(prior)
    C = np.eye(c) - np.outer(p, p) / (p @ p)
    M = 5.0 * np.kron(P, Q) + 0.7 * np.kron(C, np.ones((n, n))) + np.eye(n * c)
    for k in range(4):
        without = Y.copy()
        without[k] = 0
        H = np.linalg.solve(M, without.T.ravel()).reshape(c, n).T
        np.testing.assert_allclose(found[k], H[k], atol=1e-10)


def test_a_prior_without_balance_changes_nothing():
    """Classes that are alike stay interchangeable, and small shares do not underflow."""
    Q = mavr.laplacian(np.ones((6, 6)))
    Y = np.zeros((6, 3))
    Y[0, 0] = 1
    assert mavr.solve(Q, Y, prior=[1.0, 1.0, 2.0]).interchangeable == ((1, 2),)
    tiny = mavr.solve(Q, Y, balance=1.0, prior=[1e-200, 1e-200, 2e-200])
    same = mavr.solve(Q, Y, balance=1.0, prior=[1.0, 1.0, 2.0])
    np.testing.assert_allclose(tiny.H, same.H, rtol=1e-12)


def test_a_large_balance_makes_totals_follow_the_prior():
    rng = np.random.default_rng(5)
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(40, 2)), 1.0))
    Y = np.zeros((40, 3))
    Y[[0, 1, 2], [0, 1, 2]] = 1
    prior = np.array([1.0, 2.0, 5.0])
    totals = mavr.solve(Q, Y, balance=1e6, prior=prior).H.sum(axis=0)
    np.testing.assert_allclose(totals / totals.sum(), prior / prior.sum(), rtol=1e-4)
    equal = mavr.solve(Q, Y, balance=1.0, prior=np.ones(3)).H
    np.testing.assert_allclose(equal, mavr.solve(Q, Y, balance=1.0).H, atol=1e-12)


def test_unequal_priors_tell_unlabelled_classes_apart():
    Q = mavr.laplacian(np.ones((6, 6)))
    Y = np.zeros((6, 3))
    Y[0, 0] = 1
    assert mavr.solve(Q, Y, balance=1.0).interchangeable == ((1, 2),)
    assert mavr.solve(Q, Y, balance=1.0, prior=[1.0, 1.0, 2.0]).interchangeable == ()
    assert mavr.solve(Q, Y, balance=1.0, prior=[1.0, 2.0, 2.0]).interchangeable == ((1, 2),)


def unequal_digits():
    """Digits 0, 1 and 2 with 13, 39 and 117 points."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(np.flatnonzero(y == j))[:m] for j, m in ((1, 13), (3, 39), (8, 117))]
    return X[np.concatenate(rows)] / 16, np.repeat([0, 1, 2], [13, 39, 117])


def test_the_right_prior_helps_unequal_classes():
    X, truth = unequal_digits()
    errors = {"none": [], "equal": [], "right": []}
    for seed in range(10):
        y = with_labels(truth, 1, seed)
        rest = y == -1
        for name, given in (
            ("none", {"balance": 0.0}),
            ("equal", {}),
            ("right", {"class_prior": [1, 3, 9]}),
        ):
            model = mavr.MAVRClassifier(**given).fit(X, y)
            errors[name].append(np.mean((model.transduction_ != truth)[rest]))
    mean = {name: np.mean(e) for name, e in errors.items()}
    assert mean["right"] <= min(mean["none"], mean["equal"])


def test_the_prior_of_labels_and_the_order_of_classes(moons):
    X, _, _ = moons
    y = np.full(120, -1)
    y[[0, 1, 2]], y[[3]] = 1, 0
    of_labels = mavr.MAVRClassifier(class_prior="labels").fit(X, y).response_
    given = mavr.MAVRClassifier(class_prior=[1.0, 3.0]).fit(X, y).response_
    turned = mavr.MAVRClassifier(class_prior=[3.0, 1.0], classes=[1, 0]).fit(X, y).response_
    np.testing.assert_allclose(of_labels, given)
    np.testing.assert_allclose(turned, given)
    assert mavr.MAVRClassifier(class_prior=np.array([1, 3])).fit(X, y).response_ == (
        pytest.approx(given)
    )
    for wrong, message in (("equal", '"labels", got'), ([1.0], "2 entries"), ([-1.0, 2.0], ">= 0")):
        with pytest.raises(ValueError, match=message):
            mavr.MAVRClassifier(class_prior=wrong).fit(X, y)
