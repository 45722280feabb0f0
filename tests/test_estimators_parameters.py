"""The estimators' parameters: declared once, checked, and said in words."""

from __future__ import annotations

import inspect
import pydoc
import re

import numpy as np
import pytest
from sklearn.base import clone

import mavr
from mavr import settings
from mavr.estimators import automatic
from mavr.graphs.graph import graph_of
from tests.estimator_cases import CLASSES, with_labels


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
    with pytest.raises(
        TypeError, match=r"^MAVRClassifier\(\) got .* 'sigmas'; did you mean 'sigma'"
    ):
        mavr.MAVRClassifier(sigmas=1.0)
    with pytest.raises(TypeError, match=r"^LGCClassifier\(\) got .* 'foo'; it takes similarity, "):
        mavr.LGCClassifier(foo=1.0)
    with pytest.raises(TypeError, match=r"takes one positional argument, similarity, got 3 after"):
        mavr.MAVRClassifier("knn", 3)
    with pytest.raises(ValueError, match="Invalid parameter 'reach'"):
        mavr.MAVRClassifier().set_params(reach=1.0)
    with pytest.raises(AttributeError, match="no attribute 'reach'"):
        mavr.MAVRClassifier().reach  # noqa: B018


NAMES = {
    mavr.MAVRClassifier: "similarity sigma n_neighbors width laplacian laplacian_power self_loops "
    "gamma tau class_relation balance class_prior classes directions",
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
    assert not re.search(r"\{[a-z]+\}", page)


EVERY_NAME = set().union(*(names.split() for names in NAMES.values()))


@pytest.mark.parametrize("Classifier", NAMES, ids=lambda Classifier: Classifier.__name__)
def test_the_help_names_nothing_that_the_class_lacks(Classifier):
    names, doc = set(NAMES[Classifier].split()), Classifier.__doc__
    told = set(re.findall(r"`(\w+)(?:=[^`]*)?`", doc[doc.index("Parameters\n") :]))
    assert told & EVERY_NAME <= names
    for name in settings.SIMILARITIES:
        assert f'"{name}": ' in doc
    if "laplacian" in names:
        assert "laplacian : {'normalized', 'unnormalized'}" in doc
    if "class_prior" in names:
        (line,) = re.findall(r"class_prior : (.*),", doc)
        assert ('"auto"' in line) == ("classes" in names)
    if "class_relation" in names:
        assert "A positive entry off the diagonal pushes its two classes apart" in doc.replace(
            "\n        ", " "
        )


@pytest.mark.parametrize("Classifier", NAMES, ids=lambda Classifier: Classifier.__name__)
def test_the_attributes_are_those_of_the_docstring(moons, Classifier):
    X, _, y = moons
    given = np.column_stack([y == 0, y == 1]).astype(int) if Classifier not in CLASSES else y
    model = Classifier().fit(X, given)
    doc = Classifier.__doc__
    section = doc[doc.index("Attributes\n") : doc.index("Examples\n")]
    told = set(re.findall(r"^    (\w+_(?:, \w+_)*) : ", section, re.MULTILINE))
    kept = {name for name in vars(model) if name.endswith("_")}
    assert told == kept - {"X_", "n_features_in_"}
    assert (model.n_neighbors_, model.width_) == (
        (20, 0.2) if Classifier is mavr.MAVRClassifier else (model.n_neighbors, model.width)
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"width": "foo"}, "width must be a number or \"auto\", got 'foo'"),
        ({"n_neighbors": "foo"}, "n_neighbors must be a number or \"auto\", got 'foo'"),
        ({"laplacian_power": "foo"}, "laplacian_power must be a number or \"auto\", got 'foo'"),
        ({"class_relation": "foo"}, "class_relation must be a matrix of numbers, got 'foo'"),
        ({"class_relation": [[1, 2], [0, 1]]}, r"symmetric, got class_relation\[0, 1\] = 2 and"),
        ({"class_relation": np.ones((2, 2))}, "class_relation must be positive definite"),
        ({"directions": np.ones(3)}, r'directions must be "auto" or None, got array\(\[1'),
        ({"directions": "foo"}, "directions must be \"auto\" or None, got 'foo'"),
        ({"self_loops": "foo"}, "self_loops must be True or False, got 'foo'"),
        ({"self_loops": np.ones(2)}, "self_loops must be True or False, got array"),
    ],
    ids=str,
)
def test_a_wrong_value_is_told_what_is_right(moons, setting, message):
    X, _, y = moons
    with pytest.raises(ValueError, match=message):
        mavr.MAVRClassifier(**setting).fit(X, y)


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
    model = mavr.MAVRClassifier(
        laplacian="normalized", laplacian_power=2, gamma=500.0, class_prior="labels"
    ).fit(X, y)
    graph = mavr.make_graph(X, "knn", n_neighbors=model.n_neighbors_, width=model.width_)
    L = graph.Q.toarray()
    Y = np.column_stack([y == 0, y == 1]).astype(float)
    C = np.eye(2) - 0.5
    M = 500 * np.kron(np.eye(2), L @ L) + np.kron(C, np.ones((120, 120))) + np.eye(240)
    H = np.linalg.solve(M, Y.T.ravel()).reshape(2, 120).T
    np.testing.assert_allclose(model.response_, H, atol=1e-8)


