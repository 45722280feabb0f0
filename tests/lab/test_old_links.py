"""Links of the first version still open, and mean what they meant."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from lab.board.view import CODEC, fresh_view
from lab.data import Data, load
from lab.link import get_at
from lab.sets.view import CODEC as SETS

GRAPH, WITH = "setting.graph.", "setting.parameters."

# A link as the first version wrote it, and what the view must hold.
BOARD = [
    (
        "data=three_circles&labels=2.0_107.1_153.2&seed=43",
        {"data": Data(seed=43), "marks.labels": ((2, 0), (107, 1), (153, 2))},
    ),
    (
        "seed=1&sigma=1&data=three_circles&p.noise=0.2&labels=12.0_80.1_250.2",
        {"data": Data("three_circles", (("noise", 0.2),), 1), f"{GRAPH}sigma": 1.0},
    ),
    (
        # The first version wrote parameters at their usual place as well.
        "data=three_circles&p.n=300&p.noise=0.5&labels=",
        {"data": Data(), "marks.labels": ()},
    ),
    (
        "data=unequal_blobs&seed=2&right=mavr&own=1&balance2=1&labels=3.0_90.1_200.2",
        {
            "data": Data("unequal_blobs", (), 2),
            "right": "mavr",
            "own": True,
            "second.balance": 1.0,
            "second.gamma": 99.0,
            "second.tau": 1.0,
        },
    ),
    (
        "data=two_moons&graph=local_scaling&labels=0.0_160.1",
        {f"{GRAPH}similarity": "local_scaling", f"{GRAPH}n_neighbors": 7, f"{GRAPH}width": 1.0},
    ),
    (
        "graph=knn&k=5&data=three_circles&p.noise=0.1&labels=0.0_60.1",
        {f"{GRAPH}similarity": "knn", f"{GRAPH}n_neighbors": 5},
    ),
    (
        "data=rings&graph=local_scaling&k=10&labels=0.0_50.1_100.2"
        "&P=1~0~0~0_0~1~0~0_0~0~1~0.5_0~0~0.5~1",
        {f"{GRAPH}n_neighbors": 10, f"{WITH}P": ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0.5),
                                                 (0, 0, 0.5, 1))},
    ),
    (
        "gamma=1000000&tau=0.001&balance=12.5&data=three_circles&labels=5.1",
        {f"{WITH}gamma": 1e6, f"{WITH}tau": 0.001, f"{WITH}balance": 12.5},
    ),
    (
        "left=unconstrained&right=laprls&lambdaA=0.01&lambdaI=3&L=unnormalized"
        "&data=three_circles&labels=5.1",
        {
            "left": "unconstrained",
            "right": "laprls",
            f"{WITH}lambda_A": 0.01,
            f"{WITH}lambda_I": 3.0,
            f"{GRAPH}laplacian": "unnormalized",
        },
    ),
    (
        "own=1&gamma2=5&tau2=2&balance2=0.5&right=mavr&data=three_circles&labels=5.1",
        {"second.gamma": 5.0, "second.tau": 2.0, "second.balance": 0.5},
    ),
    (
        "data=three_circles&labels=5.1_300.0&add=0.5~-1.25~0_2~2~-1&move=7~1.5~2_300~0~1&cut=3_9",
        {
            "marks.added": ((0.5, -1.25, 0), (2.0, 2.0, -1)),
            "marks.moved": ((7, 1.5, 2.0), (300, 0.0, 1.0)),
            "marks.deleted": (3, 9),
        },
    ),
    (
        "shade=0&errors=0&disagree=1&suggest=1&split=1&data=three_circles&labels=5.1&extra=2",
        {"shade": False, "errors": False, "disagree": True, "suggest": True, "split": True,
         "marks.extra": 2},
    ),
    (
        # The class without labels stood before all others: its colours were not those of the set.
        "data=smile&unknown=2&seed=3&labels=0.1_40.2&P=1~0.5~0.25_0.5~2~0_0.25~0~3",
        {"data": Data("smile", (), 3, 2), "marks.labels": ((0, 0), (40, 1)),
         f"{WITH}P": ((2, 0, 0.5), (0, 3, 0.25), (0.5, 0.25, 1))},
    ),
    (
        "data=file%3A0123456789abcdef&labels=0.0_45.1&extra=1&graph=local_scaling",
        {"data": Data("file:0123456789abcdef"), "marks.extra": 1},
    ),
    ("data=digits&p.n=400&graph=cosine&labels=1.3", {f"{GRAPH}similarity": "cosine",
                                                      f"{GRAPH}n_neighbors": 7}),
    ("data=spiral&p.arms=3&p.turns=1.25&p.n=240&labels=", {
        "data": Data("spiral", (("arms", 3), ("n", 240), ("turns", 1.25)))}),
]  # fmt: skip
SET_LINKS = [
    ("data=multilabel", {"data": Data("multilabel"), f"{WITH}tau": None, f"{WITH}gamma": 1.0}),
    ("data=multilabel&n=600&seed=9", {"data": Data("multilabel", (("n", 600),), 9)}),
    ("norm=1&data=multilabel", {f"{WITH}tau": 1.0}),
    ("norm=1&tau=2.5&data=multilabel", {f"{WITH}tau": 2.5}),
    # A tau that was set before the norm was let go again.
    ("tau=2.5&data=multilabel", {f"{WITH}tau": None}),
    (
        "data=multilabel&T=-0.005~0~0.01&each=1&labels=12.10x_40.xx1",
        {
            "thresholds": (-0.005, 0.0, 0.01),
            "per_label": True,
            "labels.rows": ((12, (1, -1, 0)), (40, (0, 0, 1))),
        },
    ),
    (
        "rule=learned&shown=1&errors=1&data=multilabel&share=0.3&draw=4&tells=one",
        {
            "rule": "learned",
            "identity": True,
            "errors": True,
            "labels.share": 0.3,
            "labels.draw": 4,
            "labels.tells": "one",
        },
    ),
    (
        "relation=own&data=multilabel&P=1~-0.5~0_-0.5~1~0_0~0~1",
        {"relation": "own", f"{WITH}P": ((1, -0.5, 0), (-0.5, 1, 0), (0, 0, 1))},
    ),
    (
        "graph=gaussian&sigma=0.001&strength=0.9&standard=1&L=unnormalized&data=multilabel&share=0",
        {
            f"{GRAPH}similarity": "gaussian",
            f"{GRAPH}sigma": 0.001,
            "strength": 0.9,
            "standardise": True,
            "labels.share": 0.0,
        },
    ),
]


def value(view, path):
    *parents, name = path.split(".")
    owner = get_at(view, tuple(parents))
    return getattr(owner, name) if hasattr(owner, name) else owner.value(name)


def opened(codec, link):
    view, problems = codec.read(dict(parse_qsl(link, keep_blank_values=True)))
    assert problems == []
    return view


@pytest.mark.parametrize(("link", "meaning"), BOARD, ids=[link for link, _ in BOARD])
def test_a_link_to_the_board(link, meaning):
    view = opened(CODEC, link)
    assert {path: value(view, path) for path in meaning} == meaning


@pytest.mark.parametrize(("link", "meaning"), SET_LINKS, ids=[link for link, _ in SET_LINKS])
def test_a_link_to_label_sets(link, meaning):
    view = opened(SETS, link)
    assert {path: value(view, path) for path in meaning} == meaning


@pytest.mark.parametrize("name", ["smile", "rings_one", "three_circles"])
def test_the_name_of_a_set_alone_means_its_own_setting_and_labels(name):
    view = opened(CODEC, f"data={name}")
    assert view == fresh_view(Data(name))
    source = load(view.data, {})
    if name != "three_circles":
        assert {i for i, _ in view.marks.labels} == set(source.labelled.tolist())
