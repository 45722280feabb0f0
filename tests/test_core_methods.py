"""Methods beside MAVR, ties, unreached points, and the sparse path."""

from __future__ import annotations

import time
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

import mavr
from mavr.graphs.graph import Graph
from mavr.least_squares import deform
from mavr.methods import METHODS
from mavr.relations import PAPER, orbits, repelled
from mavr.settings import Parameters
from mavr.solvers.spectrum import spectrum_of
from tests import oracles
from tests.strategies import (
    graphs,
    random_labels,
    random_relation,
    random_similarity,
    settled,
    three_circles,
)


def rings(each=20):
    """Four rings on a grid and a label on the first."""
    angle = np.tile(np.linspace(0, 2 * np.pi, each, endpoint=False), (4, 1))
    centres = 3.0 * np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
    X = centres[:, None] + np.stack([np.cos(angle), np.sin(angle)], axis=2)
    Y = np.zeros((4 * each, 4))
    Y[0, 0] = 1.0
    return X.reshape(-1, 2), Y


# BAVR


@settings(max_examples=60)
@given(graphs(max_n=10, max_c=4, forms=st.just("identity"), negative=st.just(False)))
def test_bavr_is_one_constrained_problem_per_class(case):
    s = mavr.bavr(mavr.decompose(case.Q), case.Y, case.gamma, case.tau)
    labelled = case.Y.any(axis=1)
    each = case.tau / np.sqrt(case.c)
    for j in range(case.c):
        y = np.where(labelled, np.where(case.Y[:, j] > 0, 1.0, -1.0), 0.0)[:, None]
        h = s.H[:, [j]]
        assert abs(np.linalg.norm(h) / each - 1) <= 1e-10
        rho = s.rho[j]
        size = (2 * case.gamma * np.abs(np.asarray(case.Q)).max() * case.n + abs(rho)) * each
        residual = case.gamma * case.Q @ h - rho * h - y
        assert np.linalg.norm(residual) <= 1e-8 * (size + np.linalg.norm(y))
        assert rho <= 1e-12 * size
        best = oracles.objective(case.Q, y, np.eye(1), case.gamma, 0.0, h)
        for point in oracles.feasible_points(h, each, 10):
            other = oracles.objective(case.Q, y, np.eye(1), case.gamma, 0.0, point)
            assert other >= best - 1e-12 * (size * each + (np.linalg.norm(y) + each) ** 2)


def test_bavr_of_one_class_is_mavr():
    X, _, Y = three_circles(0, n=60)
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 1.0)))
    y = Y.any(axis=1)[:, None].astype(float)
    one, other = mavr.bavr(S, y, 9.0, 2.0), mavr.solve(S, y, gamma=9.0, tau=2.0)
    np.testing.assert_allclose(one.H, other.H, rtol=1e-12)
    assert one.rho[0] == other.rho


def test_bavr_of_two_classes_is_symmetric_and_its_rho_agree():
    X, _, _ = three_circles(1, n=60)
    Y = np.zeros((60, 2))
    Y[0, 0] = Y[-1, 1] = 1.0
    s = mavr.bavr(mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 1.0))), Y, 9.0, 1.0)
    np.testing.assert_allclose(s.H[:, 0], -s.H[:, 1], rtol=1e-8)
    assert s.rho[0] == pytest.approx(s.rho[1])


def test_bavr_hard_case():
    """+1 and -1 on two points that an automorphism exchanges cancel along the null vector."""
    W = np.ones((4, 4)) - np.eye(4)
    Y = np.zeros((4, 2))
    Y[0, 0] = Y[1, 1] = 1.0
    s = mavr.bavr(mavr.laplacian(W, "unnormalized"), Y, gamma=1.0, tau=100.0)
    assert s.status is mavr.Status.HARD_CASE
    np.testing.assert_allclose(np.linalg.norm(s.H, axis=0), 100 / np.sqrt(2), rtol=1e-10)
    np.testing.assert_allclose(s.rho, 0.0, atol=1e-12)


@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_bavr_predictions_against_exact_elimination(sigma):
    for seed in range(3):
        X, _, Y = three_circles(seed, n=90)
        W = mavr.gaussian_similarity(X, sigma)
        s = mavr.bavr(mavr.decompose(mavr.laplacian(W)), Y, 99.0, np.sqrt(3))
        H = np.empty_like(Y)
        for j in range(3):
            y = np.where(Y.any(axis=1), 2 * Y[:, j] - 1, 0.0)
            delta = -s.rho[j]
            up = oracles.subtraction_free(W, np.maximum(y, 0)[:, None], 99.0, delta, "normalized")
            down = oracles.subtraction_free(
                W, np.maximum(-y, 0)[:, None], 99.0, delta, "normalized"
            )
            H[:, j] = (up - down)[:, 0]
        wrong = s.labels != H.argmax(axis=1)
        assert not (wrong & settled(s)).any()


