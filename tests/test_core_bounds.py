"""Error bounds hold in long arithmetic; numbers at the ends of every range stay numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.relations import PAPER
from mavr.settings import Parameters
from mavr.solvers import conjugate_gradients, shifted
from tests import oracles
from tests.strategies import random_relation, three_circles, with_spectrum


def check_bound(s, exact):
    """Each response within its point's error bound, but for the last digit of a double."""
    for i, row in enumerate(exact):
        for j, value in enumerate(row):
            error = abs(float(value - s.H[i, j]))
            assert error <= s.error_bound[i] + 1e-15 * abs(float(value))


def whole_weights(seed, n):
    """A similarity of whole numbers: its Laplacian D - W has no rounding."""
    W = np.triu(np.random.default_rng(seed).integers(0, 4, (n, n)), 1).astype(float)
    W[np.arange(n - 1), np.arange(1, n)] += 1.0
    return W + W.T


@pytest.mark.parametrize("part", [1e-4, 1e-8, 1e-11, 1e-12, 1e-13, 3e-14])
@pytest.mark.parametrize("tau", [0.7, 3.0, 100.0])
def test_near_hard_cases(part, tau):
    """Labels that hardly touch the lowest eigenvector."""
    Q = np.diag([0.5, 2.0, 3.0])
    for Y in ([[part], [1.0], [0.5]], [[part, 0.0], [1.0, 0.0], [0.0, 1.0]]):
        Y = np.array(Y)
        s = mavr.solve(Q, Y, gamma=1.0, tau=tau)
        exact, _ = oracles.constrained_many_digits(Q, Y, np.eye(Y.shape[1]), 1.0, tau)
        assert s.status is not mavr.Status.HARD_CASE
        check_bound(s, exact)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_near_hard_cases_of_any_matrix(seed, balance):
    rng = np.random.default_rng(seed)
    Q, V = with_spectrum(rng, np.array([0.3, 1.0, 1.5, 2.0]))
    Y = rng.choice([0.0, 1.0], (4, 2))
    Y[0] = [1.0, 0.0]
    Y = Y - np.outer(V[:, 0], V[:, 0] @ Y) * (1 - 10.0 ** -rng.uniform(9, 13))
    s = mavr.solve(Q, Y, gamma=1.0, tau=20.0, balance=balance)
    if s.status is mavr.Status.HARD_CASE or s.method == "whole form":
        return
    exact, _ = oracles.constrained_many_digits(Q, Y, np.eye(2), 1.0, 20.0, balance)
    check_bound(s, exact)
    # What the bound leaves open is uncertain; no tie is claimed.
    assert not s.ties.any()


