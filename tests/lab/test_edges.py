"""Every edge of the app with generated input: a sentence or a right answer, never an exception.

`make edges` tries more than 10,000 inputs; `make test` a few hundred, always the same. What once
failed is kept in ONCE_FAILED and in the examples beside the tests.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mavr
from lab.benchmarks.view import CODEC as BENCHMARKS
from lab.board import stage
from lab.board.face import Classes, follow
from lab.board.view import CODEC as BOARD
from lab.board.view import fresh_view
from lab.curves.view import CODEC as CURVES
from lab.curves.view import sweeps
from lab.data import Data
from lab.history import History
from lab.map.view import CODEC as MAP
from lab.server import live
from lab.sets.face import Sets
from lab.sets.view import CODEC as SETS
from lab.sets.view import LabelView
from mavr.commands.cli import main
from tests.lab.views import HOSTILE, PLAUSIBLE, links

CODECS = {
    "playground": BOARD,
    "multilabel": SETS,
    "map": MAP,
    "error_curves": CURVES,
    "benchmarks": BENCHMARKS,
}
ONCE_FAILED = (
    *(
        "².0",
        "9" * 5000,
        "-1",
        "4294967296",
        "1e300",
        "1e-300",
        "1e308",
        "nan",
        "-5",
        "(((",
        "1e400",
    ),
)
# Tests that solve or start a page try fewer.
FEW = settings(max_examples=max(15, settings.default.max_examples // 5))
VIEW = fresh_view(Data("three_circles", (("n", 60),), 3))

texts = st.sampled_from(HOSTILE + PLAUSIBLE + ONCE_FAILED) | st.text(max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda some: st.lists(some, max_size=4) | st.dictionaries(texts, some, max_size=4),
    max_leaves=12,
)


# Links.


def check_link(codec, query):
    view, problems = codec.read(query)
    assert all(p.startswith("The link was not followed") and len(p) < 400 for p in problems)
    again, none = codec.read(codec.write(view))
    assert (again, none) == (view, [])
    return view


@pytest.mark.parametrize("name", CODECS)
@given(data=st.data())
def test_any_link_is_read_or_said(name, data):
    codec = CODECS[name]
    view = check_link(codec, data.draw(links(codec.names())))
    if name == "error_curves":
        said = "sweeps"
        try:
            sweeps(view)
        except ValueError as error:
            said = str(error)
        assert said


@pytest.mark.parametrize("text", ONCE_FAILED, ids=[t[:12] for t in ONCE_FAILED])
@pytest.mark.parametrize("name", CODECS)
def test_what_once_failed_is_read_or_said_under_every_name(name, text):
    for key in CODECS[name].names():
        check_link(CODECS[name], {key + "n" if key.endswith(".") else key: text})


# Messages of the board and its controls, through Streamlit and through the socket.

OPS = ("label", "erase", "add", "move", "delete", "add_class", "undo", "redo", "set", "clear")
fields = st.fixed_dictionaries(
    {"seq": st.integers(1, 9), "op": st.sampled_from(OPS) | values},
    optional={
        "indices": st.lists(st.integers(-2, 70), max_size=4) | values,
        "class": st.integers(-2, 5) | values,
        "index": st.integers(-2, 70) | values,
        "label": st.integers(-2, 5) | values,
        "value": st.sampled_from([-1, 0, 1]) | values,
        "x": st.floats(-9, 9) | values,
        "y": st.floats(-9, 9) | values,
    },
)


@pytest.mark.parametrize("name", ["classes", "sets"])
@given(events=st.lists(fields, max_size=5))
def test_any_event_is_applied_or_left_out(name, events):
    face, view = (Classes(), VIEW) if name == "classes" else (Sets(), LabelView())
    told = [{"base": face.base(view), **event} for event in events]
    after = follow(face, History(view), told, {})
    # Whatever came of it has a link.
    assert face.codec.read(face.codec.write(after.now))[1] == []


@given(sent=values, ack=st.integers(0, 5))
def test_any_state_of_a_component_is_heard(sent, ack):
    found = stage.new_events(sent, ack)
    assert all(event["seq"] > ack for event in found)


@given(text=st.text(max_size=60) | values.map(lambda v: json.dumps(v)))
@example("[" * 50_000)
@example('{"seq": 1e999, "token": "x", "changes": {}, "events": [], "have": null}')
def test_any_message_on_the_socket_is_read_or_refused(text):
    try:
        found = live._read(text)
    except live.Refused:
        return
    assert isinstance(found["token"], str)


@FEW
@given(
    changes=st.dictionaries(
        st.sampled_from(
            sorted(n for n in BOARD.names() if not n.startswith(("p.", "data", "seed")))
        ),
        texts.map(lambda t: t[: live.MAX_CHANGE]),
        max_size=3,
    ),
    events=st.lists(fields, max_size=3),
)
@example(changes={"balance": "1e308"}, events=[])
@example(changes={"gamma": "1e15", "tau": "1e-12"}, events=[])
@example(changes={"P": "1~nan_nan~1"}, events=[])
def test_any_change_on_the_socket_is_a_picture_or_a_sentence(changes, events):
    face = Classes()
    told = [{"base": face.base(VIEW), **event} for event in events]
    message = {"changes": changes, "events": told, "have": None}
    found = live.answer(live.Known(History(VIEW), 0, face, {}), message)
    assert found.get("wait") or found.get("problem") or found["kind"] == "classes"


# The command line and the estimators.

OPTIONS = ("--gamma", "--tau", "--balance", "--similarity", "--sigma", "--n-neighbors")
words = st.sampled_from(["gaussian", "knn", "none", "auto", *ONCE_FAILED, *PLAUSIBLE[:10]])


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    file = tmp_path_factory.mktemp("points") / "points.csv"
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{y:.3f},{'ab'[k % 2] if k < 6 else ''}" for k, (x, y) in
            enumerate(rng.normal(size=(24, 2)))]  # fmt: skip
    file.write_text("x,y,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(file)


def command(arguments) -> int:
    try:
        return main(arguments)
    except SystemExit as end:  # argparse says it itself
        return int(end.code or 0)


@FEW
@given(options=st.lists(st.tuples(st.sampled_from(OPTIONS), words), max_size=3))
def test_any_command_ends_with_a_sentence_or_an_answer(points, options):
    flat = [part for pair in options for part in pair]
    assert command(["fit", points, *flat]) in (0, 2)


@FEW
@given(
    parameters=st.fixed_dictionaries(
        {},
        optional={
            "gamma": st.floats() | st.none() | texts,
            "tau": st.floats() | st.none() | st.sampled_from(["auto", "²"]),
            "balance": st.floats() | st.none(),
            "similarity": texts | st.sampled_from(["gaussian", "knn"]),
            "sigma": st.floats() | texts,
            "n_neighbors": st.integers(-2, 40) | st.floats(),
        },
    )
)
@example(parameters={"balance": 1e308})
@example(parameters={"gamma": 1e300, "tau": 1e-300})
def test_any_parameter_of_an_estimator_is_said_or_fits(parameters):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 2)), np.r_[0, 1, [-1] * 22]
    model, said = mavr.MAVRClassifier(**parameters), ""
    try:
        model.fit(X, y)
    except (ValueError, TypeError) as error:
        said = str(error) or "no sentence"
    if said:
        assert said != "no sentence"
        return
    assert set(model.transduction_) <= {-1, 0, 1}
    assert not np.isnan(model.label_distributions_).any()
