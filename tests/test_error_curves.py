"""The error-curves page without a browser: jobs, links, what the figure is sent."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from lab import curves, job_controls
from lab.jobs import Job, Progress, Results, Workers
from lab.scene import compose
from lab.sweeps import Curves, axis, from_query, playground_view, sweeps, to_query
from lab.view import from_query as view_from_query
from lab.view import to_query as view_to_query
from mavr.experiments import Design, Sweep, draw, factors, paper_panels, run, run_task, tasks
from mavr.methods import METHODS

PAGE = Path(__file__).resolve().parent.parent / "pages" / "error_curves.py"
SMALL = Sweep("gamma", (2.0, 99.0), Design(params=(("n", 60), ("noise", 0.4))), ("mavr", "lgc"))


class Here:
    """Workers that compute in a thread, each task when the test lets it."""

    count = 1

    def __init__(self, allowed: int = 10**6) -> None:
        self.gate = threading.Semaphore(allowed)
        self.asked = 0

    def submit(self, task):
        self.asked += 1
        future: Future = Future()

        def compute() -> None:
            self.gate.acquire()
            try:
                future.set_result(run_task(task))
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=compute, daemon=True).start()
        return future


def wait_for(condition, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.01)


def key(row):
    return (row.value, row.method, row.sampling)


def test_a_job_computes_every_sampling_in_other_processes():
    workers = Workers(1)
    try:
        job = Job([SMALL], 3, workers, Results())
        job.start()
        wait_for(lambda: job.progress().state == "done", 60)
    finally:
        workers.close()
    expected = sorted(run(SMALL, samplings=range(3)), key=key)
    assert sorted(job.rows(), key=key) == expected
    assert job.progress().share == 1


def test_processes_that_were_warmed_up_are_the_ones_that_work():
    workers = Workers(1)
    try:
        workers.warm_up()
        (before,) = workers._pool._processes
        assert workers.submit(tasks([SMALL], range(1))[0]).result(60)
        assert list(workers._pool._processes) == [before]
    finally:
        workers.close()


def test_the_page_looks_often_until_the_first_sampling_is_there():
    at = Progress("running", 0, 5, 0.0, None)
    assert job_controls._wait(at) < job_controls._wait(replace(at, samplings=1)) < 1000
    assert job_controls._wait(replace(at, state="stopped")) is None


def test_a_stopped_job_keeps_what_it_has_and_goes_on_from_there():
    workers = Here(allowed=2)
    job = Job([SMALL], 5, workers, Results())
    job.start()
    wait_for(lambda: job.progress().samplings == 2)
    assert job.progress().state == "running"
    assert job.progress().seconds_left is not None
    job.stop()
    assert job.progress().state == "stopped"
    workers.gate.release()  # the sampling under way is still taken in
    wait_for(lambda: not job.running)
    assert job.progress().samplings == 3
    workers.gate.release(10)
    job.start()
    wait_for(lambda: job.progress().state == "done")
    assert workers.asked == 5
    assert sorted(job.rows(), key=key) == sorted(run(SMALL, samplings=range(5)), key=key)


def test_a_second_user_finds_what_the_first_computed():
    results, workers = Results(), Here()
    first = Job([SMALL], 3, workers, results)
    first.start()
    wait_for(lambda: first.progress().state == "done")
    second = Job([replace(SMALL, samplings=7)], 4, workers, results)
    second.start()
    wait_for(lambda: second.progress().state == "done")
    assert workers.asked == 4


def test_results_are_bounded():
    results = Results(max_rows=10)
    for k in range(6):
        job = Job([SMALL], 1, Here(), Results())
        task = job._tasks()[0]
        results.put(replace(task, sampling=k), run_task(task))
    assert results.get(replace(task, sampling=0)) is None
    assert results.get(replace(task, sampling=5)) is not None


def test_a_problem_is_told_and_a_broken_worker_can_be_resumed():
    job = Job([replace(SMALL, design=replace(SMALL.design, n_labelled=90))], 2, Here(), Results())
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    assert "labels were asked for" in job.progress().problem

    class Broken(Here):
        def submit(self, task):
            future: Future = Future()
            future.set_exception(RuntimeError("killed"))
            return future

    job = Job([SMALL], 2, Broken(), Results())
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    job._workers = Here()
    job.start()
    wait_for(lambda: job.progress().state == "done")


def test_an_unwatched_job_rests_until_somebody_looks(monkeypatch):
    monkeypatch.setattr("lab.jobs.UNWATCHED_SECONDS", -1.0)
    job = Job([SMALL], 2, Here(), Results())
    job.start()
    wait_for(lambda: not job.running)
    assert job.progress().samplings == 0
    monkeypatch.setattr("lab.jobs.UNWATCHED_SECONDS", 100.0)
    job.watch()
    wait_for(lambda: job.progress().state == "done")


# Links


@pytest.mark.parametrize(
    "view",
    [
        Curves(),
        Curves(methods=("mavr", "laprls"), samplings=5, seed=7, printed=False, show="difference"),
        Curves(
            figure="own", data="spiral", params=(("arms", 3), ("noise", 0.1)), factor="turns",
            low=0.5, high=2.5, steps=5, similarity="knn", n_neighbors=9, gamma=10.5, balance=1.0,
        ),
    ],
)  # fmt: skip
def test_a_link_opens_the_same_view(view):
    again, problems = from_query(to_query(view))
    assert (again, problems) == (view, [])
    assert sweeps(again) == sweeps(view)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"figure": "?"}, "figure"),
        ({"methods": "svm"}, "methods"),
        ({"seed": "-1"}, "seed"),
        ({"steps": "1000000"}, "steps"),
        ({"gamma": "nan"}, "gamma"),
        ({"samplings": "7"}, "samplings"),
        ({"figure": "own", "data": "digits", "factor": "noise"}, "noise"),
        ({"data": "spiral", "p.arms": "many"}, "arms"),
    ],
)
def test_a_broken_link_is_told_and_the_rest_is_kept(query, word):
    view, problems = from_query(query | {"show": "difference"})
    assert len(problems) == 1
    assert word in problems[0]
    assert view.show == "difference"
    sweeps(view)


def test_every_factor_of_every_data_set_has_an_axis():
    for data in ("three_circles", "spiral", "digits", "smile", "unequal_blobs"):
        for factor in factors(data):
            about = axis(factor, data)
            assert about.low <= about.high
            assert about.title


def test_a_logarithmic_range_must_be_positive():
    with pytest.raises(ValueError, match="above 0"):
        sweeps(Curves(figure="own", low=0.0, log=True))


@pytest.mark.parametrize("factor", list(paper_panels()))
def test_a_sampling_opens_in_the_playground_as_it_was_counted(factor):
    sweep = paper_panels(("mavr", "lgc", "bavr"))[factor]
    sweep = replace(sweep, values=(sweep.values[5],))
    (value,) = sweep.values
    target, problems = view_from_query(
        view_to_query(playground_view(sweep, value, 3, "mavr", "lgc"))
    )
    assert not problems
    drawn = draw(sweep.at(value), target.seed)
    scene = compose(drawn.data, target.marks)
    for row in run(sweep, samplings=[3]):
        tau = target.tau * np.sqrt(len(target.marks.labels))
        parameters = replace(sweep.at(value).parameters(3), gamma=target.gamma, tau=tau)
        Y = np.zeros((drawn.data.n, 3))
        for i, j in target.marks.labels:
            Y[i, j] = 1
        labels = METHODS[row.method].run(drawn.graph, Y, parameters).labels
        rest = scene.labels < 0
        assert int((labels != drawn.y)[rest].sum()) == row.n_wrong
    assert target.params == sweep.at(value).params
    assert target.sigma == sweep.at(value).sigma


# What the figure is sent


def test_the_figure_has_means_bars_and_printed_curves():
    view = Curves(methods=("mavr", "lgc"))
    panel = replace(paper_panels(view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(2)))
    sent = curves.payload(view, [panel], rows, None)
    (drawn,) = sent["panels"]
    assert drawn["log"]
    assert [s["name"] for s in drawn["series"]] == ["MAVR", "LGC"]
    mean = 50 * sum(row.error for row in rows if row.method == "mavr")
    assert drawn["series"][0]["y"] == pytest.approx([mean])
    assert {p["id"] for p in drawn["printed"]} == {"mavr", "lgc"}
    assert [e["name"] for e in sent["legend"]] == ["MAVR", "LGC", "as printed"]
    empty = curves.payload(view, [panel], [], None)["panels"][0]["series"][0]
    assert empty["y"] == [None]


def test_the_figure_has_differences_with_their_interval():
    view = Curves(methods=("mavr", "lgc"), show="difference")
    panel = replace(paper_panels(view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(3)))
    (series,) = curves.payload(view, [panel], rows, None)["panels"][0]["series"]
    assert series["low"][0] <= series["y"][0] <= series["high"][0]
    assert "MAVR − LGC" in series["name"]


def test_a_picked_point_lists_its_samplings_and_a_typical_one():
    view = Curves(methods=("mavr", "lgc"))
    panel = replace(paper_panels(view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(4)))
    picked = {"panel": "noise", "value": 0.5, "method": "lgc"}
    strip = curves.payload(view, [panel], rows, picked)["strip"]
    assert strip["samplings"] == [0, 1, 2, 3]
    errors = strip["rows"][1]["errors"]
    assert abs(errors[strip["typical"]] - np.mean(errors)) == min(
        abs(np.array(errors) - np.mean(errors))
    )
    assert curves.strip([panel], rows, picked | {"panel": "gone"}) is None
    assert curves.strip([panel], [], picked) is None


@pytest.mark.parametrize("query", [{}, {"figure": "own", "show": "difference"}])
def test_the_page_runs(query, monkeypatch):
    # Nothing is computed: only the page itself is looked at.
    monkeypatch.setattr("lab.jobs.Job.start", lambda self, target=None: None)
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["entered_by_app"] = True
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.title[0].value == "Error curves"


def test_every_data_set_and_factor_can_be_chosen(monkeypatch):
    monkeypatch.setattr("lab.jobs.Job.start", lambda self, target=None: None)
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["entered_by_app"] = True
    app.query_params["figure"] = "own"
    app.run()
    for data in ("three_circles", "spiral", "smile", "digits"):
        app.selectbox(key="curves.w.data").set_value(data).run()
        assert not app.exception
        assert not app.warning
        assert app.session_state["curves.view"].data == data
        for factor in ("n_labelled", "sigma", *factors(data)[:2]):
            app.selectbox(key="curves.w.factor").set_value(factor).run()
            assert not app.exception
            (sweep,) = list(app.session_state["curves.jobs"])[-1]
            assert (sweep.design.data, sweep.factor) == (data, factor)
    app.multiselect(key="curves.w.methods").set_value(["mavr", "laprls"]).run()
    assert list(app.session_state["curves.jobs"])[-1][0].methods == ("mavr", "laprls")
