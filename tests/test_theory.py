"""Theorems 2 and 3 and the hard case against brute force."""

from __future__ import annotations

import numpy as np
import pytest

import mavr
from mavr import relations
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import hard, root, stability, volume
from tests import oracles
from tests.theory_problems import circles, random_form

# Theorem 2


@pytest.mark.parametrize("name", [None, "P5"])
@pytest.mark.parametrize(("gamma", "tau"), [(99.0, 1.7), (0.5, 0.1), (1e4, 30.0)])
def test_theorem_2_interval_and_root(name, gamma, tau):
    rng = np.random.default_rng(3)
    Q, Y = random_form(6, rng), rng.integers(-1, 2, (6, 3)).astype(float)
    P = np.eye(3) if name is None else np.array(relations.PAPER[name])
    s = root.secular(mavr.decompose(Q), Y, P, gamma, tau)
    low, high = s.interval
    assert s.g(low)[0] <= 1e-9 * tau**2
    grid = high - np.geomspace(1e-9, 1, 200)[::-1] * (high - low)
    assert (np.diff(s.g(grid)) > 0).all()
    assert s.g(high - 1e-9 * (high - low))[0] > 0
    for rho in (low, (low + high) / 2, -1.0):
        H = oracles.dense_at(Q, Y, P, gamma, 0.0, rho)
        assert s.norm(rho)[0] == pytest.approx(np.linalg.norm(H), rel=1e-9)
    H, rho = oracles.dense_constrained(Q, Y, P, gamma, tau)
    assert s.root == pytest.approx(rho, rel=1e-8)
    assert s.root == pytest.approx(float(mavr.solve(Q, Y, P, gamma, tau).rho), rel=1e-9)
    for from_left in (False, True):
        found = s.find(from_left)
        assert high - found.delta == pytest.approx(rho, rel=1e-8)
        assert s.norm(high - found.steps[-1])[0] == pytest.approx(tau, rel=1e-9)


def test_the_steps_shown_are_the_solver_s_own():
    graph, Y, _ = circles(seed=43)
    tau = float(np.sqrt(3))
    s = root.secular(spectrum_of(graph), Y, None, 99.0, tau)
    solution = mavr.solve(spectrum_of(graph), Y, gamma=99.0, tau=tau)
    assert -s.find().delta == pytest.approx(float(solution.rho), rel=1e-9)
    off = np.abs(s.norm(-np.array(s.find().steps)) / tau - 1)
    assert (np.diff(off) < 0).all()
    assert off[-1] < 1e-12
    assert root.effective_alpha(99.0, s.root) == pytest.approx(float(solution.alpha))


# The hard case


@pytest.mark.parametrize("turn", [0.0, 0.5, 2.0])
def test_hard_case_the_root_of_the_interval_is_not_the_minimum(turn):
    Q, y = hard.example(0.0, turn)
    found = hard.compare(Q, y, 1.0, 1.5)
    assert found.hard
    assert found.naive_rho > found.lowest == pytest.approx(0.5)
    assert found.rho == pytest.approx(found.lowest)
    # Stationary, of the right norm, and yet worse.
    assert np.allclose(Q @ found.naive_h - found.naive_rho * found.naive_h, y)
    assert np.linalg.norm(found.naive_h) == pytest.approx(1.5)
    assert found.naive_objective > found.objective + 1
    _, points = hard.circle(1.5, 100_001)
    values = hard.objective(Q, y, 1.0, points)
    assert values.min() == pytest.approx(found.objective, abs=1e-7)
    assert values.min() >= found.objective - 1e-12
    assert len(found.minima) == 2
    for h in found.minima:
        assert np.linalg.norm(h) == pytest.approx(1.5)
        assert float(hard.objective(Q, y, 1.0, h)) == pytest.approx(found.objective)
    # The identity that explains it.
    h, M = found.naive_h, Q - found.naive_rho * np.eye(2)
    for x in points[::9999]:
        difference = float(hard.objective(Q, y, 1.0, x)) - found.naive_objective
        assert difference == pytest.approx((x - h) @ M @ (x - h), abs=1e-9)


def test_hard_case_against_random_feasible_points_in_many_dimensions():
    rng = np.random.default_rng(4)
    V, _ = np.linalg.qr(rng.standard_normal((7, 7)))
    Q = volume.form(np.linspace(0.4, 3, 7), V)
    y = V[:, 1:] @ rng.standard_normal(6)
    found = hard.compare(Q, y, 2.0, 20.0)
    assert found.hard
    best = min(
        float(hard.objective(Q, y, 2.0, x[:, 0]))
        for x in oracles.feasible_points(found.minima[0][:, None], 20.0, 400)
    )
    assert found.objective <= best
    assert found.objective < found.naive_objective


