"""Figures of the Theory page: plain values that JSON has, and what they show."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mavr
from lab.theory.figures import bounds, roots, volumes
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import hard, kronecker, pitfalls, root, volume
from tests.theory_problems import circles


def every_figure():
    graph, Y, _ = circles(seed=43, sigma=3.0, n=60)
    S, tau = spectrum_of(graph), float(np.sqrt(3))
    s = root.secular(S, Y, None, 99.0, tau)
    Q = volume.form([0.3, 1.0, 3.0], volume.rotation_3d(0.7, 0.5))
    thrown = volume.sample(Q, 500, 0)
    product = kronecker.product(kronecker.two_classes(0.5), np.asarray(mavr.laplacian(graph.W)))
    points, moved = np.random.default_rng(0).random((60, 2)), np.linspace(0, 1, 60)
    labels, ties = np.arange(60) % 3, np.arange(60) > 50
    degrees, places = hard.circle(1.5)
    Q2, y2 = hard.example(0.0)
    found = hard.compare(Q2, y2, 1.0, 1.5)
    short = pitfalls.shortcut(S, Y, 99.0, tau)
    rows = [("measured", [("error", 1.0)], "#000"), ("none", [("a", np.inf)], "#000")]
    return {
        "octants": volumes.octant_bars(thrown, volume.octant_volumes(Q)),
        "cloud": volumes.cloud(thrown, 0.5),
        "heat": volumes.heat(np.eye(3)),
        "products": volumes.products(product),
        "two": volumes.two_classes(degrees[:181], degrees[:181], degrees[:181], 60.0),
        "cut": volumes.cut_ellipse(places, places, places[0]),
        "bounds": bounds.bounds(rows, "error"),
        "moved": bounds.moved_map(points, moved, [0], [1, 2]),
        "ties": bounds.tie_map(points, labels, ties, [0]),
        "strengths": bounds.strengths(np.geomspace(1, 1e-30, 60), ties),
        "limit": bounds.limit(np.array([1.0, 0.1]), {"a": np.array([3, 0])}),
        "responses": bounds.responses(points, points > 0.5, ("a", "b"), [0.1, np.inf]),
        "losses": bounds.loss_bars({"loss 2": 0.3}),
        "steps": roots.norm_steps(s, s.find().steps, 2),
        "poles": roots.poles_figure(s, s.root),
        "landscape": roots.landscape(degrees, hard.objective(Q2, y2, 1.0, places), found),
        "two roots": roots.two_roots(short.by_sums, short.by_rows),
    }


FIGURES = every_figure()


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_plain_dictionaries_that_plotly_takes(name):
    figure = FIGURES[name]
    assert set(figure) == {"data", "layout"}
    # No arrays, no infinities: strict JSON.
    assert json.loads(json.dumps(figure, allow_nan=False)) == figure
    # Plotly knows every property.
    graph_objects = pytest.importorskip("plotly.graph_objects")
    graph_objects.Figure(figure)


def test_the_scale_of_rho_is_one_to_one_and_keeps_what_matters_inside():
    graph, Y, _ = circles(seed=43)
    s = root.secular(spectrum_of(graph), Y, None, 99.0, float(np.sqrt(3)))
    scale = roots.Scale(s, s.root)
    left, right = scale.ends
    for rho in (s.interval[0], s.root, -1.0, *scale.poles):
        assert left < scale.place(rho) < right
        back = float(scale.rho(np.array(scale.place(rho))))
        assert back == pytest.approx(rho, rel=1e-9, abs=1e-12)
    places = [scale.place(p) for p in scale.poles]
    assert (np.diff(places) > roots.APART).all()
    assert len(places) <= roots.POLES
    assert np.diff(scale.grid()).min() > 0
    ticks = sorted(scale.place(t) for t in scale.ticks())
    assert (np.diff(ticks) > 1.0).all()


def test_the_steps_of_the_root_finder_lie_on_the_curve():
    graph, Y, _ = circles(seed=43)
    s = root.secular(spectrum_of(graph), Y, None, 99.0, float(np.sqrt(3)))
    steps = s.find().steps
    for shown in (0, 1, len(steps)):
        trace = roots.norm_steps(s, steps, shown)["data"][-1]
        assert trace["x"] == [float(d) for d in steps[:shown]]
        heights = [float(s.norm(s.interval[1] - d)[0]) for d in steps[:shown]]
        assert trace["y"] == pytest.approx(heights)


def test_bars_end_with_their_sums():
    figure = FIGURES["bounds"]
    assert [a["text"] for a in figure["layout"]["annotations"]] == ["1", "no bound"]
    assert sum(bar["x"][0] for bar in figure["data"] if bar["y"] == ["measured"]) == 1.0
