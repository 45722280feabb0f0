"""MAVR and its neighbours: the four losses, LGC, Poisson learning, label sets."""

from __future__ import annotations

import numpy as np
import pytest

import datasets
import mavr
from mavr import relations
from mavr.graphs.graph import Graph
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import label_sets, links, losses
from tests import oracles
from tests.theory_problems import circles, one_hot, random_form


def on_the_sphere(rng, like, tau):
    X = rng.standard_normal(like.shape)
    return tau * X / np.linalg.norm(X)


@pytest.mark.parametrize("which", losses.LOSSES)
@pytest.mark.parametrize("tau", [0.3, 2.0])
def test_each_loss_is_minimised_on_the_sphere(which, tau):
    """By descent along the sphere from many places, with the loss written out."""
    rng = np.random.default_rng(11)
    Q = random_form(5, rng)
    Y = np.zeros((5, 2))
    Y[0, 0] = Y[3, 1] = 1
    rows = [0, 3] if which in (2, 4) else range(5)

    def value(H):
        fit = sum(
            ((Y[i] - H[i]) ** 2).sum() if which in (1, 2) else -float(Y[i] @ H[i]) for i in rows
        )
        return fit + 1.5 * np.trace(H.T @ Q @ H)

    found = losses.minimise(which, Q, Y, 1.5, tau).H
    assert np.linalg.norm(found) == pytest.approx(tau)
    assert losses.objective(which, Q, Y, found, 1.5) == pytest.approx(value(found))
    best = np.inf
    for start in range(3):
        H, step = on_the_sphere(rng, Y, tau), 0.5
        for _ in range(3000):
            trial = H + step * tau * rng.standard_normal(Y.shape)
            trial *= tau / np.linalg.norm(trial)
            better = value(trial) < value(H)
            H, step = (trial, step * 1.2) if better else (H, max(step * 0.97, 1e-7))
        best = min(best, value(H))
        assert value(found) <= value(H) + 1e-9, start
    assert value(found) == pytest.approx(best, abs=1e-4)


def test_losses_agree_as_they_should():
    graph, Y, _ = circles(seed=1, sigma=1.0, n=90, l=6)
    found = losses.compare(spectrum_of(graph).Q, Y, 2.0, 2.0)
    one, two, three, four = (s.H for s in found.solutions)
    # 3 is 4; 3 is 1 with twice the gamma, and not 1 itself; 2 is none of them.
    np.testing.assert_array_equal(three, four)
    assert found.to_doubled < 1e-9
    assert np.linalg.norm(one - three) > 1e-2
    assert np.linalg.norm(one - two) > 1e-2
    assert found.distances[0] == pytest.approx(np.linalg.norm(one - two) / 2.0)


def test_loss_2_is_the_printed_system():
    """(gamma P (x) Q - rho I + I (x) J) h = y, Section 4.2."""
    graph, Y, labelled = circles(seed=2, sigma=1.0, n=40, l=4)
    Q = np.asarray(spectrum_of(graph).Q)
    found = losses.minimise(2, Q, Y, 3.0, 1.2)
    J = np.zeros((40, 40))
    J[labelled, labelled] = 1
    M = np.kron(np.eye(3), 3.0 * Q - float(found.rho) * np.eye(40)) + np.kron(np.eye(3), J)
    np.testing.assert_allclose(M @ found.H.T.ravel(), Y.T.ravel(), atol=1e-9)


def disc_problem(denied, gamma=1.0):
    data = datasets.multilabel(150, seed=0)
    graph = Graph(mavr.local_scaling_similarity(data.X, 7))
    Y = label_sets.coded(data.Y, data.labelled, denied)
    tau = float(np.sqrt(len(data.labelled)))
    return data, Y, label_sets.respond(spectrum_of(graph), Y, gamma, tau), graph


def test_threshold_0_gives_every_label_where_nothing_is_denied():
    data, Y, found, graph = disc_problem(denied=False)
    assert set(np.unique(Y)) == {0.0, 1.0}
    assert spectrum_of(graph).structure.n_components == 1
    # The inverse of an M-matrix, entry by entry.
    H, _ = oracles.constrained_subtraction_free(graph.W, Y, 1.0, np.linalg.norm(found.H))
    assert (H > 0).all()
    assert label_sets.predict(H, 0.0).all()
    everything = label_sets.score(label_sets.predict(H, 0.0), data.Y > 0)
    assert everything.mean_size == 3
    assert everything.hamming == pytest.approx(1 - (data.Y > 0).mean())
    learned = label_sets.score(label_sets.predict(found.H, found.learned), data.Y > 0)
    assert learned.hamming < everything.hamming / 2