@pytest.mark.parametrize(("z1", "tau"), [(0.05, 1.5), (0.0, 0.5), (0.8, 2.0)])
def test_otherwise_the_root_is_the_minimum(z1, tau):
    Q, y = hard.example(z1)
    found = hard.compare(Q, y, 1.0, tau)
    assert not found.hard
    assert found.naive_rho == pytest.approx(found.rho)
    assert found.naive_objective == pytest.approx(found.objective)
    _, points = hard.circle(tau, 20_001)
    assert hard.objective(Q, y, 1.0, points).min() >= found.objective - 1e-12


# Theorem 3


def changed_labels(Y, labelled, action):
    Z = Y.copy()
    i = labelled[0]
    if action == "flip":
        Z[i] = np.roll(Y[i], 1)
    elif action == "remove":
        Z[i] = 0
    elif action == "add":
        Z[np.flatnonzero(~Y.any(axis=1))[0], 0] = 1
    else:
        Z[i], Z[np.flatnonzero(~Y.any(axis=1))[0]] = 0, Y[i]
    return Z


@pytest.mark.parametrize("action", ["flip", "move", "add", "remove"])
@pytest.mark.parametrize(("gamma", "factor"), [(99.0, 1.0), (1.0, 0.1), (1e3, 30.0)])
def test_theorem_3_holds_on_the_circles(action, gamma, factor):
    graph, Y, labelled = circles(seed=1, sigma=1.0, n=120, l=6)
    Z = changed_labels(Y, labelled, action)
    tau = factor * float(np.sqrt(6))
    found = stability.compare(spectrum_of(graph), Y, Z, None, gamma, tau)
    H, _ = oracles.dense_constrained(spectrum_of(graph).Q, Y, np.eye(3), gamma, tau)
    K, _ = oracles.dense_constrained(spectrum_of(graph).Q, Z, np.eye(3), gamma, tau)
    assert found.constrained == pytest.approx(np.linalg.norm(H - K), rel=1e-5, abs=1e-9)
    F, G = (oracles.sylvester(spectrum_of(graph).Q, A, np.eye(3), gamma) for A in (Y, Z))
    assert found.free == pytest.approx(np.linalg.norm(F - G), rel=1e-8)
    assert found.constrained <= found.one_term <= found.two_terms * (1 + 1e-12)
    C = -max(found.rho, found.rho_after)
    smaller = min(np.linalg.norm(Y), np.linalg.norm(Z))
    second = abs(found.rho - found.rho_after) * smaller / C**2
    assert found.two_terms == pytest.approx(np.linalg.norm(Y - Z) / C + second)
    assert found.free <= found.free_bound <= np.linalg.norm(Y - Z) * (1 + 1e-12)
    assert found.moved.shape == (120,)
    assert np.linalg.norm(found.moved) == pytest.approx(found.constrained)
    C = stability.uniform_C(spectrum_of(graph), labelled, tau)
    if action == "flip":
        assert 0 < C <= found.C


def test_theorem_3_holds_for_random_problems():
    rng = np.random.default_rng(5)
    close = []
    for _ in range(120):
        n, c = rng.integers(2, 8), rng.integers(1, 4)
        Q, P = random_form(n, rng, 0.01), random_form(c, rng)
        Y = rng.standard_normal((n, c))
        Z = Y + 10.0 ** rng.uniform(-4, 0) * rng.standard_normal((n, c))
        gamma, tau = 10.0 ** rng.uniform(-2, 3), 10.0 ** rng.uniform(-2, 2)
        found = stability.compare(mavr.decompose(Q), Y, Z, P, gamma, tau)
        assert found.C > 0  # no hard case
        assert found.constrained <= found.one_term * (1 + 1e-6)
        assert found.one_term <= found.two_terms * (1 + 1e-9)
        C = found.C
        norms = [np.linalg.norm(A) for A in (Y, Z)]
        corollary = np.linalg.norm(Y - Z) / C + norms[0] * norms[1] / (tau * C**2)
        assert found.corollary == pytest.approx(corollary)
        assert found.two_terms <= found.corollary * (1 + 1e-9)
        # What the corollary's proof uses of Theorem 2.
        assert abs(found.rho - found.rho_after) <= max(norms) / tau * (1 + 1e-9)
        assert found.free <= found.free_bound * (1 + 1e-9)
        close.append(found.constrained / found.one_term)
    # Not idle: some problems come close to the bound.
    assert max(close) > 0.9


def test_uniform_C_serves_every_labelling_and_is_reached_at_its_source():
    graph, _, labelled = circles(seed=2, sigma=1.5, n=60, l=4)
    tau, rng = 2.0, np.random.default_rng(6)
    C = stability.uniform_C(spectrum_of(graph), labelled, tau)
    deltas, parts = [], []
    null = spectrum_of(graph).V[:, 0]
    for _ in range(60):
        Y = np.zeros((60, 4))
        Y[labelled, rng.integers(0, 4, 4)] = 1
        deltas.append(-float(mavr.solve(spectrum_of(graph), Y, gamma=99.0, tau=tau).rho))
        parts.append(np.linalg.norm(null @ Y) / tau)
    assert min(deltas) >= C
    assert min(parts) == pytest.approx(C)
