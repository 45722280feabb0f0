"""Ties and what is only uncertain; splitting ties; relations and similarities they rest on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import datasets
import mavr
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS
from mavr.relations import PAPER, check, eigenvalues, repelled
from mavr.settings import GraphSpec
from mavr.ties import decide, decide_all, split_ties
from tests.oracles import many_digits, subtraction_free

NOWHERE = np.zeros(1, dtype=bool)


@pytest.mark.parametrize(
    ("row", "bound", "label", "tied", "uncertain"),
    [
        ([1.0, 2.0], 0.4, 1, False, False),
        ([1.0, 2.0], 0.6, 1, False, True),
        ([1.0, 1.0 + 1e-13], 4e-13, 0, True, False),
        ([1.0, 1.0 + 1e-13], 1e-14, 1, False, False),
        ([1.0, 1.0 + 1e-13], 1e-10, 1, False, True),
        # A bound far above the responses says nothing of a tie.
        ([1e-20, 2e-20], 1e-16, 1, False, True),
        ([1.0, 2.0], np.nan, 1, False, True),
        ([np.nan, 2.0], 0.1, 1, False, False),
        ([0.0, 0.0], 1e-300, 0, False, True),
        ([-1.0, -1.0 - 1e-13], 3e-13, 0, True, False),
    ],
)
def test_a_tie_needs_a_close_bound(row, bound, label, tied, uncertain):
    d = decide(np.array([row]), np.full((1, 1), bound), NOWHERE, ())
    assert (d.labels[0], d.ties[0], d.uncertain[0]) == (label, tied, uncertain)
    assert d.certain == (not tied and not uncertain)


def test_equal_classes_tie_whatever_the_bound():
    H = np.array([[0.1, 0.5, 0.5], [0.9, 0.5, 0.5], [0.5, 0.5, 0.5]])
    far = np.zeros(3, dtype=bool)
    d = decide(H, np.full((3, 1), 1e-3), far, ((1, 2),))
    np.testing.assert_array_equal(d.ties, [True, False, False])
    np.testing.assert_array_equal(d.uncertain, [False, False, True])
    np.testing.assert_array_equal(d.labels, [1, 0, 0])


@pytest.mark.parametrize(("c", "orbits"), [(1, ()), (3, ()), (3, ((0, 2),))])
def test_many_answers_at_once_are_decided_as_one_by_one(c, orbits):
    rng = np.random.default_rng(5)
    H = np.round(rng.random((6, 20, c)), 1)
    for orbit in orbits:
        H[..., list(orbit)] = H[..., [orbit[0]]]
    bound, far = 10.0 ** rng.integers(-16, 0, (6, 1, 1)), rng.random(20) < 0.2
    for k, many in enumerate(decide_all(H, bound, far, orbits)):
        one = decide(H[k], bound[k], far, orbits)
        for name in ("labels", "ties", "uncertain", "certain"):
            np.testing.assert_array_equal(getattr(many, name), getattr(one, name))


@pytest.mark.parametrize("c", [1, 2, 3, 4, 5, 7, 12, 40, 1000])
def test_repelled_is_positive_definite_for_every_number_of_classes(c):
    P = repelled(c)
    check(P, c)
    assert eigenvalues(P)[0] > 0.1
    if c > 1:
        assert P[0, 1] == (0.5 if c <= 4 else pytest.approx(0.8 / np.sqrt(c - 1)))


def test_repelled_names_a_strength_that_is_too_large():
    with pytest.raises(ValueError, match=r"below 1 / sqrt\(5 - 1\) = 0.5 .* got 0.5; lower it"):
        repelled(5, strength=0.5)


def test_a_fifth_class_that_nobody_labelled():
    rng = np.random.default_rng(1)
    centres = np.array([[0, 0], [4, 0], [0, 4], [4, 4], [2, 8]])
    X = np.repeat(centres, 20, axis=0) + 0.3 * rng.standard_normal((100, 2))
    Y = np.zeros((100, 5))
    Y[[20, 40, 60, 80], [1, 2, 3, 4]] = 1.0
    S = mavr.decompose(mavr.laplacian(mavr.local_scaling_similarity(X)))
    s = mavr.solve(S, Y, repelled(5), tau=2.0, balance=1.0)
    assert not s.ties.any()
    np.testing.assert_array_equal(s.labels, np.repeat(range(5), 20))


@pytest.mark.parametrize("sparse", [False, True])
def test_splitting_a_tie_gives_every_ring_its_class(sparse):
    data = datasets.serendipity(2, seed=0)
    Y = np.zeros((data.n, 4))
    Y[data.labelled, data.y[data.labelled]] = 1.0
    graph = graph_of(data.setting.graph, data.X)
    s = METHODS["mavr"].run(graph, Y, data.setting.parameters)
    labels = split_ties(s, csr_array(graph.W) if sparse else graph.W, seed=3)
    assert sorted(len(set(labels[data.y == j])) for j in range(4)) == [1, 1, 1, 1]
    assert len(set(labels)) == 4
    again = split_ties(s, graph.W, seed=3)
    np.testing.assert_array_equal(labels, again)


def test_nothing_tied_is_nothing_to_split():
    data = datasets.serendipity(1, seed=0)
    Y = np.zeros((data.n, 4))
    Y[data.labelled, data.y[data.labelled]] = 1.0
    graph = graph_of(data.setting.graph, data.X)
    s = mavr.solve(mavr.decompose(graph.Q), Y, PAPER["P1"], tau=np.sqrt(3))
    assert split_ties(s, graph.W) is None


@pytest.mark.parametrize("k", [3, 7])
def test_local_scaling_has_two_printed_widths(k):
    """The paper halves the exponent, Zelnik-Manor and Perona do not: w = 1/sqrt(2), and W^2."""
    X = np.random.default_rng(0).standard_normal((40, 2)) * np.linspace(0.2, 3, 40)[:, None]
    d = cdist(X, X)
    scale = np.sort(d, axis=1)[:, k]
    theirs = np.exp(-(d**2) / np.multiply.outer(scale, scale))
    np.fill_diagonal(theirs, 0.0)
    ours = mavr.local_scaling_similarity(X, k)
    narrow = mavr.local_scaling_similarity(X, k, width=1 / np.sqrt(2))
    np.testing.assert_allclose(narrow, theirs, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(ours**2, theirs, rtol=1e-12, atol=1e-300)


def test_the_width_of_a_sparse_graph_means_the_same():
    X = np.random.default_rng(2).standard_normal((60, 2))
    one = mavr.knn_similarity(X, 6)
    narrow = mavr.knn_similarity(X, 6, width=1 / np.sqrt(2))
    np.testing.assert_allclose(narrow.toarray(), one.toarray() ** 2, rtol=1e-12)
    spec = GraphSpec.of("knn", n_neighbors=6, width=1 / np.sqrt(2))
    np.testing.assert_array_equal(graph_of(spec, X).W.toarray(), narrow.toarray())


# Classes that P treats alike and the labels do not.


def repelling(strength, c=3):
    """The first two classes repel each other, the others are unrelated."""
    P = np.eye(c)
    P[0, 1] = P[1, 0] = strength
    return P


@pytest.mark.parametrize("tau", [None, np.sqrt(3)])
@pytest.mark.parametrize("strength", [0.95, 0.99])
@pytest.mark.parametrize("form", [np.asarray, mavr.decompose])
def test_classes_that_repel_are_told_apart_by_their_difference(form, strength, tau):
    """h_1 - h_2 = (gamma (1 - P_12) Q - rho I)^-1 (y_1 - y_2), without a subtraction of responses.

    The differences go down to 1e-16 of the responses, where comparing responses finds ties.
    """
    data = datasets.three_circles(n=300, noise=0.5, seed=1)
    labelled = datasets.draw_labels(data.y, 3, "balanced", 1)
    Y = np.zeros((300, 3))
    Y[labelled, data.y[labelled]] = 1.0
    W = mavr.gaussian_similarity(data.X, 0.5)
    s = mavr.solve(form(mavr.laplacian(W)), Y, repelling(strength), 99.0, tau)
    X = subtraction_free(W, Y[:, :2], 99.0 * (1 - strength), -s.rho, "normalized")
    margin = np.abs(X[:, 0] - X[:, 1]) / X.sum(axis=1)
    first = s.H[:, :2].max(axis=1) > s.H[:, 2]
    small = first & (np.abs(X[:, 0] - X[:, 1]) < 1e-13 * np.abs(s.H).max(axis=1))
    if tau is not None:
        assert small.any()
    clear = first & (margin > 1e-6)
    np.testing.assert_array_equal(s.labels[clear], X.argmax(axis=1)[clear])
    np.testing.assert_array_equal(s.H.argmax(axis=1)[clear], s.labels[clear])
    assert not (s.ties | s.uncertain)[clear].any()


def test_a_tie_of_classes_that_repel_stays_a_tie():
    path = np.diag([1.0] * 4, 1)
    s = mavr.solve(
        mavr.laplacian(path + path.T), np.eye(5)[:, [0, 4]], repelling(0.95, 2), 99.0, 1.0
    )
    np.testing.assert_array_equal(s.ties, [False, False, True, False, False])
    np.testing.assert_array_equal(s.labels, [0, 0, 0, 1, 1])


@pytest.mark.parametrize("seed", range(12))
def test_no_wrong_class_against_exact_arithmetic(seed):
    """Graphs with weights of many sizes; three classes that repel, with more than one label."""
    rng = np.random.default_rng(seed)
    n, c = 7, 3
    W = np.exp(rng.uniform(-25, 0, (n, n)))
    W = np.triu(W, 1) + np.triu(W, 1).T
    Q = mavr.laplacian(W, "unnormalized")
    strength = rng.choice([0.5, 0.9, 0.999])
    P = np.full((c, c), strength) + (1 - strength) * np.eye(c)
    Y = np.zeros((n, c))
    Y[[0, 1, 2, 3], [0, 1, 2, rng.integers(3)]] = 1.0
    gamma = 10.0 ** rng.uniform(0, 5)
    s = mavr.solve(Q, Y, P, gamma)
    exact = many_digits(Q, Y, P, gamma, -1.0)
    for i, row in enumerate(exact):
        second, best = sorted(row)[-2:]
        if s.ties[i] or s.uncertain[i]:
            assert best - second <= 1e-12 * max(map(abs, row))
        else:
            assert row[s.labels[i]] == best
