"""Small charts as plain dictionaries: Plotly's own objects take longer to build than a solve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from plotly.basedatatypes import BaseFigure

from lab.plot import Figure, across, axis, bars, curve, figure, logarithmic, named, upright
from lab.text import number
from lab.theme import FAINT, LEFT_COLOR, NEUTRAL, RIGHT_COLOR
from mavr.methods import prior_of
from mavr.settings import Parameters
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import make_problem
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import Spectrum

HEIGHT = 196


class Checked(BaseFigure):
    """A dictionary that Plotly need not check: it builds all its objects for that, at every click.

    Tests check every figure of ours once, with Plotly's own objects.
    """

    def __init__(self, figure: Figure) -> None:
        object.__setattr__(self, "figure", figure)

    def to_dict(self) -> Figure:
        found: Figure = self.__dict__["figure"]
        return found


def chart(figure: Figure, key: str, alt: str) -> None:
    """A small figure without tools."""
    st.plotly_chart(Checked(figure), key=key, config={"displayModeBar": False}, alt=alt)


def norm_curve(
    spectrum: Spectrum, Y: np.ndarray, p: Parameters, tau: float
) -> tuple[np.ndarray, np.ndarray]:
    """-rho and |H(rho)| on a logarithmic grid around the root and around 1."""
    problem = make_problem(spectrum.structure, Y, p.P, p.gamma, tau, p.balance, prior_of(p, Y))
    basis = Eigenbasis(problem, spectrum)
    top = float(np.linalg.norm(Y)) / tau
    grid = np.geomspace(min(1e-2, top * 1e-2), max(1e2, top * 10), 70)
    return grid, np.array([np.linalg.norm(basis.coordinates(d)) for d in grid])


def secular_figure(
    grid: np.ndarray, norms: np.ndarray, tau: float, solution: Solution, name: str = "MAVR"
) -> Figure:
    """The norm of the responses against -rho, where it meets tau, and LGC's rho = -1."""
    root = -float(np.asarray(solution.rho))
    at_one = float(np.exp(np.interp(0.0, np.log(grid), np.log(norms))))
    hover = "−ρ = %{x:.3g}<br>‖H‖ = %{y:.3g}"
    traces = [
        curve(grid, norms, NEUTRAL, hover),
        _mark(root, tau, f"{name}<br>ρ = −{number(root)}", LEFT_COLOR, "top right"),
        _mark(1.0, at_one, "LGC<br>ρ = −1", RIGHT_COLOR, "bottom left"),
    ]
    room = _with_room(norms, tau, at_one)
    x, y = logarithmic("−ρ", dtick=2), logarithmic("norm ‖H‖", grid=True, dtick=2, range=room)
    return figure(traces, HEIGHT, x, y, [across(tau, layer="above")])


# Share of the chart's height that two lines of words take.
WORDS = 0.36


def _with_room(norms: np.ndarray, above: float, below: float) -> list[float]:
    """Ends of the axis, as powers of ten: the words above one mark and below the other fit."""
    low, high = np.log10(norms.min()), np.log10(max(float(norms.max()), above))
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    high = max(high, (np.log10(above) - WORDS * low) / (1 - WORDS))
    low = min(low, (np.log10(below) - WORDS * high) / (1 - WORDS))
    return [float(low), float(high)]


def _mark(x: float, y: float, name: str, color: str, place: str) -> Figure:
    return named(x, y, name, color, place, hover=f"{name}<br>‖H‖ = {y:.3g}")


def label_curve(points: Sequence[dict[str, Any]], left: str, right: str) -> Figure:
    """Error of both methods as labels are added, one point per change."""
    labels = [p["labels"] for p in points]
    sides = (("left", left, LEFT_COLOR, "solid"), ("right", right, RIGHT_COLOR, "dash"))
    traces = []
    for side, name, color, dash in sides:
        errors = [None if p[side] is None else 100 * p[side] for p in points]
        about = {"mode": "lines+markers", "name": name, "marker": {"size": 6}}
        hover = f"{name}<br>%{{x}} labels: %{{y:.1f}} %"
        traces.append(curve(labels, errors, color, hover, dash, **about))
    top = max((p[s] or 0.0 for p in points for s in ("left", "right")), default=0.0)
    step = max(1, -(-(max(labels) - min(labels)) // 6))
    x = axis("labelled points", dtick=step)
    y = axis("not right, %", grid=True, range=[0, 115 * top or 1], nticks=5)
    return figure(traces, HEIGHT, x, y, legend=True)


def eigengap_figure(lam: np.ndarray, c: int) -> Figure:
    """The lowest eigenvalues of Q; a gap after the k-th says k clusters."""
    shown = lam[: max(12, c + 4)]
    k = list(range(1, len(shown) + 1))
    color = [LEFT_COLOR if i <= c else NEUTRAL for i in k]
    traces = [bars(k, shown.tolist(), color, "eigenvalue %{x}: %{y:.3g}")]
    x, y = axis("eigenvalue of Q", dtick=1), {"gridcolor": FAINT, "nticks": 5}
    shapes = [upright(c + 0.5, LEFT_COLOR, "dot", layer="above")]
    return figure(traces, HEIGHT, x, y, shapes, bargap=0.35)
