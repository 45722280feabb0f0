"""Columns as one block: orthonormal factors, block conjugate gradients, and points put in order."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr.solvers import answers, shifted, sparse_search, sparse_state
from mavr.solvers.blocks import block_gradients, factored, independent
from mavr.solvers.lanczos import Krylov


def many_features(n, seed=0):
    """Neighbours in many dimensions, where multigrid does not pay, and three labels of a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 30)) + 2.0 * np.eye(30)[y]
    Y = np.zeros((n, 4))
    for j in range(4):
        Y[np.flatnonzero(y == j)[: 3 + j], j] = 1.0
    return mavr.knn_similarity(X, 10), Y


def blocks():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    nearly = X.copy()
    nearly[:, 3] = X[:, 0] + 1e-5 * X[:, 1]
    dependent = X.copy()
    dependent[:, 3] = X[:, 0] + X[:, 1]
    empty = X.copy()
    empty[:, 2] = 0.0
    return {
        "any": X,
        "nearly dependent": nearly,
        "dependent": dependent,
        "a column of zeros": empty,
        "nothing": np.zeros((200, 5)),
        "tiny": 1e-200 * X,
    }


@pytest.mark.parametrize("name", blocks())
def test_factors_are_orthonormal_and_give_the_block_back(name):
    X = blocks()[name]
    V, R = factored(X)
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-9)
    np.testing.assert_allclose(V @ R, X, atol=1e-13 * np.abs(X).max(), rtol=0)
    np.testing.assert_array_equal(R, np.triu(R))


def test_columns_that_others_explain_are_left_out():
    for name, rank in (("any", 5), ("dependent", 4), ("a column of zeros", 4), ("nothing", 0)):
        X = blocks()[name]
        V, R = independent(X)
        assert V.shape == (200, rank)
        np.testing.assert_allclose(V @ R, X, atol=1e-12)


