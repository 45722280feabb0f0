"""Degenerate input works; bad input gets a sentence that says what was wrong and what to do."""

from __future__ import annotations

import platform

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from lab.server.memory import keep_freed_memory
from mavr import validation
from mavr.graphs.laplacians import _NULL_VECTORS, null_vector_of
from mavr.solvers.structure import inspect
from tests import oracles
from tests.strategies import settled

KINDS = ("normalized", "unnormalized")


def path(n, weight=1.0):
    """A chain of n points."""
    W = np.zeros((n, n))
    W[np.arange(n - 1), np.arange(1, n)] = weight
    return W + W.T


def one_hot(y, c=None):
    y = np.asarray(y)
    return (y[:, None] == np.arange(c or y.max() + 1)).astype(float)


def everywhere(W, Y, kind="normalized", **parameters):
    """The same problem through a spectrum, from Q, and sparse."""
    Q = mavr.laplacian(W, kind)
    sparse = mavr.laplacian(sp.csr_array(W), kind)
    return [mavr.solve(state, Y, **parameters) for state in (mavr.decompose(Q), Q, sparse)]


@pytest.mark.parametrize("kind", KINDS)
def test_duplicate_points(kind):
    X = np.repeat([[0.0, 0.0], [3.0, 0.0], [3.5, 0.0]], 5, axis=0)
    Y = one_hot([0] + [-1] * 4 + [1] + [-1] * 9, 2)
    for W in (
        mavr.gaussian_similarity(X, 1.0),
        mavr.local_scaling_similarity(X, 3),
        mavr.knn_similarity(X, 6),
    ):
        s = mavr.solve(mavr.laplacian(W, kind), Y, gamma=1.0)
        assert (s.labels[:5] == 0).all()
        # Points of one place have one answer, but for the labelled one.
        np.testing.assert_allclose(s.H[1:5], np.tile(s.H[1], (4, 1)), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tau", [None, 2.0])
def test_isolated_points_and_separate_components(kind, tau):
    W = np.zeros((8, 8))
    W[:3, :3], W[3:6, 3:6] = path(3), path(3)
    Y = one_hot([0, -1, 1, -1, -1, -1, 1, -1], 2)
    for s in everywhere(W, Y, kind, gamma=5.0, tau=tau):
        np.testing.assert_array_equal(s.unreached, [0, 0, 0, 1, 1, 1, 0, 1])
        np.testing.assert_array_equal(s.labels, [0, 0, 1, -1, -1, -1, 1, -1])
        np.testing.assert_array_equal(s.ties, [0, 1, 0, 0, 0, 0, 0, 0])
        assert (s.H[s.unreached] == 0).all()


def test_one_labelled_point_and_all_labelled():
    W = path(6)
    only = one_hot([-1, 0, -1, -1, -1, -1], 1)
    for s in everywhere(W, only, tau=1.0):
        assert (s.labels == 0).all()
        assert not s.ties.any()
    every = one_hot([0, 0, 0, 1, 1, 1])
    for s in everywhere(W, every, tau=np.sqrt(6)):
        np.testing.assert_array_equal(s.labels, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("balance", [0.0, 1.0])
def test_a_class_without_labels_and_more_classes_than_labels(balance):
    Y = one_hot([-1, 0, -1, -1, 3, -1], 5)
    for s in everywhere(path(6), Y, tau=1.0, balance=balance):
        assert set(s.labels[[1, 4]]) == {0, 3}
        # Classes 1, 2 and 4 are the same to P and to the labels.
        assert s.interchangeable == ((1, 2, 4),)
        np.testing.assert_array_equal(s.H[:, 1], s.H[:, 2])


def test_one_class():
    for balance in (0.0, 3.0):
        for s in everywhere(path(4), one_hot([0, -1, -1, -1], 1), tau=2.0, balance=balance):
            assert (s.labels == 0).all()
            assert not s.ties.any()
            assert np.linalg.norm(s.H) == pytest.approx(2.0)


def test_one_point():
    s = mavr.solve(np.zeros((1, 1)), [[1.0, 0.0]], tau=3.0)
    np.testing.assert_allclose(s.H, [[3.0, 0.0]], atol=1e-12)
    assert s.labels[0] == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tau", [None, 1.0])
def test_responses_that_underflow_have_their_class_or_a_tie(kind, tau):
    # Weights of 1e-120 from cell to cell: the sixth is at 1e-600 from the label of class 1.
    cells, size = 7, 4
    W = np.kron(np.eye(cells), np.ones((size, size))) + np.kron(
        path(cells, 1e-120), np.ones((size, size))
    )
    np.fill_diagonal(W, 0.0)
    Y = np.zeros((cells * size, 2))
    Y[size, 0] = Y[2 * size, 1] = 1.0  # in the second and third cell
    expected = np.repeat([0, 0, 1, 1, 1, 1, 1], size)
    for state in (mavr.laplacian(W, kind), mavr.decompose(mavr.laplacian(W, kind))):
        s = mavr.solve(state, Y, gamma=1.0, tau=tau)
        assert not s.unreached.any()
        assert (s.H[-size:] == 0).all()
        wide = np.finfo(np.longdouble).minexp < -5000
        np.testing.assert_array_equal(s.labels[settled(s)], expected[settled(s)])
        assert settled(s).all() == wide


def test_eigenvalues_just_below_zero():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    Q = (V * [-1e-17, 0.0, 0.5, 1.0, 1.0]) @ V.T
    s = mavr.solve((Q + Q.T) / 2, one_hot([0, 1, -1, -1, -1]), tau=1.0)
    assert (mavr.decompose((Q + Q.T) / 2).lam >= 0).all()
    assert np.linalg.norm(s.H) == pytest.approx(1.0, rel=1e-10)


def test_a_unit_diagonal_alone_makes_no_laplacian():
    Q = np.array([[1.0, -0.1, 0.0], [-0.1, 1.0, -0.1], [0.0, -0.1, 1.0]])
    lowest = np.linalg.eigvalsh(Q)[0]
    s = mavr.solve(Q, one_hot([0, -1, 1]), gamma=2.0, tau=50.0)
    assert not mavr.decompose(Q).structure.laplacian
    assert 0 < s.rho < 2 * lowest
    assert np.linalg.norm(2 * Q @ s.H - s.rho * s.H - one_hot([0, -1, 1])) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_laplacian_is_known_however_it_comes(kind):
    rng = np.random.default_rng(1)
    W = mavr.gaussian_similarity(rng.standard_normal((30, 2)), 0.7)
    W[:10, 10:] = W[10:, :10] = 0.0
    W[29] = W[:, 29] = 0.0
    Q = mavr.laplacian(W, kind)
    for form in (Q, np.array(np.asarray(Q)), sp.csr_array(Q), 3 * np.asarray(Q) / 3, Q * 2.0):
        structure = mavr.decompose(form).structure
        assert structure.laplacian
        v = structure.null_vector
        assert (v > 0).all()
        assert np.abs(np.asarray(structure.Q) @ v).max() <= 1e-13 * v.max()
    # A remembered null vector is checked: this one is no longer true.
    Q[0, 0] += 0.5
    assert not mavr.decompose(Q).structure.laplacian


def test_decompose_leaves_its_argument_alone():
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    S = mavr.decompose(Q)
    Q[0, 0] = 5.0
    assert S.Q[0, 0] == 1.0
    for array in (S.Q, S.lam, S.V, S.ones):
        assert not array.flags.writeable


Q3 = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
Y3 = one_hot([0, -1, 1])
X3 = np.arange(6.0).reshape(3, 2)
NAN = np.full((3, 3), np.nan)
INFINITE = np.array([[1.0, 0.0, np.inf], [0, 1, 0], [np.inf, 0, 1]])

# What is called, and words that the message must have: argument, value, remedy.
BAD = {
    "Q nan": (lambda: mavr.solve(NAN, Y3), ["Q", "nan", "remove"]),
    "Q infinite": (lambda: mavr.decompose(INFINITE), ["Q", "inf", "remove"]),
    "Q sparse nan": (lambda: mavr.solve(sp.csr_array(NAN), Y3), ["Q", "nan"]),
    "Q shape": (lambda: mavr.solve(np.ones((3, 2)), Y3), ["Q", "square", "(3, 2)"]),
    "Q empty": (lambda: mavr.solve(np.ones((0, 0)), Y3), ["Q", "(0, 0)"]),
    "Q asymmetric": (
        lambda: mavr.solve(np.triu(np.ones((3, 3))), Y3),
        ["Q", "symmetric", "1", "Q.T"],
    ),
    "Q indefinite": (
        lambda: mavr.solve(np.diag([1.0, -2.0, 1.0]), Y3),
        ["Q", "semi-definite", "-2", "raise"],
    ),
    "Q indefinite M-matrix": (
        lambda: mavr.solve(np.array([[1.0, -5, 0], [-5, 1, 0], [0, 0, 1]]), Y3, tau=1.0),
        ["Q", "semi-definite", "-4", "raise"],
    ),
    "Q sparse, no Laplacian": (
        lambda: mavr.solve(sp.csr_array(np.diag([1.0, 2.0, 3.0])), Y3),
        ["Q", "Laplacian", "toarray"],
    ),
    "Y nan": (lambda: mavr.solve(Q3, Y3 * np.nan), ["Y", "nan", "remove"]),
    "Y shape": (lambda: mavr.solve(Q3, Y3[:2]), ["Y", "(3, c)", "(2, 2)"]),
    "Y vector": (lambda: mavr.solve(Q3, [0, 1, 0]), ["Y", "(3, c)", "(3,)"]),
    "no label": (lambda: mavr.solve(Q3, 0 * Y3), ["Y", "no label", "label at least one"]),
    "P shape": (lambda: mavr.solve(Q3, Y3, np.eye(3)), ["P", "(2, 2)", "(3, 3)"]),
    "P nan": (lambda: mavr.solve(Q3, Y3, np.full((2, 2), np.nan)), ["P", "nan", "replace"]),
    "P asymmetric": (
        lambda: mavr.solve(Q3, Y3, [[1, 0.5], [0, 1]]),
        ["P", "symmetric", "0.5", "P.T"],
    ),
    "P indefinite": (
        lambda: mavr.solve(Q3, Y3, [[1, 2], [2, 1]]),
        ["P", "positive definite", "-1", "repair"],
    ),
    "P zero": (lambda: mavr.solve(Q3, Y3, np.zeros((2, 2))), ["P", "definite", "0", "raise"]),
    "tau zero": (lambda: mavr.solve(Q3, Y3, tau=0), ["tau must be > 0 or None", "0"]),
    "tau negative": (lambda: mavr.solve(Q3, Y3, tau=-1.0), ["tau must be > 0 or None", "-1"]),
    "tau nan": (lambda: mavr.solve(Q3, Y3, tau=np.nan), ["tau", "finite", "nan"]),
    "tau text": (lambda: mavr.solve(Q3, Y3, tau="big"), ["tau", "number", "big"]),
    "gamma zero": (lambda: mavr.solve(Q3, Y3, gamma=0), ["gamma must be > 0", "0"]),
    "gamma infinite": (lambda: mavr.solve(Q3, Y3, gamma=np.inf), ["gamma", "finite", "inf"]),
    "balance": (lambda: mavr.solve(Q3, Y3, balance=-0.5), ["balance", "-0.5", "use 0"]),
    "BAVR tau": (lambda: mavr.bavr(Q3, Y3, tau=-2), ["tau must be > 0", "-2"]),
    "sigma zero": (lambda: mavr.gaussian_similarity(X3, 0.0), ["sigma must be > 0", "0"]),
    "sigma negative": (lambda: mavr.gaussian_similarity(X3, -2), ["sigma must be > 0", "-2"]),
    "X nan": (lambda: mavr.gaussian_similarity(X3 * np.nan, 1.0), ["X", "nan", "remove"]),
    "X vector": (lambda: mavr.gaussian_similarity([1.0, 2.0], 1.0), ["X", "(2,)", "reshape"]),
    "k too large": (
        lambda: mavr.local_scaling_similarity(X3, 3),
        ["n_neighbors", "3", "use at most 2"],
    ),
    "k too large, kNN": (lambda: mavr.knn_similarity(X3, 7), ["n_neighbors", "7", "at most 2"]),
    "k too large, cosine": (lambda: mavr.cosine_similarity(X3, 4), ["n_neighbors", "4", "2"]),
    "k zero": (lambda: mavr.knn_similarity(X3, 0), ["n_neighbors", ">= 1", "0"]),
    "W negative": (lambda: mavr.laplacian(-np.ones((3, 3))), ["W must be >= 0", "-1", "clip"]),
    "W asymmetric": (lambda: mavr.laplacian(np.triu(np.ones((3, 3)))), ["W", "symmetric", "W.T"]),
    "kind": (lambda: mavr.laplacian(np.ones((3, 3)), "odd"), ["kind", "odd", "normalized"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, words = BAD[name]
    with pytest.raises(ValueError, match=r"(?s).") as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_more_points_than_dense_memory_allows():
    n = validation.MAX_DENSE_POINTS + 1
    X = np.zeros((n, 1))
    for call, remedy in (
        (lambda: mavr.gaussian_similarity(X, 1.0), "knn_similarity"),
        (lambda: mavr.local_scaling_similarity(X), "knn_similarity"),
        (lambda: mavr.decompose(sp.eye_array(n, format="csr")), "use MAVR or LGC"),
    ):
        with pytest.raises(ValueError, match=f"{n} points need .* GiB.*{remedy}"):
            call()


def test_any_q_with_balance_beyond_the_whole_form(monkeypatch):
    monkeypatch.setattr("mavr.solvers.solver.MAX_WHOLE_FORM", 5)
    # Labels that cancel exactly along the null vector, and a tau out of the rest's reach.
    Y = np.array([[1.0, -1.0], [0, 0], [-1.0, 1.0]])
    with pytest.raises(ValueError, match="3 \\* 2 = 6; use balance = 0"):
        mavr.solve(Q3, Y, tau=1e6, balance=1.0)
    monkeypatch.undo()
    s = mavr.solve(Q3, Y, tau=1e6, balance=1.0)
    assert s.method == "whole form"
    assert np.linalg.norm(s.H) == pytest.approx(1e6, rel=1e-10)


def test_subtraction_free_oracle_in_long_arithmetic():
    """The oracle that the predictions rest on, itself against 60 digits."""
    W = mavr.gaussian_similarity(np.array([[0.0], [1.0], [9.0], [10.0]]), 1.0)
    Y = one_hot([0, -1, -1, 1])
    d = W.sum(axis=1)
    for kind, Q in (
        ("unnormalized", np.diag(d) - W),
        ("normalized", np.eye(4) - W / np.sqrt(np.outer(d, d))),
    ):
        H = oracles.subtraction_free(W, Y, 9.0, 1.0, kind)
        exact = oracles.many_digits(Q, Y, np.eye(2), 9.0, -1.0)
        np.testing.assert_allclose(H, np.array(exact, dtype=float), rtol=1e-13)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_memory_is_kept_where_the_library_can():
    assert keep_freed_memory() is True
    A = np.ones((400, 400))
    np.testing.assert_array_equal(A @ A, np.full((400, 400), 400.0))


def test_zeros_that_a_sparse_matrix_stores_join_nothing():
    W = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    Q = mavr.laplacian(W).tocoo()
    data, row, col = np.r_[Q.data, 0.0, 0.0], np.r_[Q.row, 1, 2], np.r_[Q.col, 2, 1]
    stored = sp.csr_array(sp.coo_array((data, (row, col)), shape=(4, 4)))
    assert stored.nnz == 10
    found = inspect(stored)
    assert (found.n_components, found.m_matrix) == (2, True)
    s = mavr.solve(stored, np.eye(4)[:, :1], gamma=3.0)
    assert s.unreached.tolist() == [False, False, True, True]


@pytest.mark.parametrize("sparse", [False, True])
def test_laplacians_are_plain_matrices_whose_null_vector_is_known_while_they_live(sparse):
    rng = np.random.default_rng(2)
    W = mavr.gaussian_similarity(rng.standard_normal((20, 2)), 0.7)
    Q = mavr.laplacian(sp.csr_array(W) if sparse else W)
    assert type(Q) is (sp.csr_array if sparse else np.ndarray)
    np.testing.assert_allclose(null_vector_of(Q), np.sqrt(W.sum(axis=1)), rtol=1e-15)
    assert null_vector_of(Q.copy()) is None
    name = id(Q)
    del Q
    assert name not in _NULL_VECTORS


@pytest.mark.parametrize("sparse", [False, True])
def test_a_power_has_the_powers_of_the_eigenvalues(sparse):
    rng = np.random.default_rng(3)
    W = mavr.gaussian_similarity(rng.standard_normal((20, 2)), 0.7)
    L = mavr.laplacian(sp.csr_array(W) if sparse else W)
    cube = mavr.Laplacian(L, 3)
    dense = np.linalg.matrix_power(np.asarray(mavr.Laplacian(L)), 3)
    np.testing.assert_allclose(np.asarray(cube), dense, atol=1e-14)
    np.testing.assert_allclose(cube @ np.eye(20), dense, atol=1e-14)
    S = mavr.decompose(cube)
    np.testing.assert_allclose((S.V * S.lam) @ S.V.T, dense, atol=1e-13)
    np.testing.assert_allclose(S.lam, mavr.decompose(L).lam ** 3, atol=1e-14)
