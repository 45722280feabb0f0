"""Every number of the Theory page against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import datasets
import mavr
from lab.theory.errata import ERRATA
from mavr import relations
from mavr.graphs.graph import Graph
from mavr.solvers.solution import Status
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import accuracy, hard, kronecker, links, pitfalls, root, stability, volume
from tests import oracles


def one_hot(y, labelled, c=3):
    Y = np.zeros((len(y), c))
    Y[labelled, y[labelled]] = 1.0
    return Y


def circles(seed=0, sigma=0.5, kind="normalized", n=300, l=3):
    data = datasets.three_circles(n=n, seed=seed)
    W = mavr.gaussian_similarity(data.X, sigma)
    labelled = datasets.draw_labels(data.y, l, "balanced", seed)
    return Graph(W, kind), one_hot(data.y, labelled), labelled


def random_form(n, rng, low=0.2, high=3.0):
    V, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return volume.form(rng.uniform(low, high, n), V)


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


# Theorem 4


def test_supremum_is_that_of_a_fine_grid():
    for lowest in (0.0, 0.01, 0.3):
        for shift in (0.001, 0.02, 0.5, 1.0, 4.0):
            lam = lowest + np.r_[0, np.geomspace(1e-9, 1e4, 400_001)]
            grid = (np.sqrt(lam) / (lam - lowest + shift)).max()
            assert accuracy.supremum(lowest, shift) == pytest.approx(grid, rel=1e-6)


def truth_on_circles(noise=0.3, n=45):
    graph, _, _ = circles(seed=3, sigma=1.0, n=n)
    H = np.eye(3)[datasets.three_circles(n=n, seed=3).y]
    return spectrum_of(graph), H, accuracy.truth(spectrum_of(graph), H, noise)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 99.0])
@pytest.mark.parametrize("name", [None, "P5"])
def test_unconstrained_error_by_simulation(gamma, name):
    rng = np.random.default_rng(7)
    spectrum, H, _ = truth_on_circles()
    noise = np.where(np.arange(45) < 10, 0.1, 0.4)
    P = np.eye(3) if name is None else np.array(relations.PAPER[name])
    t = accuracy.truth(spectrum, H, noise, P)
    assert t.C_h == pytest.approx(np.trace(H.T @ spectrum.Q @ H @ P))
    assert t.expected_noise == pytest.approx(3 * (noise**2).sum())
    found = accuracy.free(t, gamma)
    squares = [
        ((oracles.sylvester(spectrum.Q, H + noise[:, None] * e, P, gamma) - H) ** 2).sum()
        for e in rng.standard_normal((60, 45, 3))
    ]
    assert np.mean(squares) == pytest.approx(found.exact, abs=5 * np.std(squares) / np.sqrt(60))
    assert abs(found.measured - found.exact) <= 5 * found.standard_error
    assert found.bias2 == pytest.approx(
        ((oracles.sylvester(spectrum.Q, H, P, gamma) - H) ** 2).sum()
    )
    assert found.bias2 <= gamma * found.C_h / 4 * (1 + 1e-12)
    assert found.variance <= found.noise
    assert found.exact <= found.corrected * (1 + 1e-12)
    if gamma <= 1:
        assert found.exact <= found.printed


@pytest.mark.parametrize(("gamma", "factor", "noise"), [(1.0, 1.0, 0.3), (99.0, 0.5, 0.1)])
def test_constrained_error_by_simulation(gamma, factor, noise):
    spectrum, H, t = truth_on_circles(noise)
    tau = factor * float(np.linalg.norm(H))
    found = accuracy.constrained(t, gamma, tau, count=20, seed=8)
    E = np.random.default_rng(8).standard_normal((20, 45, 3)) * noise
    solved = [oracles.dense_constrained(spectrum.Q, H + e, np.eye(3), gamma, tau) for e in E]
    errors = [np.linalg.norm(K - H) for K, _ in solved]
    assert found.measured == pytest.approx(np.mean(errors), rel=1e-6)
    assert found.worst == pytest.approx(max(errors), rel=1e-6)
    assert pytest.approx(min(-rho for _, rho in solved), rel=1e-6) == found.C
    assert found.mean_rho == pytest.approx(np.mean([rho for _, rho in solved]), rel=1e-6)
    assert found.measured <= found.corrected
    # The three terms, from the draws themselves.
    C, size = found.C, np.linalg.norm(H)
    a = np.array([np.linalg.norm(H + e) / tau - 1 for e in E])
    assert found.first == pytest.approx(np.sqrt(t.C_h) / (2 * np.sqrt(C / gamma)))
    assert found.middle == pytest.approx(size * np.maximum(a, 1 - C).mean() / C)
    assert found.printed_middle == pytest.approx(size * max(a.mean(), 1 - C) / C)
    assert found.last == pytest.approx(np.sqrt((E**2).sum(axis=(1, 2)).mean()) / C)


def test_corrected_bounds_hold_for_random_problems():
    rng = np.random.default_rng(9)
    closest = 0.0
    for seed in range(150):
        n, c = rng.integers(1, 7), rng.integers(1, 3)
        Q, P = random_form(n, rng, 0.001), random_form(c, rng)
        H = rng.standard_normal((n, c))
        t = accuracy.truth(mavr.decompose(Q), H, 10.0 ** rng.uniform(-3, 0), P)
        gamma, tau = 10.0 ** rng.uniform(-2, 3), np.linalg.norm(H) * 10.0 ** rng.uniform(-1, 1)
        found = accuracy.constrained(t, gamma, float(tau), count=40, seed=seed)
        assert found.measured <= found.corrected * (1 + 1e-9)
        assert found.mean_max >= found.max_mean * (1 - 1e-12)
        free = accuracy.free(t, gamma, count=40, seed=seed)
        assert free.exact <= free.corrected * (1 + 1e-9)
        closest = max(closest, free.exact / free.corrected)
    assert closest > 0.5


def test_a_hard_draw_has_no_bound_and_the_right_norm():
    Q = np.diag([0.5, 2.0])
    t = accuracy.truth(mavr.decompose(Q), np.array([[0.0], [1.0]]), 0.0)
    found = accuracy.constrained(t, 1.0, 1.5, count=2)
    assert found.C == 0
    assert np.isinf(found.corrected)
    K = mavr.solve(Q, [[0.0], [1.0]], gamma=1.0, tau=1.5).H
    assert found.measured == pytest.approx(np.linalg.norm(np.abs(K) - [[0], [1]]))


# Errata: each claim of the table


def test_errata_are_the_ones_tested_here():
    here = {name[len("test_erratum_") :] for name in globals() if name.startswith("test_erratum_")}
    assert here == set(ERRATA)


def test_erratum_shortcut():
    graph, Y, _ = circles(seed=43, sigma=3.0)
    tau = float(np.sqrt(3))
    found = pitfalls.shortcut(spectrum_of(graph), Y, 99.0, tau)
    z = spectrum_of(graph).V.T @ Y @ np.ones(3)
    rho = found.by_sums.root
    assert np.linalg.norm(z / (99.0 * spectrum_of(graph).lam - rho)) == pytest.approx(tau)
    H = np.linalg.solve(99.0 * spectrum_of(graph).Q - rho * np.eye(300), Y)
    assert found.norm_sum == pytest.approx(np.linalg.norm(H), rel=1e-9)
    assert abs(found.norm_sum / tau - 1) > 0.4
    right = mavr.solve(spectrum_of(graph), Y, gamma=99.0, tau=tau)
    assert found.by_rows.root == pytest.approx(float(right.rho), rel=1e-9)
    assert np.linalg.norm(right.H) == pytest.approx(tau)


def test_erratum_recovery():
    """Eigenvectors lose small responses; the solver agrees with subtraction-free elimination."""
    graph, Y, _ = circles(seed=0, sigma=0.5)
    found = pitfalls.recover_by_eigenvectors(spectrum_of(graph), Y, 99.0, float(np.sqrt(3)))
    H, _ = oracles.constrained_subtraction_free(graph.W, Y, 99.0, float(np.sqrt(3)))
    assert (found.solution.labels == H.argmax(axis=1)).all()
    assert found.wrong.sum() > 30
    assert found.top[found.wrong].max() < 1e-10
    np.testing.assert_allclose(found.top, H.max(axis=1) / H.max(), rtol=1e-6)


def test_erratum_hard():
    found = hard.compare(*hard.example(ERRATA["hard"].values["z1"]), 1.0, 1.5)
    assert found.hard
    assert found.naive_objective == pytest.approx(4.75)
    assert found.objective == pytest.approx(89 / 24)


def test_erratum_ties():
    data = datasets.serendipity(2)
    W = mavr.gaussian_similarity(data.X, 0.25)
    Y = np.zeros((data.n, 4))
    Y[data.labelled, data.y[data.labelled]] = 1
    found = mavr.solve(mavr.decompose(mavr.laplacian(W)), Y, relations.PAPER["P4"], 99.0, 1.0, 1.0)
    assert found.interchangeable == ((1, 2),)
    assert pitfalls.tied_columns(found) < 1e-12
    assert found.ties.any()
    # Exchanging the two classes leaves the objective as it is.
    swapped = found.H[:, [0, 2, 1, 3]]
    P = np.array(relations.PAPER["P4"])
    Q = np.asarray(mavr.laplacian(W))
    assert oracles.objective(Q, Y, P, 99.0, 1.0, swapped) == pytest.approx(found.objective)


def test_erratum_free():
    """One number, lam = 0.01, gamma = 99: the bias is 99 times the printed bound."""
    Q, H, gamma = accuracy.one_number()
    found = accuracy.free(accuracy.truth(mavr.decompose(Q), H, 0.0), gamma)
    assert found.bias2 == pytest.approx((0.99 / 1.99) ** 2)
    assert found.printed == pytest.approx(0.0025)
    assert found.exact > 98 * found.printed
    assert found.exact <= found.corrected == pytest.approx(0.2475)


def test_erratum_first():
    """A Laplacian, H* of norm tau, a little noise: the printed terms add up to too little."""
    Q, H, gamma, tau = accuracy.two_points()
    assert np.linalg.norm(H) == pytest.approx(tau)
    found = accuracy.constrained(accuracy.truth(mavr.decompose(Q), H, 0.01), gamma, tau)
    assert found.printed_first == 0
    assert found.measured - 5 * found.standard_error > 2 * found.printed
    assert found.measured <= found.corrected
    # And without noise, where every expectation is exact.
    found = accuracy.constrained(accuracy.truth(mavr.decompose(Q), H, 0.0), gamma, tau, count=1)
    K, _ = oracles.dense_constrained(Q, H, np.eye(1), gamma, tau)
    assert found.measured == pytest.approx(np.linalg.norm(K - H), rel=1e-6)
    assert found.measured > 6 * found.printed


def test_erratum_max():
    values = ERRATA["max"].values
    t = accuracy.truth(mavr.decompose(np.zeros((1, 1))), np.ones((1, 1)), values["noise"])
    found = accuracy.constrained(t, values["gamma4"], values["tau4"])
    assert found.mean_max > 1.05 * found.max_mean
    y = 1 + values["noise"] * np.random.default_rng(0).standard_normal(400)
    a = np.abs(y) / values["tau4"] - 1
    b = 1 - np.abs(y).min() / values["tau4"]
    assert found.mean_max == pytest.approx(np.maximum(a, b).mean())
    assert found.max_mean == pytest.approx(max(a.mean(), b))
    assert found.middle / found.printed_middle == pytest.approx(found.mean_max / found.max_mean)


# Links to other methods


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