@pytest.mark.parametrize("name", ["any", "dependent", "a column of zeros"])
def test_block_gradients_solve_every_column(name):
    rng = np.random.default_rng(1)
    G = sp.random_array((200, 200), density=0.05, rng=rng)
    A = sp.csr_array(G @ G.T + 0.1 * sp.eye_array(200))
    R = blocks()[name]
    goal = np.maximum(1e-12 * np.linalg.norm(R, axis=0), 1e-300)
    X = block_gradients(A, R, goal, 1000)
    np.testing.assert_allclose(A @ X, R, atol=1e-10 * np.abs(R).max())


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("gamma", [10.0, 1e5])
def test_a_single_setting_is_solved_as_one_block(monkeypatch, kind, balance, gamma):
    monkeypatch.setattr(answers, "MAX_ELIMINATED_POINTS", 0)
    calls = []

    def counted(*given):
        calls.append(1)
        return block_gradients(*given)

    monkeypatch.setattr(shifted, "block_gradients", counted)
    # As for more points, where its levels fill up.
    monkeypatch.setattr(sparse_state, "multigrid", lambda Q, v: None)
    W, Y = many_features(1200)
    Q = mavr.laplacian(W, kind)
    s = mavr.solve(Q, Y, gamma=gamma, balance=balance)
    dense = mavr.solve(Q.toarray(), Y, gamma=gamma, balance=balance)
    assert calls
    np.testing.assert_allclose(s.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
    assert (np.abs(s.H - dense.H).max(axis=1) <= s.error_bound + dense.error_bound).all()
    assert not s.uncertain.any()
    np.testing.assert_array_equal(s.labels, dense.labels)


# Single precision


def test_single_precision_leaves_what_it_says():
    rng = np.random.default_rng(1)
    G = sp.random_array((300, 300), density=0.05, rng=rng)
    A = sp.csr_array(G @ G.T + 0.5 * sp.eye_array(300))
    R = rng.normal(size=(300, 3))
    goal = 1e-5 * np.linalg.norm(R, axis=0)
    beside = np.linalg.qr(rng.normal(size=(300, 2)))[0]
    for more in (None, beside):
        X = block_gradients(A.astype(np.float32), R, goal, 1000, more)
        assert X.dtype == np.float32
        assert X.shape == R.shape
        assert (np.linalg.norm(A @ X.astype(float) - R, axis=0) <= 2 * goal).all()


def test_columns_beside_make_a_block_shorter():
    """The lowest eigenvectors are found late, unless a block begins with them."""
    lam = np.concatenate([np.geomspace(1e-5, 1e-4, 4), np.linspace(0.5, 1.5, 396)])
    A = sp.diags_array(lam).tocsr()
    R = np.full((400, 2), 1.0)
    R[::2, 1] = -1.0
    goal = 1e-10 * np.linalg.norm(R, axis=0)
    exact, steps = R / lam[:, None], 8
    errors = [
        np.linalg.norm(A @ block_gradients(A, R, goal, steps, beside) - A @ exact)
        for beside in (None, np.eye(400)[:, :4])
    ]
    assert errors[1] < 0.01 * errors[0]


def test_the_smoothest_combinations_are_those_of_the_lowest_quotient():
    rng = np.random.default_rng(0)
    lam = np.linspace(0.01, 2.0, 300)
    X = rng.normal(size=(300, 6)) / lam[:, None]
    X[:, 5] = X[:, 0]  # adds nothing
    found = shifted._smoothest(X, lam[:, None] * X)
    np.testing.assert_allclose(np.linalg.norm(found, axis=0), 1.0, rtol=1e-6)
    Q = np.linalg.qr(X[:, :5])[0]
    lowest = np.linalg.eigvalsh(Q.T @ (lam[:, None] * Q))[: found.shape[1]]
    np.testing.assert_allclose((found * lam[:, None] * found).sum(axis=0), lowest, rtol=1e-6)


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("gamma", [10.0, 1e5, 1e7])
@pytest.mark.parametrize("first", [1e-10, 1e-2])
def test_many_points_are_solved_in_single_precision(monkeypatch, kind, balance, gamma, first):
    """As closely as in doubles, whatever is left open first, and where single is not enough."""
    monkeypatch.setattr(answers, "MAX_ELIMINATED_POINTS", 0)
    monkeypatch.setattr(sparse_state, "multigrid", lambda Q, v: None)
    for module in (shifted, sparse_search):
        monkeypatch.setattr(module, "MANY_POINTS", 100)
    monkeypatch.setattr(sparse_search, "FIRST_TOLERANCE", first)
    kinds = []

    def noted(A, *given):
        kinds.append(A.dtype)
        return block_gradients(A, *given)

    monkeypatch.setattr(shifted, "block_gradients", noted)
    W, Y = many_features(1200)
    Q = mavr.laplacian(W, kind)
    s = mavr.solve(Q, Y, gamma=gamma, balance=balance)
    dense = mavr.solve(Q.toarray(), Y, gamma=gamma, balance=balance)
    assert kinds[0] == np.float32
    np.testing.assert_allclose(s.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
    assert (np.abs(s.H - dense.H).max(axis=1) <= s.error_bound + dense.error_bound).all()
    np.testing.assert_array_equal(s.labels, dense.labels)
    assert not s.uncertain.any()


def test_single_precision_that_gets_nowhere_gives_way_to_doubles(monkeypatch):
    monkeypatch.setattr(sparse_state, "multigrid", lambda Q, v: None)
    monkeypatch.setattr(shifted, "MANY_POINTS", 100)
    kinds = []

    def spoilt(A, R, *given):
        kinds.append(A.dtype)
        X = block_gradients(A, R, *given)
        return 0 * X if A.dtype == np.float32 else X

    monkeypatch.setattr(shifted, "block_gradients", spoilt)
    W, Y = many_features(600)
    Q = mavr.laplacian(W)
    s = mavr.solve(Q, Y, gamma=30.0)
    assert {kind.itemsize for kind in kinds} == {4, 8}
    H = mavr.solve(Q.toarray(), Y, gamma=30.0).H
    np.testing.assert_allclose(s.H, H, atol=1e-8 * np.abs(H).max())


def test_graphs_without_small_cuts_are_told_by_the_order_of_their_points(monkeypatch):
    monkeypatch.setattr(sparse_state, "MANY_POINTS", 50)
    monkeypatch.setattr(sparse_state, "MANY_LEVELS", 50)
    monkeypatch.setattr(sparse_state, "multigrid", lambda Q, v: "levels")
    plane = mavr.knn_similarity(np.random.default_rng(0).normal(size=(3000, 2)), 10)
    assert mavr.prepare(mavr.laplacian(plane)).levels == "levels"
    assert mavr.prepare(mavr.laplacian(many_features(3000)[0])).levels is None


def test_what_rounding_leaves_of_a_null_vector_is_no_column():
    """Ones are the null vector of an unnormalized Laplacian: their sum over many points is off."""
    n = 70_001
    ring = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1], shape=(n, n)).tocsr()
    state = mavr.prepare(mavr.laplacian(ring, "unnormalized"))
    Y = np.zeros((n, 3))
    Y[[0, 30_000, 50_000], [0, 1, 2]] = 1.0
    krylov = Krylov(state.structure.Q, 1, state.null_basis, Y)
    assert krylov.width == 3
    assert krylov.size[-1] == 0
    krylov.grow()
    V = krylov.stored[0][:, : krylov.steps * krylov.width]
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-10)


