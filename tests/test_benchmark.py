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
from mavr.experiments import benchmark as b
from mavr.experiments.sweep import sampling_seed

SMALL = b.Benchmark("digits", (60, 100), samplings=2)


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(b, "TUNING", 2)
        return list(b.run_benchmark(SMALL))


def test_every_cell_is_measured_once(rows):
    keys = [(r.similarity, r.n, r.method, r.sampling) for r in rows]
    assert len(keys) == len(set(keys)) == 3 * 2 * 4 * 2
    assert all(0 <= r.error <= 1 for r in rows)
    # One setting for each place, the same in every sampling.
    chosen = {(r.similarity, r.n, r.method): r.setting for r in rows}
    assert all(chosen[r.similarity, r.n, r.method] == r.setting for r in rows)


def test_candidates_are_the_papers():
    sigmas = SMALL.settings("gaussian", "lgc")
    assert [s.scale for s in sigmas] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1]
    assert [s.scale for s in SMALL.settings("cosine", "laprls")] == [1, 3, 5, 7, 9]
    both = SMALL.settings("local_scaling", "mavr_un")
    assert len(both) == 25
    assert {s.tau_factor for s in both} == {1 / 16, 1 / 8, 1 / 4, 1 / 2, 1}


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
    tau = row.tau_factor * np.sqrt(len(labelled))
    model = {
        "mavr_nor": lambda: mavr.MAVRClassifier(gamma=weight, tau=tau, **graph),
        "mavr_un": lambda: mavr.MAVRClassifier(
            gamma=weight, tau=tau, laplacian="unnormalized", **graph
        ),
        "lgc": lambda: mavr.LGCClassifier(gamma=weight, **graph),
        "laprls": lambda: mavr.LapRLSClassifier(lambda_A=lambda_A, lambda_I=weight, **graph),
    }[row.method]()
    model.fit(data.X, y)
    rest = np.setdiff1d(np.arange(row.n), labelled)
    wrong = (model.transduction_ != data.y) | model.solution_.ties
    return wrong[rest].mean()


@pytest.mark.filterwarnings("ignore:.*no path to a labelled point")
def test_errors_are_those_of_the_estimators(rows):
    for row in rows:
        if row.sampling == 0:
            assert row.error == pytest.approx(by_plain_loop(row)), row


def made_up(method, sampling, error, scale=1.0, tau_factor=1.0):
    return b.Measurement("d", "gaussian", 100, method, sampling, scale, tau_factor, error, 0)


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
        assert b.choose(order) == {("gaussian", 100, "lgc"): b.Setting(0.5)}


def test_the_choice_sees_other_samplings():
    found = b.search(replace(SMALL, n=(60,), similarities=("gaussian",), methods=("lgc",)))
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
    rows = [made_up(m, k, e) for m, some in errors.items() for k, e in enumerate(some)]
    places = {p.method: p for p in b.summarise_benchmark(rows)}
    lowest = min(errors, key=lambda m: errors[m].mean())
    for method, place in places.items():
        assert place.mean == pytest.approx(errors[method].mean())
        assert place.standard_error == pytest.approx(errors[method].std(ddof=1) / np.sqrt(12))
        assert place.best == (method == lowest)
    other = "lgc" if lowest == "mavr_nor" else "mavr_nor"
    p = ttest_rel(errors[other], errors[lowest]).pvalue
    assert places[other].close == (p >= 0.05)
    assert not places["laprls"].close
    assert places[lowest].close


def test_sparse_data(tmp_path, monkeypatch):
    monkeypatch.setattr(b, "TUNING", 1)
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
    found = list(b.run_benchmark(b.Benchmark(str(path), (60,), samplings=2)))
    assert {r.data for r in found} == {"words"}
    assert len(found) == 3 * 4 * 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"similarities": ("linear",)}, "expected some of gaussian"),
        ({"methods": ()}, "expected some of mavr_nor"),
        ({"samplings": 995}, "samplings must lie in 1..990"),
        ({"n": (10,)}, "n must be at least 20"),
    ],
)
def test_bad_plans(wrong, message):
    with pytest.raises(ValueError, match=message):
        b.Benchmark(**wrong)


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
