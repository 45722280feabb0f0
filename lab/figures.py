"""Plotly figures of the pages. Functions of plain values; no Streamlit here."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR, chart_layout
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import make_problem
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import Spectrum

# Above the plot, never over its points.
LEGEND_ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0}
FAINT = "rgba(128,128,128,0.25)"


def norm_curve(
    spectrum: Spectrum, Y: np.ndarray, P: Any, gamma: float, tau: float, balance: float
) -> tuple[np.ndarray, np.ndarray]:
    """-rho and |H(rho)| on a logarithmic grid around the root and around 1."""
    problem = make_problem(spectrum.structure, Y, P, gamma, tau, balance)
    basis = Eigenbasis(problem, spectrum)
    top = float(np.linalg.norm(Y)) / tau
    grid = np.geomspace(min(1e-2, top * 1e-2), max(1e2, top * 10), 70)
    norms = np.array([np.linalg.norm(basis.coordinates(d)) for d in grid])
    return grid, norms


def secular_figure(
    grid: np.ndarray, norms: np.ndarray, tau: float, solution: Solution
) -> go.Figure:
    """The norm of the responses against -rho, where it meets tau, and LGC's rho = -1."""
    root = -float(np.asarray(solution.rho))
    at_one = float(np.interp(0.0, np.log(grid), np.log(norms)))
    figure = go.Figure()
    figure.add_scatter(
        x=grid,
        y=norms,
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hovertemplate="−ρ = %{x:.3g}<br>‖H‖ = %{y:.3g}<extra></extra>",
    )
    figure.add_hline(y=tau, line={"color": LEFT_COLOR, "width": 1, "dash": "dot"})
    for x, y, name, color, place in (
        (root, tau, f"MAVR  ρ = −{root:.3g}", LEFT_COLOR, "top right"),
        (1.0, float(np.exp(at_one)), "LGC  ρ = −1", RIGHT_COLOR, "bottom left"),
    ):
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers+text",
            text=[name],
            textposition=place,
            marker={"size": 9, "color": color},
            hovertemplate=f"{name}<br>‖H‖ = {y:.3g}<extra></extra>",
        )
    figure.update_layout(**chart_layout(196))
    figure.update_xaxes(type="log", title="−ρ", showgrid=False, exponentformat="power", nticks=5)
    figure.update_yaxes(
        type="log", title="norm ‖H‖", gridcolor=FAINT, exponentformat="power", nticks=5
    )
    return figure


def label_curve(points: list[dict[str, Any]], left: str, right: str) -> go.Figure:
    """Error of both methods as labels are added, one point per change."""
    figure = go.Figure()
    for side, name, color, dash in (
        ("left", left, LEFT_COLOR, "solid"),
        ("right", right, RIGHT_COLOR, "dash"),
    ):
        figure.add_scatter(
            x=[p["labels"] for p in points],
            y=[None if p[side] is None else 100 * p[side] for p in points],
            mode="lines+markers",
            name=name,
            line={"color": color, "width": 2, "dash": dash},
            marker={"size": 6},
            hovertemplate=f"{name}<br>%{{x}} labels: %{{y:.1f}} %<extra></extra>",
        )
    figure.update_layout(**chart_layout(196, showlegend=True, legend=LEGEND_ABOVE))
    last = [p["labels"] for p in points]
    spread = max(last) - min(last)
    figure.update_xaxes(title="labelled points", showgrid=False, dtick=max(1, -(-spread // 6)))
    top = max((p[s] or 0.0 for p in points for s in ("left", "right")), default=0.0)
    figure.update_yaxes(title="error, %", gridcolor=FAINT, range=[0, 115 * top or 1], nticks=5)
    return figure


def eigengap_figure(lam: np.ndarray, c: int) -> go.Figure:
    """The lowest eigenvalues of Q; a gap after the k-th says k clusters."""
    shown = lam[: max(12, c + 4)]
    k = np.arange(1, len(shown) + 1)
    colors = [LEFT_COLOR if i <= c else NEUTRAL for i in k]
    figure = go.Figure()
    figure.add_bar(
        x=k,
        y=shown,
        marker={"color": colors},
        hovertemplate="eigenvalue %{x}: %{y:.3g}<extra></extra>",
    )
    figure.add_vline(x=c + 0.5, line={"color": LEFT_COLOR, "width": 1, "dash": "dot"})
    figure.update_layout(**chart_layout(196, bargap=0.35))
    figure.update_xaxes(title="eigenvalue of Q", showgrid=False, dtick=1)
    figure.update_yaxes(title=None, gridcolor=FAINT, nticks=5)
    return figure
