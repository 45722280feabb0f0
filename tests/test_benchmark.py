"""The benchmark protocol: candidates, choice, measurement against a plain loop, tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from scipy.stats import ttest_rel

import datasets
import mavr
from mavr.commands import cli, figure4
from mavr.experiments import Measurement, run_benchmark, sampling_seed, summarise_benchmark
from mavr.experiments import benchmark as b
from mavr.experiments import measurement as m
from mavr.least_squares import deform, laprls

DIGITS = datasets.source("digits")
SMALL = b.Benchmark(DIGITS, (60, 100), samplings=2)


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m, "TUNING", 2)
        return list(run_benchmark(SMALL))


def test_every_cell_is_measured_once(rows):
    keys = [(r.similarity, r.n, r.method, r.sampling) for r in rows]
    assert len(keys) == len(set(keys)) == 3 * 2 * 4 * 2
    assert all(0 <= r.error <= 1 for r in rows)
    # One candidate for each, the same in every sampling.
    chosen = {(r.similarity, r.n, r.method): r.candidate for r in rows}
    assert all(chosen[r.similarity, r.n, r.method] == r.candidate for r in rows)


def test_candidates_are_the_papers():
    def offered(similarity, method):
        return b.candidates(b.PANELS[similarity], method)

    assert [c.scale for c in offered("gaussian", "lgc")] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1]
    assert [c.scale for c in offered("cosine", "laprls")] == [1, 3, 5, 7, 9]
    both = offered("local_scaling", "mavr_un")
    assert len(both) == 25
    assert {c.tau for c in both} == {1 / 16, 1 / 8, 1 / 4, 1 / 2, 1}


def test_fixed_parameters_are_the_papers():
    fixed = {name: panel.setting.parameters for name, panel in b.PANELS.items()}
    assert {n: (p.gamma, p.lambda_I, p.lambda_A) for n, p in fixed.items()} == {
        "gaussian": (99, 99, 1e-3),
        "local_scaling": (1, 1, 1e-3),
        "cosine": (99, 99, 1e3),
    }


def test_panel_i_has_laprls_with_the_papers_weight_too(monkeypatch):
    """λ_A = 10⁻³ in the cosine panels, beside 10³."""
    monkeypatch.setattr(m, "TUNING", 1)
    plan = b.Benchmark(DIGITS, (60,), methods=("laprls", "laprls_weak"), samplings=1)
    found = {(r.similarity, r.method): r for r in run_benchmark(plan)}
    assert set(found) == {
        ("gaussian", "laprls"),
        ("local_scaling", "laprls"),
        ("cosine", "laprls"),
        ("cosine", "laprls_weak"),
    }
    for method, weight in (("laprls", 1e3), ("laprls_weak", 1e-3)):
        row = found["cosine", method]
        assert row.error == pytest.approx(laprls_error(row, weight))


def laprls_error(row, lambda_A):
    seed = sampling_seed(0, row.sampling)
    data = datasets.digits(row.n, seed=seed)
    labelled = datasets.draw_labels(data.y, row.n // 10, "balanced", seed)
    W = mavr.cosine_similarity(data.X, int(row.scale)).toarray()
    Y = np.zeros((row.n, 10))
    Y[labelled, data.y[labelled]] = 1
    solution = laprls(deform(W, lambda_A, 99.0), Y)
    rest = np.setdiff1d(np.arange(row.n), labelled)
    return ((solution.labels != data.y) | solution.ties)[rest].mean()


def by_plain_loop(row):
    """The same number from the estimators."""
    seed = sampling_seed(SMALL.seed, row.sampling)
    data = datasets.digits(row.n, seed=seed)
    labelled = datasets.draw_labels(data.y, row.n // 10, "balanced", seed)
    y = np.full(row.n, -1)
    y[labelled] = data.y[labelled]
    weight = 1.0 if row.similarity == "local_scaling" else 99.0
    lambda_A = 1e3 if row.similarity == "cosine" else 1e-3
    sigma = row.scale * np.median(pdist(data.X))
    graph = {"similarity": row.similarity, "classes": list(range(10))}
    if row.similarity == "gaussian":
        graph["sigma"] = sigma
    else:
        graph["n_neighbors"] = int(row.scale)
    tau = row.tau * np.sqrt(len(labelled))
    model = {
        "mavr_nor": lambda: mavr.MAVRClassifier.paper(gamma=weight, tau=tau, **graph),
        "mavr_un": lambda: mavr.MAVRClassifier.paper(
            gamma=weight, tau=tau, laplacian="unnormalized", **graph
        ),
        "lgc": lambda: mavr.LGCClassifier.paper(gamma=weight, **graph),
        "laprls": lambda: mavr.LapRLSClassifier.paper(lambda_A=lambda_A, lambda_I=weight, **graph),
    }[row.method]()
    model.fit(data.X, y)
    rest = np.setdiff1d(np.arange(row.n), labelled)
    wrong = (model.transduction_ != data.y) | model.solution_.ties
    return wrong[rest].mean()


@pytest.mark.filterwarnings("ignore:.*no path to a labelled point", "ignore:one class takes")
def test_errors_are_those_of_the_estimators(rows):
    for row in rows:
        if row.sampling == 0:
            assert row.error == pytest.approx(by_plain_loop(row)), row


def made_up(method, sampling, error, scale=1.0, tau=1.0):
    return Measurement("d", "gaussian", 100, method, sampling, scale, tau, error, 0)


def test_the_choice_has_the_least_mean_error():
    rows = [
        made_up("lgc", 0, 0.3, 0.25),
        made_up("lgc", 1, 0.1, 0.25),
        made_up("lgc", 0, 0.1, 0.5),
        made_up("lgc", 1, 0.2, 0.5),
        made_up("lgc", 0, 0.2, 1.0),
        made_up("lgc", 1, 0.1, 1.0),
    ]
    for order in (rows, rows[::-1]):
        assert m.choose(order) == {("gaussian", 100, "lgc"): b.Candidate(0.5)}


def test_the_choice_sees_other_samplings():
    found = m.search(replace(SMALL, n=(60,), panels=(b.PANELS["gaussian"],), methods=("lgc",)))
    assert {r.sampling for r in found} == set(range(b.FIRST_TUNING, b.FIRST_TUNING + 10))
    assert len(found) == 50


def test_best_and_not_significantly_worse():
    rng = np.random.default_rng(0)
    base = rng.random(12)
    errors = {
        "lgc": base,
        "mavr_nor": base + 0.01 + 0.1 * rng.normal(size=12),
        "laprls": base + 0.3,
    }
    rows = [made_up(name, k, e) for name, some in errors.items() for k, e in enumerate(some)]
    cells = {p.method: p for p in summarise_benchmark(rows)}
    lowest = min(errors, key=lambda name: errors[name].mean())
    for method, cell in cells.items():
        assert cell.mean == pytest.approx(errors[method].mean())
        assert cell.standard_error == pytest.approx(errors[method].std(ddof=1) / np.sqrt(12))
        assert cell.best == (method == lowest)
    other = "lgc" if lowest == "mavr_nor" else "mavr_nor"
    p = ttest_rel(errors[other], errors[lowest]).pvalue
    assert cells[other].close == (p >= 0.05)
    assert not cells["laprls"].close
    assert cells[lowest].close


def test_sparse_data(tmp_path, monkeypatch):
    monkeypatch.setattr(m, "TUNING", 1)
    rng = np.random.default_rng(0)
    X = (rng.random((80, 30)) < 0.3).astype(np.uint8)
    y = np.arange(80) % 3
    X[y == 0, :6] = 1
    X[y == 1, 6:12] = 1
    path = tmp_path / "words.npz"
    S = sp.csr_array(X)
    np.savez(
        path, data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, format=b"csr", y=y
    )
    source = datasets.source(str(path))
    found = list(run_benchmark(b.Benchmark(source, (60,), samplings=2)))
    assert {r.data for r in found} == {"words"}
    assert len(found) == 3 * 4 * 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"panels": ()}, "panels is empty; give some of gaussian"),
        ({"methods": ()}, "methods must be some of mavr_nor"),
        ({"methods": ("svm",)}, "got svm"),
        ({"samplings": 995}, "samplings must lie in 1..990"),
        ({"n": (10,)}, "n must be at least 20"),
    ],
)
def test_bad_plans(wrong, message):
    with pytest.raises(ValueError, match=message):
        b.Benchmark(DIGITS, **wrong)


def test_command_line(rows, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figure4, "run_benchmark", lambda plan, jobs: iter(rows))
    options = ["--sizes", "60", "100", "--samplings", "2", "--out", str(tmp_path)]
    assert cli.main(["reproduce", "figure4", *options]) == 0
    assert {p.name for p in tmp_path.iterdir()} == {
        "figure4.svg", "figure4.md", "figure4.csv", "figure4_rows.csv",
    }  # fmt: skip
    assert len(capsys.readouterr().out.splitlines()) == 4
    table = (tmp_path / "figure4.md").read_text()
    assert len(table.splitlines()) == 2 + 3 * 2
    assert table.count("**") == 2 * 6
    drawing = (tmp_path / "figure4.svg").read_text()
    assert "MAVR, L_un" in drawing
    assert "Digits, cosine" in drawing
    assert len((tmp_path / "figure4_rows.csv").read_text().splitlines()) == 1 + len(rows)