@pytest.mark.parametrize("Classifier", [mavr.MAVRClassifier, mavr.LGCClassifier])
@pytest.mark.parametrize("rate", [1, 10])
def test_gamma_grows_with_the_points_of_a_label(moons, Classifier, rate):
    X, truth, _ = moons
    y = with_labels(truth, rate, 0)
    auto = Classifier(gamma="auto").fit(X, y)
    # The moons are a shape, whose setting only MAVR takes.
    kind = automatic.SHAPE if Classifier is mavr.MAVRClassifier else automatic.FINE
    assert auto.gamma_ == kind.reach * 60 / rate
    given = Classifier(gamma=auto.gamma_).fit(X, y)
    assert given.gamma_ == given.gamma
    np.testing.assert_array_equal(auto.response_, given.response_)
    with pytest.raises(
        ValueError, match='gamma must be a number, "auto" or "degree", got \'large\''
    ):
        Classifier(gamma="large").fit(X, y)


@pytest.mark.parametrize("width", [0.3, 2.0])
def test_gamma_by_degree_is_one_rule_for_all_weights(moons, width):
    X, truth, _ = moons
    y = with_labels(truth, 5, 0)
    model = mavr.MAVRClassifier(gamma="degree", width=width).fit(X, y)
    W = mavr.knn_similarity(X, model.n_neighbors_, width)
    assert model.gamma_ == pytest.approx(12**1.5 / (100 * W.sum() / 120))
    # The same graph with weights a thousand times as large has the same classes.
    large = mavr.MAVRClassifier("precomputed", gamma="degree").fit(1000 * W, y)
    np.testing.assert_allclose(large.response_, model.response_, atol=1e-8)
    assert mavr.LGCClassifier(gamma="degree").fit(X, y).gamma_ == pytest.approx(12**1.5 / 100)


@pytest.mark.parametrize("size", [1e-200, 1e-80, 1e80, 1e200])
def test_points_of_no_usual_size_are_refused_in_words(moons, size):
    X, _, y = moons
    for model in (mavr.MAVRClassifier(), mavr.LGCClassifier(), mavr.MAVRClassifier("gaussian")):
        with pytest.raises(
            ValueError, match=r"largest entry between 1e-70 and 1e\+70, got .*scale"
        ):
            model.fit(size * X, y)
    plain = mavr.MAVRClassifier().fit(X, y).transduction_
    for moderate in (1e-60, 1e60):
        found = mavr.MAVRClassifier().fit(moderate * X, y).transduction_
        np.testing.assert_array_equal(found, plain)


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


# The size of the data.


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
