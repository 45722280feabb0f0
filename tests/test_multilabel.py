"""Multi-label learning: encodings, thresholds, P from co-occurrence, the estimator."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.metrics import f1_score, hamming_loss
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import datasets
import mavr
from mavr import multilabel
from mavr.solvers.leave_one_out import left_out

EMOTIONS = Path(__file__).parents[2] / "shared" / "data" / "emotions.npz"
nan = np.nan

signs = arrays(
    np.int8, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.sampled_from([-1, 0, 1])
)


# Encodings.


@pytest.mark.parametrize(
    ("Y", "zero", "expected"),
    [
        ([[1, 0], [0, -1]], "auto", [[1, 0], [0, -1]]),
        ([[1, 0], [0, 1]], "auto", [[1, 0], [0, 1]]),
        ([[1, 0], [0, 1]], "no", [[1, -1], [-1, 1]]),
        ([[1, 0], [nan, 1]], "auto", [[1, -1], [0, 1]]),
        ([[1, 0], [nan, -1]], "unknown", [[1, 0], [0, -1]]),
        ([[True, False], [False, False]], "auto", [[1, 0], [0, 0]]),
        (sp.csr_array([[1, 0], [0, -1]]), "auto", [[1, 0], [0, -1]]),
    ],
)
def test_encodings(Y, zero, expected):
    np.testing.assert_array_equal(multilabel.encode(Y, zero), expected)


@pytest.mark.parametrize(
    ("Y", "zero", "message"),
    [
        ([[2, 0]], "auto", "hold -1, 0, 1 or NaN only, got 2"),
        ([[np.inf, 0]], "auto", "got inf"),
        ([1, 0], "auto", "one column per label"),
        ([[1, 0]], "maybe", "zero must be one of"),
    ],
)
def test_encoding_errors(Y, zero, message):
    with pytest.raises(ValueError, match=message):
        multilabel.encode(Y, zero)


def test_absent_labels_are_denied_only_where_nothing_is_denied_outright():
    affirmed = np.array([[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(multilabel.known(affirmed), [[1, -1], [0, 0]])
    signed = np.array([[1.0, 0.0], [0.0, -1.0]])
    np.testing.assert_array_equal(multilabel.known(signed), signed)


def test_frequencies_count_known_entries():
    Y = np.array([[1.0, -1, 0], [1, 0, 0], [-1, -1, 0], [0, 0, 0]])
    np.testing.assert_allclose(multilabel.frequencies(Y), [2 / 3, 0, 0])


# P from co-occurrence.


def test_correlations_are_those_of_numpy_where_all_is_known():
    Y = np.sign(np.random.default_rng(0).normal([0.5, 0, -0.5, 0.2], size=(60, 4)))
    expected = np.corrcoef(Y.T) - np.eye(4)
    np.testing.assert_allclose(multilabel.correlations(Y), expected, atol=1e-12)


def test_correlations_over_the_points_where_both_are_known():
    rng = np.random.default_rng(1)
    Y = rng.choice([-1.0, 0.0, 1.0], size=(200, 3))
    R = multilabel.correlations(Y)
    both = (Y[:, 0] != 0) & (Y[:, 2] != 0)
    assert R[0, 2] == pytest.approx(np.corrcoef(Y[both, 0], Y[both, 2])[0, 1])


@given(signs, st.floats(0, 0.99))
def test_co_occurrence_is_positive_definite_whatever_the_labels(Y, strength):
    P = multilabel.co_occurrence(Y, strength)
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_allclose(np.diag(P), 1)
    values = np.linalg.eigvalsh(P)
    assert values[0] >= 1 - strength - 1e-12
    assert values[-1] <= 1 + strength + 1e-12


@given(signs)
def test_labels_in_company_have_a_negative_entry(Y):
    R = multilabel.correlations(Y.astype(float))
    P = multilabel.co_occurrence(Y)
    off = ~np.eye(len(P), dtype=bool)
    np.testing.assert_array_equal(np.sign(P[off]), -np.sign(R[off]))


@pytest.mark.parametrize("strength", [-0.1, 1.0, nan])
def test_strength_is_bounded(strength):
    with pytest.raises(ValueError, match="strength must be in"):
        multilabel.co_occurrence([[1, 1]], strength)


def path_graph(n):
    return mavr.laplacian(np.eye(n, k=1) + np.eye(n, k=-1), "unnormalized")


def test_a_negative_entry_makes_responses_vary_together():
    """By the objective: the same pair of responses costs less, and the optimum follows."""
    Q = path_graph(8)
    together = np.linspace(-1, 1, 8)[:, None] * [[1, 1]]
    apart = np.linspace(-1, 1, 8)[:, None] * [[1, -1]]
    P = multilabel.co_occurrence([[1, 1], [-1, -1], [1, 1], [-1, 1]])
    assert P[0, 1] < 0

    def cost(H, P):
        return np.trace(H.T @ Q @ H @ P)

    assert cost(together, P) < cost(together, np.eye(2)) < cost(apart, P)
    # Label 0 is known at both ends, label 1 nowhere: its response goes along, or against.
    Y = np.zeros((8, 2))
    Y[[0, -1], 0] = 1, -1
    with_company = mavr.solve(Q, Y, P, gamma=5.0).H
    assert with_company[:, 0] @ with_company[:, 1] > 0
    opposed = mavr.solve(Q, Y, 2 * np.eye(2) - P, gamma=5.0).H
    assert opposed[:, 0] @ opposed[:, 1] < 0
    alone = mavr.solve(Q, Y, gamma=5.0).H
    np.testing.assert_allclose(alone[:, 1], 0, atol=1e-12)


# Responses without the point's own labels.


@pytest.mark.parametrize("form", [mavr.decompose, np.asarray, sp.csr_array])
@pytest.mark.parametrize("balance", [0.0, 0.7])
@pytest.mark.parametrize("tau", [None, 1.5])
def test_left_out_against_solving_again(tau, balance, form):
    rng = np.random.default_rng(2)
    n, c, gamma = 14, 3, 4.0
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(n, 2)), 1.0))
    P = multilabel.co_occurrence(rng.choice([-1.0, 1.0], size=(20, c)), 0.8)
    Y = np.zeros((n, c))
    Y[[1, 4, 9, 12]] = rng.choice([-1.0, 0.0, 1.0], size=(4, c), p=[0.4, 0.2, 0.4])
    spectrum = mavr.decompose(Q)
    solution = mavr.solve(spectrum, Y, P, gamma, tau, balance)
    got = left_out(form(Q), solution, Y, P, gamma, balance)
    M = gamma * np.kron(P, Q) - solution.rho * np.eye(n * c)
    M += balance * np.kron(np.eye(c) - 1 / c, np.ones((n, n)))
    for row, i in enumerate(np.flatnonzero(Y.any(axis=1))):
        without = Y.copy()
        without[i] = 0
        H = np.linalg.solve(M, without.T.ravel()).reshape(c, n).T
        np.testing.assert_allclose(got[row], H[i], atol=1e-9)


# Thresholds, with scikit-learn's metrics as oracle.


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    Y = np.where(rng.random((40, 3)) < [0.2, 0.5, 0.7], 1.0, -1.0)
    return rng.normal(size=(40, 3)) + 0.8 * Y, Y


def cuts(h):
    values = np.unique(h)
    return np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2])


def test_learned_threshold_per_label_has_the_best_f1(scored):
    H, Y = scored
    T = multilabel.learned_threshold(H, Y)
    for j in range(3):
        best = max(f1_score(Y[:, j] > 0, H[:, j] >= t) for t in cuts(H[:, j]))
        assert f1_score(Y[:, j] > 0, H[:, j] >= T[j]) == pytest.approx(best)


def test_learned_common_threshold_has_the_best_micro_f1(scored):
    H, Y = scored
    T = multilabel.learned_threshold(H, Y, per_label=False)
    assert len(set(T)) == 1
    best = max(f1_score(Y > 0, t <= H, average="micro") for t in cuts(H))
    assert f1_score(Y > 0, T <= H, average="micro") == pytest.approx(best)


def test_learned_threshold_reads_known_entries_only(scored):
    H, Y = scored
    hidden = Y.copy()
    hidden[::3, 1] = 0
    T = multilabel.learned_threshold(H, hidden)
    known = hidden[:, 1] != 0
    best = max(f1_score(Y[known, 1] > 0, H[known, 1] >= t) for t in cuts(H[known, 1]))
    assert f1_score(Y[known, 1] > 0, H[known, 1] >= T[1]) == pytest.approx(best)


def test_labels_that_all_or_none_have():
    H = np.array([[0.3, 0.1], [0.2, -0.5]])
    Y = np.array([[1.0, -1.0], [1.0, -1.0]])
    np.testing.assert_array_equal(multilabel.learned_threshold(H, Y), [-np.inf, np.inf])


def test_no_threshold_between_equal_responses():
    h = np.array([[1.0], [0.0], [0.0], [0.0]])
    Y = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    assert multilabel.learned_threshold(h, Y)[0] in (0.5, 0.0)


@pytest.mark.parametrize("per_label", [True, False])
def test_frequency_threshold_gives_labels_in_proportion(scored, per_label):
    H, Y = scored
    share = multilabel.frequencies(Y)
    T = multilabel.frequency_threshold(H, share, per_label)
    given_to = (T <= H).sum(axis=0)
    expected = (Y > 0).sum(axis=0)
    if per_label:
        np.testing.assert_array_equal(given_to, expected)
    else:
        assert given_to.sum() == expected.sum()
        assert len(set(T)) == 1


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (1.0, 5), (0.4, 2)])
def test_frequency_threshold_at_its_ends(share, count):
    H = np.arange(5.0)[:, None]
    T = multilabel.frequency_threshold(H, np.array([share]))
    assert (T <= H).sum() == count


# The estimator.


@pytest.fixture(scope="module")
def discs():
    data = datasets.multilabel(150, seed=1)
    rng = np.random.default_rng(0)
    labelled = np.concatenate([data.labelled, rng.permutation(150)[:30]])
    Y = np.zeros(data.Y.shape)
    Y[labelled] = 2.0 * data.Y[labelled] - 1
    return data.X, data.Y.astype(int), Y


def test_predictions_are_an_indicator(discs):
    X, truth, Y = discs
    model = mavr.MAVRMultiLabelClassifier(gamma=9.0).fit(X, Y)
    assert set(np.unique(model.transduction_)) == {0, 1}
    np.testing.assert_array_equal(model.predict(X), model.transduction_)
    np.testing.assert_array_equal(
        model.transduction_, (model.response_ >= model.threshold_).astype(int)
    )
    assert f1_score(truth, model.predict(X + 1e-3), average="macro") > 0.8
    scores = model.predict_proba(X)
    assert scores.min() >= 0
    assert scores.max() <= 1
    np.testing.assert_array_equal(scores >= 0.5, model.transduction_ == 1)
    np.testing.assert_array_equal(scores, model.label_distributions_)
    assert model.classes_.tolist() == [0, 1, 2]


def test_encodings_are_the_same_to_the_estimator(discs):
    X, _, Y = discs
    signed = mavr.MAVRMultiLabelClassifier(gamma=9.0).fit(X, Y)
    with_nan = np.where(Y == 0, nan, (Y > 0).astype(float))
    for encoded in (with_nan, with_nan.tolist(), sp.csr_array(Y), Y.astype(int)):
        other = mavr.MAVRMultiLabelClassifier(gamma=9.0).fit(X, encoded)
        np.testing.assert_array_equal(other.response_, signed.response_)
        np.testing.assert_array_equal(other.threshold_, signed.threshold_)


def test_affirmed_labels_only(discs):
    X, truth, Y = discs
    model = mavr.MAVRMultiLabelClassifier(gamma=9.0).fit(X, np.maximum(Y, 0))
    assert f1_score(truth, model.transduction_, average="macro") > 0.75


@pytest.mark.parametrize("tau", [None, "auto", 3.0])
@pytest.mark.parametrize("similarity", ["local_scaling", "knn", "cosine"])
@pytest.mark.parametrize("per_label", [True, False])
@pytest.mark.parametrize("threshold", ["learned", "frequency", 0.0, [0.0, 0.1, -0.1]])
def test_every_rule_on_every_graph(discs, threshold, per_label, similarity, tau):
    X, _, Y = discs
    model = mavr.MAVRMultiLabelClassifier(
        similarity,
        n_neighbors=20,
        threshold=threshold,
        per_label=per_label,
        tau=tau,
        class_relation="co-occurrence",
    ).fit(X, Y)
    assert model.threshold_.shape == (3,)
    if tau == "auto":
        assert np.linalg.norm(model.response_) == pytest.approx(np.sqrt(Y.any(axis=1).sum()))
    if isinstance(threshold, str) and not per_label:
        assert len(set(model.threshold_)) == 1
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(X + 0.01), model.predict(X + 0.01))


def test_frequency_rule_matches_the_frequencies(discs):
    X, _, Y = discs
    model = mavr.MAVRMultiLabelClassifier(threshold="frequency").fit(X, Y)
    rest = ~Y.any(axis=1)
    share = model.transduction_[rest].mean(axis=0)
    np.testing.assert_allclose(share, multilabel.frequencies(Y), atol=0.5 / rest.sum() + 1e-12)


def test_class_relation(discs):
    X, _, Y = discs
    model = mavr.MAVRMultiLabelClassifier(class_relation="co-occurrence").fit(X, Y)
    np.testing.assert_array_equal(model.class_relation_, multilabel.co_occurrence(Y))
    P = np.diag([1.0, 2.0, 3.0])
    model = mavr.MAVRMultiLabelClassifier(class_relation=P, tau=None, gamma=3.0).fit(X, Y)
    S = mavr.decompose(mavr.laplacian(mavr.knn_similarity(X, 10, 0.4), "unnormalized"))
    np.testing.assert_allclose(model.response_, mavr.solve(S, Y, P, 3.0).H, atol=1e-12)


def test_partly_labelled_points(discs):
    """Each labelled point says something of one label only."""
    X, truth, Y = discs
    partial = np.zeros_like(Y)
    rng = np.random.default_rng(5)
    rows = np.flatnonzero(Y.any(axis=1))
    columns = rng.integers(3, size=len(rows))
    partial[rows, columns] = Y[rows, columns]
    model = mavr.MAVRMultiLabelClassifier(gamma=9.0).fit(X, partial)
    assert f1_score(truth, model.transduction_, average="macro") > 0.6


def test_a_label_set_that_no_labelled_point_has():
    """Two overlapping intervals on a line; the overlap holds no labelled point."""
    X = np.linspace(0, 3, 61)[:, None]
    Y = np.zeros((61, 2))
    Y[[0, 5, 10, 15]] = 1, 0
    Y[[60, 55, 50, 45]] = 0, 1
    model = mavr.MAVRMultiLabelClassifier("gaussian", sigma=0.1, threshold=0.01, gamma=20.0).fit(
        X, Y
    )
    assert model.transduction_[30].tolist() == [1, 1]
    assert model.transduction_[0].tolist() == [1, 0]
    assert model.transduction_[60].tolist() == [0, 1]


def test_unreached_points_have_no_labels_and_one_warning():
    X = [[0.0], [0.1], [100.0], [100.1]]
    model = mavr.MAVRMultiLabelClassifier("gaussian", sigma=0.1, threshold=0.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, [[1, -1], [0, 0], [0, 0], [0, 0]])
    assert len(caught) == 1
    assert "2 of 4 points" in str(caught[0].message)
    assert model.transduction_.tolist() == [[1, 0], [1, 0], [-1, -1], [-1, -1]]
    assert model.predict([[0.05], [100.05]]).tolist() == [[1, 0], [0, 0]]


def test_pipeline_clone_and_grid_search(discs):
    X, truth, _ = discs
    model = mavr.MAVRMultiLabelClassifier("knn", zero="no")
    assert clone(model).get_params() == model.get_params()
    pipeline = make_pipeline(StandardScaler(), model)
    grid = {"mavrmultilabelclassifier__gamma": [1.0, 9.0]}
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(pipeline, grid, scoring="f1_macro", cv=folds).fit(X, truth)
    assert search.best_score_ > 0.8


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": "best"}, "threshold must be a number, learned, frequency, got 'best'"),
        ({"threshold": [0.0, 1.0]}, "threshold must be one number or 3"),
        ({"class_relation": "friends"}, 'class_relation must be a matrix, None or "co-occurrence"'),
        ({"class_relation": np.eye(2)}, r"class_relation must have shape \(3, 3\)"),
        ({"zero": "no idea"}, "zero must be one of"),
        ({"tau": "large"}, "tau must be"),
    ],
)
def test_errors_say_what_to_do(discs, parameters, message):
    X, _, Y = discs
    with pytest.raises(ValueError, match=message):
        mavr.MAVRMultiLabelClassifier(**parameters).fit(X, Y)


def test_two_opposite_classes_are_the_binary_volume_approximation():
    """c = 2, P = I, h_1 + h_2 = 0: V(H) is the binary V(h) = h'Qh / h'h, and so is the solution."""
    rng = np.random.default_rng(7)
    Q = mavr.laplacian(mavr.gaussian_similarity(rng.normal(size=(30, 2)), 0.7))
    y = np.zeros((30, 1))
    y[:6, 0] = 1, 1, -1, 1, -1, -1
    S = mavr.decompose(Q)
    for tau in (None, 2.0):
        H = mavr.solve(S, np.hstack([y, -y]), gamma=5.0, tau=tau)
        h = mavr.solve(S, y, gamma=5.0, tau=None if tau is None else tau / np.sqrt(2))
        np.testing.assert_allclose(H.H.sum(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(H.H[:, [0]], h.H, atol=1e-10)
        assert H.volume == pytest.approx((h.H.T @ Q @ h.H).item() / (h.H**2).sum())
        assert H.rho == pytest.approx(h.rho)


# Real data.


def emotions_scores(draws):
    """What the estimator does, with one eigen-decomposition for all draws."""
    data = np.load(EMOTIONS)
    X = StandardScaler().fit_transform(data["X"].astype(float))
    truth = data["Y"].astype(int)
    n, c = truth.shape
    W = mavr.knn_similarity(X, 10)
    S = mavr.decompose(mavr.laplacian(W))
    f1 = {"identity": [], "co-occurrence": [], "all": [], "chance": []}
    loss = {"identity": [], "co-occurrence": []}
    for draw in draws:
        rng = np.random.default_rng(draw)
        hidden = np.ones(n, dtype=bool)
        hidden[rng.permutation(n)[: round(0.3 * n)]] = False
        Y = np.where(hidden[:, None], 0.0, 2 * truth - 1)
        for name, P in (("identity", np.eye(c)), ("co-occurrence", multilabel.co_occurrence(Y))):
            s = mavr.solve(S, Y, P, 9.0)
            T = multilabel.learned_threshold(left_out(S, s, Y, P, 9.0), Y[~hidden])
            predicted = s.H[hidden] >= T
            f1[name].append(f1_score(truth[hidden], predicted, average="macro"))
            loss[name].append(hamming_loss(truth[hidden], predicted))
        by_chance = rng.random((hidden.sum(), c)) < truth[~hidden].mean(axis=0)
        f1["chance"].append(f1_score(truth[hidden], by_chance, average="macro"))
        f1["all"].append(f1_score(truth[hidden], np.ones_like(by_chance), average="macro"))
    model = mavr.MAVRMultiLabelClassifier(
        "precomputed", laplacian="normalized", gamma=9.0, class_relation="co-occurrence"
    ).fit(W, Y)
    np.testing.assert_array_equal(model.transduction_[hidden], predicted)
    return {k: np.mean(v) for k, v in f1.items()}, {k: np.mean(v) for k, v in loss.items()}


@pytest.mark.skipif(not EMOTIONS.exists(), reason="the emotions data are not part of the project")
def test_emotions():
    """30 % labelled, 20 draws; the numbers are in docs/multilabel.md."""
    score, loss = emotions_scores(range(100, 120))
    assert score["co-occurrence"] >= score["identity"]
    assert loss["co-occurrence"] <= loss["identity"]
    assert score["identity"] > max(score["chance"], score["all"]) + 0.1


def test_defaults_beat_giving_every_label(discs):
    X, truth, Y = discs
    hidden = ~Y.any(axis=1)
    model = mavr.MAVRMultiLabelClassifier().fit(X, Y)
    score = f1_score(truth[hidden], model.transduction_[hidden], average="macro")
    every = f1_score(truth[hidden], np.ones_like(truth[hidden]), average="macro")
    assert score > every + 0.2
    assert model.transduction_[hidden].mean() == pytest.approx(truth[hidden].mean(), abs=0.1)


@pytest.mark.skipif(not EMOTIONS.exists(), reason="the emotions data are not part of the project")
def test_defaults_reach_the_documented_f1():
    data = np.load(EMOTIONS)
    X = StandardScaler().fit_transform(data["X"].astype(float))
    truth = data["Y"].astype(int)
    scores = []
    for draw in range(100, 110):
        hidden = np.ones(len(X), dtype=bool)
        hidden[np.random.default_rng(draw).permutation(len(X))[: round(0.3 * len(X))]] = False
        Y = np.where(hidden[:, None], 0, 2 * truth - 1)
        model = mavr.MAVRMultiLabelClassifier().fit(X, Y)
        scores.append(f1_score(truth[hidden], model.transduction_[hidden], average="macro"))
    assert np.mean(scores) > 0.655
