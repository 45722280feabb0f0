"""Large sparse graphs: conjugate gradients with multigrid, bounds for each point, powers of L."""

import tracemalloc

import numpy as np
import pytest

import mavr
from mavr.graphs.graph import Graph
from mavr.graphs.laplacians import Laplacian, null_vector_of
from mavr.methods import METHODS
from mavr.settings import Parameters
from mavr.solvers import answers, lanczos, multigrid, sparse_state
from mavr.solvers.problem import make_problem
from mavr.solvers.quadrature import norm_and_slope
from mavr.solvers.solver import solve_problem, state_for
from mavr.solvers.structure import inspect
from tests import oracles

RELATED = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 2.0]])


@pytest.fixture
def iterated(monkeypatch):
    """No elimination: every graph is treated as a large one, with several levels."""
    monkeypatch.setattr(answers, "MAX_ELIMINATED_POINTS", 0)
    monkeypatch.setattr(multigrid, "COARSEST", 10)


def strip(n, length=8.0, seed=0):
    """Points along a strip, one class after the other, and a label at the start of each."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.sort(rng.uniform(0, length, n)), rng.uniform(0, 1, n)])
    Y = np.zeros((n, 3))
    Y[[0, n // 3, 2 * n // 3], [0, 1, 2]] = 1
    return mavr.knn_similarity(X, 8), Y


def extended_optimum(Q, Y, P, gamma, tau, balance, rho):
    """H near rho in long doubles, from the whole nc x nc form; Newton's steps to |H| = tau."""
    n, c = Y.shape
    form = oracles.quadratic_form(Q, P, gamma, balance).astype(np.longdouble)
    identity = np.eye(n * c, dtype=np.longdouble)
    delta = np.longdouble(-rho)
    y = Y.T.reshape(-1, 1)
    for _ in range(1 if tau is None else 2):
        both = oracles.extended_solve(form + delta * identity, y)
        if tau is not None:
            slope = oracles.extended_solve(form + delta * identity, both)
            norm = np.sqrt((both * both).sum())
            delta = delta + (norm - tau) * norm / (both * slope).sum()
    if tau is not None:
        both = oracles.extended_solve(form + delta * identity, y)
    return both.reshape(c, n).T


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("tau", [None, 2.0])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("P", [None, RELATED], ids=["I", "P"])
def test_bounds_hold_in_extended_precision_and_settle_every_point(iterated, kind, tau, balance, P):
    W, Y = strip(120)
    Y[5, 0] = 1.0  # two labels of one class: the balance has something to do
    Q = mavr.laplacian(W, kind)
    s = mavr.solve(Q, Y, P, gamma=3.0, tau=tau, balance=balance)
    relation = np.eye(3) if P is None else P
    exact = extended_optimum(Q.toarray(), Y, relation, 3.0, tau, balance, s.rho)
    error = np.abs(s.H - exact).max(axis=1)
    assert (error <= s.error_bound).all()
    assert not s.uncertain.any()
    np.testing.assert_array_equal(s.labels, exact.argmax(axis=1))
    assert np.linalg.norm(s.H - exact) <= 1e-8 * np.linalg.norm(exact.astype(float))


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("tau", [None, 0.5])
def test_responses_far_below_rounding_are_certain(iterated, kind, tau):
    """Down to 1e-60 of the largest, where a residual relative to the whole says nothing."""
    W, Y = strip(500, length=60.0)
    Q = mavr.laplacian(W, kind)
    quick = mavr.solve(Q, Y, gamma=0.3, tau=tau)
    exact = oracles.subtraction_free(W.toarray(), Y, 0.3, -quick.rho, kind)
    largest = exact.max(axis=1)
    assert largest.min() < 1e-20 * largest.max()
    closest = solve_problem(
        make_problem(inspect(Q), Y, None, 0.3, tau, 0.0), state_for(Q), exact=True
    )
    for s in (quick, closest):
        assert not s.uncertain.any()
        np.testing.assert_array_equal(s.labels, exact.argmax(axis=1))
        error = np.abs(s.H - exact).max(axis=1)
        assert (error <= s.error_bound + 1e-12 * largest).all()
    assert (closest.error_bound <= 1e-12 * largest).all()


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("tau", [None, 0.5])
def test_far_responses_of_related_classes_are_certain(iterated, kind, tau):
    """Columns of different weights fall off differently, and rounding is relative to the last."""
    W, Y = strip(500, length=60.0)
    Y[5, 0] = 1.0
    Q = mavr.laplacian(W, kind)
    s, dense = (mavr.solve(A, Y, RELATED, 0.3, tau) for A in (Q, Q.toarray()))
    assert np.abs(s.H).max(axis=1).min() < 1e-16 * np.abs(s.H).max()
    assert not s.uncertain.any()
    settled = ~dense.uncertain & ~dense.ties
    assert settled.mean() > 0.9
    np.testing.assert_array_equal(s.labels[settled], dense.labels[settled])
    error = np.abs(s.H - dense.H).max(axis=1)
    assert (error <= 1.01 * (s.error_bound + dense.error_bound)).all()


