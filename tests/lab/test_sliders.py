"""Sliders, P's editor and the board's events as a browser sends them, good and bad."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lab.board.face import MAX_LIVE_POINTS
from lab.board.stage import new_events
from lab.data import Data
from lab.relation import named, problem, spoken
from lab.sliders import RESTS, Slider
from lab.theory.slide import taken
from mavr.settings import BALANCE, GAMMA, TAU, GraphSpec, Number
from tests.lab.driver import App, labels


def test_a_slider_is_drawn_from_its_declaration():
    sent = Slider(GAMMA, 5.0, 99.0).sent()
    assert sent == {
        "link": "gamma", "label": "Smoothness γ", "help": GAMMA.help, "value": 5.0, "usual": 99.0,
        "low": 1e-3, "high": 1e9, "least": 1e-12, "most": 1e15, "range": GAMMA.range, "log": True,
        "whole": False, "zero": False, "none": False,
    }  # fmt: skip


def test_a_slider_that_makes_another_graph_says_up_to_where_it_is_followed():
    sigma, noise = GraphSpec().about.parameters[0], Data("three_circles").numbers[1]
    for about in (sigma, replace(noise, link=f"p.{noise.name}")):
        assert Slider(about, 0.5, 0.5).sent()["help"] == f"{about.help} {RESTS}"
    assert f"{MAX_LIVE_POINTS:,}" in RESTS


@pytest.mark.parametrize("value", [1e-12, 1e15, 1e-3, 1e9])
def test_a_slider_reaches_the_value_of_a_link(value):
    sent = Slider(GAMMA, value, 99.0).sent()
    assert sent["low"] <= value <= sent["high"]


def test_zero_is_off_the_logarithmic_scale():
    sent = Slider(BALANCE, 0.0, 0.0).sent()
    assert sent["zero"]
    assert sent["low"] > 0
    assert math.isfinite(math.log(sent["high"] / sent["low"]))


def test_a_linear_slider_reaches_below_zero_and_zero():
    about = Number("x", "X", "", "", -1e6, 1e6, 0.0, shown=(0.5, 2.0), logarithmic=False)
    assert Slider(about, -3.0, 0.0).sent()["low"] == -3.0
    assert Slider(about, 0.0, 0.0).sent()["low"] == 0.0


@pytest.fixture(scope="module")
def app() -> App:
    return App()


def test_a_slider_moves_the_picture_its_numbers_and_the_link(app):
    before = app.board()
    app.slide(gamma=1)
    after = app.board()
    assert after["step"] > before["step"]
    assert after["panels"][0]["H"] != before["panels"][0]["H"]
    assert after["below"] != before["below"]
    assert "gamma=1" in app.link()
    assert app.sliders()["gamma"]["value"] == 1.0


def test_what_a_slider_may_not_say_is_a_sentence(app):
    view = app.view
    for text in ("-1", "nan", "9" * 5000, "<b>"):
        app.change({"gamma": text})
        assert app.view == view
        (sentence,) = app.sentences
        assert sentence.startswith("Smoothness γ must be")
    app.slide(gamma=2)
    assert app.sentences == []


@pytest.mark.parametrize(
    "sent",
    [
        None,
        3,
        [],
        {"seq": "1", "changes": {}},
        {"seq": 10**9, "changes": [1]},
        {"seq": True, "changes": {"gamma": "5"}},
        {"seq": 0, "changes": {"gamma": "5"}},
        {"seq": 10**6, "changes": {"nothing": "5", "gamma2": None}},
    ],
)
@pytest.mark.parametrize("component", ["sliders", "relation"])
def test_what_is_no_change_changes_nothing(app, component, sent):
    view = app.view
    app.say(component, "sent", sent)
    assert app.view == view


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "events",
        {"list": None},
        {"list": [None, 3, {}, {"seq": "x"}, {"seq": 10**7}], "have": 3},
        {"list": [{"seq": 10**7 + 1, "op": {}, "base": [1]}], "have": ["x"]},
    ],
)
def test_what_is_no_event_changes_nothing(app, sent):
    view = app.view
    app.say("board", "events", sent)
    assert app.view == view


def test_events_are_taken_once_and_in_order():
    events = [{"seq": k} for k in (5, 3, 9, 4)]
    assert [e["seq"] for e in new_events([*events, {"seq": True}, None], 3)] == [4, 5, 9]
    assert new_events({"seq": 9}, 0) == []


def test_ten_events_at_once_are_all_kept_and_come_only_once():
    app = App()
    before = labels(app.board())
    free = [i for i in range(300) if i not in before][:10]
    events = [{"op": "label", "indices": [i], "class": i % 3} for i in free]
    app.tell(*events)
    assert labels(app.board()) == before | {i: i % 3 for i in free}
    # The browser sends what it has not been told of yet again.
    app.test.run()
    assert len(app.state.history.past) == 10


def test_a_draft_of_p_belongs_to_the_p_that_was_edited():
    app = App()
    app.relate("1~0~3_0~1~0_3~0~1")
    app.tell({"op": "label", "indices": [20], "class": 0})
    assert app.board()["notice"]
    app.test.button(key="playground.P.Class 1 repelled by the others").click().run()
    assert not app.test.warning
    app.relate("1~0~3_0~1~0_3~0~1")
    app.go("playground", {"data": "three_circles", "seed": "3"})
    assert app.board()["notice"] == ""
    assert not app.test.warning


def test_a_p_that_cannot_be_used_is_a_draft_until_it_is_repaired():
    app = App()
    before = app.board()["panels"][0]["pred"]
    app.relate("1~0~3_0~1~0_3~0~1")
    assert any("smallest eigenvalue is −2" in w.value for w in app.test.warning)
    assert app.view.setting.parameters.P is None
    assert app.board()["panels"][0]["pred"] == before
    assert "not positive definite" in app.board()["notice"]
    app.test.button(key="playground.P.repair").click().run()
    assert not app.test.warning
    assert app.board()["notice"] == ""
    P = np.array(app.view.setting.parameters.P)
    assert np.linalg.eigvalsh(P).min() > 0
    app.tell({"op": "undo", "indices": []})
    assert app.view.setting.parameters.P is None


@pytest.mark.parametrize("text", ["", "1~0_0~1", "1~x~0_0~1~0_0~0~1", "1e7~0~0_0~1~0_0~0~1"])
def test_what_is_no_matrix_of_this_size_changes_nothing(text):
    app = App()
    app.relate(text)
    assert app.view.setting.parameters.P is None
    assert not app.test.warning


@pytest.mark.parametrize("first", ["gamma", "P"])
def test_a_slider_and_p_that_are_heard_of_in_one_run_are_both_kept(first):
    app = App()
    app.at_once("5", "1~0.25~0_0.25~1~0_0~0~1", first=first)
    assert app.view.setting.parameters.gamma == 5.0
    assert app.view.setting.parameters.P is not None


def test_p_is_weakened_and_named():
    app = App()
    app.relate("1~0.5~0_0.5~1~0_0~0~1")
    app.test.button(key="playground.P.weaken").click().run()
    assert app.view.setting.parameters.P[0] == (1.0, 0.25, 0.0)
    app.test.button(key="playground.P.Class 1 repelled by the others").click().run()
    assert named(3)["Class 1 repelled by the others"] == app.view.setting.parameters.P


def test_words_about_p():
    P = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 1.0]])
    words = spoken(P, ("a", "b", "c"))
    assert words == "a and b repel with 0.5; b and c attract with 0.25"
    assert spoken(np.eye(2), ("a", "b")) == "all classes are unrelated"
    assert problem(P) is None
    assert all(problem(np.array(rows)) is None for rows in named(4).values())


def test_tau_is_not_offered_where_nobody_uses_it(app):
    app.test.selectbox(key="playground.left").set_value("lgc").run()
    assert TAU.link not in app.sliders()
    app.test.selectbox(key="playground.left").set_value("mavr").run()
    assert TAU.link in app.sliders()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(0.6, 0.6), (0.25, 0.25), (4, 4.0), (0.2, None), (4.1, None), (0, None), ("1", None),
     (float("nan"), None), (True, None)],
)  # fmt: skip
def test_a_slider_of_the_theory_takes_any_value_in_its_range(wanted, found):
    about = Number("lam", "Eigenvalue", "", "", 0.25, 4.0, 1.0)
    assert taken(about, wanted) == found


def test_a_slider_of_the_theory_takes_0_and_whole_numbers_where_they_are():
    noise = Number("noise", "Noise", "", "", 0.001, 1.0, 0.3, zero=True)
    assert [taken(noise, v) for v in (0, 0.0005, 1e-3)] == [0.0, None, 1e-3]
    seed = Number("seed", "Seed", "", "", 0, 9, 0, logarithmic=False, whole=True)
    assert [taken(seed, v) for v in (0, 3.0, 3.5, 10)] == [0.0, 3.0, None, None]
