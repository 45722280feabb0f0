"""Bars of bounds, maps of the data, and curves of the sections on Theorems 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.plot import (
    Figure,
    across,
    axis,
    bars,
    curve,
    dots,
    figure,
    logarithmic,
    numbers,
    plane,
    words,
)
from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR, class_color

# A name, its terms (word, value), a colour.
Bar = tuple[str, Sequence[tuple[str, float]], str]


def bounds(rows: Sequence[Bar], unit: str) -> Figure:
    """One horizontal bar per row, cut into its terms."""
    totals = {name: sum(value for _, value in terms) for name, terms, _ in rows}
    widest = max((v for v in totals.values() if np.isfinite(v)), default=1.0)
    traces = []
    for name, terms, color in rows:
        for k, (term, value) in enumerate(terms):
            hover = f"{term}: {value:.4g}<extra>{name}</extra>"
            style = {"opacity": max(1 - 0.3 * k, 0.35)}
            wide = [value if np.isfinite(value) else widest]
            about = {"orientation": "h", "name": term, "customdata": numbers(value)}
            traces.append(bars(wide, [name], color, hover, marker=style, **about))
    x = axis(unit, grid=True, range=[0, 1.16 * max(widest, 1e-12)], nticks=6)
    y = {"autorange": "reversed", "automargin": True}
    sums = [_sum(name, total, widest) for name, total in totals.items()]
    height = 62 + 36 * len(rows)
    return figure(traces, height, x, y, annotations=sums, barmode="stack", bargap=0.4)


def _sum(name: str, total: float, widest: float) -> dict[str, Any]:
    """The number at the end of a bar."""
    finite = bool(np.isfinite(total))
    return {
        "y": name,
        "x": total if finite else widest,
        "text": f"{total:.3g}" if finite else "no bound",
        "showarrow": False,
        "xanchor": "left",
        "xshift": 6,
    }


def _ringed(points: np.ndarray, index: Sequence[int], symbol: str, size: int) -> dict[str, Any]:
    """Marks around some of the points."""
    style = {"symbol": symbol, "line": {"width": 2}}
    x, y = points[list(index)].T
    return dots(x, y, LEFT_COLOR, size, marker=style, name="labelled")


def moved_map(
    points: np.ndarray, moved: np.ndarray, changed: Sequence[int], labelled: Sequence[int]
) -> Figure:
    """Points sized and coloured by how far their responses moved."""
    share = moved / max(float(moved.max()), 1e-300)
    style = {"colorscale": [[0, "rgba(138,143,153,0.55)"], [1, RIGHT_COLOR]], "line": {"width": 0}}
    (x, y), color, size = points.T, numbers(share), numbers(4 + 9 * np.sqrt(share))
    hover, given = "moved by %{customdata:.3g}", numbers(moved)
    cloud = dots(x, y, color, size, hover, marker=style, customdata=given)
    rings = [_ringed(points, labelled, "circle-open", 13), _ringed(points, changed, "star", 16)]
    return plane([cloud, *rings], 250)


def tie_map(
    points: np.ndarray, labels: np.ndarray, ties: np.ndarray, labelled: Sequence[int]
) -> Figure:
    """Points in the colour of their class, tied ones hollow and grey."""
    traces = []
    for j in np.unique(labels[~ties & (labels >= 0)]):
        (x, y), name = points[~ties & (labels == j)].T, f"class {j + 1}"
        traces.append(dots(x, y, class_color(int(j)), 7, name, name=name))
    style = {"symbol": "circle-open", "line": {"width": 1.5}}
    x, y = points[ties].T
    hollow = dots(x, y, NEUTRAL, 7, "tied", marker=style, name="tied")
    return plane([*traces, hollow, _ringed(points, labelled, "circle-open", 16)], 320, legend=True)


def strengths(top: np.ndarray, wrong: np.ndarray) -> Figure:
    """Largest response of each point, sorted; those whose class eigenvectors get wrong marked."""
    order = np.argsort(-top, kind="stable")
    rank = np.arange(1, len(top) + 1)
    hover = "response %{y:.2g} of the largest"
    traces = [
        dots(rank[mask], top[order][mask], color, 6, hover, marker={"symbol": symbol}, name=name)
        for mask, name, color, symbol in (
            (~wrong[order], "right by eigenvectors", NEUTRAL, "circle"),
            (wrong[order], "wrong by eigenvectors", RIGHT_COLOR, "x"),
        )
    ]
    # Where the curve is not: above the line once it has passed below, else below the line.
    passed = float(np.median(top)) < 1e-16
    x_place, position = (len(top), "top left") if passed else (1, "bottom right")
    text = words(x_place, 1e-16, "rounding of the eigenvectors", position)
    x = axis("points, strongest response first")
    y = logarithmic("largest response", grid=True, nticks=6)
    return figure([*traces, text], 300, x, y, [across(1e-16)], legend=True)


def limit(minus_rho: np.ndarray, curves: Mapping[str, np.ndarray]) -> Figure:
    """Points that differ from Poisson learning as rho goes to 0."""
    styles = zip((LEFT_COLOR, RIGHT_COLOR), ("solid", "dash"), strict=True)
    traces = []
    for (name, differ), (color, dash) in zip(curves.items(), styles, strict=False):
        hover, about = f"{name}<br>−ρ = %{{x:.2g}}: %{{y}} points differ", {"name": name}
        traces.append(curve(minus_rho, differ, color, hover, dash, mode="lines+markers", **about))
    x = logarithmic("−ρ, towards 0 on the right", autorange="reversed", nticks=6)
    y = axis("points that differ", grid=True, rangemode="tozero", nticks=5)
    return figure(traces, 260, x, y, legend=True)


def responses(
    H: np.ndarray, sets: np.ndarray, names: Sequence[str], thresholds: Sequence[float]
) -> Figure:
    """Responses of every point to every label, those that have it apart, and the thresholds."""
    c = H.shape[1]
    # Spread sideways by rank, so that equal responses do not hide each other.
    spread = (np.argsort(np.argsort(H, axis=0), axis=0) / max(len(H) - 1, 1) - 0.5) * 0.34
    traces = []
    for has, word, color, shift in (
        (True, "has the label", LEFT_COLOR, -0.2),
        (False, "has it not", NEUTRAL, 0.2),
    ):
        mine = sets == has
        x, style = (np.arange(c) + shift + spread)[mine], {"opacity": 0.6}
        traces.append(dots(x, H[mine], color, 5, f"{word}: %{{y:.3g}}", marker=style, name=word))
    for j, t in enumerate(thresholds):
        mark = curve([j - 0.42, j + 0.42], [t, t], RIGHT_COLOR, "T = %{y:.3g}")
        traces.append(mark | {"name": "threshold", "showlegend": j == 0})
    x_axis = axis("", tickvals=list(range(c)), ticktext=list(names), range=[-0.5, c - 0.5])
    y_axis = axis("response H<sub>ij</sub>", grid=True, zeroline=True)
    return figure(traces, 320, x_axis, y_axis, [across(0.0, NEUTRAL)], legend=True)


def loss_bars(distances: Mapping[str, float]) -> Figure:
    """How far each answer is from that of loss 1, as a share of tau."""
    rows: list[Bar] = [(name, [("distance", v)], LEFT_COLOR) for name, v in distances.items()]
    return bounds(rows, "‖H − H₁‖ / τ, H₁ of loss 1")