def test_a_bound_that_is_made_too_small_is_noticed(iterated):
    """The check above can fail: a millionth of the bound is not a bound."""
    W, Y = strip(120)
    Q = mavr.laplacian(W)
    s = mavr.solve(Q, Y, gamma=3.0, tau=2.0, balance=1.0)
    exact = extended_optimum(Q.toarray(), Y, np.eye(3), 3.0, 2.0, 1.0, s.rho)
    assert (np.abs(s.H - exact).max(axis=1) > 1e-6 * s.error_bound).any()


@pytest.mark.parametrize("tau", [None, 2.0])
def test_prior_of_a_sparse_graph_is_that_of_a_dense_one(iterated, tau):
    W, Y = strip(300)
    Q = mavr.laplacian(W)
    given = {"gamma": 20.0, "tau": tau, "balance": 1.0, "prior": [0.6, 0.3, 0.1]}
    sparse, dense = mavr.solve(Q, Y, **given), mavr.solve(Q.toarray(), Y, **given)
    np.testing.assert_allclose(sparse.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
    assert (np.abs(sparse.H - dense.H).max(axis=1) <= sparse.error_bound + dense.error_bound).all()


def test_a_balance_that_is_inert_leaves_faint_responses_alone(iterated):
    """Equally many labels and Q1 = 0: the totals are equal already."""
    W, Y = strip(500, length=60.0)
    Q = mavr.laplacian(W, "unnormalized")
    with_balance = mavr.solve(Q, Y, gamma=0.3, balance=1.0)
    without = mavr.solve(Q, Y, gamma=0.3)
    assert not with_balance.uncertain.any()
    np.testing.assert_array_equal(with_balance.labels, without.labels)


# Powers of the Laplacian


@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("tau", [None, 2.0])
@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_power_of_a_sparse_laplacian_is_never_formed(iterated, power, tau, balance):
    W, Y = strip(300)
    L = mavr.laplacian(W)
    s = mavr.solve(Laplacian(L, power), Y, gamma=20.0, tau=tau, balance=balance)
    dense = mavr.solve(Laplacian(L, power).toarray(), Y, None, 20.0, tau, balance)
    np.testing.assert_allclose(s.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
    np.testing.assert_allclose(s.volume, dense.volume, rtol=1e-6)
    assert (np.abs(s.H - dense.H).max(axis=1) <= s.error_bound + dense.error_bound).all()
    assert not s.uncertain.any()


def test_estimator_takes_a_power_on_a_sparse_graph():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.4, (150, 2)) for m in (0.0, 2.0)])
    y = np.full(300, -1)
    y[[0, 150]] = [0, 1]
    model = mavr.MAVRClassifier("knn", laplacian_power=2, gamma=20.0).fit(X, y)
    W = mavr.knn_similarity(X, model.n_neighbors_, model.width_)
    L = mavr.laplacian(W.toarray(), model.laplacian)
    Y = np.zeros((300, 2))
    Y[[0, 150], [0, 1]] = 1
    dense = mavr.solve(L @ L, Y, gamma=20.0, balance=model.balance)
    np.testing.assert_allclose(model.response_, dense.H, atol=1e-8 * np.abs(dense.H).max())
    np.testing.assert_array_equal(model.transduction_, dense.labels)


# Multigrid


def test_levels_keep_the_null_vector_and_are_symmetric(monkeypatch):
    monkeypatch.setattr(multigrid, "COARSEST", 20)
    W, _ = strip(800)
    Q = mavr.laplacian(W)
    levels = multigrid.multigrid(Q, null_vector_of(Q))
    assert len(levels.levels) >= 2
    for level in levels.levels[1:]:
        assert abs(level.Q - level.Q.T).max() < 1e-12
        lowest = np.linalg.eigvalsh(level.Q.toarray())[0]
        assert abs(lowest) < 1e-12
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 800, 1))
    shift = np.array([1e-3])
    left = (a * levels.apply(b, shift)).sum()
    assert left == pytest.approx((b * levels.apply(a, shift)).sum(), rel=1e-9)
    assert (a * levels.apply(a, shift)).sum() > 0


