"""Every claim of the table of errata, one test each."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

import datasets
import mavr
from lab.theory import pitfalls as demonstrations
from lab.theory.errata import ERRATA
from mavr import relations
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import accuracy, hard, losses, pitfalls, root, stability, truth
from tests import oracles
from tests.theory_problems import circles, random_form


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
    """Eigenvectors lose small responses; the solver agrees with subtraction-free elimination.

    How many classes come out wrong depends on the rounding of the machine's eigenvectors. How many
    responses are too small for them does not: below 1e-18 of the largest, a class is read off noise
    and right once in three.
    """
    lost = wrong = 0
    for seed in range(3):
        graph, Y, _ = circles(seed=seed, sigma=ERRATA["recovery"].values["sigma"])
        found = pitfalls.recover_by_eigenvectors(spectrum_of(graph), Y, 99.0, float(np.sqrt(3)))
        H, _ = oracles.constrained_subtraction_free(graph.W, Y, 99.0, float(np.sqrt(3)))
        assert (found.solution.labels == H.argmax(axis=1)).all()
        np.testing.assert_allclose(found.top, H.max(axis=1) / H.max(), rtol=1e-6)
        assert found.top[found.wrong].max() < 1e-10
        small = H.max(axis=1) < 1e-18 * H.max()
        lost += int(small.sum())
        wrong += int((found.wrong & small).sum())
    assert lost > 500
    assert wrong > lost / 4


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


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("P4", [[[1, 2]], [], [], [[1, 2]]]),
        ("P5", [[[1, 2]], [], []]),
        ("P6", [[[1, 2, 3]], [[2, 3]], [[1, 3]], [[1, 2]]]),
    ],
)
def test_which_classes_tie_depends_on_the_labelled_row(name, alike):
    """By trying every permutation that leaves the labelled class where it is."""
    P = np.array(relations.PAPER[name])
    for row, expected in enumerate(alike):
        moved = set()
        for image in permutations(range(len(P))):
            if image[row] == row and (P[np.ix_(image, image)] == P).all():
                moved |= {j for j in range(len(P)) if image[j] != j}
        assert moved == {j for group in expected for j in group}
        assert relations.orbits(P, np.eye(len(P))[[row]]) == expected


@pytest.mark.parametrize(("which", "row", "shape"), [(3, 1, 2), (4, 1, 2), (2, 1, 0), (2, 2, 3)])
def test_without_ties_the_figure_is_not_always_reproduced(which, row, shape):
    source = demonstrations.panel(which, row, shape)
    found = mavr.solve(source.spectrum, source.Y, source.P, 99.0, 1.0, 1.0)
    assert not found.interchangeable
    assert not found.ties.any()
    assert demonstrations.own_colours(source.truth, found) < len(np.unique(source.truth))


def test_own_colours_are_counted_as_by_hand():
    truth_of = np.array([0, 0, 1, 1, 2, 2])

    def count(labels, tied=()):
        ties = np.isin(np.arange(6), tied)
        none = np.zeros(6, bool)
        masks = {"ties": ties, "uncertain": none, "unreached": none}
        found = SimpleNamespace(labels=np.array(labels), **masks)
        return demonstrations.own_colours(truth_of, found)

    assert count([2, 2, 0, 0, 1, 1]) == 3
    assert count([2, 2, 0, 0, 0, 0]) == 1
    assert count([2, 2, 0, 1, 1, 1]) == 1
    assert count([2, 2, 0, 0, 1, 1], tied=[5]) == 2


def test_erratum_free():
    """One number, lam = 0.01, gamma = 99: the bias is 99 times the printed bound."""
    Q, H = truth.one_number()
    values = ERRATA["free"].values
    t = truth.truth(mavr.decompose(Q), H, values["noise"])
    found = accuracy.free(t, values["gamma4"])
    assert t.assumed
    assert found.bias2 == pytest.approx((0.99 / 1.99) ** 2)
    assert found.printed_bound == pytest.approx(0.0025)
    assert found.exact > 98 * found.printed_bound
    assert not found.printed_holds
    assert found.exact <= found.corrected_bound == pytest.approx(0.2475)
    # With noise, where no variance is 0.
    noisy = truth.truth(mavr.decompose(Q), 0.9 * H, 0.1)
    assert noisy.assumed
    assert not accuracy.free(noisy, 99.0).printed_holds


@pytest.mark.parametrize("lift", [0.0, 1e-4])
def test_erratum_first(lift):
    """Two joined points, assumptions satisfied, noise everywhere: the printed sum is too small.

    lift > 0 makes Q positive definite, as the theorem asks.
    """
    values = ERRATA["first"].values
    Q, H = truth.two_points(values["angle4"], lift=lift)
    t = truth.truth(mavr.decompose(Q), H, values["noise"], labelled=range(values["labelled"]))
    assert values["noise"] > 0
    assert t.assumed
    tau = values["tau4"] * t.size
    found = accuracy.constrained(t, values["gamma4"], tau)
    solved = [
        oracles.dense_constrained(Q, H + 0.01 * np.array([[s], [u]]), np.eye(1), 99.0, tau)
        for s in (-1, 1)
        for u in (-1, 1)
    ]
    assert found.measured == pytest.approx(
        np.mean([np.linalg.norm(K - H) for K, _ in solved]), rel=1e-6
    )
    assert pytest.approx(99 * lift - max(rho for _, rho in solved), rel=1e-6) == found.C > 0
    assert found.measured > 3 * found.printed.sum
    assert not found.printed_holds
    assert found.measured <= found.corrected.sum
    if not lift:
        assert found.printed.smoothing == 0 < found.corrected.smoothing


def test_erratum_square_root():
    """At lam = lam_1 the quotient whose supremum is taken is gamma sqrt(lam_1) / C."""
    values = ERRATA["square_root"].values
    Q, H = truth.one_number(0.01)
    t = truth.truth(mavr.decompose(Q), H, values["noise"])
    gamma = values["gamma4"]
    found = accuracy.constrained(t, gamma, values["tau4"] * t.size)
    rho = gamma * t.lowest - found.C
    quotient = np.sqrt(t.lowest) / (t.lowest - rho / gamma)
    assert found.rooted.smoothing == pytest.approx(np.sqrt(t.C_h) * quotient * t.size)
    assert found.printed.smoothing == pytest.approx(found.rooted.smoothing * np.sqrt(0.01))
    # And it is the size of what the term must bound: |(M - rho)^-1 M H*|.
    bounded = gamma * 0.01 / (gamma * 0.01 - rho) * t.size
    assert found.printed.smoothing < bounded <= found.rooted.smoothing * (1 + 1e-12)


def test_erratum_max():
    """E max(a, b) exceeds max(E a, b), and what Eq. (19) has in its place; E|Y|^2 <= l~ holds."""
    values = ERRATA["max"].values
    Q, H = truth.one_number(0.0, 0.8)
    t = truth.truth(mavr.decompose(Q), H, values["noise"])
    assert t.expected_labels == pytest.approx(1.0)
    assert t.assumed
    tau = values["tau4"] * t.size
    found = accuracy.constrained(t, values["gamma4"], tau)
    y = np.array([0.8 - values["noise"], 0.8 + values["noise"]])
    # One number: rho = -|y| / tau.
    C = y.min() / tau
    a, b = y / tau - 1, 1 - C
    assert pytest.approx(C) == found.C
    assert found.mean_max == pytest.approx(np.maximum(a, b).mean())
    assert found.max_mean == pytest.approx(max(a.mean(), b))
    assert found.printed_max == pytest.approx(max(1 / tau - 1, b))
    assert found.mean_max > 1.1 * found.printed_max > 1.1 * found.max_mean
    assert np.abs(1 - y / tau).mean() == pytest.approx(found.mean_max)
    assert not found.step_holds
    assert found.mean_max <= found.corrected_max


def test_erratum_derivative():
    graph, Y, _ = circles(seed=43)
    tau = float(np.sqrt(3))
    s = root.secular(spectrum_of(graph), Y, None, 99.0, tau)
    for rho in (s.root, s.interval[0], s.far_left):
        step = 1e-5 * abs(rho)
        by_differences = (s.g(rho + step)[0] - s.g(rho - step)[0]) / (2 * step)
        assert s.slope(rho) == pytest.approx(by_differences, rel=1e-5)
        assert s.slope(rho) > 0
        assert s.printed_slope(rho) == pytest.approx(s.slope(rho) - 3)
    # Left of the pole, where the proof says that g' > 0.
    assert s.printed_slope(s.far_left) < 0


def test_erratum_variance():
    """The bounds' l~ sigma_l^2 is E|E|^2 only if sigma_l is a standard deviation."""
    rng = np.random.default_rng(0)
    E = rng.choice([-0.3, 0.3], (200_000, 4))
    t = truth.truth(mavr.decompose(np.eye(4)), np.ones((4, 1)), 0.3)
    assert E.var() == pytest.approx(0.09, rel=1e-2)
    assert (E**2).sum(axis=1).mean() == pytest.approx(4 * 0.3**2)
    assert t.expected_noise == pytest.approx(4 * 0.3**2)
    assert abs(4 * E.var() ** 2 - t.expected_noise) > 0.3


