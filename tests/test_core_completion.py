"""Faint responses completed from strong ones, against subtraction-free elimination."""

from __future__ import annotations

import numpy as np
import pytest

import mavr
from mavr.solvers import answers, completion
from mavr.solvers.problem import make_problem
from mavr.solvers.solver import solve_problem
from tests import oracles
from tests.strategies import three_circles

KINDS = ("normalized", "unnormalized")


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    monkeypatch.setattr(completion, "MIN_POINTS", 1)
    monkeypatch.setattr(completion, "MAX_SHARE", 0.95)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", [0.8, 0.5, 0.3])
def test_classes_and_bounds_hold(kind, sigma):
    used = 0
    for seed in range(2):
        X, _, Y = three_circles(seed)
        W = mavr.gaussian_similarity(X, sigma)
        S = mavr.decompose(mavr.laplacian(W, kind))
        for gamma in (3.0, 99.0):
            free = oracles.subtraction_free(W, Y, gamma, 1.0, kind)
            tau = float(np.sqrt(3))
            sphere = oracles.constrained_subtraction_free(W, Y, gamma, tau, kind)[0]
            for norm, exact in ((None, free), (tau, sphere)):
                s = mavr.solve(S, Y, gamma=gamma, tau=norm)
                used += s.method == "eigenbasis, completed"
                reached = exact.max(axis=1) > 1e-290
                np.testing.assert_array_equal(s.labels[reached], exact.argmax(axis=1)[reached])
                error = np.abs(s.H - exact).max(axis=1)
                assert (error <= s.error_bound + 1e-9 * exact.max(axis=1)).all()
    assert used >= 4


def test_a_response_of_any_size_has_a_bound_of_its_size():
    """Far points: the bound of the eigenbasis is 1e-12 for all, the completed one follows them."""
    X, _, Y = three_circles(0)
    W = mavr.gaussian_similarity(X, 0.5)
    S = mavr.decompose(mavr.laplacian(W))
    s = mavr.solve(S, Y, gamma=99.0)
    assert s.method == "eigenbasis, completed"
    top = s.H.max(axis=1)
    assert top.min() < 1e-25
    assert (s.error_bound <= 2.1e-3 * top).all()


def test_labels_among_the_faint_points_are_heard():
    """Two pieces that hardly touch, a weak label in the second: it decides there."""
    X = np.concatenate([np.linspace(0, 3, 40), np.linspace(40, 43, 40)])[:, None]
    W = mavr.gaussian_similarity(X, 0.5)
    Y = np.zeros((80, 2))
    Y[0, 0], Y[79, 1] = 1.0, 1e-16
    S = mavr.decompose(mavr.laplacian(W))
    s = mavr.solve(S, Y, gamma=10.0)
    exact = oracles.subtraction_free(W, Y, 10.0, 1.0, "normalized")
    np.testing.assert_array_equal(s.labels, exact.argmax(axis=1))
    assert (s.labels[40:] == 1).all()


@pytest.mark.parametrize("how", ["balance", "relation", "negative"])
def test_left_to_others_where_responses_may_be_negative(how):
    X, _, Y = three_circles(0, n=60)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 0.5)))
    P = np.array([[1, 0.3, 0], [0.3, 1, 0], [0, 0, 1]]) if how == "relation" else None
    if how == "negative":
        Y = Y - 0.1 * (Y.sum(axis=1, keepdims=True) > 0)
    balance = 1.0 if how == "balance" else 0.0
    problem = make_problem(S.structure, Y, P, 9.0, None, balance)
    assert not completion.completable(problem)


def test_what_is_undecided_is_settled_by_elimination():
    """A point between two labels far away: its classes differ by less than the bound."""
    X = np.concatenate([np.arange(-12.0, 0.0), [0.003], np.arange(1.0, 13.0)])[:, None]
    W = mavr.gaussian_similarity(X, 0.45)
    Y = np.zeros((25, 2))
    Y[0, 0] = Y[24, 1] = 1.0
    S = mavr.decompose(mavr.laplacian(W))
    problem = make_problem(S.structure, Y, None, 1.0, None, 0.0)
    s = solve_problem(problem, S)
    exact = oracles.subtraction_free(W, Y, 1.0, 1.0, "normalized")
    np.testing.assert_array_equal(s.labels, exact.argmax(axis=1))
    assert not s.uncertain.any()


def test_the_whole_is_left_where_nearly_everything_is_faint(monkeypatch):
    monkeypatch.setattr(completion, "MAX_SHARE", 0.01)
    X, _, Y = three_circles(0)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 0.3)))
    assert mavr.solve(S, Y, gamma=3.0).method != "eigenbasis, completed"


@pytest.mark.parametrize("norm", [None, 1.5])
@pytest.mark.parametrize("gamma", [1.0, 2.0])
@pytest.mark.parametrize("ahead", [0, 1])
def test_two_classes_that_nearly_tie_are_told_apart_without_the_whole(
    norm, gamma, ahead, monkeypatch
):
    """A label at each end of a chain, one weaker by a 100,000th: in the middle both are faint."""
    W = mavr.gaussian_similarity(np.linspace(0, 20, 81)[:, None], 0.25)
    Y = np.zeros((81, 2))
    Y[0, 0] = Y[80, 1] = 1.0
    Y[:, 1 - ahead] *= 1 - 1e-5
    if norm is None:
        exact = oracles.subtraction_free(W, Y, gamma, 1.0, "normalized")
    else:
        exact = oracles.constrained_subtraction_free(W, Y, gamma, norm, "normalized")[0]
    S = mavr.decompose(mavr.laplacian(W))
    s = mavr.solve(S, Y, gamma=gamma, tau=norm)
    assert s.method == "eigenbasis, completed"
    np.testing.assert_array_equal(s.labels, exact.argmax(axis=1))
    assert s.labels[40] == ahead
    assert (np.abs(s.H - exact).max(axis=1) <= s.error_bound + 1e-12 * exact.max(axis=1)).all()
    monkeypatch.setattr(answers, "FAINTER", completion.FAINT)
    assert mavr.solve(S, Y, gamma=gamma, tau=norm).method == "Cholesky"
