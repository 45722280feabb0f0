"""The prior of the classes in solver and estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import mavr
from mavr.methods import estimated_proportions
from mavr.solvers.leave_one_out import left_out
from mavr.solvers.problem import make_problem
from mavr.solvers.solver import solve_problem
from mavr.solvers.structure import inspect as structure_of
from tests.estimator_cases import with_labels


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


@pytest.mark.parametrize("counts", [(5, 5, 5), (1, 1, 1), (4, 5, 6), (9, 0, 3), (1, 0, 0)])
def test_counts_that_say_no_more_than_chance_are_equal_proportions(counts):
    found = estimated_proportions(np.array(counts, dtype=float))
    if min(counts):
        np.testing.assert_allclose(found, 1 / 3)
    else:
        assert found is None


def test_many_labels_are_believed():
    found = estimated_proportions(np.array([1000.0, 3000.0, 9000.0]))
    np.testing.assert_allclose(found, np.array([1, 3, 9]) / 13, atol=1e-3)


def test_the_prior_of_labels_and_the_order_of_classes(moons):
    X, _, _ = moons
    y = np.full(120, -1)
    y[:9], y[[9]] = 1, 0
    # p = (0.1, 0.9): chance 0.18 of a spread 9 * 0.32, so a = 1/16.
    shares = 1 / 16 * 0.5 + 15 / 16 * np.array([0.1, 0.9])
    of_labels = mavr.MAVRClassifier(class_prior="labels").fit(X, y).response_
    given = mavr.MAVRClassifier(class_prior=shares).fit(X, y).response_
    turned = mavr.MAVRClassifier(class_prior=shares[::-1], classes=[1, 0]).fit(X, y).response_
    np.testing.assert_allclose(of_labels, given)
    np.testing.assert_allclose(turned, given)
    for wrong, message in (("equal", '"labels", got'), ([1.0], "2 entries"), ([-1.0, 2.0], ">= 0")):
        with pytest.raises(ValueError, match=message):
            mavr.MAVRClassifier(class_prior=wrong).fit(X, y)


def unequal(names):
    """Few labels on points of which one in five is of the first class."""
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(80, 2)) + 2])
    y = np.array(["-1"] * 100 if isinstance(names[0], str) else [-1] * 100)
    y = y.astype("<U5") if y.dtype.kind == "U" else y
    y[[0, 20]] = names
    return X, y


@pytest.mark.parametrize("names", [(0, 1), (7, 3), ("small", "large"), ("a", "b")])
@pytest.mark.parametrize("turned", [False, True])
def test_proportions_by_class_whatever_their_order(names, turned):
    X, y = unequal(names)
    shares = dict(zip(names, (1, 4), strict=True))
    in_order = [shares[name] for name in sorted(names)]
    expected = mavr.MAVRClassifier(class_prior=in_order).fit(X, y).response_
    items = list(shares.items())[:: -1 if turned else 1]
    truth = pd.Series([names[0]] * 20 + [names[1]] * 80)
    for given in (dict(items), pd.Series(dict(items)), truth.value_counts(normalize=True)):
        for classes in (None, list(names), list(names)[::-1]):
            model = mavr.MAVRClassifier(class_prior=given, classes=classes).fit(X, y)
            np.testing.assert_allclose(model.response_, expected, atol=1e-9)
            assert model.class_prior_[sorted(names).index(names[1])] == 4 * min(model.class_prior_)


@pytest.mark.parametrize(
    "given", [{0: 1, 2: 9}, {"0": 1, "1": 3}, {0: 1}, pd.Series([1, 2], index=[0, 0])], ids=repr
)
def test_keys_that_are_not_the_classes_are_refused(given):
    X, y = unequal((0, 1))
    with pytest.raises(ValueError, match=r"must have the classes as keys, \[0, 1\], got \["):
        mavr.MAVRClassifier(class_prior=given).fit(X, y)
    with pytest.raises(ValueError, match=r"got \[-1, 0, 1\]; give every class one number"):
        mavr.MAVRClassifier(class_prior={-1: 3, 0: 1, 1: 2}).fit(X, y)


@pytest.mark.parametrize("given", [{0: 1, 1: 3}, pd.Series([1, 3]), {1, 3}], ids=type)
def test_what_has_no_order_is_no_list_of_proportions(given):
    X, y = unequal((0, 1))
    Y = np.column_stack([y == 0, y == 1]).astype(int)
    with pytest.raises(ValueError, match=r"must be a list in the order of the classes, got"):
        mavr.MAVRMultiLabelClassifier(class_prior=given, balance=1.0).fit(X, Y)
    if isinstance(given, set):
        with pytest.raises(ValueError, match=r"must be a list in the order of the classes, got"):
            mavr.MAVRClassifier(class_prior=given).fit(X, y)


def test_each_estimator_names_what_it_takes():
    X, y = unequal((0, 1))
    with pytest.raises(ValueError, match='proportions, None, "auto" or "labels", got \'foo\''):
        mavr.MAVRClassifier(class_prior="foo").fit(X, y)
    with pytest.raises(ValueError, match="proportions, None or \"labels\", got 'auto'"):
        mavr.MAVRMultiLabelClassifier(class_prior="auto").fit(X, (y == 1)[:, None])
