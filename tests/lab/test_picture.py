"""What the browser is sent: little, finite, and as the answers say."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import datasets
from lab.board.answers import compute
from lab.board.face import Classes
from lab.board.picture import as_frame, as_json, class_type, points_id
from lab.board.suggest import suggestions
from lab.board.view import fresh_view
from lab.data import Data
from lab.page import Page
from mavr.settings import Setting
from tests.lab.driver import App, decoded

FACE = Classes()


@pytest.fixture(scope="module")
def view():
    return fresh_view(Data("three_circles"))


def sent(view, have=None, files=None):
    return FACE.picture(view, FACE.compute(view, files or {}), have)


def test_a_click_does_not_send_the_points_again(view):
    first, again = sent(view), sent(view, points_id(view))
    assert len(decoded(as_json(first)["points"], "<f4")) == 600
    assert again["points"] is None
    assert again["truth"] is None
    unshaded = as_json(sent(replace(view, shade=False), points_id(view)))
    assert len(json.dumps(unshaded)) < 16_000


def test_labels_do_not_name_other_points_but_paint_does(view):
    more = replace(view, marks=replace(view.marks, labels=((1, 1),)))
    moved = replace(view, marks=replace(view.marks, moved=((1, 0.0, 0.0),)))
    assert points_id(more) == points_id(view) != points_id(moved)


def test_json_and_the_frame_say_the_same(view):
    picture = sent(view)
    text, raw = json.loads(json.dumps(as_json(picture))), as_frame(picture)
    size = int.from_bytes(raw[:4], "little")
    header, body = json.loads(raw[4 : 4 + size]), raw[4 + size :]

    def unpacked(value):
        if isinstance(value, dict) and "$" in value:
            at, length = value["$"]
            return body[at : at + length]
        if isinstance(value, dict):
            return {k: unpacked(v) for k, v in value.items()}
        return [unpacked(v) for v in value] if isinstance(value, list) else value

    found = unpacked(header)
    for name in ("pred", "conf", "flags", "H", "grid"):
        for a, b in zip(found["panels"], text["panels"], strict=True):
            assert a[name] == decoded(b[name], "u1").tobytes()
    assert found["names"] == text["names"]
    assert len(raw) < len(json.dumps(text))


def test_arrays_have_their_byte_order_whatever_the_machine(view):
    picture = {"a": np.array([1, 2], dtype=">i2"), "b": [np.array([1.5], dtype=">f4")]}
    text = as_json(picture)
    assert decoded(text["a"], "<i2").tolist() == [1, 2]
    assert decoded(text["b"][0], "<f4").tolist() == [1.5]


def test_a_frame_with_no_number_is_a_fault():
    with pytest.raises(ValueError, match="JSON"):
        as_frame({"a": float("nan")})


def test_more_than_127_classes_take_two_bytes():
    assert [class_type(c) for c in (2, 127, 128, 999)] == ["i1", "i1", "i2", "i2"]
    rng = np.random.default_rng(0)
    y = np.arange(150)
    many = datasets.Dataset("d", rng.normal(size=(150, 2)), y, tuple(map(str, y)))
    name = "file:00000000000150aa"
    view = replace(fresh_view(Data(name), {name: many}), left="lgc")
    picture = sent(view, None, {name: many})
    assert picture["wide"]
    assert picture["labels"].dtype == np.int16
    assert picture["labels"].max() == 149


def test_responses_are_sent_for_the_tooltip_while_they_are_small(view):
    assert sent(view)["panels"][0]["H"] is not None
    large = fresh_view(Data("digits", (("n", 1300),)))
    assert sent(replace(large, shade=False))["panels"][0]["H"] is None


def test_names_from_a_file_are_text(view):
    evil = '<img src=x onerror="alert(1)">'
    data = datasets.Dataset("d", np.eye(4)[:, :2], [0, 1, 0, 1], (evil, "b"))
    name = "file:00000000000e711a"
    view = fresh_view(Data(name), {name: data})
    assert "<img" not in sent(view, None, {name: data})["below"]


def test_the_answers_are_said_in_one_line(view):
    words = sent(view)["spoken"]
    assert "MAVR" in words
    assert "% wrong" in words
    assert "40 of 300 points differ" in words
    none = replace(view, marks=replace(view.marks, labels=()))
    assert sent(none)["spoken"] == "No point is labelled."
    assert sent(none)["panels"] == []


def test_ties_of_one_method_are_no_agreement_in_words():
    """Smooth beyond all measure, MAVR is tied everywhere and LGC says one class of all points."""
    data = Data("three_circles", (("n", 1731.0),))
    setting = Setting().having(gamma=6.9e7, tau=2.3e5, balance=0.668, sigma=14.5)
    picture = sent(replace(fresh_view(data), setting=setting, shade=False))
    assert picture["panels"][0]["sub"] == "wrong, 1731 tied"
    assert "agree everywhere" not in picture["below"]
    assert "disagree on 1731 of 1731 points, where only one names a class" in picture["below"]
    # It takes two lines on a phone.
    assert '<span class="told long">' in picture["below"]
    assert picture["spoken"].endswith("1731 of 1731 points differ.")


def test_next_points_are_open_ones(view):
    asked = replace(view, suggest=True)
    result = compute(asked, {})
    found = suggestions(asked, result)
    assert [s["kind"] for s in found] == ["least certain", "most informative"]
    assert sent(asked)["suggest"] == found
    assert not {s["index"] for s in found} & {i for i, _ in view.marks.labels}


def test_an_answer_carries_no_code():
    app = App()
    sizes = {
        e.proto.component_name: len(e.proto.js_content) for e in app.test.get("bidi_component")
    }
    assert sizes["mavr_code_board"] > 10_000
    assert sizes["mavr_board"] < 1_000
    assert isinstance(app.state, Page)
