"""The headers of every answer, and charts that Plotly does not check at every click."""

from __future__ import annotations

import asyncio

import numpy as np
import plotly.graph_objects as go
import plotly.tools
import pytest

from lab import charts
from lab.server.policy import HEADERS, Policy


def headers(given=(), kind="http"):
    """What a browser is sent."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": f"{kind}.response.start", "status": 200, "headers": list(given)})
        await send({"type": f"{kind}.response.body", "body": b"x"})

    async def send(message):
        sent.append(message)

    asyncio.run(Policy(app)({"type": kind}, None, send))
    assert sent[1]["body"] == b"x"
    return dict(sent[0]["headers"])


def test_every_answer_says_what_a_page_may_load():
    found = headers([(b"content-type", b"text/html")])
    assert found[b"content-type"] == b"text/html"
    for name, text in HEADERS.items():
        assert found[name.encode()] == text.encode()
    policy = found[b"content-security-policy"].decode()
    # No other host anywhere.
    assert "http" not in policy
    assert "*" not in policy


def test_what_an_answer_says_itself_it_keeps():
    assert headers([(b"Referrer-Policy", b"no-referrer")])[b"Referrer-Policy"] == b"no-referrer"
    assert headers(kind="websocket") == {}


def figures():
    from mavr.graphs.graph import graph_of
    from mavr.settings import GraphSpec, Parameters
    from mavr.solvers.solver import solve
    from mavr.solvers.spectrum import spectrum_of

    X = np.random.default_rng(0).normal(size=(40, 2))
    spectrum = spectrum_of(graph_of(GraphSpec(), X))
    Y = np.zeros((40, 2))
    Y[0, 0] = Y[1, 1] = 1
    curve = charts.norm_curve(spectrum, Y, Parameters(), 1.4)
    yield "secular", charts.secular_figure(*curve, 1.4, solve(spectrum, Y, tau=1.4))
    points = [{"labels": 3, "left": 0.1, "right": None}, {"labels": 4, "left": 0.2, "right": 0.3}]
    yield "labels", charts.label_curve(points, "MAVR", "LGC")
    yield "eigengap", charts.eigengap_figure(spectrum.lam, 2)


@pytest.mark.parametrize(("name", "figure"), [pytest.param(*f, id=f[0]) for f in figures()])
def test_a_chart_that_is_not_checked_at_every_click_is_checked_here(name, figure):
    """Plotly's objects refuse what is no figure; what is sent is the very dictionary."""
    go.Figure(**figure)
    sent = plotly.tools.return_figure_from_figure_or_data(charts.Checked(figure), True)
    assert sent is figure
