"""Generated problems against slow, obvious answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mavr
from tests import oracles
from tests.strategies import graphs, hard, logarithmic, settled, spectral


def check_optimal(s, case, balance=0.0):
    """|H| = tau, stationary, rho not above the form: a global minimum (More and Sorensen).

    The conditions are necessary and sufficient; random feasible points must then be no better.
    """
    M = oracles.quadratic_form(case.Q, case.P, case.gamma, balance)
    h, y = s.H.T.ravel(), case.Y.T.ravel()
    assert np.isfinite(s.H).all()
    assert abs(np.linalg.norm(h) / case.tau - 1) <= 1e-10
    scale = (np.linalg.norm(M, 2) + abs(s.rho)) * case.tau + np.linalg.norm(y)
    assert np.linalg.norm(M @ h - s.rho * h - y) <= 1e-8 * scale
    assert s.residual <= 1e-8
    lowest = np.linalg.eigvalsh(M)[0]
    assert s.rho <= lowest + 1e-12 * (np.linalg.norm(M, 2) + abs(s.rho))
    best = oracles.objective(case.Q, case.Y, case.P, case.gamma, balance, s.H)
    assert s.objective == pytest.approx(best, rel=1e-9, abs=1e-9 * scale * case.tau)
    slack = 1e-12 * (np.linalg.norm(M, 2) * case.tau**2 + (np.linalg.norm(y) + case.tau) ** 2)
    for point in oracles.feasible_points(s.H, case.tau, 20):
        other = oracles.objective(case.Q, case.Y, case.P, case.gamma, balance, point)
        assert other >= best - slack


@settings(max_examples=150)
@given(graphs())
def test_constrained_on_a_graph(case):
    s = mavr.solve(mavr.decompose(case.Q), case.Y, case.P, case.gamma, case.tau)
    check_optimal(s, case)
    again = mavr.solve(case.Q, case.Y, case.P, case.gamma, case.tau)
    check_optimal(again, case)
    if s.status is mavr.Status.OPTIMAL:
        apart = np.abs(s.H - again.H).max(axis=1)
        assert (apart <= s.error_bound + again.error_bound + 1e-12 * case.tau).all()
        sure = settled(s, again)
        np.testing.assert_array_equal(s.labels[sure], again.labels[sure])


@settings(max_examples=150)
@given(spectral())
def test_constrained_on_any_matrix(case):
    check_optimal(mavr.solve(case.Q, case.Y, case.P, case.gamma, case.tau), case)


@settings(max_examples=80)
@given(hard())
def test_hard_case(case):
    s = mavr.solve(case.Q, case.Y, case.P, case.gamma, case.tau)
    assert s.status is mavr.Status.HARD_CASE
    check_optimal(s, case)


@settings(max_examples=80)
@given(graphs(max_n=10, max_c=4), logarithmic(-2, 2))
def test_balanced_and_constrained(case, balance):
    s = mavr.solve(mavr.decompose(case.Q), case.Y, case.P, case.gamma, case.tau, balance)
    check_optimal(s, case, balance if case.c > 1 else 0.0)


@settings(max_examples=40)
@given(spectral(max_n=8), logarithmic(-2, 2))
def test_balanced_on_any_matrix(case, balance):
    s = mavr.solve(case.Q, case.Y, case.P, case.gamma, case.tau, balance)
    check_optimal(s, case, balance if case.c > 1 else 0.0)


@settings(max_examples=80)
@given(st.one_of(graphs(), spectral()))
def test_unconstrained_against_sylvester(case):
    H = oracles.sylvester(case.Q, case.Y, case.P, case.gamma)
    for state in (mavr.decompose(case.Q), case.Q):
        s = mavr.solve(state, case.Y, case.P, case.gamma)
        assert s.rho == pytest.approx(-1.0, abs=1e-12)
        np.testing.assert_allclose(s.H, H, rtol=0, atol=1e-9 * np.linalg.norm(H))


@settings(max_examples=60)
@given(st.one_of(graphs(max_n=10), spectral()), logarithmic(-2, 3))
def test_balanced_against_the_dense_solve(case, balance):
    for state in (mavr.decompose(case.Q), case.Q):
        s = mavr.solve(state, case.Y, case.P, case.gamma, None, balance)
        H = oracles.dense_at(case.Q, case.Y, case.P, case.gamma, balance, s.rho)
        assert np.linalg.norm(s.H - H) <= 1e-9 * np.linalg.norm(H)


@settings(max_examples=40)
@given(graphs(max_n=8, max_c=3, negative=st.just(False)), logarithmic(-1, 1))
def test_balanced_constrained_against_the_dense_solve(case, balance):
    s = mavr.solve(mavr.decompose(case.Q), case.Y, case.P, case.gamma, case.tau, balance)
    if case.c == 1:
        balance = 0.0
    H, rho = oracles.dense_constrained(case.Q, case.Y, case.P, case.gamma, case.tau, balance)
    size = case.gamma * np.linalg.norm(case.P, 2) * 2 + balance * case.n
    # The dense oracle itself knows its lowest eigenvalue, and so delta, to eps |M| only.
    assert np.linalg.norm(s.H - H) <= (1e-9 + 1e-13 * size / -rho) * case.tau


@settings(max_examples=60)
@given(graphs(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.7]))
def test_renumbering_points_and_classes_renumbers_the_answer(case, seed, balance):
    rng = np.random.default_rng(seed)
    nodes, classes = rng.permutation(case.n), rng.permutation(case.c)
    s = mavr.solve(mavr.decompose(case.Q), case.Y, case.P, case.gamma, case.tau, balance)
    t = mavr.solve(
        mavr.decompose(np.asarray(case.Q)[np.ix_(nodes, nodes)]),
        case.Y[np.ix_(nodes, classes)],
        case.P[np.ix_(classes, classes)],
        case.gamma,
        case.tau,
        balance,
    )
    np.testing.assert_array_equal(t.unreached, s.unreached[nodes])
    if s.status is not mavr.Status.OPTIMAL:
        return  # any sign of the lowest eigenvector is as good
    moved = s.H[np.ix_(nodes, classes)]
    bound = (s.error_bound[nodes] + t.error_bound)[:, None] + 1e-12 * case.tau
    assert (np.abs(t.H - moved) <= bound).all()
    sure = settled(s)[nodes] & settled(t) & ~t.unreached
    back = np.argsort(classes)
    np.testing.assert_array_equal(t.labels[sure], back[s.labels[nodes][sure]])


@settings(max_examples=40)
@given(graphs(max_n=6, max_c=3), st.sampled_from([0.0, 0.5]), st.booleans())
def test_the_error_bound_holds_in_long_arithmetic(case, balance, constrained):
    """Through the eigenbasis and by elimination, rho taken as found."""
    if case.c == 1:
        balance = 0.0
    tau = case.tau if constrained else None
    for state in (mavr.decompose(case.Q), case.Q):
        s = mavr.solve(state, case.Y, case.P, case.gamma, tau, balance)
        if s.status is mavr.Status.HARD_CASE:
            continue
        exact = oracles.many_digits(case.Q, case.Y, case.P, case.gamma, s.rho, balance)
        error = [
            [abs(float(exact[i][j] - s.H[i, j])) for j in range(case.c)] for i in range(case.n)
        ]
        assert (np.max(error, axis=1) <= s.error_bound + 1e-15 * np.abs(s.H).max(axis=1)).all()