def test_iterations_hardly_grow_with_the_graph(monkeypatch):
    calls = []
    whole = sparse_state.SparseState.precondition

    def counted(self, B, shift):
        calls.append(self.n)
        return whole(self, B, shift)

    monkeypatch.setattr(sparse_state.SparseState, "precondition", counted)
    monkeypatch.setattr(answers, "MAX_ELIMINATED_POINTS", 0)
    for n in (1000, 8000):
        rng = np.random.default_rng(0)
        Q = mavr.laplacian(mavr.knn_similarity(rng.normal(size=(n, 2)), 10))
        Y = np.eye(3)[np.arange(n) % 3] * (np.arange(n) < 3)[:, None]
        mavr.solve(Q, Y, gamma=1e4)
    assert calls.count(8000) < 2 * calls.count(1000)


def test_no_square_array_is_made():
    n = 8000
    rng = np.random.default_rng(0)
    Q = mavr.laplacian(mavr.knn_similarity(rng.normal(size=(n, 2)), 10))
    Y = np.eye(3)[np.arange(n) % 3] * (np.arange(n) < 9)[:, None]
    tracemalloc.start()
    try:
        mavr.solve(Q, Y, tau=3.0, balance=1.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.1 * 8 * n * n


# Krylov spaces


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize("P", [None, RELATED], ids=["I", "P"])
def test_norm_and_slope_come_from_the_krylov_space(kind, balance, P):
    W, Y = strip(200)
    Y[5, 0] = 1.0
    Q = mavr.laplacian(W, kind)
    relation = np.eye(3) if P is None else P
    krylov = mavr.prepare(Q).krylov(Y)
    problem = make_problem(inspect(Q), Y, P, 30.0, 2.0, balance)
    space = krylov.reach([(30.0 * mu, 0.05) for mu in problem.relation.mu], 1e-11)

    def exact(delta):
        return np.linalg.norm(oracles.dense_at(Q.toarray(), Y, relation, 30.0, balance, -delta))

    for delta in (0.05, 1.0):
        norm, slope = norm_and_slope(problem, space, delta)
        assert norm == pytest.approx(exact(delta), rel=1e-8)
        step = 1e-4 * delta
        difference = (exact(delta + step) - exact(delta - step)) / (2 * step)
        assert slope == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize("power", [1, 2])
def test_one_space_serves_every_setting(iterated, power):
    """A change of gamma, tau, balance or P takes no step of an iteration."""
    W, Y = strip(300)
    Q = Laplacian(mavr.laplacian(W), power)
    state = mavr.prepare(Q)
    mavr.solve(state, Y, gamma=99.0, tau=2.0, balance=1.0)
    krylov = state.krylov(Y)
    steps = krylov.steps
    for P in (None, RELATED):
        for tau in (None, 2.0):
            for balance in (0.0, 0.3):
                s = mavr.solve(state, Y, P, 10.0, tau, balance)
                dense = mavr.solve(Q.toarray(), Y, P, 10.0, tau, balance)
                np.testing.assert_allclose(s.H, dense.H, atol=1e-8 * np.abs(dense.H).max())
                assert s.n_iter <= 1
    assert state.krylov(Y) is krylov
    assert krylov.steps == steps
    assert state.nbytes >= krylov.nbytes


def test_a_krylov_space_that_finds_no_room_is_left_alone(iterated, monkeypatch):
    W, Y = strip(300)
    Q = mavr.laplacian(W)
    usual = mavr.solve(mavr.prepare(Q), Y, gamma=1e4, tau=2.0)
    monkeypatch.setattr(lanczos, "MAX_BYTES", 300 * 4 * 8 * 40)
    monkeypatch.setattr(sparse_state, "LEAST_STEPS", 1)
    state = mavr.prepare(Q)
    s = mavr.solve(state, Y, gamma=1e4, tau=2.0)
    assert state.krylov(Y).full
    np.testing.assert_allclose(s.H, usual.H, atol=1e-8 * np.abs(usual.H).max())


def test_a_spectrum_of_a_power_on_a_sparse_graph():
    W, Y = strip(80)
    graph = Graph(W, power=2)
    s = METHODS["bavr"].run(graph, Y, Parameters(gamma=3.0))
    dense = METHODS["bavr"].run(Graph(W.toarray(), power=2), Y, Parameters(gamma=3.0))
    np.testing.assert_allclose(s.H, dense.H, atol=1e-10)
