"""Volumes of octants, matrices, spectra, and the volume of two classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.plot import (
    HIDDEN,
    Figure,
    axis,
    bars,
    curve,
    dots,
    figure,
    minus,
    named,
    numbers,
    plane,
    said,
)
from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR, class_color
from mavr.theory.kronecker import Product
from mavr.theory.volume import Sampled, signs


def pattern(s: Sequence[int]) -> str:
    return " ".join("+" if v > 0 else "−" for v in s)


def octant_bars(sampled: Sampled, exact: np.ndarray) -> Figure:
    """Volumes of the eight octants: drawn points with error bars, the exact value as a line."""
    # One above the other: eight names fit beside each other on a phone, too.
    names = [pattern(s).replace(" ", "<br>") for s in signs(3)]
    signed = [pattern(s) for s in signs(3)]
    spread = {"type": "data", "array": numbers(2 * sampled.errors), "thickness": 1.4, "width": 4}
    color = [class_color(min(k, 7 - k)) for k in range(8)]
    hover = "%{text}: %{y:.4f}<extra>by drawing points</extra>"
    about = {"error_y": spread, "text": signed, "textposition": "none", "showlegend": False}
    drawn = bars(names, numbers(sampled.volumes), color, hover, marker={"opacity": 0.75}, **about)
    style = {"symbol": "line-ew-open", "line": {"width": 2}}
    lines = dots([], exact, NEUTRAL, 16, "%{text}: %{y:.4f}<extra>exact</extra>", marker=style)
    lines |= {"x": names, "text": signed, "name": "exact, by solid angles"}
    x = axis("signs of h", tickangle=0)
    y = axis("volume", grid=True, rangemode="tozero", nticks=5)
    return figure([drawn, lines], 300, x, y, legend=True, bargap=0.35)


def cloud(sampled: Sampled, turn: float, shown: int = 1500) -> Figure:
    """Points of the ellipsoid seen from the side, one colour per pair of opposite octants."""
    p, index = sampled.points[:shown], sampled.index[:shown]
    c, s = np.cos(turn), np.sin(turn)
    sideways, depth = c * p[:, 0] + s * p[:, 1], -s * p[:, 0] + c * p[:, 1]
    up = 0.9 * p[:, 2] + 0.35 * depth
    traces = []
    for k in range(8):
        mine, name = index == k, pattern(signs(3)[k])
        style = {"opacity": 0.65, "symbol": "circle" if k < 4 else "diamond"}
        color = class_color(min(k, 7 - k))
        traces.append(dots(sideways[mine], up[mine], color, 5, name, marker=style, name=name))
    reach = 1.06 * float(np.abs(np.stack([sideways, up])).max())
    found = plane(traces, 300)
    for name in ("xaxis", "yaxis"):
        found["layout"][name] = found["layout"][name] | {"range": [-reach, reach]}
    return found


def heat(M: np.ndarray, height: int = 200) -> Figure:
    """A matrix as coloured cells, numbers in small ones."""
    top = float(np.abs(M).max())
    cells = said("%{z:.3g}") | {
        "type": "heatmap",
        "z": M[::-1].tolist(),
        "zmin": -top,
        "zmax": top,
        "colorscale": [[0, "#7fb4da"], [0.5, "#eceded"], [1, "#f0a169"]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
    }
    if len(M) <= 4:
        written = [[minus(f"{v:.2g}") for v in row] for row in M[::-1]]
        cells |= {"text": written, "texttemplate": "%{text}", "textfont": {"color": "#1b1b1b"}}
    # Square cells, all of them in sight.
    rows, columns = ({"range": [-0.5, k - 0.5], "constrain": "domain"} for k in M.shape)
    return figure([cells], height, HIDDEN | columns, HIDDEN | rows | {"scaleanchor": "x"})


def products(product: Product) -> Figure:
    """Eigenvalues of the form as rings, the products as dots of one colour per eigenvalue of P."""
    n = len(product.lam)
    order = np.argsort(product.products.ravel(), kind="stable")
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(1, len(order) + 1)
    style = {"symbol": "circle-open", "line": {"width": 2}}
    hover = "number %{x}: %{y:.4f}<extra>of P ⊗ Q</extra>"
    about = {"name": "eigenvalues of P ⊗ Q itself", "marker": style}
    traces = [dots(np.sort(rank), product.eigenvalues, NEUTRAL, 15, hover, **about)]
    for j, mu in enumerate(product.mu):
        hover = f"{mu:.3g} × %{{customdata:.3g}} = %{{y:.4f}}"
        mine = dots(rank[j * n : (j + 1) * n], product.products[j], class_color(j), 8, hover)
        traces.append(mine | {"name": f"{mu:.3g} × those of Q", "customdata": numbers(product.lam)})
    x = axis("from the smallest to the largest")
    return figure(traces, 300, x, axis("eigenvalue", grid=True, nticks=6), legend=True)


def two_classes(
    degrees: np.ndarray, binary: np.ndarray, multi: np.ndarray, chosen: float
) -> Figure:
    """V(h_1) and V(H) over the direction of h_1; a ring and a dot at the chosen one."""
    hover = "%{x:.0f}°: %{y:.3f}"
    lines = [
        curve(degrees, binary, LEFT_COLOR, hover, name="V(h₁), binary"),
        curve(degrees, multi, RIGHT_COLOR, hover, "dash", name="V(H), two classes"),
    ]
    lines[0]["line"] = lines[0]["line"] | {"width": 5}
    lines[0]["opacity"] = 0.5
    marks = [
        dots(chosen, np.interp(chosen, degrees, heights), color, size, showlegend=False)
        for heights, color, size in ((binary, LEFT_COLOR, 15), (multi, RIGHT_COLOR, 9))
    ]
    x = axis("direction of h₁, degrees", range=[0, 180], dtick=30)
    return figure([*lines, *marks], 260, x, axis("V", True, rangemode="tozero"), legend=True)


def cut_ellipse(ellipse: np.ndarray, cut: np.ndarray, h: np.ndarray) -> Figure:
    """The binary ellipse, the part of the long ellipsoid with h_2 = -h_1, and h_1."""
    (x, y), (u, v) = ellipse.T, cut.T
    traces = [
        # It touches the ends of the axes: half of its line would be cut off there.
        curve(x, y, LEFT_COLOR, name="h₁ᵀQh₁ ≤ 1", cliponaxis=False),
        curve(u, v, RIGHT_COLOR, dash="dash", name="P ⊗ Q, cut by h₂ = −h₁", cliponaxis=False),
        curve([0, h[0]], [0, h[1]], NEUTRAL, showlegend=False),
        named(h[0], h[1], "h₁", NEUTRAL, "top right", showlegend=False),
    ]
    return plane(traces, 300, legend=True)
