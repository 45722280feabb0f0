"""Predictions equal those of exact arithmetic; errors are those of the paper."""

from __future__ import annotations

import numpy as np
import pytest

import datasets
import mavr
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import Parameters
from tests import oracles
from tests.strategies import settled, three_circles

KINDS = ("normalized", "unnormalized")


@pytest.mark.parametrize("first", range(0, 50, 10))
@pytest.mark.parametrize("sigma", [0.5, 0.4, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_three_circles_against_subtraction_free_elimination(kind, sigma, first):
    for seed in range(first, first + 10):
        X, _, Y = three_circles(seed)
        W = mavr.gaussian_similarity(X, sigma)
        Q = mavr.laplacian(W, kind)
        S = mavr.decompose(Q)
        constrained = oracles.constrained_subtraction_free(W, Y, 99.0, np.sqrt(3), kind)[0]
        free = oracles.subtraction_free(W, Y, 99.0, 1.0, kind)
        for tau, exact in ((np.sqrt(3), constrained), (None, free)):
            for state in (S, Q):
                s = mavr.solve(state, Y, tau=tau)
                # A point that no label reaches, as far as doubles tell, has no class to compare.
                reached = exact.max(axis=1) > 1e-300
                assert (s.labels != exact.argmax(axis=1))[reached].sum() == 0
                assert settled(s)[reached].all()
                positive = exact > 1e-290
                relative = np.abs(s.H - exact)[positive] / exact[positive]
                assert relative.max() <= 1e-8


def test_the_eigenbasis_alone_would_be_wrong():
    """Why elimination is there: the first point of what the paper does not tell."""
    X, _, Y = three_circles(0)
    W = mavr.gaussian_similarity(X, 0.3)
    S = mavr.decompose(mavr.laplacian(W))
    naive = S.V @ ((S.V.T @ Y) / (99 * S.lam + 1)[:, None])
    exact = oracles.subtraction_free(W, Y, 99.0, 1.0, "normalized")
    assert (naive.argmax(axis=1) != exact.argmax(axis=1)).sum() > 30


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [0.4, 1.0, 4.0])
def test_gamma_and_tau_over_fifteen_decades(kind, width):
    X, _, Y = three_circles(1, n=60)
    W = mavr.gaussian_similarity(X, width)
    Q = mavr.laplacian(W, kind)
    # The second is a Q that does not remember its degrees.
    states = (mavr.decompose(Q), Q, mavr.decompose(np.array(np.asarray(Q))))
    for gamma in (1e-6, 1e-2, 99.0, 1e5, 1e9):
        for tau in (1e-6, 1e-2, np.sqrt(3), 1e4, 1e9):
            exact = oracles.constrained_subtraction_free(W, Y, gamma, tau, kind)[0]
            for state in states:
                s = mavr.solve(state, Y, gamma=gamma, tau=tau)
                assert np.isfinite(s.H).all()
                assert abs(np.linalg.norm(s.H) / tau - 1) <= 1e-10
                assert s.residual <= 1e-8
                wrong = s.labels != exact.argmax(axis=1)
                assert not (wrong & settled(s)).any()
                apart = np.abs(s.H - exact).max(axis=1)
                assert (apart <= s.error_bound + 1e-11 * exact.max(axis=1)).all()
            if kind == "normalized":
                # sqrt(d) tells the classes apart however far the responses spread.
                assert settled(mavr.solve(states[0], Y, gamma=gamma, tau=tau)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_gamma_and_tau_extremes_balanced_and_related(kind):
    X, _, Y = three_circles(2, n=48)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 1.0), kind))
    P = [[1, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]]
    for gamma in (1e-6, 99.0, 1e9):
        for tau in (1e-6, 1.0, 1e9):
            for balance in (0.0, 1.0):
                s = mavr.solve(S, Y, P, gamma, tau, balance)
                assert np.isfinite(s.H).all()
                assert abs(np.linalg.norm(s.H) / tau - 1) <= 1e-10
                assert s.residual <= 1e-8


