"""Pages opened by links: a picture or a sentence, never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from lab.board.view import CODEC
from lab.data import NOT_HERE
from lab.sets.view import CODEC as SETS
from lab.text import plain
from tests.lab.driver import App, same_picture
from tests.lab.views import links

CODECS = {"playground": CODEC, "serendipity": CODEC, "multilabel": SETS}


def check(app: App) -> None:
    assert not app.test.exception
    shown = app.components("board")
    said = [e.value for e in (*app.test.error, *app.test.info, *app.test.warning)]
    assert shown or said
    assert all(text.strip() for text in said)


@given(links(CODEC.names()))
@settings(max_examples=40)
def test_the_playground_opens_by_any_link(query):
    check(App("playground", query))


@given(links(SETS.names()))
@settings(max_examples=20)
def test_label_sets_open_by_any_link(query):
    check(App("multilabel", query))


@pytest.mark.parametrize("page", CODECS)
@pytest.mark.parametrize(
    "query",
    [
        {"data": "three_circles", "seed": "-1"},
        {"labels": "².0"},
        {"cut": "-5"},
        {"seed": "4294967296"},
        {"seed": "9" * 5000},
        {"gamma": "9" * 5000},
        {"labels": "9" * 5000},
        {"P": "1~nan_nan~1"},
        {"balance": "1e-320"},
        {"T": "0~x"},
    ],
)
def test_links_that_once_broke_a_page(page, query):
    app = App(page, query)
    check(app)
    assert app.components("board")
    known = {name for name in query if name in CODECS[page].names()}
    assert bool(app.problems()) == bool(known - {"data"})


@pytest.mark.parametrize(
    "query",
    [
        {"data": "three_circles", "labels": "5.1", "extra": "12", "P": "2~1_1~2"},
        {"data": "three_circles", "labels": "5.1", "add": "1e12~1e12~0_-1e12~0~1"},
        {"data": "grid_outliers", "unknown": "1"},
        {"data": "digits", "unknown": "3", "p.n": "100"},
        {"data": "multilabel"},
        {"data": "three_circles", "gamma": "1e15", "tau": "1e15", "labels": "5.1"},
        {"data": "three_circles", "gamma": "1e-12", "tau": "1e-12", "labels": "5.1"},
        {"data": "three_circles", "sigma": "1e-9", "labels": "5.1"},
        {"data": "three_circles", "sigma": "1e9", "labels": "5.1"},
        {"data": "three_circles", "tau": "none", "labels": "5.1"},
        {"data": "three_circles", "own": "1", "tau2": "none", "right": "mavr", "labels": "5.1"},
        {"data": "three_circles", "graph": "knn", "k": "1000", "labels": "5.1"},
        {"data": "three_circles", "graph": "cosine", "k": "1", "labels": "5.1"},
        {"data": "three_circles", "L": "unnormalized", "power": "4", "labels": "5.1"},
        {"data": "three_circles", "split": "1", "suggest": "1", "labels": "5.1"},
        {"data": "three_circles", "left": "laprls", "right": "bavr", "labels": "5.1_6.1"},
        {"data": "three_circles", "labels": "_".join(f"{i}.0" for i in range(300))},
    ],
)
def test_extreme_links_open(query):
    app = App("playground", query)
    check(app)
    assert not app.problems()


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"labels": "0.0_299.2", "cut": "_".join(map(str, range(299)))}, "too few would be left"),
        ({"labels": "9999999.0_5.1"}, "1 of 2 labels"),
        ({"labels": "5.999"}, "1 of 1 labels"),
        ({"labels": "5.1", "move": "5~1e12~-1e12_9999999~0~0"}, "moves or deletes are not here"),
        ({"labels": "5.1", "unknown": "999"}, "no class 1000"),
        ({"labels": "5.1", "P": "2~0~0~0_0~2~0~0_0~0~2~0_0~0~0~2"}, "P is for 4 classes"),
        ({"data": "digits", "p.n": "100", "labels": "5.1", "cut": "3"}, "neither added nor moved"),
    ],
)
def test_what_a_link_says_of_points_that_are_not_there_is_told(query, word):
    app = App("playground", {"data": "three_circles", **query})
    check(app)
    assert len(app.problems()) == 1
    assert word in app.problems()[0]


@pytest.mark.parametrize(
    "query",
    [
        {"graph": "gaussian", "sigma": "1e-9"},
        {"graph": "gaussian", "sigma": "1e9", "rule": "learned"},
        {"share": "0"},
        {"share": "1", "rule": "frequency", "each": "1"},
        {"tells": "one", "share": "0.01", "rule": "learned", "each": "1"},
        {"labels": "0.1_1.0101_2.xxx", "T": "1e6"},
        {"norm": "1", "tau": "1e15", "gamma": "1e15"},
        {"relation": "own", "P": "1"},
        {"relation": "own"},
        {"n": "60", "k": "1000"},
    ],
)
def test_extreme_links_of_label_sets_open(query):
    app = App("multilabel", {"data": "multilabel", **query})
    check(app)
    assert not app.problems()


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"section": "hard", "radius": "99"}, "Norm τ must be in 0.3 … 2"),
        ({"section": "hard", "radius": "much"}, "Norm τ must be in"),
        ({"section": "accuracy", "kind": "none"}, "Problem must be one of without constraint"),
        ({"section": "nowhere"}, "Section must be one of Volume"),
    ],
)
def test_a_link_of_the_theory_that_was_clamped_says_so(query, word):
    app = App("theory", query)
    assert not app.test.exception
    (said,) = app.problems()
    assert plain(word) in said
    app.test.run()
    assert not app.problems()


@pytest.mark.parametrize("page", CODECS)
def test_a_file_that_is_not_here_is_asked_for(page):
    app = App(page, {"data": "file:0123456789abcdef", "labels": ""})
    assert not app.test.exception
    said = [e.value for e in (*app.test.error, *app.test.info)]
    assert said == [plain(NOT_HERE)]


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("playground", {"data": "two_moons", "gamma": "3", "labels": "1.0_200.1", "right": "bavr"}),
        ("serendipity", {"data": "smile", "split": "1"}),
    ],
)
def test_a_page_opened_by_its_own_link_is_the_same(page, query):
    app = App(page, query)
    board = app.board()
    again = App(page, board["link"])
    same_picture(board, again.board())
    assert again.view == app.view
