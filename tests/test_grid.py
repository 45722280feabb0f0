"""The plane against the solver, cell by cell, and its criteria against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest

import datasets
import mavr
from mavr.experiments.grid import Axis, Points, answer_cells, cell_setting, solutions, solve_grid
from mavr.experiments.grid.criteria import criteria, evidence, own_parts
from mavr.experiments.grid.enclosure import LARGEST_SHIFT, enclose, node
from mavr.experiments.grid.resolvents import Resolvents
from mavr.experiments.grid.solutions import solve_all
from mavr.experiments.newton import SharedNewton
from mavr.graphs.graph import graph_of
from mavr.settings import GraphSpec, Parameters, Setting, norm
from mavr.solvers.problem import make_problem
from mavr.solvers.spectrum import spectrum_of


def circles(n=120, seed=3, l=6, noise=0.5):
    data = datasets.three_circles(n, noise=noise, seed=seed)
    given = np.full(data.n, -1)
    chosen = datasets.draw_labels(data.y, l, "balanced", seed)
    given[chosen] = data.y[chosen]
    return Points(data.X, given, data.y)


def solved(points, setting, method="mavr"):
    """The plain way: this very setting, from its own graph."""
    graph = graph_of(setting.graph, points.X)
    return mavr.METHODS[method].run(graph, points.Y, setting.parameters)


PLANES = {
    "sigma and gamma": (
        Axis.between("gamma", 1e-2, 1e8, 12),
        Axis.between("sigma", 0.15, 3, 9),
        Setting(),
    ),
    "gamma and tau": (
        Axis.between("gamma", 1e-2, 1e9, 14),
        Axis.between("tau", 1e-3, 1e6, 14),
        Setting(),
    ),
    "balance and an entry of P": (
        Axis.between("balance", 1e-3, 1e2, 5),
        Axis.between("P[0, 1]", -0.8, 0.8, 5),
        Setting(),
    ),
    "an entry of P and gamma": (
        Axis.between("gamma", 1e-2, 1e6, 9),
        Axis.between("P[0, 1]", -0.9, 0.9, 6),
        Setting(),
    ),
    "a weight of P and tau": (
        Axis.between("tau", 1e-3, 1e4, 9),
        Axis.between("P[2, 2]", 0.2, 5, 5),
        Setting().having(sigma=0.35, P=((1.0, 0.3, 0.2), (0.3, 1.0, 0.0), (0.2, 0.0, 1.0))),
    ),
    "neighbours and tau": (
        Axis("n_neighbors", (4, 6, 9, 13)),
        Axis.between("tau", 0.01, 100, 8),
        Setting().having(similarity="knn"),
    ),
}


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("seed", [3, 4])
def test_cells_are_what_solve_says(name, seed):
    x, y, setting = PLANES[name]
    points = circles(seed=seed)
    found = solve_grid(points, x, y, setting, ("mavr", "lgc"))
    rng = np.random.default_rng(seed)
    for _ in range(50):
        i, j = rng.integers(len(y.values)), rng.integers(len(x.values))
        cell = {x.name: x.values[j], y.name: y.values[i]}
        at = cell_setting(setting, cell, 3)[0]
        for k, method in enumerate(found.methods):
            s = solved(points, at, method)
            np.testing.assert_array_equal(found.labels[k, i, j], s.labels, err_msg=f"{cell}")
            np.testing.assert_array_equal(found.ties[k, i, j], s.ties, err_msg=f"{cell}")
            assert found.measures["rho"][k, i, j] == pytest.approx(s.rho, rel=LARGEST_SHIFT)
            assert found.measures["alpha"][k, i, j] == pytest.approx(s.alpha, rel=1e-6)
            assert found.measures["volume"][k, i, j] == pytest.approx(
                s.volume, rel=LARGEST_SHIFT, abs=1e-12
            )
        wrong = (s.labels != points.truth) & ~s.ties & ~s.unreached
        assert found.measures["error"][1, i, j] == pytest.approx(wrong[points.asked].mean())


def test_without_balance_only_the_product_of_gamma_and_tau_moves_the_classes():
    x, y = Axis("gamma", (1.0, 10.0, 100.0)), Axis("tau", (1.0, 10.0, 100.0))
    labels = solve_grid(circles(), x, y).labels[0]
    np.testing.assert_array_equal(labels[0, 2], labels[2, 0])
    np.testing.assert_array_equal(labels[1, 2], labels[2, 1])


def test_points_may_depend_on_an_axis():
    def draw(noise=0.5, n_labelled=6):
        return circles(noise=noise, l=int(n_labelled))

    found = solve_grid(draw, Axis("noise", (0.1, 0.9)), Axis("n_labelled", (3, 9)))
    for i, l in enumerate((3, 9)):
        for j, noise in enumerate((0.1, 0.9)):
            s = solved(circles(noise=noise, l=l), Setting())
            np.testing.assert_array_equal(found.labels[0, i, j], s.labels)
    with pytest.raises(ValueError, match="equally many points, got 60 and 120"):
        solve_grid(lambda n: circles(n=int(n)), Axis("n", (60, 120)), Axis("gamma", (1, 2)))


def test_ties_and_unreached_points_are_kept():
    X = np.array([[0.0], [1.0], [2.0], [90.0], [91.0]])
    points = Points(X, [0, -1, 1, -1, -1])
    found = solve_grid(points, Axis("gamma", (1.0, 9.0)), Axis("sigma", (0.5, 1.0)))
    assert (found.labels[0, :, :, 3:] == -1).all()
    assert found.ties[0, :, :, 1].all()
    np.testing.assert_allclose(found.measures["unreached"], 0.4)
    np.testing.assert_allclose(found.measures["tied"], 0.2)


def test_every_method_is_answered():
    points = circles(n=60)
    for method in mavr.METHODS:
        found = solve_grid(
            points, Axis("gamma", (1.0, 99.0)), Axis("balance", (0.1, 1.0)), None, (method,)
        )
        s = solved(points, Setting().having(gamma=99.0, balance=1.0), method)
        np.testing.assert_array_equal(found.labels[0, 1, 1], s.labels)


def test_roots_are_those_of_the_secular_equation():
    points = circles()
    graph = graph_of(GraphSpec(), points.X)
    R = Resolvents(spectrum_of(graph), points.Y)
    sizes = np.geomspace(1e-3, 1e9, 40)
    for size, eps in zip(sizes, R.roots(sizes), strict=True):
        H = R.Z / (R.spectrum.lam + eps)[:, None]
        assert np.linalg.norm(H) == pytest.approx(size, rel=1e-11)


@pytest.mark.parametrize("sigma", [0.2, 0.5, 1.0])
def test_responses_lie_in_their_enclosure(sigma):
    points = circles(n=90)
    graph = graph_of(GraphSpec.of("gaussian", sigma=sigma), points.X)
    structure = spectrum_of(graph).structure
    labelled = np.flatnonzero(points.given >= 0)
    newton, S = SharedNewton(structure, labelled.tolist()), points.Y[labelled]
    for a, b in ((1e-6, 3e-6), (1e-3, 3e-3), (0.5, 1.5)):
        left, right = (node(newton, eps, S)[0] for eps in (a, b))
        for eps in np.geomspace(a, b, 7)[1:-1]:
            _, H, error = node(newton, eps, S)
            low, high = enclose(left, right, eps, 0.0)
            assert (low <= H + error).all()
            assert (high >= H - error).all()
            # It says something: within a factor of the responses where they are not tiny.
            large = H / H.max() > 1e-3
            assert (high[large] < 20 * low[large]).all()


def test_eliminations_are_few(monkeypatch):
    points, made = circles(), []
    factor = SharedNewton._factor
    monkeypatch.setattr(SharedNewton, "_factor", lambda s, e: (made.append(e), factor(s, e))[1])
    graph = graph_of(GraphSpec.of("gaussian", sigma=0.4), points.X)
    wanted = [("mavr", Parameters(gamma=g)) for g in np.geomspace(1, 1e6, 300)]
    solve_all(graph, points.Y, wanted)
    assert 0 < len(made) < 100


def test_eliminations_are_shared_between_class_relations(monkeypatch):
    points, made, alone = circles(), [], []
    factor, general = SharedNewton._factor, solutions._generally
    monkeypatch.setattr(SharedNewton, "_factor", lambda s, e: (made.append(e), factor(s, e))[1])
    monkeypatch.setattr(solutions, "_generally", lambda *a: (alone.append(a), general(*a))[1])
    graph = graph_of(GraphSpec.of("gaussian", sigma=0.4), points.X)
    wanted = [
        ("mavr", Parameters(gamma=g, P=((1.0, p, 0.0), (p, 1.0, 0.0), (0.0, 0.0, 1.0))))
        for g in np.geomspace(1, 1e4, 40)
        for p in (-0.8, -0.3, 0.2, 0.7)
    ]
    solve_all(graph, points.Y, wanted)
    # One by one there would be three for each of the 160, at least.
    assert 0 < len(made) < 160
    assert len(alone) < 40


P = ((2.0, 0.4, 0.1), (0.4, 1.0, -0.2), (0.1, -0.2, 1.5))


@pytest.mark.parametrize("p", [Parameters(), Parameters(P=P), Parameters(P=P, balance=0.3)])
def test_criteria_against_dense_algebra(p):
    points = circles(n=40, l=7, noise=0.9)
    graph = graph_of(GraphSpec.of("gaussian", sigma=1.5), points.X)
    Y, n, c = points.Y, 40, 3
    s = mavr.solve(spectrum_of(graph), Y, p.P, p.gamma, norm(p.tau, 7), p.balance)
    C = np.eye(c) - 1 / c
    relation = np.eye(c) if p.P is None else np.array(p.P)
    form = p.gamma * np.kron(relation, graph.Q) + p.balance * np.kron(C, np.ones((n, n)))
    M = form - s.rho * np.eye(n * c)
    labelled = np.flatnonzero(Y.any(axis=1))
    problem = make_problem(spectrum_of(graph).structure, Y, p.P, p.gamma, None, p.balance)

    own = own_parts(problem, spectrum_of(graph), s.rho)
    wrong, kept, margins = 0, [], []
    for k, i in enumerate(labelled):
        only = np.zeros_like(Y)
        only[i] = Y[i]
        part = np.linalg.solve(M, only.T.ravel()).reshape(c, n).T
        np.testing.assert_allclose(own[k], part, atol=1e-10 * np.abs(part).max())
        rest = s.H - part
        kept.append((rest.argmax(axis=1) == s.labels).mean())
        j = Y[i].argmax()
        other = np.delete(rest[i], j).max()
        wrong += rest[i, j] <= other
        margins.append((rest[i, j] - other) / (abs(rest[i, j]) + abs(other)))
    (said,) = solve_all(graph, Y, [("mavr", p)])
    found = criteria(graph, Y, "mavr", said)
    assert found["loo_error"] == pytest.approx(wrong / len(labelled))
    assert found["loo_margin"] == pytest.approx(np.mean(margins), rel=1e-6)
    assert found["stability"] == pytest.approx(np.mean(kept), rel=1e-9)

    # Density of the labels given zeros elsewhere, from the joint precision of all observations:
    # their covariance is form^-1 + I / -rho. A ridge stands for the improper part.
    ridge = form + 1e-9 * np.eye(n * c)
    joint = np.linalg.inv(np.linalg.inv(ridge) - np.eye(n * c) / s.rho)
    places = [j * n + i for i in labelled for j in range(c)]
    T = joint[np.ix_(places, places)] / -s.rho
    y = Y[labelled].ravel()
    size = len(places)
    expected = np.linalg.slogdet(T)[1] / (2 * size) - np.log(y @ T @ y / size) / 2
    assert evidence(problem, spectrum_of(graph), s.rho) == pytest.approx(expected, rel=1e-5)


def test_leave_one_out_does_not_decide_by_rounding():
    # Two pairs so far apart that each hears of the other far below rounding; the second pair is
    # not even joined. Left out, a label hears only its own pair.
    X = np.array([[0.0], [1.0], [20.0], [21.0]])
    graph = graph_of(GraphSpec.of("gaussian", sigma=1.0), X)
    alone, together = Points(X, [0, -1, 1, -1]), Points(X, [0, 0, 1, 1])
    for points, error, margin in ((alone, 1.0, 0.0), (together, 0.0, 1.0)):
        (said,) = solve_all(graph, points.Y, [("lgc", Parameters())])
        found = criteria(graph, points.Y, "lgc", said)
        assert (found["loo_error"], found["loo_margin"]) == (error, margin)


def test_cut_margin_and_entropy_by_hand():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    points = Points(X, [0, -1, -1, 1], [0, 0, 1, 1])
    found = answer_cells(points, [{"gamma": 1.0}], Setting().having(sigma=1.0))
    W = mavr.gaussian_similarity(X, 1.0)
    s = solved(points, Setting().having(gamma=1.0, sigma=1.0))
    cut = sum(
        W[np.ix_(s.labels == j, s.labels != j)].sum() / W[s.labels == j].sum() for j in (0, 1)
    )
    assert found.measures["cut"][0, 0] == pytest.approx(cut)
    top, second = s.H.max(axis=1), s.H.min(axis=1)
    margin = ((top - second) / (top + second)).mean()
    assert found.measures["margin"][0, 0] == pytest.approx(margin, rel=1e-6)
    share = s.H / s.H.sum(axis=1, keepdims=True)
    entropy = -(share * np.log(share)).sum(axis=1).mean() / np.log(2)
    assert found.measures["entropy"][0, 0] == pytest.approx(entropy, rel=1e-6)
    assert found.measures["largest"][0, 0] == 0.5


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Axis.between("gamma", 10, 1, 5), "gamma must go from a lower to a higher value"),
        (lambda: Axis.between("gamma", 0, 1, 5), "must start above 0"),
        (lambda: Axis("tau", ()), "1 to 512 values, tau has 0"),
        (lambda: Points(np.ones((3, 2)), [-1, -1, -1]), "no point is labelled"),
        (lambda: Points(np.ones((3, 2)), [0, 1]), "one class, or -1, for each of the 3 points"),
        (lambda: cell_setting(Setting(), {"P[0, 1]": 2.0}, 3), "P must be positive definite"),
        (lambda: cell_setting(Setting(), {"P[0, 7]": 0.1}, 3), "P has 3 classes"),
        (lambda: cell_setting(Setting(), {"gamma": -1.0}, 3), "gamma must be in"),
        (
            lambda: solve_grid(circles(60), Axis("tau", (1,)), Axis("tau", (1,))),
            "two axes must differ",
        ),
        (
            lambda: answer_cells(circles(60), [{"gamma": 1}], methods=("other",)),
            "method must be one of",
        ),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