def test_errors_of_the_paper_at_its_defaults():
    errors = {"mavr": [], "lgc": []}
    for seed in range(100):
        data = datasets.three_circles(seed=seed)
        # Another seed, else points and labels would come from one and the same stream.
        labelled = datasets.draw_labels(data.y, 3, how="balanced", seed=1_000_000 + seed)
        Y = np.zeros((300, 3))
        Y[labelled, data.y[labelled]] = 1.0
        rest = np.setdiff1d(np.arange(300), labelled)
        graph = Graph(mavr.gaussian_similarity(data.X, 0.5))
        for name, found in errors.items():
            s = METHODS[name].run(graph, Y, Parameters(gamma=99.0))
            found.append((s.labels[rest] != data.y[rest]).mean())
    mavr_error, lgc_error = (100 * np.mean(errors[name]) for name in ("mavr", "lgc"))
    assert abs(mavr_error - 21.1) <= 3
    assert abs(lgc_error - 24.2) <= 3
    assert mavr_error < lgc_error


@pytest.mark.parametrize("width", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_lgc_is_label_spreading(seed, width):
    X, y, Y = three_circles(seed, n=90)
    W = mavr.gaussian_similarity(X, width)
    s = mavr.lgc(mavr.decompose(mavr.laplacian(W)), Y, gamma=9.0)
    given = np.where(Y.any(axis=1), y, -1)
    soft, labels = oracles.label_spreading(W, given, 9.0)
    np.testing.assert_array_equal(s.labels, labels)
    ours = s.H / s.H.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours, soft, atol=1e-6)


@pytest.mark.parametrize("tau", [0.3, np.sqrt(3), 20.0])
@pytest.mark.parametrize("seed", range(4))
def test_effective_alpha(seed, tau):
    """For P = I, constrained MAVR predicts as LGC with alpha = gamma / (gamma - rho)."""
    X, _, Y = three_circles(seed, n=120)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 1.0)))
    s = mavr.solve(S, Y, gamma=99.0, tau=tau)
    assert s.alpha == pytest.approx(99 / (99 - s.rho))
    other = mavr.lgc(S, Y, gamma=s.alpha / (1 - s.alpha))
    np.testing.assert_array_equal(s.labels, other.labels)
    scale = tau / np.linalg.norm(other.H)
    bound = s.error_bound + scale * other.error_bound + 1e-9 * s.H.max(axis=1)
    assert (np.abs(s.H - scale * other.H).max(axis=1) <= bound).all()


@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e5])
def test_gamma_and_tau_are_one_knob(factor):
    X, _, Y = three_circles(3, n=90)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 1.0)))
    s = mavr.solve(S, Y, gamma=99.0, tau=2.0)
    t = mavr.solve(S, Y, gamma=99.0 * factor, tau=2.0 / factor)
    np.testing.assert_allclose(t.H * factor, s.H, rtol=1e-7)
    assert t.alpha == pytest.approx(s.alpha, rel=1e-9)
    np.testing.assert_array_equal(s.labels, t.labels)


def test_a_shortcut_by_row_sums_would_miss_the_norm():
    """For P = I the secular equation sums squares of rows of V'Y, not their sums."""
    X, _, Y = three_circles(4, n=60)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 3.0)))
    s = mavr.solve(S, Y, gamma=99.0, tau=20.0)
    Z = S.V.T @ Y
    at = 99.0 * S.lam - s.rho
    assert np.sqrt(((Z / at[:, None]) ** 2).sum()) == pytest.approx(20.0, rel=1e-9)
    assert abs(np.linalg.norm(Z.sum(axis=1) / at) / 20.0 - 1) > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_poisson_learning_is_the_limit(seed):
    X, _, Y = three_circles(seed, n=90)
    W = mavr.gaussian_similarity(X, 2.0)
    Q = mavr.laplacian(W, "unnormalized")
    # rho -> 0 by a large gamma tau, and the classes held at one mean.
    s = mavr.solve(mavr.decompose(Q), Y, gamma=1.0, tau=1e6, balance=1e3)
    potential = oracles.poisson(W, Y)
    centred = s.H - s.H.mean(axis=1, keepdims=True)
    centred *= np.linalg.norm(potential) / np.linalg.norm(centred)
    np.testing.assert_allclose(centred, potential, atol=1e-3 * np.abs(potential).max())
    np.testing.assert_array_equal(s.labels[settled(s)], potential.argmax(axis=1)[settled(s)])
    assert (~settled(s)).sum() <= 2
