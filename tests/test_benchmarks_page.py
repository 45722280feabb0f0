"""The benchmarks page without a browser: its job, its links, its table."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import datasets
from lab.benchmarks import figure, view
from lab.benchmarks.job import BenchmarkJob, Unit
from lab.benchmarks.view import CODEC, BenchmarkView, source_of
from lab.jobs.job import Results
from mavr.experiments import Benchmark, run_benchmark, summarise_benchmark
from mavr.experiments.benchmark import PANELS
from tests.waiting import Here, wait_for

PAGE = Path(__file__).resolve().parent.parent / "pages" / "benchmarks.py"
DIGITS = datasets.source("digits")


def plan(n, *similarities, samplings=1):
    panels = tuple(PANELS[name] for name in similarities)
    return Benchmark(DIGITS, n, panels, ("mavr_nor", "lgc"), samplings)


SMALL = plan((40, 50), "local_scaling", "cosine", samplings=3)


def key(row):
    return (row.similarity, row.n, row.method, row.sampling)


def finished(benchmark, target, workers, results):
    job = BenchmarkJob(benchmark, target, workers, results)
    job.start()
    wait_for(lambda: job.progress().state == "done", 120)
    return job


def test_the_job_measures_what_the_command_line_does_and_shares_it():
    results, workers = Results(), Here(count=2)
    job = finished(SMALL, 3, workers, results)
    assert sorted(job.rows(), key=key) == sorted(run_benchmark(SMALL), key=key)
    assert job.progress().samplings == 3
    assert not job.searching
    asked = workers.asked
    # Fewer places, more samplings: only what is new is computed.
    finished(plan((40,), "cosine"), 4, workers, results)
    assert workers.asked == asked + 1


def test_a_stopped_job_keeps_what_it_has_and_goes_on_from_there():
    workers = Here(allowed=11, count=2)
    job = BenchmarkJob(plan((40,), "cosine"), 4, workers, Results())
    job.start()
    wait_for(lambda: job.progress().samplings >= 1 or len(job.rows()) == 2)
    assert 0 < job.progress().share < 1
    job.stop()
    workers.gate.release(2)  # what is under way is still taken in
    wait_for(lambda: not job.running)
    assert job.progress().state == "stopped"
    workers.gate.release(100)
    job.start()
    wait_for(lambda: job.progress().state == "done")
    assert workers.asked == 10 + 4
    assert len(job.rows()) == 2 * 4


def test_the_first_places_are_complete_before_the_last_are_begun():
    tasks = BenchmarkJob(SMALL, 20, Here(count=2), Results())._tasks()
    assert len(tasks) == len(set(tasks)) == 4 * (10 + 20)
    assert [t.tuning for t in tasks[:15]] == [True] * 10 + [False] * 5
    assert {(t.benchmark.panels[0].similarity, t.n) for t in tasks[:15]} == {("local_scaling", 40)}
    assert all(isinstance(t, Unit) for t in tasks)


def test_too_many_points_are_told():
    job = BenchmarkJob(plan((9000,), "cosine"), 1, Here(count=2), Results())
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    assert "9000" in job.progress().problem


@pytest.mark.parametrize(
    "shown",
    [
        BenchmarkView(),
        BenchmarkView("usps", ("cosine",), ("mavr_un", "lgc", "laprls_weak"), 200, 500, "100", 7),
        BenchmarkView("file:0123456789abcdef", low=300, high=300),
        BenchmarkView("file"),
    ],
)
def test_a_link_opens_the_same_view(shown):
    assert CODEC.read(CODEC.write(shown)) == (shown, [])


def test_links_of_the_first_version_still_open():
    found, problems = CODEC.read(
        {"data": "file", "similarities": "cosine-gaussian", "methods": "lgc-mavr_nor",
         "low": "300", "high": "500", "samplings": "20", "seed": "3"}
    )  # fmt: skip
    assert problems == []
    names = ("gaussian", "cosine"), ("mavr_nor", "lgc")
    assert found == BenchmarkView("file", *names, 300, 500, "20", 3)
    assert CODEC.read({"low": "400"})[0].sizes == (400,)


@pytest.mark.parametrize(
    ("query", "word"),
    [({"data": "?"}, "data set"), ({"methods": "svm"}, "methods"), ({"low": "150"}, "steps of 100"),
     ({"samplings": "7"}, "Random repeats"), ({"seed": "-1"}, "Seed"),
     ({"high": "many"}, "Points to"),
     ({"high": "100000"}, "Points to must be in 100 … 1000")],
)  # fmt: skip
def test_a_broken_link_is_told_and_the_rest_is_kept(query, word):
    found, problems = CODEC.read(query | {"similarities": "cosine"})
    assert len(problems) == 1
    assert word in problems[0]
    assert found == BenchmarkView(similarities=("cosine",))


def test_the_table_marks_the_best_and_those_close_to_it():
    rows = list(run_benchmark(SMALL))
    cells = summarise_benchmark(rows)
    html = figure.means_table(SMALL, cells)
    assert html.count("<b>") == 4  # one for each similarity and n
    assert html.count("*</td>") == sum(p.close and not p.best for p in cells)
    best = next(p for p in cells if p.best)
    assert f"<b>{100 * best.mean:.1f} ± {100 * best.standard_error:.1f}</b>" in html
    sent = figure.payload(SMALL, cells, len(rows))
    assert [panel["title"] for panel in sent["panels"]] == ["Local scaling", "Cosine"]
    assert all(len(s["y"]) == 2 for panel in sent["panels"] for s in panel["series"])
    empty = figure.payload(SMALL, [], 0)["panels"][0]["series"][0]
    assert empty["y"] == [None, None]


def test_laprls_with_the_papers_weight_is_drawn_with_the_cosine_similarity_alone():
    panels = tuple(PANELS.values())
    sent = figure.payload(Benchmark(DIGITS, (100,), panels, ("laprls", "laprls_weak")), [], 0)
    assert [len(panel["series"]) for panel in sent["panels"]] == [1, 1, 2]


NAME = "file:0123456789abcdef"


@pytest.mark.parametrize("sparse", [False, True])
def test_an_upload_is_stored_where_workers_find_it(sparse):
    rng = np.random.default_rng(0)
    X = rng.random((30, 5)) * (rng.random((30, 5)) < 0.5)
    y = np.arange(30) % 3
    given = datasets.Dataset("../my data.csv", sp.csr_array(X) if sparse else X, y, ("a", "b", "c"))
    name = f"file:{'sparse' if sparse else 'dense_'}0123456789"
    source = source_of(BenchmarkView(name), {name: given})
    assert Path(source.path).name == "my_data.npz"
    read = source(seed=0)
    np.testing.assert_allclose(read.X.toarray() if sparse else read.X, X)
    np.testing.assert_array_equal(read.y, y)
    assert read.n_classes == 3


def test_a_file_without_classes_is_refused_and_a_missing_one_asked_for():
    bare = datasets.Dataset("bare.csv", np.eye(30))
    with pytest.raises(datasets.DataError, match=r"bare.csv gives no class"):
        source_of(BenchmarkView(NAME), {NAME: bare})
    assert source_of(BenchmarkView(NAME), {}) is None
    assert source_of(BenchmarkView("file"), {}) is None


def test_stored_files_are_bounded(monkeypatch):
    monkeypatch.setattr(view, "MAX_FILES", 2)
    given = datasets.Dataset("x.csv", np.eye(30), np.arange(30) % 3, ("a", "b", "c"))
    paths = [Path(view.stored(f"file:bounded{k}", given).path) for k in range(4)]
    assert [path.exists() for path in paths[:2]] == [False, False]
    assert paths[-1].exists()


@pytest.fixture
def app(monkeypatch, tmp_path):
    # Nothing is computed: only the page itself is looked at.
    monkeypatch.setattr("lab.jobs.job.BackgroundJob.start", lambda self, target=None: None)
    monkeypatch.setattr("lab.address.ECHO_SECONDS", 1e9)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    return AppTest.from_file(str(PAGE), default_timeout=30)


def test_the_page_runs_and_says_that_an_oracle_chose(app):
    app.run()
    assert not app.exception
    assert app.title[0].value == "Benchmarks"
    assert any("oracle" in caption.value for caption in app.caption)


def test_without_a_network_the_fetch_ends_with_a_sentence(app, monkeypatch):
    def offline(name, benchmark, folder):
        raise datasets.DataError(
            "USPS could not be downloaded. Check the network, or give a local .npz file with "
            "arrays X and y: fetch('usps', path='usps.npz')"
        )

    # By its module: `datasets.fetch` is the function.
    monkeypatch.setattr(sys.modules["datasets.fetch"], "_download", offline)
    app.query_params["data"] = "usps"
    app.run()
    assert "not on this server" in app.info[0].value
    app.button[0].click().run()
    assert not app.exception
    assert app.error[0].value.replace("\\", "").endswith("arrays X and y.")


def test_an_old_link_to_a_file_asks_for_it(app):
    app.query_params["data"] = "file"
    app.run()
    assert not app.exception
    assert "Give a CSV or NPZ file" in app.info[0].value


def test_controls_change_what_is_run(app):
    app.run()
    app.multiselect(key="benchmarks.methods").set_value(["lgc", "laprls_weak"]).run()
    app.multiselect(key="benchmarks.similarities").set_value(["cosine"]).run()
    app.selectbox(key="benchmarks.low").set_value(300).run()
    assert not app.exception
    wanted = list(app.session_state["benchmarks.jobs"])[-1]
    assert wanted.methods == ("lgc", "laprls_weak")
    assert [panel.similarity for panel in wanted.panels] == ["cosine"]
    # The ends may stand in either order.
    assert wanted.n == (200, 300)


TEXTS = st.one_of(
    st.sampled_from(["0", "100", "-1", "1000", "nan", "file", "digits", "cosine", "lgc", "5"]),
    st.text(max_size=8),
)


@settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(query=st.dictionaries(st.sampled_from(CODEC.names()), TEXTS, max_size=4))
def test_any_link_opens_the_page(app, query):
    fresh = AppTest.from_file(str(PAGE), default_timeout=30)
    for name, value in query.items():
        fresh.query_params[name] = value
    assert not fresh.run().exception
