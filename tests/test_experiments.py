"""The experiment engine: the same numbers as a plain loop, whatever the split of the work."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import asdict, fields, replace
from importlib.resources import files
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.linalg.lapack import dpotrs
from scipy.sparse.csgraph import connected_components
from scipy.stats import ttest_rel

import datasets
import mavr
from mavr.experiments import (
    Design,
    Sweep,
    agreement,
    factors,
    paired,
    paper_panels,
    printed_error,
    printed_figure,
    run,
    sampling_seed,
    summarise,
    tasks,
    write_csv,
)
from mavr.experiments.batch import Case, general, run_batch
from mavr.experiments.newton import _interpolated
from mavr.experiments.summary import Point, paired_test
from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS
from mavr.settings import GraphSpec, Parameters, Setting
from mavr.solvers.factor import factor
from mavr.solvers.pivots import subtraction_free_cholesky
from mavr.solvers.structure import inspect

CIRCLES = datasets.source("three_circles")
SMALL = Design(CIRCLES, (("n", 72), ("noise", 0.4)))
VALUES = {
    "noise": (0.1, 0.5),
    "n": (60, 84),
    "sigma": (0.3, 0.9),
    "n_labelled": (3, 4, 9),
    "gamma": (2.0, 99.0, 1e7),
    "tau": (0.3, 1.0, 6e5),
    "balance": (0.0, 1.0),
}


def small(factor: str, **more: object) -> Sweep:
    return Sweep(factor, VALUES[factor], SMALL, samplings=3, **more)  # type: ignore[arg-type]


def key(row):
    return (row.factor, row.value, row.method, row.sampling)


def collect(*arguments, **more):
    return sorted(run(*arguments, **more), key=key)


def graph_at(design: Design, seed: int) -> Graph:
    return graph_of(design.setting.graph, design.sample(seed).X)


def plain_loop(sweep: Sweep, sampling: int, value: float, method: str) -> dict[str, int]:
    """One solve from scratch, with nothing shared."""
    seed = sampling_seed(sweep.seed, sampling)
    design = sweep.at(value)
    sample = design.sample(seed)
    y = sample.y
    labelled = datasets.draw_labels(y, design.n_labelled, design.how, seed)
    Y = np.zeros((len(y), sample.n_classes))
    Y[labelled, y[labelled]] = 1
    solution = METHODS[method].run(graph_at(design, seed), Y, design.setting.parameters)
    rest = np.ones(len(y), dtype=bool)
    rest[labelled] = False
    rest &= y >= 0
    return {
        "n_wrong": int(((solution.labels != y) | solution.ties)[rest].sum()),
        "n_unlabelled": int(rest.sum()),
        "ties": int(solution.ties[rest].sum()),
        "unreached": int(solution.unreached[rest].sum()),
    }


@pytest.mark.parametrize("factor", VALUES)
def test_the_engine_counts_what_a_plain_loop_counts(factor):
    sweep = small(factor, methods=("lgc", "bavr", "mavr", "laprls"))
    rows = collect(sweep)
    assert len(rows) == len(sweep.values) * 4 * 3
    for row in rows:
        expected = plain_loop(sweep, row.sampling, row.value, row.method)
        assert {name: asdict(row)[name] for name in expected} == expected, row
        assert row.error == row.n_wrong / row.n_unlabelled


@pytest.mark.parametrize(
    "design",
    [
        SMALL.having(laplacian="unnormalized", n_labelled=4),  # the signs of a class may sum to 0
        SMALL.having(similarity="knn", n_neighbors=5),
        SMALL.having(sigma=0.05),  # components without a label
        SMALL.having(power=2),  # no Laplacian, no M-matrix
        SMALL.having(self_loops=True),
        Design(
            datasets.source("two_moons"), (("n", 60), ("noise", 0.1)), n_labelled=2, how="uniform"
        ),
        Design(datasets.source("grid_outliers"), (("n", 60),), n_labelled=6).having(
            similarity="local_scaling"
        ),
        SMALL.having(P=((1.0, 0.0, 0.0), (0.0, 2.0, 0.5), (0.0, 0.5, 1.0))),
    ],
    ids=["unnormalized", "sparse", "unreached", "power", "loops", "one class", "unknown", "P"],
)
def test_what_the_batch_cannot_do_the_general_solver_does(design):
    sweep = Sweep("gamma", (9.0, 99.0), design, samplings=2)
    for row in run(sweep):
        expected = plain_loop(sweep, row.sampling, row.value, row.method)
        assert {name: asdict(row)[name] for name in expected} == expected, row


def test_any_split_of_the_work_gives_the_same_rows():
    sweeps = [small("noise"), small("gamma"), small("tau"), small("n_labelled")]
    whole = collect(sweeps)
    assert collect(sweeps, n_jobs=2) == whole
    apart = [row for sweep in sweeps for k in range(3) for row in run(sweep, samplings=[k])]
    counts = [(key(row), row.n_wrong, row.ties, row.seed) for row in whole]
    assert [(key(r), r.n_wrong, r.ties, r.seed) for r in sorted(apart, key=key)] == counts


def test_a_run_can_be_resumed_after_some_samplings():
    sweep = small("sigma")
    assert sorted([*run(sweep, samplings=range(1)), *run(sweep, samplings=range(1, 3))], key=key) \
        == collect(sweep)  # fmt: skip


def test_a_cluster_gives_the_same_rows_as_one_process(monkeypatch):
    distributed = pytest.importorskip("distributed")
    # Its processes import the main module, which is app.py after a test that has run the app.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    sweeps = [small("noise"), small("gamma")]
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        with parallel_config(backend="dask"):
            rows = collect(sweeps, n_jobs=-1)
    assert rows == collect(sweeps)


def test_panels_on_one_graph_are_one_unit_of_work_and_come_in_rounds():
    work = tasks(list(paper_panels(CIRCLES, samplings=2).values()))
    assert [len(task.sweeps) for task in work] == [1, 1, 1, 3] * 2
    assert [task.sampling for task in work] == [0] * 4 + [1] * 4
    assert {s.factor for s in work[3].sweeps} == {"gamma", "tau", "n_labelled"}


def test_the_paper_has_123_settings():
    panels = paper_panels(CIRCLES)
    assert sum(len(sweep.values) for sweep in panels.values()) == 123
    for name, panel in printed_figure().items():
        np.testing.assert_allclose(panels[name].values, panel.values, rtol=1e-4)


def test_methods_see_the_same_samplings_and_seeds_do_not_overlap():
    rows = collect(small("noise"))
    assert {row.seed for row in rows if row.sampling == 2} == {2}
    assert sampling_seed(1, 0) > sampling_seed(0, 999)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factor": "colour"}, "factor must be one of"),
        ({"methods": ("svm",)}, "methods must be among"),
        ({"methods": ()}, "methods must be among"),
        ({"values": ()}, "values is empty"),
        ({"samplings": 0}, "samplings must lie in"),
        ({"design": Design(datasets.source("digits")), "factor": "noise"}, "factor must be one of"),
        # The declarations say what a value may be.
        ({"values": (1e300,)}, r"gamma must be in 1e-12 … 1e\+15, got 1e\+300"),
        ({"factor": "tau", "values": (-1.0,)}, "tau must be in 1e-12"),
        ({"factor": "n", "values": (60.5,)}, "n must be a whole number, got 60.5"),
        ({"factor": "n", "values": (1e6,)}, r"n must be in 60 … 3000, got 1e\+06"),
        ({"factor": "power", "values": (9,)}, "power must be in 1 … 4, got 9"),
        ({"factor": "tau", "values": (None,)}, "values of tau must be numbers"),
    ],
)
def test_a_wrong_specification_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Sweep(**({"factor": "gamma", "values": (1.0,), "design": SMALL} | arguments))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"how": "?"}, "how must be one of balanced"),
        ({"n_labelled": 0}, "n_labelled must be in 1"),
        ({"arguments": (("n", -5),)}, "n must be in 60"),
        ({"arguments": (("arms", 2),)}, "has no argument 'arms'"),
    ],
)
def test_a_wrong_design_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **change)


@pytest.mark.parametrize("name", ["?", "missing.csv"])
def test_a_source_that_is_not_there_is_refused(name):
    with pytest.raises(datasets.DataError, match="three_circles"):
        datasets.source(name)


def test_no_field_of_a_design_repeats_a_number_of_its_setting():
    own = {f.name for f in fields(Design)}
    assert not own & {f.name for part in (Parameters, GraphSpec) for f in fields(part)}
    assert SMALL.having(sigma=0.7, gamma=3.0, n=66, n_labelled=5) == replace(
        SMALL,
        arguments=(("n", 66), ("noise", 0.4)),
        setting=Setting().having(sigma=0.7, gamma=3.0),
        n_labelled=5,
    )


def test_every_number_of_a_setting_can_vary():
    found = factors(CIRCLES)
    for name in ("n", "noise", "n_labelled", "gamma", "tau", "balance", "lambda_A", "lambda_I",
                 "sigma", "n_neighbors", "width", "power"):  # fmt: skip
        assert found[name].word
        Sweep(name, (found[name].usual,), SMALL)


def test_a_sweep_is_a_key():
    assert {small("gamma"): 1}[small("gamma")] == 1
    assert small("gamma") != small("gamma", seed=1)


def test_an_npz_file_is_data_too(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    np.savez(tmp_path / "two.npz", X=rng.normal(size=(80, 3)) + 3 * y[:, None], y=y)
    source = datasets.source(str(tmp_path / "two.npz"))
    design = Design(source, (("n", 40),), n_labelled=4).having(similarity="local_scaling")
    rows = collect(Sweep("n", (30, 60), design, methods=("mavr",), samplings=2))
    assert [row.n_unlabelled for row in rows] == [26, 26, 56, 56]
    np.savez(tmp_path / "bare.npz", X=rng.normal(size=(80, 3)))
    bare = Design(datasets.source(str(tmp_path / "bare.npz")))
    with pytest.raises(ValueError, match="bare has no true classes"):
        bare.sample(0)


# Subtraction-free Cholesky


@pytest.mark.parametrize("eps", [1e-1, 1e-6, 1e-14, 1e-30])
@pytest.mark.parametrize("kind", ["normalized", "unnormalized"])
def test_subtraction_free_cholesky_agrees_with_elimination_entry_by_entry(eps, kind):
    graph = graph_at(SMALL.having(sigma=0.4, laplacian=kind), 5)
    Q = np.asarray(graph.Q)
    structure = inspect(graph.Q)
    L = subtraction_free_cholesky(Q, structure.null_vector, eps)
    E = np.eye(len(Q))[:, [0, 20, 60]]
    ours = dpotrs(L, E, lower=1)[0]
    theirs = factor(structure, 1.0, eps, eps).solve(E)
    tolerance = 1e-8 if eps > 1e-3 else 1e-12
    np.testing.assert_allclose(ours, theirs, rtol=tolerance)
    assert ours.min() > 0


@pytest.mark.parametrize("loops", [False, True])
def test_components_are_those_of_the_similarity(loops):
    graph = graph_at(SMALL.having(sigma=0.05, self_loops=loops), 3)
    found = inspect(graph.Q)
    count, component = connected_components(graph.W > 0, directed=False)
    assert found.n_components == count > 1
    assert found.laplacian
    pairs = set(zip(component.tolist(), found.component.tolist(), strict=True))
    assert len(pairs) == count


@given(st.integers(0, 10**6), st.floats(-3, 14), st.sampled_from(["bavr", "mavr", "lgc"]))
def test_batch_and_general_solver_agree_on_random_cases(seed, log_gamma, method):
    rng = np.random.default_rng(seed)
    W = mavr.gaussian_similarity(rng.normal(size=(24, 2)), 0.3)
    labelled = rng.choice(24, 5, replace=False)
    classes = (0, 1, 2, *rng.integers(0, 3, 2).tolist())
    parameters = Parameters(gamma=float(np.exp(log_gamma)))
    case = Case(method, tuple(labelled.tolist()), classes, 3, parameters)
    expected = general(Graph(W), case)
    for spectral in (True, False):
        found = run_batch(Graph(W), [case], spectral)[0]
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_array_equal(found.ties, expected.ties)
        np.testing.assert_array_equal(found.unreached, expected.unreached)
        np.testing.assert_allclose(found.rho, expected.rho, rtol=1e-6)


def test_interpolation_is_exact_for_a_polynomial_of_its_degree():
    # log eps = polynomial of degree 5 in log norm; norm = 2 is asked for.
    curve = np.polynomial.Polynomial([0.3, -1.1, 0.2, 0.05, -0.02, 0.01])
    norms = np.array([1.5, 2.2, 3.0])
    t = np.log(norms / 2)
    known = [
        (SimpleNamespace(eps=np.exp(curve(x))), norm, norm / np.exp(curve(x)) / curve.deriv()(x))
        for x, norm in zip(t, norms, strict=True)
    ]
    assert _interpolated(known, 2.0) == pytest.approx(np.exp(curve(0.0)), rel=1e-12)
    assert np.isnan(_interpolated(known[:1], 2.0))
    assert np.isnan(_interpolated([known[0], known[0]], 2.0))


# Summaries and print


def test_summary_is_mean_and_standard_error():
    rows = collect(small("sigma"))
    points = summarise(reversed(rows))
    assert len(points) == 2 * 3
    some = [row.error for row in rows if (row.value, row.method) == (0.3, "mavr")]
    point = next(p for p in points if (p.value, p.method) == (0.3, "mavr"))
    assert point.samplings == 3
    assert point.mean == pytest.approx(np.mean(some))
    assert point.standard_error == pytest.approx(np.std(some, ddof=1) / np.sqrt(3))


def test_paired_difference_is_a_paired_t_test():
    rows = collect(replace(small("noise"), samplings=6))
    for d in paired(rows):
        a, b = (
            [r.error for r in rows if (r.value, r.method) == (d.value, m)] for m in ("mavr", "lgc")
        )
        if np.ptp(np.subtract(a, b)) == 0:
            assert d.low == d.mean == d.high
            continue
        test = ttest_rel(a, b)
        interval = test.confidence_interval(0.95)
        np.testing.assert_allclose([d.p, d.low, d.high], [test.pvalue, *interval], rtol=1e-9)
    assert [d.samplings for d in paired(rows)] == [6, 6]
    assert paired([rows[0]]) == []


def test_a_test_without_spread_is_certain():
    assert paired_test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]) == (1.0, 0.0, 0.0)
    p, low, high = paired_test([0.4, 0.5, 0.6], [0.1, 0.2, 0.3])
    assert (p, low, high) == (0.0, pytest.approx(0.3), pytest.approx(0.3))
    assert paired_test([0.4], [0.1])[0] == 0.0


def test_csv_has_a_line_for_each_item():
    rows = collect(small("sigma"))
    file = io.StringIO()
    write_csv(rows, file)
    lines = file.getvalue().splitlines()
    assert lines[0].startswith("factor,value,method,sampling,error,n_wrong")
    assert len(lines) == 1 + len(rows)


def test_printed_curves_carry_their_source_and_are_complete():
    content = json.loads(files("mavr").joinpath("data", "figure5.json").read_text("utf-8"))
    assert "ICML 2014, Figure 5" in content["source"]
    for panel in printed_figure().values():
        assert set(panel.errors) == {"lgc", "bavr", "mavr"}
        for errors in panel.errors.values():
            assert len(errors) == len(panel.values)
            assert 0 < min(errors) < max(errors) + 1e-12 < 0.6
    assert printed_error("noise", "mavr", 0.5) == pytest.approx(0.2105)
    assert printed_error("noise", "mavr", 0.51) is None
    assert printed_error("noise", "laprls", 0.5) is None
    assert printed_error("balance", "mavr", 0.5) is None


def test_agreement_is_measured_up_to_where_print_can_be_trusted():
    def point(value: float, mean: float) -> Point:
        return Point("tau", value, "mavr", mean, 0.0, 100, 0.0, 0.0)

    values = printed_figure()["tau"].values
    errors = printed_figure()["tau"].errors["mavr"]
    points = [point(v, e + 0.01) for v, e in zip(values, errors, strict=True)]
    (near,), (far,) = agreement(points), agreement(points, beyond=True)
    assert (near.points, far.points) == (15, 6)
    # The paper prints the norm for l = 3; here and in our sweeps it is the multiple of sqrt(l).
    assert values[2] == pytest.approx(1.0, rel=1e-4)
    assert printed_error("tau", "mavr", 1.0) == pytest.approx(0.2084)
    assert [near.mean_absolute, near.largest, near.bias] == pytest.approx([1.0] * 3)
