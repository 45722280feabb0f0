"""Plotly figures of the Theory page. Functions of plain values; no Streamlit here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from lab.figures import FAINT
from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR, chart_layout, class_color
from mavr.theory.kronecker import Product
from mavr.theory.volume import Sampled, signs

GOOD = "#009E73"
# Above the picture, in as many lines as it takes.
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}


def pattern(s: Sequence[int]) -> str:
    return " ".join("+" if v > 0 else "−" for v in s)


def octant_bars(sampled: Sampled, exact: np.ndarray) -> go.Figure:
    """Volumes of the eight octants: drawn points with error bars, the exact value as a line."""
    names = [pattern(s).replace(" ", "") for s in signs(3)]
    figure = go.Figure()
    figure.add_bar(
        x=names,
        y=sampled.volumes,
        marker={"color": [class_color(min(k, 7 - k)) for k in range(8)], "opacity": 0.75},
        error_y={"type": "data", "array": 2 * sampled.errors, "thickness": 1.4, "width": 4},
        hovertemplate="%{x}: %{y:.4f}<extra>by drawing points</extra>",
        name="by drawing points, ± 2 standard errors",
        showlegend=False,
    )
    figure.add_scatter(
        x=names,
        y=exact,
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 26, "color": NEUTRAL, "line": {"width": 2}},
        hovertemplate="%{x}: %{y:.4f}<extra>exact</extra>",
        name="exact, by solid angles",
    )
    figure.update_layout(**chart_layout(300, showlegend=True, legend=LEGEND, bargap=0.35))
    figure.update_xaxes(title="signs of h", showgrid=False, tickangle=0)
    figure.update_yaxes(title="volume", gridcolor=FAINT, rangemode="tozero", nticks=5)
    return figure


def cloud(sampled: Sampled, turn: float, shown: int = 1500) -> go.Figure:
    """Points of the ellipsoid seen from the side, one colour per pair of opposite octants."""
    p, index = sampled.points[:shown], sampled.index[:shown]
    c, s = np.cos(turn), np.sin(turn)
    across, depth = c * p[:, 0] + s * p[:, 1], -s * p[:, 0] + c * p[:, 1]
    up = 0.9 * p[:, 2] + 0.35 * depth
    figure = go.Figure()
    for k in range(8):
        mine = index == k
        figure.add_scatter(
            x=across[mine],
            y=up[mine],
            mode="markers",
            name=pattern(signs(3)[k]),
            marker={
                "size": 5,
                "color": class_color(min(k, 7 - k)),
                "opacity": 0.65,
                "symbol": "circle" if k < 4 else "diamond",
            },
            hovertemplate=pattern(signs(3)[k]) + "<extra></extra>",
        )
    reach = 1.06 * float(np.abs(np.stack([across, up])).max())
    figure.update_layout(**chart_layout(300))
    figure.update_xaxes(visible=False, range=[-reach, reach], constrain="domain")
    figure.update_yaxes(visible=False, range=[-reach, reach], scaleanchor="x")
    return figure


def heat(M: np.ndarray, height: int = 200) -> go.Figure:
    """A matrix as coloured cells, numbers in small ones."""
    top = float(np.abs(M).max())
    small = len(M) <= 4
    figure = go.Figure(
        go.Heatmap(
            z=M[::-1],
            zmin=-top,
            zmax=top,
            colorscale=[[0, "#7fb4da"], [0.5, "#eceded"], [1, "#f0a169"]],
            showscale=False,
            xgap=1,
            ygap=1,
            text=[[f"{v:.2g}".replace("-", "−") for v in row] for row in M[::-1]]
            if small
            else None,
            texttemplate="%{text}" if small else None,
            textfont={"color": "#1b1b1b"},
            hovertemplate="%{z:.3g}<extra></extra>",
        )
    )
    figure.update_layout(**chart_layout(height))
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return figure


def products(product: Product) -> go.Figure:
    """Eigenvalues of the form as rings, the products as dots of one colour per eigenvalue of P."""
    n = len(product.lam)
    order = np.argsort(product.products.ravel(), kind="stable")
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(1, len(order) + 1)
    figure = go.Figure()
    figure.add_scatter(
        x=np.arange(1, len(order) + 1),
        y=product.eigenvalues,
        mode="markers",
        name="eigenvalues of P ⊗ Q itself",
        marker={"symbol": "circle-open", "size": 15, "color": NEUTRAL, "line": {"width": 2}},
        hovertemplate="number %{x}: %{y:.4f}<extra>of P ⊗ Q</extra>",
    )
    for j, mu in enumerate(product.mu):
        figure.add_scatter(
            x=rank[j * n : (j + 1) * n],
            y=product.products[j],
            mode="markers",
            name=f"{mu:.3g} × those of Q",
            marker={"size": 8, "color": class_color(j)},
            customdata=product.lam,
            hovertemplate=f"{mu:.3g} × %{{customdata:.3g}} = %{{y:.4f}}<extra></extra>",
        )
    figure.update_layout(**chart_layout(300, showlegend=True, legend=LEGEND))
    figure.update_xaxes(title="from the smallest to the largest", showgrid=False)
    figure.update_yaxes(title="eigenvalue", gridcolor=FAINT, nticks=6)
    return figure


def bounds(rows: Sequence[tuple[str, Sequence[tuple[str, float]], str]], unit: str) -> go.Figure:
    """One horizontal bar per row, cut into its terms: (name, [(term, value)], colour)."""
    figure = go.Figure()
    finite = [sum(v for _, v in terms) for _, terms, _ in rows]
    widest = max((v for v in finite if np.isfinite(v)), default=1.0)
    for name, terms, color in rows:
        total = sum(v for _, v in terms)
        for k, (term, value) in enumerate(terms):
            shown = value if np.isfinite(value) else widest
            figure.add_bar(
                y=[name],
                x=[shown],
                orientation="h",
                marker={"color": color, "opacity": max(1 - 0.3 * k, 0.35)},
                hovertemplate=f"{term}: {value:.4g}<extra>{name}</extra>",
            )
        figure.add_annotation(
            y=name,
            x=total if np.isfinite(total) else widest,
            text=f"{total:.3g}" if np.isfinite(total) else "no bound",
            showarrow=False,
            xanchor="left",
            xshift=6,
        )
    figure.update_layout(**chart_layout(62 + 36 * len(rows), barmode="stack", bargap=0.4))
    figure.update_xaxes(title=unit, gridcolor=FAINT, range=[0, 1.16 * max(widest, 1e-12)], nticks=6)
    figure.update_yaxes(autorange="reversed", automargin=True)
    return figure


def moved_map(
    points: np.ndarray, moved: np.ndarray, changed: Sequence[int], labelled: Sequence[int]
) -> go.Figure:
    """Points sized and coloured by how far their responses moved."""
    share = moved / max(float(moved.max()), 1e-300)
    figure = go.Figure()
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={
            "size": 4 + 9 * np.sqrt(share),
            "color": share,
            "colorscale": [[0, "rgba(138,143,153,0.55)"], [1, RIGHT_COLOR]],
            "line": {"width": 0},
        },
        customdata=moved,
        hovertemplate="moved by %{customdata:.3g}<extra></extra>",
    )
    for index, symbol, size in ((labelled, "circle-open", 13), (changed, "star", 16)):
        figure.add_scatter(
            x=points[list(index), 0],
            y=points[list(index), 1],
            mode="markers",
            marker={"symbol": symbol, "size": size, "color": LEFT_COLOR, "line": {"width": 2}},
            hoverinfo="skip",
        )
    figure.update_layout(**chart_layout(250))
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return figure


def tie_map(
    points: np.ndarray, labels: np.ndarray, ties: np.ndarray, labelled: Sequence[int]
) -> go.Figure:
    """Points in the colour of their class, tied ones hollow and grey."""
    figure = go.Figure()
    for j in np.unique(labels[~ties & (labels >= 0)]):
        mine = ~ties & (labels == j)
        figure.add_scatter(
            x=points[mine, 0],
            y=points[mine, 1],
            mode="markers",
            name=f"class {j + 1}",
            marker={"size": 7, "color": class_color(int(j))},
            hovertemplate=f"class {j + 1}<extra></extra>",
        )
    figure.add_scatter(
        x=points[ties, 0],
        y=points[ties, 1],
        mode="markers",
        name="tied",
        marker={"size": 7, "symbol": "circle-open", "color": NEUTRAL, "line": {"width": 1.5}},
        hovertemplate="tied<extra></extra>",
    )
    figure.add_scatter(
        x=points[list(labelled), 0],
        y=points[list(labelled), 1],
        mode="markers",
        name="labelled",
        marker={"size": 16, "symbol": "circle-open", "color": LEFT_COLOR, "line": {"width": 2}},
        hoverinfo="skip",
    )
    figure.update_layout(**chart_layout(320, showlegend=True, legend=LEGEND))
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return figure


def strengths(top: np.ndarray, wrong: np.ndarray) -> go.Figure:
    """Largest response of each point, sorted; those whose class eigenvectors get wrong marked."""
    order = np.argsort(-top, kind="stable")
    rank = np.arange(1, len(top) + 1)
    figure = go.Figure()
    for mask, name, color, symbol in (
        (~wrong[order], "right by eigenvectors", NEUTRAL, "circle"),
        (wrong[order], "wrong by eigenvectors", RIGHT_COLOR, "x"),
    ):
        figure.add_scatter(
            x=rank[mask],
            y=top[order][mask],
            mode="markers",
            name=name,
            marker={"size": 6, "color": color, "symbol": symbol},
            hovertemplate="response %{y:.2g} of the largest<extra></extra>",
        )
    figure.add_hline(y=1e-16, line={"color": LEFT_COLOR, "width": 1, "dash": "dot"})
    figure.add_scatter(
        x=[1],
        y=[1e-16],
        mode="text",
        text=["rounding of the eigenvectors"],
        textposition="bottom right",
        showlegend=False,
        hoverinfo="skip",
    )
    figure.update_layout(**chart_layout(300, showlegend=True, legend=LEGEND))
    figure.update_xaxes(title="points, strongest response first", showgrid=False)
    figure.update_yaxes(
        type="log", title="largest response", gridcolor=FAINT, exponentformat="power", nticks=6
    )
    return figure


def limit(minus_rho: np.ndarray, curves: dict[str, np.ndarray]) -> go.Figure:
    """Points that differ from Poisson learning as rho goes to 0."""
    figure = go.Figure()
    for (name, differ), color, dash in zip(
        curves.items(), (LEFT_COLOR, RIGHT_COLOR), ("solid", "dash"), strict=False
    ):
        figure.add_scatter(
            x=minus_rho,
            y=differ,
            mode="lines+markers",
            name=name,
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate=f"{name}<br>−ρ = %{{x:.2g}}: %{{y}} points differ<extra></extra>",
        )
    figure.update_layout(**chart_layout(260, showlegend=True, legend=LEGEND))
    figure.update_xaxes(
        type="log",
        title="−ρ, towards 0 on the right",
        autorange="reversed",
        showgrid=False,
        exponentformat="power",
        nticks=6,
    )
    figure.update_yaxes(title="points that differ", gridcolor=FAINT, rangemode="tozero", nticks=5)
    return figure