def test_erratum_smallest():
    """The least C_h is the smallest eigenvalue itself, whatever gamma."""
    rng = np.random.default_rng(1)
    Q, P = random_form(4, rng), random_form(2, rng)
    K = np.kron(P, Q)
    lam, W = np.linalg.eigh(K)
    t = truth.truth(mavr.decompose(Q), W[:, 0].reshape(2, 4).T, 0.1, P)
    assert t.C_h == pytest.approx(lam[0])
    for _ in range(50):
        other = truth.truth(mavr.decompose(Q), rng.standard_normal((4, 2)), 0.1, P)
        assert other.C_h > lam[0]


def test_erratum_losses():
    graph, Y, _ = circles(seed=43, sigma=1.0, n=60)
    found = losses.compare(spectrum_of(graph).Q, Y, 99.0, float(np.sqrt(3)))
    assert found.distances[1] > 1e-3
    assert found.to_doubled < 1e-9


def test_erratum_unit_C():
    """A Laplacian: gamma lam_1 - rho is 1, not more, and the bound with C = 1 is reached."""
    graph, Y, _ = circles(seed=43, sigma=1.0, n=60)
    S = spectrum_of(graph)
    assert S.lam[0] == pytest.approx(0, abs=1e-12)
    free = mavr.solve(S, Y, gamma=99.0)
    assert float(free.rho) == -1
    # A change of Y along the null vector is not damped at all.
    Z = Y + np.outer(S.V[:, 0], [1.0, 0.0, 0.0])
    found = stability.compare(S, Y, Z, None, 99.0, 1.0)
    assert found.free == pytest.approx(found.change)
    assert found.free_bound == pytest.approx(found.change)