def test_label_sets_are_scored_as_by_hand():
    H = np.array([[0.5, -0.1], [0.2, 0.3], [-1.0, 0.0]])
    predicted = label_sets.predict(H, [0.3, 0.0])
    assert predicted.tolist() == [[True, False], [False, True], [False, True]]
    sets = np.array([[True, True], [False, True], [True, False]])
    found = label_sets.score(predicted, sets)
    assert found.hamming == pytest.approx(3 / 6)
    assert found.f1 == pytest.approx(2 * 2 / (3 + 4))
    assert found.mean_size == 1


def test_denied_labels_have_responses_of_both_signs():
    data, Y, found, _ = disc_problem(denied=True)
    assert set(np.unique(Y)) == {-1.0, 0.0, 1.0}
    assert (found.H > 0).any()
    assert (found.H < 0).any()
    rows = data.labelled
    np.testing.assert_array_equal(Y[rows] > 0, data.Y[rows] > 0)
    assert not Y[np.setdiff1d(np.arange(data.n), rows)].any()


def test_rho_minus_one_is_label_spreading():
    graph, Y, labelled = circles(seed=4, sigma=1.0, n=120, l=6)
    found = links.as_lgc(spectrum_of(graph), Y, 9.0)
    assert found.differ == 0
    assert found.distance < 1e-12
    assert float(found.first.rho) == -1
    y = np.full(120, -1)
    y[labelled] = Y[labelled].argmax(axis=1)
    soft, classes = oracles.label_spreading(graph.W, y, 9.0)
    np.testing.assert_allclose(
        found.second / found.second.sum(axis=1, keepdims=True), soft, atol=1e-9
    )
    assert (found.first.labels == classes).all()


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
def test_mavr_predicts_as_lgc_with_the_effective_alpha(factor):
    graph, Y, _ = circles(seed=5)
    tau = factor * float(np.sqrt(3))
    found = links.with_effective_alpha(spectrum_of(graph), Y, 99.0, tau)
    assert found.differ == 0
    assert found.distance < 1e-9
    alpha = float(found.first.alpha)
    S = np.eye(300) - spectrum_of(graph).Q
    F = np.linalg.solve(np.eye(300) - alpha * S, Y)
    assert links.direction_distance(F, found.first.H) < 1e-6


@pytest.mark.parametrize("name", [None, "P5"])
@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_gamma_and_tau_are_one_knob(name, factor):
    graph, Y, _ = circles(seed=6, sigma=1.0, n=120)
    P = None if name is None else np.array(relations.PAPER[name])
    found = links.one_knob(spectrum_of(graph), Y, P, 99.0, 1.7, factor)
    assert found.differ == 0
    assert found.distance < 1e-9
    np.testing.assert_allclose(factor * found.second.H, found.first.H, rtol=1e-6, atol=1e-12)
    assert float(found.second.rho) == pytest.approx(factor * float(found.first.rho), rel=1e-8)


def poisson_problem(extra=0):
    data = datasets.three_circles(n=120, seed=7)
    graph = Graph(mavr.local_scaling_similarity(data.X, 7), "unnormalized")
    labelled = datasets.draw_labels(data.y, 6, "balanced", 0)
    Y = one_hot(data.y, labelled)
    for i in np.flatnonzero((data.y == 0) & ~Y.any(axis=1))[:extra]:
        Y[i, 0] = 1
    return graph, Y


def test_poisson_learning_is_the_limit_of_balanced_mavr():
    graph, Y = poisson_problem()
    theirs = oracles.poisson(graph.W, Y)
    np.testing.assert_allclose(links.poisson(spectrum_of(graph), Y), theirs, rtol=1e-6, atol=1e-8)
    taus = np.sqrt(6) * np.array([0.1, 1e3, 1e6])
    found = links.to_poisson(spectrum_of(graph), Y, 1.0, 1e4, taus)
    assert found.differ[-1] == 0 < found.differ[0]
    assert (np.diff(found.minus_rho) < 0).all()
    plain = np.linalg.pinv(spectrum_of(graph).Q) @ Y
    assert (plain.argmax(axis=1) == theirs.argmax(axis=1)).all()


def test_balance_changes_nothing_for_equally_many_labels():
    graph, Y = poisson_problem()
    some = mavr.solve(spectrum_of(graph), Y, None, 1.0, 30.0, 1e3).H
    none = mavr.solve(spectrum_of(graph), Y, None, 1.0, 30.0, 0.0).H
    assert np.linalg.norm(some - none) < 1e-9 * np.linalg.norm(none)


def test_balance_is_needed_for_unequal_numbers_of_labels():
    graph, Y = poisson_problem(extra=3)
    taus = np.sqrt(9) * np.array([1e5])
    balanced = links.to_poisson(spectrum_of(graph), Y, 1.0, 1e4, taus)
    plain = links.to_poisson(spectrum_of(graph), Y, 1.0, 0.0, taus)
    assert plain.differ[0] > balanced.differ[0]
