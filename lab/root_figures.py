"""Plotly figures of the secular equation and the hard case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from lab.figures import FAINT
from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR, chart_layout
from lab.theory_figures import GOOD, LEGEND
from mavr.theory.hard import Comparison
from mavr.theory.root import Secular

# Decades shown below and above the border |H| = tau.
BELOW, ABOVE = -2.0, 3.5
# Poles drawn, and how far apart they must be to be told from each other.
POLES, APART = 6, 0.35


def norm_steps(s: Secular, iterates: Sequence[float], shown: int) -> go.Figure:
    """|H(rho)| against the distance to the pole, with the root finder's steps so far."""
    top = float(s.poles[s.first])
    final = iterates[-1]
    width = s.interval[1] - s.interval[0]
    low = min(min(iterates), width * 0.3) * 0.4
    grid = np.geomspace(low, max(width, 1.0) * 3, 120)
    figure = go.Figure()
    figure.add_vrect(x0=low, x1=width, fillcolor=LEFT_COLOR, opacity=0.07, line_width=0)
    figure.add_scatter(
        x=grid,
        y=s.norm(top - grid),
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hovertemplate="distance to the pole %{x:.3g}<br>‖H‖ = %{y:.3g}<extra></extra>",
    )
    figure.add_hline(y=s.tau, line={"color": LEFT_COLOR, "width": 1, "dash": "dot"})
    figure.add_scatter(
        x=[grid[-1]],
        y=[s.tau],
        mode="text",
        text=["‖H‖ = τ"],
        textposition="top left",
        hoverinfo="skip",
    )
    if top + 1 > 0:
        figure.add_scatter(
            x=[top + 1],
            y=s.norm(-1.0),
            mode="markers+text",
            text=["LGC  ρ = −1"],
            textposition="bottom left",
            marker={"size": 9, "color": RIGHT_COLOR},
            hovertemplate="LGC<br>‖H‖ = %{y:.3g}<extra></extra>",
        )
    done = list(iterates[:shown])
    figure.add_scatter(
        x=done,
        y=s.norm(top - np.array(done)) if done else [],
        mode="markers+lines",
        line={"color": LEFT_COLOR, "width": 1, "dash": "dot"},
        marker={
            "size": [13 if d == final else 8 for d in done],
            "color": [GOOD if d == final else LEFT_COLOR for d in done],
        },
        hovertemplate="step %{pointNumber}: distance %{x:.6g}<br>‖H‖ = %{y:.6g}<extra></extra>",
    )
    figure.update_layout(**chart_layout(240))
    figure.update_xaxes(
        type="log",
        title="distance below the pole, γλ<sub>k₀</sub> − ρ",
        showgrid=False,
        exponentformat="power",
        dtick=1,
    )
    figure.update_yaxes(
        type="log", title="norm ‖H(ρ)‖", gridcolor=FAINT, exponentformat="power", dtick=1
    )
    return figure


def poles_figure(s: Secular, root: float) -> go.Figure:
    """log(|H| / tau) over the first poles: g is positive above 0. The scale of rho is asinh."""
    touched = s.poles[s.weights > 0]
    anchor = s.interval[1]
    delta = max(anchor - root, 1e-12)
    second = float(touched[1] - anchor) if len(touched) > 1 else delta
    # Fine enough to tell the second pole from the first, if the root's distance allows it.
    unit = float(np.clip(second / 2, delta / 200, delta / 2))

    def place(rho: Any) -> Any:
        return np.arcsinh((np.asarray(rho, dtype=float) - anchor) / unit)

    ahead = [anchor]
    for pole in touched[1:]:
        if len(ahead) < POLES and place(pole) - place(ahead[-1]) > APART:
            ahead.append(float(pole))
    ends = [float(place(v)) for v in (min(s.interval[0], -1.0), ahead[-1])]
    left, right = ends[0] - 0.08 * (ends[1] - ends[0] + 2), ends[1] + 0.08 * (ends[1] - ends[0] + 2)
    # A pole is a spike: points close to it on both sides.
    spikes = np.array([place(p) for p in ahead])[:, None] + np.geomspace(1e-4, 0.2, 12) * [
        [[1]],
        [[-1]],
    ]
    u = np.unique(np.r_[np.linspace(left, right, 700), spikes.ravel()])
    u = u[(u >= left) & (u <= right)]
    rho = anchor + unit * np.sinh(u)
    level = np.log10(s.norm(rho) / s.tau)
    figure = go.Figure()
    x0, x1 = place(s.interval[0]), place(anchor)
    figure.add_vrect(x0=float(x0), x1=float(x1), fillcolor=LEFT_COLOR, opacity=0.09, line_width=0)
    figure.add_scatter(
        x=u,
        y=np.where((level >= BELOW) & (level <= ABOVE), level, np.nan),
        customdata=rho,
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hovertemplate="ρ = %{customdata:.4g}<br>‖H‖ = τ × 10^%{y:.2f}<extra></extra>",
    )
    for k, pole in enumerate(ahead):
        figure.add_vline(
            x=float(place(pole)),
            line={"color": NEUTRAL, "width": 1, "dash": "dash"},
            opacity=0.9 if k == 0 else 0.45,
        )
    figure.add_hline(y=0, line={"color": LEFT_COLOR, "width": 1, "dash": "dot"})
    level_lgc = float(np.log10(s.norm(-1.0)[0] / s.tau))
    for x, y, name, color, position in (
        (root, 0.0, f"root ρ = {root:.3g}".replace("-", "−"), GOOD, "top left"),
        (-1.0, level_lgc, "LGC ρ = −1", RIGHT_COLOR, "bottom right"),
    ):
        figure.add_scatter(
            x=[float(place(x))],
            y=[float(np.clip(y, BELOW, ABOVE))],
            mode="markers+text",
            text=[name],
            textposition=position,
            cliponaxis=False,
            marker={"size": 9, "color": color},
            hovertemplate=f"{name}<extra></extra>",
        )
    ticks = _ticks(anchor, unit, left, right)
    figure.update_layout(**chart_layout(240))
    figure.update_xaxes(
        title="multiplier ρ",
        showgrid=False,
        zeroline=False,
        tickvals=[float(place(t)) for t in ticks],
        ticktext=[f"{t:.3g}".replace("-", "−") for t in ticks],
        range=[float(u[0]), float(u[-1])],
    )
    figure.update_yaxes(
        title="log₁₀(‖H‖ / τ)", gridcolor=FAINT, zeroline=False, range=[BELOW, ABOVE]
    )
    return figure


