"""Volumes and Theorems 1 to 3 against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import mavr
from mavr import relations
from mavr.solvers.solution import Status
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import hard, kronecker, root, stability, volume
from tests import oracles
from tests.theory_problems import circles, random_form

# The large volume principle


def area_by_integration(Q, first):
    """Area of the ellipse between two angles: half the integral of r^2, r = 1 / sqrt(V)."""

    def half_square(a):
        h = np.array([np.cos(a), np.sin(a)])
        return 0.5 / (h @ Q @ h)

    return quad(half_square, first, first + np.pi / 2, epsabs=1e-12, epsrel=1e-12)[0]


@pytest.mark.parametrize("angle", [-1.2, 0.0, 0.3, np.pi / 4, 1.5])
@pytest.mark.parametrize("eigenvalues", [(0.25, 4.0), (1.0, 1.0), (3.0, 0.3)])
def test_areas_of_quadrants_are_those_of_integration(eigenvalues, angle):
    Q = volume.form(eigenvalues, volume.rotation(angle))
    areas = volume.quadrant_areas(Q)
    for k in range(4):
        assert areas[k] == pytest.approx(area_by_integration(Q, k * np.pi / 2), rel=1e-9)
    assert areas.sum() == pytest.approx(np.pi / np.sqrt(np.prod(eigenvalues)))
    assert areas.sum() == pytest.approx(volume.total_volume(Q))


def test_quadrants_are_told_by_signs():
    for k, (s, t) in enumerate(volume.QUADRANTS):
        assert volume.quadrant_of([0.3 * s, 2.0 * t]) == k


def test_the_class_of_the_long_axis_has_the_larger_area():
    Q = volume.form([0.3, 2.0], volume.rotation(0.6))
    areas = volume.quadrant_areas(Q)
    assert areas[volume.quadrant_of(volume.rotation(0.6)[:, 0])] == areas.max()


def test_volume_is_the_weighted_sum_of_squared_cosines():
    rng = np.random.default_rng(0)
    for n in (2, 3, 6):
        Q = random_form(n, rng)
        h = rng.standard_normal(n)
        lam, cos = volume.cosines(Q, h)
        assert volume.volume_of(Q, h) == pytest.approx((lam * cos**2).sum())
        assert volume.volume_of(Q, h) == pytest.approx(volume.volume_of(Q, 1e-200 * h))
        assert (cos**2).sum() == pytest.approx(1)
        border = h / np.linalg.norm(h) * volume.reach(Q, h)
        assert border @ Q @ border == pytest.approx(1)


def test_octants_by_solid_angle_are_those_of_integration():
    """Volume over an octant: the integral of r^3 / 3 over its directions."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        Q = random_form(3, rng)
        exact = volume.octant_volumes(Q)
        # Gauss-Legendre in both angles: the integrand is smooth.
        x, w = np.polynomial.legendre.leggauss(60)
        a, wa = np.pi / 4 * (x + 1), np.pi / 4 * w
        polar, azimuth = np.meshgrid(a, a, indexing="ij")
        weight = np.outer(wa, wa) * np.sin(polar)
        u = np.stack(
            [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], -1
        )
        for s, found in zip(volume.signs(3), exact, strict=True):
            form = np.einsum("...i,ij,...j", u * s, Q, u * s)
            assert found == pytest.approx((weight * form**-1.5).sum() / 3, rel=1e-9)
        assert exact.sum() == pytest.approx(volume.total_volume(Q))


def test_thrown_points_lie_in_the_ellipsoid_and_estimate_its_octants():
    Q = volume.form([0.3, 1.0, 3.0], volume.rotation_3d(0.7, 0.5))
    thrown = volume.sample(Q, 40_000, seed=0)
    inside = np.einsum("ki,ij,kj->k", thrown.points, Q, thrown.points)
    assert inside.max() <= 1 + 1e-12
    # Uniform: the share within the ellipsoid of half the size is 1/8.
    assert (inside <= 0.25).mean() == pytest.approx(1 / 8, abs=4 * np.sqrt(7 / 64 / 40_000))
    assert (np.abs(thrown.volumes - volume.octant_volumes(Q)) <= 4.5 * thrown.errors).all()
    assert (np.sign(thrown.points) == volume.signs(3)[thrown.index]).all()


def test_many_classes_are_never_hit_in_twelve_dimensions():
    thrown = volume.sample(volume.chain(12), 5000, seed=0)
    assert thrown.empty == 2**12 - len(np.unique(thrown.index)) > 2**11


# Theorem 1


@pytest.mark.parametrize("name", ["P1", "P4", "P5"])
@pytest.mark.parametrize("graph", list(kronecker.GRAPHS))
def test_theorem_1_the_spectrum_is_one_of_products(name, graph):
    P, Q = np.array(relations.PAPER[name]), np.asarray(mavr.laplacian(kronecker.GRAPHS[graph](5)))
    product = kronecker.product(P, Q)
    c, n = len(P), 5
    for j in range(c):
        for k in range(c):
            block = product.K[j * n : (j + 1) * n, k * n : (k + 1) * n]
            assert (block == P[j, k] * Q).all()
    pairs = sorted(m * lam for m in np.linalg.eigvalsh(P) for lam in np.linalg.eigvalsh(Q))
    np.testing.assert_allclose(product.eigenvalues, pairs, atol=1e-13)
    assert product.mismatch < 1e-13
    assert product.vector_error < 1e-13
    H = np.random.default_rng(2).standard_normal((n, c))
    by_trace, by_vector = kronecker.volume_both_ways(P, Q, H)
    direct = sum(P[j, k] * H[:, j] @ Q @ H[:, k] for j in range(c) for k in range(c)) / (H**2).sum()
    assert by_trace == pytest.approx(direct)
    assert by_vector == pytest.approx(direct)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_two_opposite_classes_have_the_binary_volume(n):
    rng = np.random.default_rng(n)
    Q, h = random_form(n, rng), rng.standard_normal(n)
    H = kronecker.opposite(h)
    assert (H.sum(axis=1) == 0).all()
    binary = h @ Q @ h / (h @ h)
    assert kronecker.volume_both_ways(np.eye(2), Q, H)[0] == pytest.approx(binary)
    # Another P scales it; another sum changes it.
    for p in (-0.4, 0.7):
        found = kronecker.volume_both_ways(kronecker.two_classes(p), Q, H)[0]
        assert found == pytest.approx((1 - p) * binary)
    if n > 1:
        other = kronecker.opposite(h, 3 * np.linalg.eigh(Q)[1][:, -1])
        assert abs(kronecker.volume_both_ways(np.eye(2), Q, other)[0] - binary) > 1e-3


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
        assert Status.HARD_CASE not in (found.before.status, found.after.status)
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