@pytest.mark.parametrize("condition", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("tau", [None, 0.5, 30.0])
@pytest.mark.parametrize("form", ["spectrum", "direct", "sparse"])
def test_relations_near_singular(form, tau, condition):
    rng = np.random.default_rng(7)
    P, _ = with_spectrum(rng, np.array([1 / condition, 0.5, 1.0]))
    W = whole_weights(3, 5)
    Y = np.zeros((5, 3))
    Y[0, 0] = Y[2, 1] = Y[4, 2] = 1.0
    Q = mavr.laplacian(sp.csr_array(W) if form == "sparse" else W, "unnormalized")
    state = mavr.decompose(Q) if form == "spectrum" else Q
    dense = np.asarray(mavr.laplacian(W, "unnormalized"))
    for balance in (0.0, 1.0):
        s = mavr.solve(state, Y, P, 9.0, tau, balance)
        if tau is None:
            exact = oracles.many_digits(dense, Y, P, 9.0, -1.0, balance)
        else:
            exact, _ = oracles.constrained_many_digits(dense, Y, P, 9.0, tau, balance)
        check_bound(s, exact)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", ["spectrum", "direct", "sparse"])
def test_the_sphere_in_long_arithmetic(form, seed):
    """Not only at the rho found, but at the exact one."""
    rng = np.random.default_rng(seed)
    n, c = 6, 2
    W = whole_weights(seed, n)
    Y = np.zeros((n, c))
    Y[rng.choice(n, 2, replace=False), [0, 1]] = 1.0
    P, gamma, tau = (
        random_relation(rng, c, "full"),
        10.0 ** rng.uniform(-2, 3),
        10.0 ** rng.uniform(-2, 2),
    )
    Q = mavr.laplacian(sp.csr_array(W) if form == "sparse" else W, "unnormalized")
    state = mavr.decompose(Q) if form == "spectrum" else Q
    dense = np.asarray(mavr.laplacian(W, "unnormalized"))
    s = mavr.solve(state, Y, P, gamma, tau)
    exact, delta = oracles.constrained_many_digits(dense, Y, P, gamma, tau)
    check_bound(s, exact)
    assert -s.rho == pytest.approx(float(delta), rel=1e-9)


# Ranges


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize(
    ("tau", "size"), [(1e-140, 1.0), (1e105, 1.0), (1.0, 1e155), (1.0, 1e-200), (None, 1e155),
                      (None, 1e-200), (1e120, 1e120), (1e-120, 1e-120)]
)  # fmt: skip
def test_sizes_far_from_one(tau, size, kind):
    X, _, Y = three_circles(1, n=60)
    W = mavr.gaussian_similarity(X, 1.0)
    Q = mavr.laplacian(W, kind)
    if tau is None:
        exact = oracles.subtraction_free(W, Y, 99.0, 1.0, kind) * size
    else:
        # Only gamma tau / |Y| moves the direction of H.
        exact = oracles.constrained_subtraction_free(W, Y, 99.0 * tau / size, 1.0, kind)[0] * tau
    for state in (mavr.decompose(Q), Q):
        s = mavr.solve(state, Y * size, tau=tau)
        assert np.isfinite(s.H).all()
        assert not np.isnan(s.error_bound).any()
        assert np.isfinite(s.rho)
        assert s.status in (mavr.Status.OPTIMAL, mavr.Status.UNCERTAIN)
        # Beyond the range of the oracle's doubles there is nothing to compare.
        open_ = s.ties | s.uncertain | (exact.max(axis=1) < 1e-290)
        np.testing.assert_array_equal(s.labels[~open_], exact.argmax(axis=1)[~open_])
        assert (np.abs(s.H - exact).max(axis=1) <= s.error_bound + 1e-9 * exact.max(axis=1)).all()
        if tau is None:
            assert not (s.ties | s.uncertain).any()


def test_a_size_that_no_number_holds_is_named():
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    with pytest.raises(ValueError, match=r"tau = 1e\+200 is too far from the labels"):
        mavr.solve(Q, np.array([[1e-200, 0.0], [0.0, 1e-200]]), tau=1e200)


@pytest.mark.parametrize("form", ["spectrum", "direct", "sparse"])
@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_volume_and_objective_at_the_ends_of_their_ranges(balance, kind, form):
    X, _, Y = three_circles(2, n=48)
    W = mavr.gaussian_similarity(X, 2.0)
    Q = mavr.laplacian(sp.csr_array(W) if form == "sparse" else W, kind)
    state = mavr.decompose(Q) if form == "spectrum" else Q
    S = mavr.decompose(mavr.laplacian(W, kind))
    # Conjugate gradients take their time at the far end.
    for gamma in (1e-3, 99.0, 1e4 if form == "sparse" else 1e9):
        for tau in (1e-3 * np.sqrt(3), np.sqrt(3), np.sqrt(3) * (1e3 if form == "sparse" else 1e8)):
            s = mavr.solve(state, Y, gamma=gamma, tau=tau, balance=balance)
            assert s.volume >= 0
            assert s.objective >= 0
            if balance:
                continue
            # In coordinates of the eigenvectors: V = sum lam z^2 / (gamma lam + delta)^2 / tau^2.
            z2 = ((S.V.T @ Y) ** 2).sum(axis=1)
            volume = (S.lam * z2 / (gamma * S.lam - s.rho) ** 2).sum() / tau**2
            # Without eigenvectors V is known as H is: differences of doubles.
            noise = 0.0 if form == "spectrum" else 1e-14 * np.sqrt(volume) + 1e-30
            assert s.volume == pytest.approx(volume, rel=1e-6, abs=noise)
            fit = ((Y - s.H) ** 2).sum() + gamma * volume * tau**2
            assert s.objective == pytest.approx(fit, rel=1e-6)


def test_volume_of_related_classes_from_positive_terms():
    X, _, Y = three_circles(2, n=48)
    Q = mavr.laplacian(mavr.gaussian_similarity(X, 2.0))
    for state in (
        Q,
        mavr.decompose(Q),
        mavr.laplacian(sp.csr_array(mavr.gaussian_similarity(X, 2.0))),
    ):
        s = mavr.solve(state, Y, PAPER["P5"], 9.0, 1.0)
        dense = np.asarray(Q)
        assert s.volume == pytest.approx(np.trace(s.H.T @ dense @ s.H @ PAPER["P5"]), rel=1e-9)


# Ties


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("tau", [None, np.sqrt(3)])
def test_classes_that_are_nearly_one_are_told_apart(seed, tau):
    """P_12 = 0.95 brings two classes close to each other, but not to a tie.

    Its eigenvectors are sum and difference of the two, so the difference of their responses is a
    response itself, known to relative accuracy.
    """
    X, _, Y = three_circles(seed)
    W = mavr.gaussian_similarity(X, 0.5)
    P = np.eye(3)
    P[0, 1] = P[1, 0] = 0.95
    s = mavr.solve(mavr.decompose(mavr.laplacian(W)), Y, P, tau=tau)
    first, second, third = Y.T[:, :, None]
    delta = -s.rho

    def response(y, mu):
        return oracles.subtraction_free(W, y, 99.0 * mu, delta, "normalized")[:, 0]

    total = response(first, 1.95) + response(second, 1.95)
    difference = response(first, 0.05) - response(second, 0.05)
    other = response(third, 1.0)
    close = np.abs(difference) <= 1e-11 * total
    between = (total > 2.001 * other) & (total > 1e-280)
    assert (between & ~close & (np.abs(difference) < 1e-9 * total)).sum() > 3
    assert not (s.ties & ~close).any()
    assert not (s.uncertain & between & ~close).any()
    told = between & ~close
    np.testing.assert_array_equal(s.labels[told], np.where(difference > 0, 0, 1)[told])


def test_a_tie_by_symmetry_stays_a_tie():
    """A chain with P that mixes the classes and treats both ends alike."""
    W = np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1)
    Y = np.zeros((7, 2))
    Y[0, 0] = Y[6, 1] = 1.0
    for balance in (0.0, 1.0):
        for tau in (None, 2.0):
            for Q in (mavr.laplacian(W), mavr.laplacian(sp.csr_array(W))):
                s = mavr.solve(Q, Y, [[1, 0.9], [0.9, 1]], 5.0, tau, balance)
                np.testing.assert_array_equal(s.ties, np.arange(7) == 3)
                assert not s.uncertain.any()


