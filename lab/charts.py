"""Small charts as plain dictionaries: Plotly's own objects take longer to build than a solve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from plotly.basedatatypes import BaseFigure

from lab.text import number
from lab.theme import FAINT, FONT_SIZE, LEFT_COLOR, NEUTRAL, RIGHT_COLOR, chart_layout
from mavr.methods import prior_of
from mavr.settings import Parameters
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import make_problem
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import Spectrum

Figure = dict[str, Any]

# Above the plot, never over its points.
LEGEND_ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0}
# Plotly writes powers a quarter larger than other numbers.
POWERS = {"type": "log", "exponentformat": "power", "tickfont": {"size": FONT_SIZE / 1.25}}


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


def line(x: Any, y: Any, color: str, **more: Any) -> Figure:
    """A curve."""
    style = {"color": color, "width": 2, **more.pop("line", {})}
    return {"type": "scatter", "x": _list(x), "y": _list(y), "mode": "lines", "line": style, **more}


def level(at: float, color: str, axis: str = "y", **more: Any) -> Figure:
    """A dotted line across the chart at a value of one axis."""
    along = "x" if axis == "y" else "y"
    return {
        "type": "line",
        f"{along}ref": "paper",
        f"{along}0": 0,
        f"{along}1": 1,
        f"{axis}0": at,
        f"{axis}1": at,
        "line": {"color": color, "width": 1, "dash": "dot", **more},
    }


def _list(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


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
    curve = line(
        grid, norms, NEUTRAL, hovertemplate="−ρ = %{x:.3g}<br>‖H‖ = %{y:.3g}<extra></extra>"
    )
    marks = [
        _mark(root, tau, f"{name}<br>ρ = −{number(root)}", LEFT_COLOR, "top right"),
        _mark(1.0, at_one, "LGC<br>ρ = −1", RIGHT_COLOR, "bottom left"),
    ]
    layout = chart_layout(
        196,
        xaxis={"title": {"text": "−ρ"}, "showgrid": False, "dtick": 2, **POWERS},
        yaxis={
            "title": {"text": "norm ‖H‖"},
            "gridcolor": FAINT,
            "range": _with_room(norms, tau, at_one),
            "dtick": 2,
            **POWERS,
        },
        shapes=[level(tau, LEFT_COLOR)],
    )
    return {"data": [curve, *marks], "layout": layout}


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
    return {
        "type": "scatter",
        "x": [x],
        "y": [y],
        "mode": "markers+text",
        "text": [name],
        "textposition": place,
        "marker": {"size": 9, "color": color},
        "hovertemplate": f"{name}<br>‖H‖ = {y:.3g}<extra></extra>",
    }


def label_curve(points: Sequence[dict[str, Any]], left: str, right: str) -> Figure:
    """Error of both methods as labels are added, one point per change."""
    labels = [p["labels"] for p in points]
    sides = (("left", left, LEFT_COLOR, "solid"), ("right", right, RIGHT_COLOR, "dash"))
    curves = [
        line(
            labels,
            [None if p[side] is None else 100 * p[side] for p in points],
            color,
            mode="lines+markers",
            name=name,
            line={"dash": dash},
            marker={"size": 6},
            hovertemplate=f"{name}<br>%{{x}} labels: %{{y:.1f}} %<extra></extra>",
        )
        for side, name, color, dash in sides
    ]
    top = max((p[s] or 0.0 for p in points for s in ("left", "right")), default=0.0)
    step = max(1, -(-(max(labels) - min(labels)) // 6))
    layout = chart_layout(
        196,
        showlegend=True,
        legend=LEGEND_ABOVE,
        xaxis={"title": {"text": "labelled points"}, "showgrid": False, "dtick": step},
        yaxis={
            "title": {"text": "not right, %"},
            "gridcolor": FAINT,
            "range": [0, 115 * top or 1],
            "nticks": 5,
        },
    )
    return {"data": curves, "layout": layout}


def eigengap_figure(lam: np.ndarray, c: int) -> Figure:
    """The lowest eigenvalues of Q; a gap after the k-th says k clusters."""
    shown = lam[: max(12, c + 4)]
    k = list(range(1, len(shown) + 1))
    bars = {
        "type": "bar",
        "x": k,
        "y": shown.tolist(),
        "marker": {"color": [LEFT_COLOR if i <= c else NEUTRAL for i in k]},
        "hovertemplate": "eigenvalue %{x}: %{y:.3g}<extra></extra>",
    }
    layout = chart_layout(
        196,
        bargap=0.35,
        xaxis={"title": {"text": "eigenvalue of Q"}, "showgrid": False, "dtick": 1},
        yaxis={"gridcolor": FAINT, "nticks": 5},
        shapes=[level(c + 0.5, LEFT_COLOR, axis="x")],
    )
    return {"data": [bars], "layout": layout}
