"""Links: what is written is read back, what cannot be read is a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from lab.board.view import CODEC, View, fresh_view
from lab.data import Data
from lab.link import MAX_TEXT
from lab.sets.view import CODEC as SETS
from lab.sets.view import LabelView
from tests.lab.views import label_views, links, views

CODECS = {"playground": CODEC, "multilabel": SETS}


@given(views)
def test_a_link_of_the_board_says_everything(view):
    assert CODEC.read(CODEC.write(view)) == (view, [])


@given(label_views)
def test_a_link_of_label_sets_says_everything(view):
    assert SETS.read(SETS.write(view)) == (view, [])


@given(links(CODEC.names()))
def test_no_link_breaks_the_board(query):
    view, problems = CODEC.read(query)
    assert isinstance(view, View)
    assert all(p.startswith("The link was not followed") for p in problems)
    assert all(len(p) < 400 for p in problems)
    # What was understood has a link of its own.
    assert CODEC.read(CODEC.write(view)) == (view, [])


@given(links(SETS.names()))
def test_no_link_breaks_label_sets(query):
    view, problems = SETS.read(query)
    assert isinstance(view, LabelView)
    assert all(len(p) < 400 for p in problems)
    assert SETS.read(SETS.write(view)) == (view, [])


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_every_name_of_a_link_is_its_own(codec):
    assert len(codec.names()) == len(set(codec.names()))


def test_a_usual_view_has_a_short_link():
    assert SETS.write(LabelView()) == {"data": "multilabel"}
    assert CODEC.write(View()) == {"data": "three_circles", "labels": ""}


def test_a_link_without_labels_means_the_sets_own():
    view, problems = CODEC.read({"data": "smile", "gamma": "5"})
    own = fresh_view(Data("smile"))
    assert not problems
    assert view.marks == own.marks
    assert view.setting == own.setting.having(gamma=5.0)
    assert CODEC.read({"data": "smile", "labels": ""})[0].marks.labels == ()


def test_a_link_to_a_file_keeps_everything_for_it():
    query = {"data": "file:0123456789abcdef", "labels": "3.1", "gamma": "7"}
    view, problems = CODEC.read(query)
    assert not problems
    assert view.data.uploaded
    assert view.marks.labels == ((3, 1),)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"gamma": "-1"}, "Smoothness γ"),
        ({"tau": "nan"}, "Response size τ"),
        ({"balance": "-1"}, "Balance γ′"),
        ({"P": "1~2_2~1"}, "smallest eigenvalue is -1"),
        ({"P": "1~2_3"}, "square"),
        ({"P": "1~x_x~1"}, "numbers"),
        ({"labels": "1.x"}, "the class of a label"),
        ({"labels": "17"}, "12.0"),
        ({"labels": "².0"}, "the point of a label"),
        ({"graph": "magic"}, "magic"),
        ({"data": "nowhere"}, "nowhere"),
        ({"data": "two_moons", "p.foo": "1"}, "foo"),
        ({"data": "two_moons", "p.n": "1"}, "Points must be in"),
        ({"add": "1~2"}, "an added point must have 3 numbers"),
        ({"add": "1~2~-2"}, "class"),
        ({"move": "-1~2~3"}, "a moved point"),
        ({"cut": "-5"}, "a deleted point"),
        ({"seed": "-1"}, "Draw seed must be"),
        ({"seed": "4294967296"}, "seed"),
        ({"seed": "9" * 5000}, "5000 characters"),
        ({"gamma": "9" * 5000}, "5000 characters"),
        ({"labels": "9" * 5000 + ".0"}, "the point of a label"),
        ({"add": "0~0~" + "9" * 5000}, "an added point"),
        ({"extra": "13"}, "the number of added classes"),
        ({"shade": "yes"}, "Shade the plane must be 0 or 1"),
        ({"unknown": "1.5"}, "whole"),
    ],
)
def test_a_bad_link_of_the_board_is_explained(query, word):
    view, problems = CODEC.read({"labels": "", **query})
    assert len(problems) == 1
    assert word in problems[0]
    # The rest is followed: only what is wrong is left out.
    assert view == View(data=Data(query.get("data", "").replace("nowhere", "") or "three_circles"))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"data": "nowhere"}, "not known"),
        ({"data": "rings"}, "not known"),
        ({"gamma": "-1"}, "Smoothness γ must be in"),
        ({"balance": "-1"}, "Balance γ′ must be in"),
        ({"strength": "1"}, "Strength s must be in 0 … 0.95"),
        ({"rule": "best"}, "one of preset, learned, frequency"),
        ({"share": "2"}, "Share labelled must be in"),
        ({"share": "much"}, "must be a number"),
        ({"draw": "x"}, "must be a number"),
        ({"tells": "lies"}, "one of all, has, one"),
        ({"labels": "3.12"}, "not a row of labels"),
        ({"labels": "².10x"}, "the point of a label must be a whole number"),
        ({"labels": "1." + "1" * 17}, "not a row of labels"),
        ({"T": "inf"}, "Threshold T must be in"),
        ({"T.16": "1"}, "the number of a threshold"),
        ({"T.x": "1"}, "the number of a threshold"),
        ({"P": "1~2_3"}, "square matrix"),
        ({"P": "1~2_2~1"}, "positive definite"),
        ({"n": "10"}, "Points must be in 60 … 1200"),
    ],
)
def test_what_cannot_be_read_of_label_sets_is_said_and_left_out(query, sentence):
    view, problems = SETS.read(query)
    assert view == LabelView()
    assert len(problems) == 1
    assert sentence in problems[0]


def test_a_text_beyond_all_measure_is_not_read_at_all():
    assert CODEC.read({"labels": "1.0_" * MAX_TEXT, "data": "smile"})[1] == []


@pytest.mark.parametrize(
    ("text", "prior"),
    [("labels", "labels"), ("1~3~9", (1.0, 3.0, 9.0)), ("0~0.5~2", (0.0, 0.5, 2.0))],
)
def test_the_proportions_of_classes_in_a_link(text, prior):
    view, problems = CODEC.read({"data": "three_circles", "labels": "", "prior": text})
    assert not problems
    assert view.setting.parameters.class_prior == prior
    assert CODEC.write(view)["prior"] == text
    assert view.parameters(3, right=True).class_prior == prior
    assert "prior" not in CODEC.write(replace(view, setting=view.setting.having(class_prior=None)))


@pytest.mark.parametrize("text", ["", "0~0", "-1~2", "nan~1", "1e13", "one", "9" * 50])
def test_proportions_that_are_none_are_said(text):
    view, problems = CODEC.read({"data": "three_circles", "labels": "", "prior": text})
    assert view.setting.parameters.class_prior is None
    assert len(problems) == 1
    assert "Class proportions must be" in problems[0]


def test_proportions_fit_the_number_of_classes():
    view = replace(View(), setting=View().setting.having(class_prior=(1.0, 3.0, 9.0)))
    assert view.parameters(4).class_prior == (1.0, 3.0, 9.0, 1.0)
    assert view.parameters(2).class_prior == (1.0, 3.0)
    none = replace(View(), setting=View().setting.having(class_prior=(0.0, 0.0, 9.0)))
    assert none.parameters(2).class_prior is None
