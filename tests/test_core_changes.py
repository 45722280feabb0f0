"""Another setting on a kept Krylov space: what is read of it, and what is done where it fails."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr import ties
from mavr.arrays import ROWS, column_sums, of_rows, parts
from mavr.solvers import lanczos, sparse_search, subspace
from mavr.solvers.problem import make_problem
from mavr.solvers.refinement import rounding_of_totals, totals
from mavr.solvers.structure import inspect
from tests.test_core_scale import RELATED, extended_optimum


def graph(n=400, c=3, seed=0):
    """Neighbours in many dimensions, and labels of each class."""
    rng = np.random.default_rng(seed)
    W = mavr.knn_similarity(rng.normal(size=(n, 8)), 6)
    Y = np.zeros((n, c))
    Y[rng.permutation(n)[: 2 * c], np.repeat(np.arange(c), 2)] = 1.0
    return W, Y


@pytest.mark.parametrize("wide", [1, 352])
def test_as_much_of_a_space_is_read_as_a_shift_needs(monkeypatch, wide):
    monkeypatch.setattr(lanczos, "WIDE", wide)
    monkeypatch.setattr(subspace, "SMALL_PRODUCT", 1)
    W, Y = graph()
    Q = mavr.laplacian(W)
    krylov = mavr.prepare(Q).krylov(Y)
    hard = krylov.reach([(300.0, 0.1)], 1e-12)
    assert hard.steps == krylov.steps
    easy = krylov.reach([(3.0, 0.5)], 1e-10)
    assert easy.steps < hard.steps
    B = np.column_stack([Y, np.ones(len(Y))])
    for space, a, delta in ((hard, 300.0, 0.1), (easy, 3.0, 0.5)):
        inverse = np.linalg.inv(a * Q.toarray() + delta * np.eye(len(Y)))
        for order in (1, 2):
            exact = np.linalg.matrix_power(inverse, order) @ B
            X = space.columns(np.full(3, a), np.eye(3), np.array([a]), delta, order)
            np.testing.assert_allclose(X, exact, atol=1e-8 * np.abs(exact).max())


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("tau", [None, 2.0])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("P", [None, RELATED], ids=["I", "P"])
def test_bounds_of_another_setting_hold_in_long_doubles(monkeypatch, kind, tau, balance, P):
    monkeypatch.setattr("mavr.solvers.answers.MAX_ELIMINATED_POINTS", 0)
    W, Y = graph(110)
    Y[np.flatnonzero(~Y.any(axis=1))[0], 0] = 1.0  # the balance has something to do
    state = mavr.prepare(mavr.laplacian(W, kind))
    mavr.solve(state, Y, gamma=99.0, tau=3.0, balance=1.0)
    s = mavr.solve(state, Y, P, 9.0, tau, balance)
    relation = np.eye(3) if P is None else P
    Q = state.structure.Q.toarray()
    exact = extended_optimum(Q, Y, relation, 9.0, tau, balance, s.rho)
    assert (np.abs(s.H - exact).max(axis=1) <= s.error_bound).all()
    np.testing.assert_array_equal(s.labels[~s.uncertain], exact.argmax(axis=1)[~s.uncertain])
    assert s.uncertain.mean() < 0.01


@pytest.mark.parametrize("tau", [None, 1.5])
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_a_space_that_lost_its_digits_is_left_for_an_iteration(monkeypatch, tau, balance):
    W, Y = graph()
    monkeypatch.setattr("mavr.solvers.answers.MAX_ELIMINATED_POINTS", 10)
    Q = mavr.laplacian(W)
    right = mavr.solve(Q.toarray(), Y, None, 50.0, tau, balance)
    read = subspace.Subspace.columns

    def spoiled(self, *given):
        X = read(self, *given)
        return X * (1 + 1e-5 * np.sin(np.arange(len(X)))[:, None])

    monkeypatch.setattr(subspace.Subspace, "columns", spoiled)
    s = mavr.solve(mavr.prepare(Q), Y, None, 50.0, tau, balance)
    assert s.status is mavr.Status.OPTIMAL
    np.testing.assert_allclose(s.H, right.H, atol=1e-8 * np.abs(right.H).max())
    assert (np.abs(s.H - right.H).max(axis=1) <= s.error_bound + right.error_bound).all()


def test_totals_are_as_close_as_their_bound_says():
    rng = np.random.default_rng(3)
    n = 2 * ROWS + 77
    H = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-12, 3, size=(n, 1))
    path = mavr.laplacian(mavr.knn_similarity(np.arange(n)[:, None] / n, 2))
    Y = np.zeros((n, 2))
    Y[[0, 9], [0, 1]] = 1.0
    problem = make_problem(inspect(path), Y, None, 1.0, None, 1.0)
    found = totals(H)
    sums, _ = rounding_of_totals(problem, H, found)
    for j in range(2):
        exact = sum(map(Fraction, H[:, j].tolist()))
        high = float(found[j])
        off = exact - Fraction(high) - Fraction(float(found[j] - np.longdouble(high)))
        assert abs(float(off)) <= sums[j]
        assert sums[j] < 1e-13 * np.abs(H[:, j]).sum()


@pytest.mark.parametrize("seed", range(4))
def test_points_that_are_clear_at_once_are_decided_as_all_are(seed):
    rng = np.random.default_rng(seed)
    H = rng.integers(-3, 4, size=(300, 4)) + 1e-9 * rng.normal(size=(300, 4))
    H[:5, 0], H[5:9] = np.nan, 0.0
    H[:, 3] = H[:, 2]
    wide = np.abs(rng.normal(size=H.shape)) * 10.0 ** rng.integers(-14, 1, size=(300, 1))
    unreached = rng.random(300) < 0.1
    for orbits in ((), ((2, 3),)):
        once = ties._compared(H, wide, unreached, orbits, ())
        all_ = ties._closely(H, wide, unreached, orbits, ())
        for a, b in zip(once, all_, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("power", [1, 2])
def test_a_class_that_stays_open_is_looked_for_further_in_the_space(
    monkeypatch, kind, balance, power
):
    monkeypatch.setattr("mavr.solvers.answers.MAX_ELIMINATED_POINTS", 0)
    monkeypatch.setattr(sparse_search, "MANY_POINTS", 100)
    monkeypatch.setattr(sparse_search, "FIRST_TOLERANCE", 1e-2)
    monkeypatch.setattr(sparse_search, "FLAT", np.inf)
    W, Y = graph()
    Y[np.flatnonzero(~Y.any(axis=1))[0], 0] = 1.0
    Q = mavr.Laplacian(mavr.laplacian(W, kind), power)
    state = mavr.prepare(Q)
    mavr.solve(state, Y, gamma=50.0, balance=balance)
    asked = []

    def noted(problem, state, delta, tolerance):
        asked.append(tolerance)
        return shared(problem, state, delta, tolerance)

    shared = sparse_search._shared
    monkeypatch.setattr(sparse_search, "_shared", noted)
    s = mavr.solve(state, Y, gamma=20.0, balance=balance)
    dense = mavr.solve(Q.toarray(), Y, gamma=20.0, balance=balance)
    assert asked[0] == 1e-2
    assert asked[1:] == [1e-11]
    np.testing.assert_allclose(s.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
    assert (np.abs(s.H - dense.H).max(axis=1) <= s.error_bound + dense.error_bound).all()
    assert not s.uncertain.any()


def test_flatter_responses_ask_for_more_digits(monkeypatch):
    monkeypatch.setattr(sparse_search, "MANY_POINTS", 100)
    monkeypatch.setattr(sparse_search, "FLAT", 1e5)
    W, Y = graph()
    structure = inspect(mavr.laplacian(W))

    def first(gamma, tau=None):
        return sparse_search._first_tolerance(make_problem(structure, Y, None, gamma, tau, 0.0))

    assert first(2.0) == pytest.approx(first(1.0) / 2)
    assert first(1e30) == 1e-13
    assert first(1.0, tau=1.0) is None


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("pieces", [1, 3])
def test_sizes_of_products_are_bounded_whatever_the_signs(kind, pieces):
    rng = np.random.default_rng(pieces)
    W = sp.block_diag([graph(300 + k, seed=k)[0] for k in range(pieces)], format="csr")
    s = inspect(mavr.laplacian(W, kind))
    assert s.n_components == pieces
    for low in (0.0, -1e-3, -1.0):
        H = rng.uniform(low, 1.0, size=(s.n, 4)) ** 3
        exact = abs(s.Q.toarray()) @ np.abs(H)
        for QH in (s.Q @ H, None):
            assert (s.magnitudes(H, QH) >= (1 - 1e-12) * exact).all()
    np.testing.assert_allclose(s.magnitudes(np.abs(H), s.Q @ np.abs(H)), exact, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 31, ROWS, 2 * ROWS + 5])
def test_thin_blocks_are_read_as_numpy_reads_them(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    assert np.concatenate([np.arange(n)[rows] for rows in parts(X)]).tolist() == list(range(n))
    np.testing.assert_allclose(column_sums(X), X.sum(axis=0), atol=1e-12 * np.sqrt(n))
    np.testing.assert_array_equal(of_rows(np.maximum, X), X.max(axis=1))


def test_another_order_is_the_same_graph():
    W, _ = graph()
    s = inspect(mavr.laplacian(W))
    order = np.random.default_rng(0).permutation(s.n)
    found = s.permuted(order).Q
    np.testing.assert_array_equal(found.toarray(), s.Q.toarray()[np.ix_(order, order)])
    assert all(np.all(np.diff(found.indices[a:b]) > 0) for a, b in itertools.pairwise(found.indptr))