# LapRLS


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("lambda_A", "lambda_I"), [(1e-3, 99.0), (0.1, 0.0), (1.0, 1.0)])
def test_laprls_is_the_printed_formula(lambda_A, lambda_I, sparse):
    X, _, Y = three_circles(2, n=80)
    W = mavr.gaussian_similarity(X, 1.0)
    H = oracles.laprls(W, Y, lambda_A, lambda_I)
    s = mavr.laprls(deform(sp.csr_array(W) if sparse else W, lambda_A, lambda_I), Y)
    assert np.abs(s.H - H).max() <= 1e-9 * np.abs(H).max()
    np.testing.assert_array_equal(s.labels[settled(s)], H.argmax(axis=1)[settled(s)])
    assert s.residual <= 1e-9


# Ties, interchangeable classes, unreached points


@pytest.mark.parametrize("balance", [0.0, 1.0])
@pytest.mark.parametrize(
    ("name", "groups"), [("P4", ((1, 2),)), ("P6", ((1, 2, 3),)), ("P1", ()), ("P3", ((1, 2),))]
)
def test_interchangeable_classes_have_equal_columns(name, groups, balance):
    X, Y = rings()
    S = mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, 0.5)))
    s = mavr.solve(S, Y, PAPER[name], tau=1.0, balance=balance)
    assert s.interchangeable == groups
    for group in groups:
        for j in group[1:]:
            np.testing.assert_array_equal(s.H[:, j], s.H[:, group[0]])
        best = np.isin(s.labels, group)
        assert s.ties[best].all()
    # At a tie the lowest of the tied classes stands.
    assert set(s.labels[s.ties]) <= {group[0] for group in groups} or balance == 0.0


def test_an_unlabelled_class_that_is_pushed_away_needs_no_tie():
    rng = np.random.default_rng(0)
    X = np.repeat([[0, 0], [3, 0], [0, 3], [3, 3]], 20, axis=0) + 0.3 * rng.standard_normal((80, 2))
    Y = np.zeros((80, 4))
    Y[[20, 40, 60], [1, 2, 3]] = 1.0
    S = mavr.decompose(mavr.laplacian(mavr.local_scaling_similarity(X)))
    s = mavr.solve(S, Y, repelled(4), tau=np.sqrt(3), balance=1.0)
    assert not s.ties.any()
    np.testing.assert_array_equal(s.labels, np.repeat([0, 1, 2, 3], 20))


def orbits_by_trying_all(P, Y):
    c = len(P)
    group = list(range(c))
    for order in permutations(range(c)):
        order = list(order)
        if np.array_equal(P[np.ix_(order, order)], P) and np.array_equal(Y[:, order], Y):
            for a, b in enumerate(order):
                low, high = sorted((group[a], group[b]))
                group = [low if g == high else g for g in group]
    found = [[j for j in range(c) if group[j] == g] for g in sorted(set(group))]
    return [members for members in found if len(members) > 1]


@settings(max_examples=80)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_orbits_are_those_of_all_permutations(seed, c):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, 2, (c, c)) * 0.1
    P = (A + A.T) / 2 + np.diag(rng.choice([1.0, 2.0], c))
    Y = (rng.random((3, c)) < 0.25).astype(float)
    assert orbits(P, Y) == orbits_by_trying_all(P, Y)


def test_two_pairs_that_swap_together():
    P = np.eye(4) + 0.1 * np.array([[0, 1, 2, 0], [1, 0, 0, 2], [2, 0, 0, 3], [0, 2, 3, 0]])
    assert orbits(P, np.zeros((1, 4))) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("c", [10, 26])
@pytest.mark.parametrize("unlabelled", [0, 6, 9])
def test_posing_a_problem_of_many_classes_takes_no_time(c, unlabelled):
    rng = np.random.default_rng(0)
    Y = np.zeros((c, c))
    Y[np.arange(c - unlabelled), np.arange(c - unlabelled)] = 1.0
    for P in (np.eye(c), random_relation(rng, c, "full"), repelled(c, strength=0.1)):
        spent = []
        for _ in range(20):
            start = time.perf_counter()
            orbits(P, Y)
            spent.append(time.perf_counter() - start)
        # Typically 0.2 ms; the bound is for a busy machine.
        assert min(spent) < 2e-3


def test_unreached_points_are_never_painted():
    W = random_similarity(np.random.default_rng(5), 30, 3, 1.0)
    Y = np.zeros((30, 2))
    Y[0, 1] = 1.0
    graph = Graph(W)
    part = mavr.decompose(graph.Q).structure.component
    far = part != part[0]
    assert far.any()
    for name, method in METHODS.items():
        s = method.run(graph, Y, Parameters(gamma=5.0, balance=0.0))
        np.testing.assert_array_equal(s.unreached, far, err_msg=name)
        assert (s.labels[far] == -1).all()
        assert not s.ties[far].any()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("sparse", [False, True])
def test_every_method_runs_on_every_graph(name, sparse):
    X, _, Y = three_circles(0, n=90, noise=0.2)
    W = mavr.knn_similarity(X, 8) if sparse else mavr.local_scaling_similarity(X, 7)
    s = METHODS[name].run(Graph(W), Y, Parameters(gamma=99.0, balance=0.1))
    reached = ~s.unreached
    assert s.H.shape == (90, 3)
    assert np.isfinite(s.H).all()
    assert (s.labels[reached] >= 0).all()
    assert not s.H.flags.writeable


