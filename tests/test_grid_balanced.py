"""Settings with balance, all at once, against the solver and against long arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp

import datasets
import mavr
from mavr.experiments.grid import Axis, Points, cell_setting, solutions, solve_grid
from mavr.experiments.grid.balanced import Family
from mavr.experiments.grid.enclosure import LARGEST_SHIFT
from mavr.experiments.grid.resolvents import Resolvents
from mavr.experiments.grid.solutions import solve_all
from mavr.graphs.graph import graph_of
from mavr.settings import GraphSpec, Parameters, Setting
from mavr.solvers.problem import make_problem
from mavr.solvers.spectrum import spectrum_of

P = ((2.0, 0.4, 0.1), (0.4, 1.0, -0.2), (0.1, -0.2, 1.5))
GAMMA = Axis.between("gamma", 1e-2, 1e6, 10)
TAU = Axis.between("tau", 1e-2, 1e4, 10)
BALANCE = Axis.between("balance", 1e-3, 1e3, 10)
PLANES = {
    "gamma and balance": (GAMMA, BALANCE, Setting()),
    "tau and balance": (TAU, BALANCE, Setting().having(class_prior=(1.0, 2.0, 3.0))),
    "no constraint": (GAMMA, BALANCE, Setting().having(tau=None, class_prior="labels")),
    "balance of 1": (GAMMA, TAU, Setting().having(balance=1.0)),
    "balance of 30, own proportions": (
        GAMMA,
        TAU,
        Setting().having(balance=30.0, sigma=0.8, class_prior=(5.0, 1.0, 0.2)),
    ),
    "width": (
        GAMMA,
        Axis.between("sigma", 0.2, 3, 8),
        Setting().having(balance=1.0),
    ),
    "neighbours": (
        Axis("n_neighbors", (3, 5, 9, 14)),
        BALANCE,
        Setting().having(similarity="knn", tau=None),
    ),
    "an entry of P": (
        Axis.between("P[0, 1]", -0.9, 0.9, 9),
        BALANCE,
        Setting().having(class_prior="labels"),
    ),
    "P and no constraint": (GAMMA, BALANCE, Setting().having(P=P, tau=None)),
    "P and tau": (GAMMA, TAU, Setting().having(P=P, balance=2.0, class_prior=(1.0, 2.0, 3.0))),
    "degrees not divided out": (
        GAMMA,
        BALANCE,
        Setting().having(laplacian="unnormalized", sigma=1.0),
    ),
}


def circles(n, counts, seed):
    """Three circles with so many labels of each class."""
    data = datasets.three_circles(n, noise=0.5, seed=seed)
    rng = np.random.default_rng(seed)
    given = np.full(n, -1)
    for j, count in enumerate(counts):
        given[rng.choice(np.flatnonzero(data.y == j), count, replace=False)] = j
    return Points(data.X, given, data.y, max(3, len(counts)))


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize(
    ("n", "counts", "seed"), [(60, (2, 2, 2), 3), (110, (1, 4, 2), 4), (160, (3, 1, 0), 5)]
)
def test_cells_are_what_solve_says(name, n, counts, seed):
    x, y, setting = PLANES[name]
    points = circles(n, counts, seed)
    found = solve_grid(points, x, y, setting, ("mavr", "lgc_balanced"))
    rng = np.random.default_rng(seed)
    for _ in range(50):
        i, j = int(rng.integers(len(y.values))), int(rng.integers(len(x.values)))
        cell = {x.name: x.values[j], y.name: y.values[i]}
        at = cell_setting(setting, cell, 3)[0]
        graph = graph_of(at.graph, points.X)
        for k, method in enumerate(found.methods):
            s = mavr.METHODS[method].run(graph, points.Y, at.parameters)
            said = f"{method} at {cell}"
            np.testing.assert_array_equal(found.labels[k, i, j], s.labels, err_msg=said)
            np.testing.assert_array_equal(found.ties[k, i, j], s.ties, err_msg=said)
            measured = {name: values[k, i, j] for name, values in found.measures.items()}
            assert measured["rho"] == pytest.approx(s.rho, rel=LARGEST_SHIFT)
            assert measured["alpha"] == pytest.approx(s.alpha, rel=1e-6)
            assert measured["volume"] == pytest.approx(s.volume, rel=LARGEST_SHIFT, abs=1e-12)
            wrong = (s.labels != points.truth) & ~s.ties & ~s.unreached
            assert measured["error"] == pytest.approx(wrong[points.asked].mean())
            assert measured["tied"] == pytest.approx(s.ties.mean())
            assert measured["unreached"] == pytest.approx(s.unreached.mean())


def test_classes_that_nothing_tells_apart_are_tied():
    points = circles(90, (3, 2, 0, 0), 6)
    found = solve_grid(points, GAMMA, BALANCE, Setting(), ("mavr",))
    assert found.ties.any()
    for i, j in ((0, 9), (4, 4), (9, 0), (9, 9)):
        at = cell_setting(Setting(), {"gamma": GAMMA.values[j], "balance": BALANCE.values[i]}, 4)[0]
        graph = graph_of(at.graph, points.X)
        s = mavr.METHODS["mavr"].run(graph, points.Y, at.parameters)
        np.testing.assert_array_equal(found.labels[0, i, j], s.labels)
        np.testing.assert_array_equal(found.ties[0, i, j], s.ties)


@pytest.mark.parametrize("relation", [None, P])
@pytest.mark.parametrize("tau", [None, 1.0])
def test_few_settings_are_solved_alone(monkeypatch, relation, tau):
    alone, general = [], solutions._generally
    monkeypatch.setattr(solutions, "_generally", lambda *a: (alone.append(a), general(*a))[1])
    points = circles(120, (1, 4, 2), 4)
    graph = graph_of(GraphSpec.of("gaussian", sigma=0.5), points.X)
    wanted = [
        ("mavr", Parameters(gamma=g, balance=b, tau=tau, P=relation))
        for g in np.geomspace(0.1, 1e4, 15)
        for b in np.geomspace(1e-3, 1e3, 15)
    ]
    solve_all(graph, points.Y, wanted)
    assert len(alone) <= len(wanted) // 20


def test_balance_of_labels_that_are_balanced_is_none():
    """With Q1 = 0 equal numbers of labels make the term 0: no balance, and no second solver."""
    points = circles(90, (2, 2, 2), 3)
    at = Setting().having(laplacian="unnormalized", sigma=1.0)
    graph = graph_of(at.graph, points.X)
    pairs = [Parameters(gamma=9.0, balance=b) for b in (0.0, 5.0)]
    none, some = solve_all(graph, points.Y, [("mavr", p) for p in pairs])
    np.testing.assert_array_equal(none.H, some.H)
    assert some.parameters.balance == 5.0


def many_digits(W, Y, relation, weight, prior, eps):
    """H of Q H P + weight 11'HC + eps H = Y, Q the normalized Laplacian of W, in 60 digits."""
    with mp.workdps(60):
        (n, c), degrees = Y.shape, [sum(map(mp.mpf, row)) for row in W]
        p = [mp.mpf(float(v)) for v in prior]
        size = sum(v * v for v in p)
        M = mp.zeros(n * c)
        for j, k in np.ndindex(c, c):
            spread = mp.mpf(weight) * ((j == k) - p[j] * p[k] / size)
            for a, b in np.ndindex(n, n):
                Q = (a == b) - mp.mpf(W[a, b]) / mp.sqrt(degrees[a] * degrees[b])
                M[j * n + a, k * n + b] = mp.mpf(relation[j][k]) * Q + spread
        for i in range(n * c):
            M[i, i] += mp.mpf(eps)
        h = mp.lu_solve(M, mp.matrix([mp.mpf(v) for v in Y.T.ravel()]))
        return np.array([[h[j * n + a] for j in range(c)] for a in range(n)], dtype=object)


