"""Bounds, ties and classes where P is far from I, labels nearly miss, and balance is at work.

Each against elimination in some hundred digits, or an eigen-decomposition in sixty: a response is
within its error bound to the letter, a class that is claimed is right, and a tie is claimed only
where the exact relative margin is below 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr.experiments.responses import NewtonResponses, SpectralResponses, Subproblem
from mavr.solvers.structure import inspect
from tests import oracles
from tests.strategies import three_circles, with_spectrum

MARGIN = 1e-9


def relation(name, c):
    """The first two classes repel each other, or P is nearly singular."""
    if name == "cond 1e9":
        return with_spectrum(np.random.default_rng(7), np.r_[1e-9, np.linspace(0.5, 1, c - 1)])[0]
    P = np.eye(c)
    P[0, 1] = P[1, 0] = name
    return P


RELATIONS = [0.0, 0.95, 0.99, "cond 1e9"]


def check(s, exact):
    """Every point of a solution; the number of points whose class is left open."""
    for i, row in enumerate(exact):
        error = max(abs(value - type(value)(float(s.H[i, j]))) for j, value in enumerate(row))
        assert error <= s.error_bound[i]
        second, best = sorted(row)[-2:]
        margin = float((best - second) / max(map(abs, row)))
        if s.ties[i]:
            assert margin <= MARGIN
        elif not s.uncertain[i]:
            assert row[s.labels[i]] == best
    return int(s.uncertain.sum())


@pytest.mark.parametrize("balance", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("name", RELATIONS)
def test_near_hard_cases_with_balance(name, balance):
    """Labels that hardly touch the lowest eigenvector."""
    Q, P = np.diag([0.5, 2.0, 3.0]), relation(name, 2)
    for part in (1e-4, 1e-8, 1e-11, 1e-13):
        Y = np.array([[part, 0.0], [1.0, 0.0], [0.0, 1.0]])
        for tau in (0.7, 3.0, 100.0):
            s = mavr.solve(Q, Y, P, 1.0, tau, balance)
            exact, _ = oracles.constrained_many_digits(Q, Y, P, 1.0, tau, balance, 40)
            assert s.status is not mavr.Status.HARD_CASE
            check(s, exact)


@pytest.mark.parametrize("form", ["spectrum", "direct", "sparse"])
@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("name", RELATIONS[1:])
def test_relations_far_from_the_identity_with_balance(name, kind, form):
    """Equally many labels, where balance may have nothing to do, and one more for a class."""
    X, _, Y = three_circles(6, n=18)
    W = mavr.gaussian_similarity(X, 1.0)
    P, more = relation(name, 3), Y.copy()
    more[np.flatnonzero(~Y.any(axis=1))[0], 0] = 1.0
    Q = mavr.laplacian(sp.csr_array(W) if form == "sparse" else W, kind)
    state = mavr.decompose(Q) if form == "spectrum" else Q
    for labels, gamma, tau, balance in ((Y, 1.0, None, 1.0), (Y, 1e4, 50.0, 100.0),
                                        (more, 99.0, np.sqrt(3), 1e-3)):  # fmt: skip
        s = mavr.solve(state, labels, P, gamma, tau, balance)
        exact, _ = oracles.decimal_solve(
            lambda: oracles.exact_laplacian(W, kind), labels, P, gamma, balance, s.rho, tau
        )
        assert check(s, exact) == 0


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("part", [1e-2, 1e-5, 1e-8])
def test_many_settings_on_one_graph_have_the_same_bound(part, kind):
    """Signs that nearly cancel on the null vector: |H|, and with it eps, is hard to know."""
    X, _, Y = three_circles(8, n=24)
    W = mavr.gaussian_similarity(X, 5.0)
    Q, labelled = mavr.laplacian(W, kind), tuple(np.flatnonzero(Y.any(axis=1)).tolist())
    v = inspect(Q).null_vector[list(labelled)]
    S = np.array([[1.0], [-v[0] / v[1] * (1 - part)], [0.0]])
    signs = np.zeros((24, 1))
    signs[list(labelled)] = S
    parts = [Subproblem(labelled, S, size, 1 / 99) for size in (0.3, 10.0, 3e4)]
    for found in (NewtonResponses(inspect(Q), parts), SpectralResponses(mavr.decompose(Q), parts)):
        for at in parts:
            for response in found.of(at):
                H, _ = oracles.decimal_solve(
                    lambda: oracles.exact_laplacian(W, kind),
                    signs, np.eye(1), 1.0, 0.0, -response.eps, at.size,
                )  # fmt: skip
                for exact, ours, bound in zip(H[:, 0], response.H, response.error, strict=True):
                    error = abs(float(exact) / at.size - ours[0])
                    assert error <= bound[0] + 1e-15 * abs(ours[0])


@pytest.mark.parametrize("strength", RELATIONS[1:])
def test_balance_that_has_nothing_to_do_changes_nothing(strength):
    """Q1 = 0 and one label each: totals are equal anyway, and faint responses stay as they are."""
    X, _, Y = three_circles(1)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 0.5), "unnormalized"))
    for tau in (None, np.sqrt(3)):
        plain = mavr.solve(S, Y, relation(strength, 3), 99.0, tau)
        s = mavr.solve(S, Y, relation(strength, 3), 99.0, tau, balance=1.0)
        assert not (s.ties | s.uncertain).any()
        np.testing.assert_array_equal(s.labels, plain.labels)
        assert np.abs(s.H).max(axis=1).min() < 1e-10 * np.abs(s.H).max()