def _ticks(anchor: float, unit: float, left: float, right: float) -> list[float]:
    """The pole and powers of ten around it that the asinh scale keeps apart."""
    chosen, places = [anchor], [0.0]
    for step in (10.0**k for k in range(12, -13, -1)):
        for t in (anchor - step, anchor + step):
            u = float(np.arcsinh((t - anchor) / unit))
            if left < u < right and all(abs(u - other) > 1.0 for other in places):
                chosen.append(t)
                places.append(u)
    return chosen


def landscape(degrees: np.ndarray, values: np.ndarray, found: Comparison) -> go.Figure:
    """The objective all the way round the circle, its minima and the naive root's point."""
    figure = go.Figure()
    figure.add_scatter(
        x=degrees,
        y=values,
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hovertemplate="%{x:.0f}°: objective %{y:.3f}<extra></extra>",
    )
    minima = [float(np.degrees(np.arctan2(h[1], h[0])) % 360) for h in found.minima]
    figure.add_scatter(
        x=minima,
        y=[found.objective] * len(minima),
        mode="markers+text",
        text=["minimum"] * len(minima),
        textposition="bottom center",
        marker={"size": 12, "color": GOOD},
        hovertemplate="minimum %{y:.3f}<extra></extra>",
    )
    naive = float(np.degrees(np.arctan2(found.naive_h[1], found.naive_h[0])) % 360)
    figure.add_scatter(
        x=[naive],
        y=[found.naive_objective],
        mode="markers+text",
        text=["root in the interval"],
        textposition="top center",
        marker={"size": 12, "color": RIGHT_COLOR, "symbol": "diamond"},
        visible=found.hard,
        hovertemplate="stationary, objective %{y:.3f}<extra></extra>",
    )
    figure.update_layout(**chart_layout(330))
    figure.update_xaxes(
        title="direction of h on the circle, degrees", showgrid=False, range=[0, 360], dtick=60
    )
    spread = float(np.ptp(values))
    low, high = float(values.min()) - 0.14 * spread, float(values.max()) + 0.06 * spread
    figure.update_yaxes(title="objective", gridcolor=FAINT, nticks=6, range=[low, high])
    return figure


def two_roots(printed: Secular, right: Secular) -> go.Figure:
    """The norm by row norms and by the printed sums; both cross tau, at different rho."""
    ends = [-printed.root, -right.root]
    grid = np.geomspace(min(ends) / 8, max(ends) * 8, 120)
    figure = go.Figure()
    figure.add_hline(y=right.tau, line={"color": NEUTRAL, "width": 1, "dash": "dot"})
    for s, name, color, dash in (
        (right, "‖H(ρ)‖", GOOD, "solid"),
        (printed, "what the shortcut takes for it", RIGHT_COLOR, "dash"),
    ):
        figure.add_scatter(
            x=grid,
            y=s.norm(-grid),
            mode="lines",
            name=name,
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate=f"{name}<br>−ρ = %{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )
        figure.add_scatter(
            x=[-s.root],
            y=[s.tau],
            mode="markers",
            showlegend=False,
            marker={"size": 10, "color": color},
            hovertemplate=f"root, −ρ = {-s.root:.4g}<extra></extra>",
        )
    figure.add_scatter(
        x=[-printed.root],
        y=right.norm(printed.root),
        mode="markers+text",
        text=["the norm it gets"],
        textposition="bottom left",
        showlegend=False,
        marker={"size": 10, "color": RIGHT_COLOR, "symbol": "x"},
        hovertemplate="‖H‖ = %{y:.4g}<extra></extra>",
    )
    figure.update_layout(**chart_layout(290, showlegend=True, legend=LEGEND))
    figure.update_xaxes(type="log", title="−ρ", showgrid=False, exponentformat="power", dtick=1)
    figure.update_yaxes(type="log", title="norm", gridcolor=FAINT, exponentformat="power", dtick=1)
    return figure