@pytest.mark.parametrize("relation", [np.eye(3), np.array(P)])
@pytest.mark.parametrize("prior", [(1.0, 1.0, 1.0), (5.0, 1.0, 2.0)])
@pytest.mark.parametrize(
    ("eps", "weight"),
    [(1e-9, 1e-4), (1e-6, 3.0), (1e-2, 1e5), (3.0, 1e-3), (1e-4, 0.0), (1.0, 0.0)],
)
def test_the_bound_holds(relation, prior, eps, weight):
    X = np.array([0.0, 0.3, 0.5, 0.9, 2.6, 2.9, 3.1, 5.9, 6.0])[:, None]
    points = Points(X, [0, -1, -1, -1, 1, -1, -1, 2, -1])
    graph = graph_of(GraphSpec.of("gaussian", sigma=0.5), X)
    resolvents = Resolvents(spectrum_of(graph), points.Y)
    structure = resolvents.spectrum.structure
    problem = make_problem(structure, points.Y, relation, 1.0, None, 1.0, prior)
    family = Family(resolvents, problem)
    at = family._at(np.array([eps]), np.array([weight]))
    G, w = family._coordinates(family.Z[:, None, :], at)
    H = (resolvents.spectrum.V @ G[:, 0])[:, None, :] @ problem.relation.U.T
    w = w @ problem.relation.U.T
    along, rest = family._errors(at, H, w, np.array([eps]), np.array([weight]))
    exact = many_digits(graph.W, points.Y, relation, weight, problem.relation.prior, eps)
    off = (H[:, 0] - exact).astype(float)
    assert np.linalg.norm(off) <= along[0] + rest[0]
    p = problem.relation.prior
    for j in range(3):
        for k in range(j):
            bound = np.sqrt(2) * rest[0] + abs(p[j] - p[k]) * along[0] * family.v
            assert (np.abs(off[:, j] - off[:, k]) <= bound).all()
    # It says something.
    assert rest[0] <= 1e-3 * np.linalg.norm(H)


@pytest.mark.parametrize("relation", [None, P])
def test_roots_have_the_size_asked_for(relation):
    points = circles(80, (1, 4, 2), 4)
    graph = graph_of(GraphSpec(), points.X)
    resolvents = Resolvents(spectrum_of(graph), points.Y)
    problem = make_problem(
        resolvents.spectrum.structure, points.Y, relation, 1.0, None, 1.0, (1.0, 2.0, 3.0)
    )
    family = Family(resolvents, problem)
    sizes, weights = (g.ravel() for g in np.meshgrid([1e-3, 1.0, 1e3, 1e7], [1e-5, 1.0, 1e5]))
    for eps, size, weight in zip(family.roots(weights, sizes), sizes, weights, strict=True):
        at = family._at(np.array([eps]), np.array([weight]))
        G, _ = family._coordinates(family.Z[:, None, :], at)
        assert np.linalg.norm(G) == pytest.approx(size, rel=1e-9)
