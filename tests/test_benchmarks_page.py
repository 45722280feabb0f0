"""The benchmarks page without a browser: its job, its links, its table."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import datasets
from lab import benchmarks
from lab.benchmarks import BenchmarkJob, Choice, Unit, from_query, to_query
from lab.jobs import Results
from mavr.experiments.benchmark import Benchmark, run_benchmark, summarise_benchmark
from tests.test_error_curves import wait_for

PAGE = Path(__file__).resolve().parent.parent / "pages" / "benchmarks.py"
SMALL = Benchmark("digits", (40, 50), ("local_scaling", "cosine"), ("mavr_nor", "lgc"), 3)


class Here:
    """Workers that compute in a thread, each task when the test lets it."""

    count = 2

    def __init__(self, allowed: int = 10**6) -> None:
        self.gate = threading.Semaphore(allowed)
        self.asked = 0

    def submit(self, task, work):
        self.asked += 1
        future: Future = Future()

        def compute() -> None:
            self.gate.acquire()
            try:
                future.set_result(work(task))
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=compute, daemon=True).start()
        return future


def key(row):
    return (row.similarity, row.n, row.method, row.sampling)


def finished(benchmark, target, workers, results):
    job = BenchmarkJob(benchmark, target, workers, results)
    job.start()
    wait_for(lambda: job.progress().state == "done", 120)
    return job


def test_the_job_measures_what_the_command_line_does_and_shares_it():
    results, workers = Results(), Here()
    job = finished(SMALL, 3, workers, results)
    assert sorted(job.rows(), key=key) == sorted(run_benchmark(SMALL), key=key)
    assert job.progress().samplings == 3
    assert not job.searching
    asked = workers.asked
    # Fewer places, more samplings: only what is new is computed.
    part = Benchmark("digits", (40,), ("cosine",), ("mavr_nor", "lgc"))
    finished(part, 4, workers, results)
    assert workers.asked == asked + 1


def test_a_stopped_job_keeps_what_it_has_and_goes_on_from_there():
    workers = Here(allowed=11)
    one = Benchmark("digits", (40,), ("cosine",), ("mavr_nor", "lgc"))
    job = BenchmarkJob(one, 4, workers, Results())
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
    tasks = BenchmarkJob(SMALL, 20, Here(), Results())._tasks()
    assert len(tasks) == len(set(tasks)) == 4 * (10 + 20)
    assert [t.tuning for t in tasks[:15]] == [True] * 10 + [False] * 5
    assert {t.place for t in tasks[:15]} == {("local_scaling", 40)}
    assert all(isinstance(t, Unit) for t in tasks)


def test_too_many_points_are_told():
    job = BenchmarkJob(Benchmark("digits", (9000,), ("cosine",)), 1, Here(), Results())
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    assert "9000" in job.progress().problem


@pytest.mark.parametrize(
    "view",
    [
        Choice(),
        Choice("usps", ("cosine",), ("mavr_un", "lgc"), 200, 500, 100, 7),
    ],
)
def test_a_link_opens_the_same_view(view):
    assert from_query(to_query(view)) == (view, [])


@pytest.mark.parametrize(
    "query",
    [{"data": "?"}, {"methods": "svm"}, {"low": "150"}, {"samplings": "7"}, {"seed": "-1"},
     {"high": "many"}],
)  # fmt: skip
def test_a_broken_link_is_told_and_the_rest_is_kept(query):
    view, problems = from_query(query | {"similarities": "cosine"})
    assert len(problems) == 1
    assert next(iter(query)) in problems[0]
    assert view == Choice(similarities=("cosine",))


def test_the_table_marks_the_best_and_those_close_to_it():
    rows = list(run_benchmark(SMALL))
    places = summarise_benchmark(rows)
    html = benchmarks.means_table(SMALL, places)
    assert html.count("<b>") == 4  # one for each similarity and n
    assert html.count("*</td>") == sum(p.close and not p.best for p in places)
    best = next(p for p in places if p.best)
    assert f"<b>{100 * best.mean:.1f} ± {100 * best.standard_error:.1f}</b>" in html
    sent = benchmarks.payload(SMALL, places, len(rows))
    assert [panel["title"] for panel in sent["panels"]] == ["Local scaling", "Cosine"]
    assert all(len(s["y"]) == 2 for panel in sent["panels"] for s in panel["series"])
    empty = benchmarks.payload(SMALL, [], 0)["panels"][0]["series"][0]
    assert empty["y"] == [None, None]


def test_a_file_is_kept_under_its_name_or_refused(tmp_path):
    file = tmp_path / "my data.npz"
    np.savez(file, X=np.eye(30), y=np.arange(30) % 3)
    path = benchmarks.keep_file(file.read_bytes(), "../my data.npz")
    assert Path(path).name == "my_data.npz"
    assert benchmarks.source(Choice("file"), path) == path
    assert benchmarks.source(Choice("file"), None) is None
    np.savez(file, X=np.eye(30))
    with pytest.raises(datasets.DataError, match="no array y"):
        benchmarks.keep_file(file.read_bytes(), "bare.npz")


@pytest.fixture
def app(monkeypatch, tmp_path):
    # Nothing is computed: only the page itself is looked at.
    monkeypatch.setattr("lab.jobs.BackgroundJob.start", lambda self, target=None: None)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["entered_by_app"] = True
    return app


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
    assert app.error[0].value.endswith("arrays X and y.")