# The order of points


@pytest.mark.parametrize("tau", [None, 2.0])
@pytest.mark.parametrize("power", [1, 2])
def test_points_come_back_in_the_order_they_had(monkeypatch, tau, power):
    W, Y = many_features(600)
    Q = mavr.Laplacian(mavr.laplacian(W), power)
    usual = mavr.solve(Q, Y, gamma=30.0, tau=tau, balance=1.0)
    monkeypatch.setattr(sparse_state, "MANY_POINTS", 50)
    state = mavr.prepare(Q)
    assert state.order is not None
    for S_or_Q in (Q, state):
        s = mavr.solve(S_or_Q, Y, gamma=30.0, tau=tau, balance=1.0)
        np.testing.assert_allclose(s.H, usual.H, atol=1e-9 * np.abs(usual.H).max())
        np.testing.assert_array_equal(s.labels, usual.labels)
        assert s.volume == pytest.approx(usual.volume, rel=1e-8)
        assert s.objective == pytest.approx(usual.objective, rel=1e-8)
    assert state.knows(Y)
    assert not state.knows(np.roll(Y, 1, axis=0))
    assert state.nbytes > state.krylov(Y).nbytes > 0


def test_an_order_is_found_for_pieces_and_unreached_points(monkeypatch):
    monkeypatch.setattr(sparse_state, "MANY_POINTS", 50)
    monkeypatch.setattr(answers, "MAX_ELIMINATED_POINTS", 0)
    one, Y = many_features(300)
    rng = np.random.default_rng(0)
    mixed = rng.permutation(600)
    W = sp.csr_array(sp.block_diag([one, one]))[mixed][:, mixed]
    Y = np.concatenate([Y, np.zeros_like(Y)])[mixed]
    s = mavr.solve(mavr.laplacian(W), Y, gamma=20.0, balance=1.0)
    np.testing.assert_array_equal(s.unreached, mixed >= 300)
    np.testing.assert_array_equal(s.labels == -1, mixed >= 300)
    dense = mavr.solve(mavr.laplacian(W).toarray(), Y, gamma=20.0, balance=1.0)
    np.testing.assert_array_equal(s.labels, dense.labels)


def test_kept_spaces_are_taken_over_by_another_process(monkeypatch):
    """As the dashboard does: a state is made elsewhere, handed over and adopted."""
    monkeypatch.setattr(sparse_state, "MANY_POINTS", 50)
    W, Y = many_features(600)
    made, mine = (mavr.prepare(mavr.laplacian(W)) for _ in range(2))
    first = mavr.solve(made, Y, gamma=30.0, balance=1.0)
    mine.adopt(pickle.loads(pickle.dumps(made)))
    assert mine.knows(Y)
    steps = mine.krylov(Y).steps
    again = mavr.solve(mine, Y, gamma=30.0, balance=1.0)
    np.testing.assert_allclose(again.H, first.H, rtol=1e-9)
    assert mine.krylov(Y).steps == steps


def test_threads_share_one_space():
    """A smaller shift makes it grow while another setting is solved."""
    W, Y = many_features(600)
    Q = mavr.laplacian(W)
    gammas = [3.0, 1e2, 1e4, 10.0, 1e3, 1e5] * 3
    alone = {gamma: mavr.solve(Q, Y, gamma=gamma, balance=1.0).H for gamma in set(gammas)}
    state = mavr.prepare(Q)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda g: mavr.solve(state, Y, gamma=g, balance=1.0).H, gammas))
    for gamma, H in zip(gammas, found, strict=True):
        np.testing.assert_allclose(H, alone[gamma], atol=1e-9 * np.abs(H).max())