# The sparse path


@settings(max_examples=60)
@given(graphs(max_n=14, max_c=4), st.sampled_from([0.0, 0.5]), st.booleans())
def test_sparse_agrees_with_dense(case, balance, constrained):
    tau = case.tau if constrained else None
    dense = mavr.solve(mavr.decompose(case.Q), case.Y, case.P, case.gamma, tau, balance)
    if dense.status is mavr.Status.HARD_CASE or dense.method == "whole form":
        return
    sparse = mavr.laplacian(sp.csr_array(case.W), case.kind)
    s = mavr.solve(sparse, case.Y, case.P, case.gamma, tau, balance)
    bound = s.error_bound + dense.error_bound + 1e-9 * np.linalg.norm(dense.H)
    assert (np.abs(s.H - dense.H).max(axis=1) <= bound).all()
    sure = settled(s, dense)
    np.testing.assert_array_equal(s.labels[sure], dense.labels[sure])
    np.testing.assert_array_equal(s.unreached, dense.unreached)
    if constrained:
        assert abs(np.linalg.norm(s.H) / tau - 1) <= 1e-10
    assert s.residual <= 1e-8


@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
def test_sparse_at_hundreds_of_points(kind):
    X, _, Y = three_circles(0, n=700, noise=0.3)
    W = mavr.knn_similarity(X, 10)
    for tau, balance in ((None, 0.0), (np.sqrt(3), 0.0), (np.sqrt(3), 1.0)):
        s = mavr.solve(mavr.laplacian(W, kind), Y, gamma=99.0, tau=tau, balance=balance)
        dense = mavr.solve(mavr.laplacian(W.toarray(), kind), Y, None, 99.0, tau, balance)
        assert s.rho == pytest.approx(dense.rho, rel=1e-8)
        sure = settled(s, dense)
        assert sure.mean() > 0.99 or s.unreached.any()
        np.testing.assert_array_equal(s.labels[sure], dense.labels[sure])


def test_few_labels_on_many_points_collapse_without_balance():
    X, y = load_digits(return_X_y=True)
    Q = mavr.laplacian(mavr.knn_similarity(X, 10))
    Y = np.zeros((len(y), 10))
    for j in range(10):
        Y[np.flatnonzero(y == j)[0], j] = 1.0
    alone = mavr.solve(Q, Y, tau=np.sqrt(10))
    balanced = mavr.solve(Q, Y, tau=np.sqrt(10), balance=1.0)
    assert (alone.labels != y).mean() > (balanced.labels != y).mean() + 0.1
    assert not balanced.ties.any()


def test_sparse_labels_that_cancel():
    W = sp.csr_array(np.ones((4, 4)) - np.eye(4))
    Y = np.array([[1.0], [-1.0], [0], [0]])
    with pytest.raises(ValueError, match=r"labels in Y cancel.*tau = 1e\+06.*lower tau"):
        mavr.solve(mavr.laplacian(W, "unnormalized"), Y, gamma=1.0, tau=1e6)


def test_multi_label_targets_with_negative_entries():
    rng = np.random.default_rng(3)
    W = random_similarity(rng, 40, 1, 1.0)
    Y = random_labels(rng, 40, 3, negative=True)
    S = mavr.decompose(mavr.laplacian(W))
    s = mavr.solve(S, Y, random_relation(rng, 3, "full"), 5.0, 2.0)
    assert (Y < 0).any()
    assert s.status is mavr.Status.OPTIMAL
    assert s.residual <= 1e-12


@pytest.mark.parametrize("power", [1, 2])
def test_a_dense_q_with_few_entries_is_multiplied_as_a_sparse_one(power):
    X = np.random.default_rng(3).normal(size=(240, 2))
    L = mavr.laplacian(mavr.knn_similarity(X, 6), "normalized").toarray()
    Q = np.linalg.matrix_power(L, power)
    few, many = mavr.decompose(Q).structure, mavr.decompose(Q + 1e-9).structure
    H = np.random.default_rng(4).normal(size=(240, 3))
    assert few.sparse is not None
    assert many.sparse is None
    np.testing.assert_allclose(few.times(H), Q @ H, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(many.times(H), (Q + 1e-9) @ H)


@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
def test_the_spectrum_of_a_power_is_that_of_its_laplacian(kind, power):
    X, _, Y = three_circles(0, n=60)
    graph = Graph(mavr.gaussian_similarity(X, 1.0), kind, power)
    S = spectrum_of(graph)
    np.testing.assert_allclose((S.V * S.lam) @ S.V.T, graph.Q, atol=1e-13 * S.lam[-1])
    # The second eigenvalue is far below what an eigensolver finds in L^p.
    L = spectrum_of(Graph(graph.W, kind))
    np.testing.assert_array_equal(S.lam, L.lam**power)
    s = METHODS["mavr"].run(graph, Y, Parameters(gamma=9.0))
    H, _ = oracles.dense_constrained(np.asarray(graph.Q), Y, np.eye(3), 9.0, np.sqrt(3))
    assert np.abs(s.H - H).max() <= s.error_bound.max() + 1e-7
