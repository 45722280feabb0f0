"""The error-curves page without a browser: jobs, links, what the figure is sent."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import datasets
from lab.board.answers import compute
from lab.board.view import CODEC as BOARD
from lab.curves import figure
from lab.curves.job import SweepJob, warm_up
from lab.curves.sampling import playground_view
from lab.curves.view import CODEC, Curves, sweeps, usual_range
from lab.jobs import controls as job_controls
from lab.jobs.job import Progress, Results
from lab.server.pool import Workers
from mavr.experiments import Design, Sweep, factors, paper_panels, run, run_task, tasks
from tests.waiting import Here, key, wait_for

PAGE = Path(__file__).resolve().parent.parent / "pages" / "error_curves.py"
CIRCLES = datasets.source("three_circles")
SMALL = Sweep("gamma", (2.0, 99.0), Design(CIRCLES, (("n", 60), ("noise", 0.4))), ("mavr", "lgc"))
START = "lab.jobs.job.BackgroundJob.start"


def test_a_job_computes_every_sampling_in_other_processes():
    workers = Workers(1)
    try:
        job = SweepJob([SMALL], 3, workers, Results())
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
        assert not workers.ready
        warm_up(workers)
        assert workers.ready
        assert workers.wake(run_task, None) == []
        (before,) = workers._shared._processes
        assert workers.submit(run_task, tasks([SMALL], range(1))[0]).result(60)
        assert list(workers._shared._processes) == [before]
    finally:
        workers.close()


def test_the_page_looks_often_until_the_first_sampling_is_there():
    at = Progress("running", 0, 5, 0.0, None)
    assert job_controls._wait(at) < job_controls._wait(replace(at, samplings=1)) < 1000
    assert job_controls._wait(replace(at, state="stopped")) is None


def test_a_stopped_job_keeps_what_it_has_and_goes_on_from_there():
    workers = Here(allowed=2)
    job = SweepJob([SMALL], 5, workers, Results())
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
    first = SweepJob([SMALL], 3, workers, results)
    first.start()
    wait_for(lambda: first.progress().state == "done")
    second = SweepJob([replace(SMALL, samplings=7)], 4, workers, results)
    second.start()
    wait_for(lambda: second.progress().state == "done")
    assert workers.asked == 4


def test_results_are_bounded():
    results = Results(max_rows=10)
    for k in range(6):
        job = SweepJob([SMALL], 1, Here(), Results())
        task = job._tasks()[0]
        results.put(replace(task, sampling=k), run_task(task))
    assert results.get(replace(task, sampling=0)) is None
    assert results.get(replace(task, sampling=5)) is not None


def test_a_problem_is_told_and_a_broken_worker_can_be_resumed():
    job = SweepJob(
        [replace(SMALL, design=replace(SMALL.design, n_labelled=90))], 2, Here(), Results()
    )
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    assert "labels were asked for" in job.progress().problem

    class Broken(Here):
        def submit(self, work, task):
            future: Future = Future()
            future.set_exception(RuntimeError("killed"))
            return future

    job = SweepJob([SMALL], 2, Broken(), Results())
    job.start()
    wait_for(lambda: job.progress().state == "failed")
    job._workers = Here()
    job.start()
    wait_for(lambda: job.progress().state == "done")


def test_an_unwatched_job_rests_until_somebody_looks(monkeypatch):
    monkeypatch.setattr("lab.jobs.job.UNWATCHED_SECONDS", -1.0)
    job = SweepJob([SMALL], 2, Here(), Results())
    job.start()
    wait_for(lambda: not job.running)
    assert job.progress().samplings == 0
    monkeypatch.setattr("lab.jobs.job.UNWATCHED_SECONDS", 100.0)
    job.watch()
    wait_for(lambda: job.progress().state == "done")


def test_a_job_rests_when_its_visitor_has_left():
    job, there = SweepJob([SMALL], 2, Here(), Results()), False
    job.present = lambda: there
    job.start()
    wait_for(lambda: not job.running)
    assert job.progress().samplings == 0
    there = True
    job.watch()
    wait_for(lambda: job.progress().state == "done")


# Links


def own(name: str, **values: object) -> Curves:
    view = Curves(figure="own", design=Design(datasets.source(name)))
    view = replace(view, design=view.design.having(similarity="local_scaling"))
    return replace(view, design=view.design.having(**values))


@pytest.mark.parametrize(
    "view",
    [
        Curves(),
        Curves(methods=("mavr", "laprls"), samplings="5", seed=7, printed=False, show="difference"),
        replace(
            own("spiral", arms=3, noise=0.1, similarity="knn", n_neighbors=9, gamma=10.5, balance=1)
            .varying("turns"),
            low=0.5, high=2.5, steps=5,
        ),
        own("two_moons", similarity="knn", n_neighbors=7),
        own("three_circles", similarity="gaussian", sigma=0.3, tau=None).varying("tau"),
        replace(own("digits", how="per_class", lambda_A=0.5), low=10.0, high=40.0),
        replace(own("two_moons").varying("n"), log=True),
    ],
)  # fmt: skip
def test_a_link_opens_the_same_view(view):
    again, problems = CODEC.read(CODEC.write(view))
    assert problems == []
    assert CODEC.write(again) == CODEC.write(view)
    assert sweeps(again) == sweeps(view)


def test_links_of_the_first_version_still_open():
    def opened(text: str) -> Curves:
        view, problems = CODEC.read(dict(pair.split("=") for pair in text.split("&")))
        assert problems == []
        return view

    view = opened(
        "figure=own&similarity=knn&laplacian=unnormalized&gamma=10&tau_factor=2&balance=1"
        "&n_labelled=4&how=uniform"
    )
    graph, parameters = view.design.setting.graph, view.design.setting.parameters
    assert (graph.similarity, graph.value("n_neighbors"), graph.laplacian) == (
        "knn", 7, "unnormalized",
    )  # fmt: skip
    assert (parameters.gamma, parameters.tau, parameters.balance) == (10, 2, 1)
    assert (view.design.n_labelled, view.design.how, view.factor) == (4, "uniform", "n_labelled")
    assert (view.low, view.high, view.log) == (2, 20, False)
    view = opened("figure=own&data=spiral&p.arms=3&factor=turns&low=0.5&high=2.5&steps=5")
    assert (view.data, dict(view.design.arguments)["arms"]) == ("spiral", 3)
    assert (view.factor, view.low, view.high, view.steps, view.log) == ("turns", 0.5, 2.5, 5, False)


def test_old_sweeps_over_tau_had_the_norm():
    norm = {"figure": "own", "factor": "tau", "low": "1", "high": "100", "log": "1"}
    for query, least in (
        (norm, 1 / np.sqrt(3)),
        (norm | {"n_labelled": "4"}, 0.5),
        (norm | {"factor": "tau_factor"}, 1.0),
    ):
        view, problems = CODEC.read(query)
        assert problems == []
        (sweep,) = sweeps(view)
        assert sweep.factor == "tau"
        assert sweep.values[0] == pytest.approx(least, rel=1e-5)
        assert sweep.values[-1] == pytest.approx(100 * least, rel=1e-5)
    view, problems = CODEC.read({"figure": "own", "varies": "tau", "low": "1", "high": "100"})
    assert (view.low, view.high, problems) == (1.0, 100.0, [])


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"figure": "?"}, "must be one of paper, own"),
        ({"methods": "svm"}, "methods"),
        ({"seed": "-1"}, "Seed must be in"),
        ({"steps": "1000000"}, "Values must be in"),
        ({"gamma": "nan"}, "Smoothness"),
        ({"gamma": "1e300"}, "Smoothness γ must be in"),
        ({"samplings": "7"}, "Random repeats must be"),
        ({"figure": "own", "data": "digits", "varies": "noise"}, "noise"),
        ({"figure": "own", "data": "file:0123456789abcdef"}, "not known here"),
        ({"data": "spiral", "p.arms": "many"}, "Arms must be a number"),
        ({"data": "three_circles", "varies": "n", "high": "1e6"}, "Points must be in 60 … 3000"),
        ({"how": "?"}, "how must be one of"),
        ({"varies": "tau", "low": "none"}, "a range must begin and end at a number"),
        ({"P": "1~2"}, "P must be"),
    ],
)
def test_a_broken_link_is_told_and_the_rest_is_kept(query, word):
    view, problems = CODEC.read(query | {"show": "difference"})
    assert len(problems) == 1
    assert word in problems[0]
    assert view.show == "difference"
    sweeps(view)


def test_nobody_can_ask_for_more_than_a_worker_holds():
    """The largest n of a sweep is the largest that a slider has."""
    for name in datasets.GENERATORS:
        for about in datasets.source(name).arguments:
            if about.name == "n":
                assert about.high <= 3000
                with pytest.raises(ValueError, match="n must be in"):
                    sweeps(replace(own(name).varying("n"), high=1e9))


def test_every_factor_of_every_data_set_has_a_range():
    for name in datasets.GENERATORS:
        for factor, about in factors(datasets.source(name)).items():
            low, high, log = usual_range(about)
            assert low < high
            assert low > 0 or not log
            assert figure.symbol(about)
            (sweep,) = sweeps(own(name).varying(factor))
            assert len(sweep.values) >= 2


def test_a_range_in_equal_ratios_must_be_positive():
    with pytest.raises(ValueError, match="above 0"):
        sweeps(Curves(figure="own", low=0.0, log=True))


@pytest.mark.parametrize("factor", list(paper_panels(CIRCLES)))
def test_a_sampling_opens_in_the_playground_as_it_was_counted(factor):
    sweep = paper_panels(CIRCLES, ("mavr", "lgc"))[factor]
    sweep = replace(sweep, values=(sweep.values[5],))
    (value,) = sweep.values
    link = BOARD.write(playground_view(sweep, value, 3, "mavr", "lgc"))
    target, problems = BOARD.read(link)
    assert not problems
    result = compute(target, {})
    wrong = {row.method: row.error for row in run(sweep, samplings=[3])}
    assert result.left.error == pytest.approx(wrong["mavr"])
    assert result.right.error == pytest.approx(wrong["lgc"])


# What the figure is sent


def test_the_figure_has_means_bars_and_printed_curves():
    view = Curves(methods=("mavr", "lgc"))
    panel = replace(paper_panels(CIRCLES, view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(2)))
    sent = figure.payload(view, [panel], rows, None)
    (drawn,) = sent["panels"]
    assert drawn["log"]
    assert [s["name"] for s in drawn["series"]] == ["MAVR", "LGC"]
    mean = 50 * sum(row.error for row in rows if row.method == "mavr")
    assert drawn["series"][0]["y"] == pytest.approx([mean])
    assert {p["id"] for p in drawn["printed"]} == {"mavr", "lgc"}
    assert [e["name"] for e in sent["legend"]] == ["MAVR", "LGC", "as printed"]
    empty = figure.payload(view, [panel], [], None)["panels"][0]["series"][0]
    assert empty["y"] == [None]


def test_the_figure_has_differences_with_their_interval():
    view = Curves(methods=("mavr", "lgc"), show="difference")
    panel = replace(paper_panels(CIRCLES, view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(3)))
    (series,) = figure.payload(view, [panel], rows, None)["panels"][0]["series"]
    assert series["low"][0] <= series["y"][0] <= series["high"][0]
    assert "MAVR − LGC" in series["name"]


def test_a_picked_point_lists_its_samplings_and_a_typical_one():
    view = Curves(methods=("mavr", "lgc"))
    panel = replace(paper_panels(CIRCLES, view.methods)["noise"], values=(0.5,))
    rows = list(run(panel, samplings=range(4)))
    picked = {"panel": "noise", "value": 0.5, "method": "lgc"}
    strip = figure.payload(view, [panel], rows, picked)["strip"]
    assert strip["samplings"] == [0, 1, 2, 3]
    errors = strip["rows"][1]["errors"]
    assert abs(errors[strip["typical"]] - np.mean(errors)) == min(
        abs(np.array(errors) - np.mean(errors))
    )
    assert figure.strip([panel], rows, picked | {"panel": "gone"}) is None
    assert figure.strip([panel], [], picked) is None


def test_the_panel_of_tau_has_multiples_with_the_printed_curve_behind():
    view = Curves(methods=("mavr",))
    panel = replace(paper_panels(CIRCLES, view.methods)["tau"], values=(1.0,))
    (drawn,) = figure.payload(view, [panel], [], None)["panels"]
    assert (drawn["symbol"], drawn["log"]) == ("τ / √l", True)
    (printed,) = drawn["printed"]
    at = int(np.abs(np.array(printed["x"]) - 1).argmin())
    assert printed["x"][at] == pytest.approx(1.0, rel=1e-4)
    assert printed["y"][at] == pytest.approx(20.84)


# The page


def opened(query: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AppTest:
    # Nothing is computed: only the page itself is looked at.
    monkeypatch.setattr(START, lambda self, target=None: None)
    # No browser writes the address: the first link would be followed again.
    monkeypatch.setattr("lab.address.ECHO_SECONDS", 1e9)
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def view_of(app: AppTest) -> Curves:
    return app.session_state["page.curves"].view


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"figure": "own", "show": "difference"},
        {"figure": "own", "tau": "none"},
        {"figure": "own", "methods": "mavr", "show": "difference"},
        {"figure": "own", "varies": "sigma"},
    ],
)
def test_the_page_runs(query, monkeypatch):
    app = opened(query, monkeypatch)
    assert not app.exception
    assert not app.warning
    assert app.title[0].value == "Error curves"


def test_a_range_that_cannot_be_is_a_sentence(monkeypatch):
    app = opened(
        {"figure": "own", "data": "digits", "n_labelled": "50000", "varies": "n"}, monkeypatch
    )
    assert not app.exception
    app = opened({"figure": "own", "data": "three_circles", "varies": "n", "low": "5"}, monkeypatch)
    assert not app.exception
    assert "Points must be in 60" in app.warning[0].value.replace("\\", "")


def test_every_data_set_and_factor_can_be_chosen(monkeypatch):
    app = opened({"figure": "own"}, monkeypatch)
    for name in ("three_circles", "spiral", "smile", "digits"):
        app.selectbox(key="curves.data").set_value(name).run()
        assert not app.exception
        assert not app.warning
        assert view_of(app).data == name
        scale = list(view_of(app).design.setting.graph.arguments)
        for factor in ("n_labelled", *scale, *list(factors(datasets.source(name)))[:2]):
            app.selectbox(key="curves.factor").set_value(factor).run()
            assert not app.exception
            assert not app.warning
            (sweep,) = list(app.session_state["curves.jobs"])[-1]
            assert (sweep.design.source.name, sweep.factor) == (name, factor)
    app.multiselect(key="curves.methods").set_value(["mavr", "laprls"]).run()
    assert list(app.session_state["curves.jobs"])[-1][0].methods == ("mavr", "laprls")
    app.number_input(key="curves.lambda_A").set_value(0.25).run()
    assert view_of(app).design.setting.parameters.lambda_A == 0.25
    app.number_input(key="curves.n").set_value(120).run()
    assert dict(view_of(app).design.arguments) == {"n": 120}


TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "0",
            "1",
            "-1",
            "2.5",
            "1e300",
            "nan",
            "none",
            "own",
            "²",
            "mavr-lgc",
            "gaussian",
            "digits",
            "spiral",
            "n",
            "tau",
            "turns",
            "knn",
            "1~0_0~1",
            "per_class",
            "difference",
        ]
    ),
    st.text(max_size=8),
)


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.dictionaries(st.sampled_from(CODEC.names()), TEXTS, max_size=6))
def test_any_link_opens_the_page(query):
    names = {name if not name.endswith(".") else f"{name}noise": t for name, t in query.items()}
    with pytest.MonkeyPatch.context() as patch:
        app = opened(names | {"figure": "own"}, patch)
    assert not app.exception


@given(st.dictionaries(st.sampled_from(CODEC.names()), TEXTS, max_size=8))
def test_any_link_is_read_and_written_again(query):
    view, _ = CODEC.read(query)
    again, problems = CODEC.read(CODEC.write(view))
    assert problems == []
    assert CODEC.write(again) == CODEC.write(view)