# The sparse path


@pytest.mark.parametrize("tau", [None, 1.0])
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_status_is_that_of_the_responses(monkeypatch, tau, balance):
    X, _, Y = three_circles(0, n=120, noise=0.3)
    Q = mavr.laplacian(mavr.knn_similarity(X, 8))
    monkeypatch.setattr("mavr.solvers.answers.MAX_ELIMINATED_POINTS", 10)
    assert mavr.solve(Q, Y, tau=tau, balance=balance).status is mavr.Status.OPTIMAL
    whole = conjugate_gradients.Shifted.iterate

    def fails_for_labels(self, Z, start, tolerance):
        X, reached = whole(self, Z, start, tolerance)
        # With balance the ones are solved beside the labels.
        return X, reached and not np.array_equal(Z[:, : Y.shape[1]], Y)

    monkeypatch.setattr(conjugate_gradients.Shifted, "iterate", fails_for_labels)
    s = mavr.solve(Q, Y, tau=tau, balance=balance)
    assert s.status is mavr.Status.INACCURATE
    monkeypatch.setattr(conjugate_gradients.Shifted, "iterate", whole)
    monkeypatch.setattr(shifted, "MAX_ITERATIONS", 0)
    s = mavr.solve(Q, Y, tau=tau, balance=balance)
    assert s.status is mavr.Status.INACCURATE
    assert s.uncertain.any()


@pytest.mark.parametrize("tau", [None, np.sqrt(3)])
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_large_sparse_graphs_have_no_false_tie(monkeypatch, tau, balance):
    """Conjugate gradients alone, as above the size for elimination."""
    X, _, Y = three_circles(0, n=1500, noise=0.3)
    W = mavr.knn_similarity(X, 10)
    exact = mavr.solve(mavr.laplacian(W), Y, tau=tau, balance=balance)
    assert not exact.ties.any()
    monkeypatch.setattr("mavr.solvers.answers.MAX_ELIMINATED_POINTS", 10)
    s = mavr.solve(mavr.laplacian(W), Y, tau=tau, balance=balance)
    assert s.method.startswith("conjugate gradients")
    assert not s.ties.any()
    assert s.uncertain.mean() <= 0.01
    reached = ~s.unreached
    sure = ~s.uncertain & ~exact.uncertain & reached
    np.testing.assert_array_equal(s.labels[sure], exact.labels[sure])
    # An uncertain point has the class of its largest response.
    np.testing.assert_array_equal(s.labels[reached], s.H.argmax(axis=1)[reached])
    apart = np.abs(s.H - exact.H).max(axis=1)
    assert (apart <= s.error_bound + exact.error_bound + 1e-15 * np.abs(s.H).max(axis=1)).all()


def test_bavr_is_one_method_on_sparse_graphs():
    """+1 and -1 that cancel need the eigenvectors: the method has them, as the estimator does."""
    X, _, Y = three_circles(0, n=90, noise=0.2)
    W = mavr.knn_similarity(X, 8)
    y = np.where(Y.any(axis=1), Y.argmax(axis=1), -1)
    for tau in (1.0, 1e4):
        s = METHODS["bavr"].run(Graph(W), Y, Parameters(gamma=1.0, tau=tau))
        model = mavr.BAVRClassifier("precomputed", tau=tau * np.sqrt(3)).fit(W, y)
        np.testing.assert_array_equal(s.H, model.response_)
        np.testing.assert_array_equal(s.rho, model.rho_)
