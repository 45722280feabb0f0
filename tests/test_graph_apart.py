"""Points that lie apart follow their nearest neighbour, not the balance term."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mavr
from mavr.graphs.apart import LEAST_WEIGHT, held
from mavr.graphs.graph import Graph


def held_slowly(W):
    """Pair by pair."""
    W, found = W.toarray(), W.toarray()
    for i in range(len(W)):
        for j in range(len(W)):
            if 0 < W[i, j] == W[i].max() < LEAST_WEIGHT:
                found[i, j] = found[j, i] = LEAST_WEIGHT
    return found


def with_a_point_apart(place):
    """Two clusters of 60 points, and a point beside the second, several widths away."""
    X = np.random.default_rng(0).normal(scale=0.1, size=(120, 2))
    X[60:, 0] += 4
    return np.concatenate([X, [place]])


@pytest.mark.parametrize("width", [0.1, 0.2, 1.0])
def test_the_strongest_edges_count_and_no_others_change(width):
    X = np.random.default_rng(1).standard_t(2, size=(150, 2))
    graph = Graph(mavr.knn_similarity(X, 5, width), "unnormalized", 2)
    found = held(graph)
    np.testing.assert_array_equal(found.W.toarray(), held_slowly(graph.W))
    assert (found.W != found.W.T).nnz == 0
    assert (found.kind, found.power) == ("unnormalized", 2)
    # A narrow width has such points, the widest has none: the graph itself is given back.
    assert (found is graph) == (width == 1.0)
    assert held(found) is found


def test_equally_strong_edges_count_alike_and_a_point_without_any_stays():
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[0, 2] = W[2, 0] = 1e-9
    W[1, 2] = W[2, 1] = 0.5
    W[2, 3] = W[3, 2] = 1e-5
    found = held(Graph(sp.csr_array(W))).W.toarray()
    expected = W.copy()
    expected[[0, 1, 0, 2, 2, 3], [1, 0, 2, 0, 3, 2]] = LEAST_WEIGHT
    np.testing.assert_array_equal(found, expected)
    nothing = Graph(sp.csr_array((3, 3)))
    assert held(nothing) is nothing


@pytest.mark.parametrize("directions", ["auto", None])
@pytest.mark.parametrize(("ones", "twos"), [(2, 6), (3, 9), (6, 2)])
def test_a_point_apart_has_the_class_of_the_cluster_beside_it(ones, twos, directions):
    X, y = with_a_point_apart([4.0, 1.2]), np.full(121, -1)
    y[:ones], y[60 : 60 + twos] = 0, 1
    model = mavr.MAVRClassifier(directions=directions).fit(X, y)
    assert model.transduction_[-1] == 1
    assert model.class_prior_[0] != model.class_prior_[1]
    np.testing.assert_array_equal(model.transduction_[:120], np.repeat([0, 1], 60))
    # As the graph is without it, the classes' proportions alone decide: its responses are those of
    # a point that is joined to nothing.
    W = mavr.knn_similarity(X, 20, 0.2)
    given = mavr.MAVRClassifier("precomputed", gamma=model.gamma_).fit(W, y)
    assert given.transduction_[-1] == int(ones > twos)


def test_without_balance_the_graph_is_as_it_is():
    X, y = with_a_point_apart([4.0, 1.2]), np.full(121, -1)
    y[[0, 60]] = 0, 1
    W = mavr.knn_similarity(X, 12, 0.3)
    for balance, weights in ((0.0, W), (1.0, held(Graph(W)).W)):
        setting = {"gamma": 50.0, "balance": balance, "laplacian_power": 1}
        model = mavr.MAVRClassifier(n_neighbors=12, width=0.3, **setting).fit(X, y)
        given = mavr.MAVRClassifier("precomputed", **setting).fit(weights, y)
        np.testing.assert_array_equal(model.response_, given.response_)
    with pytest.raises(ValueError, match="balance must be a number, got 'much'"):
        mavr.MAVRClassifier(balance="much").fit(X, y)
