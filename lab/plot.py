"""Pieces of a figure, as plain dictionaries: traces, lines across it, axes. No Streamlit here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from lab.theme import FAINT, FONT_SIZE, LEFT_COLOR, NEUTRAL, chart_layout

Figure = dict[str, Any]
Trace = dict[str, Any]
Shape = dict[str, Any]

GOOD = "#009E73"
# Plotly writes powers a quarter larger than other numbers.
POWERS = {"type": "log", "exponentformat": "power", "tickfont": {"size": FONT_SIZE / 1.25}}
# Above the picture, in as many lines as it takes.
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
# A picture of the plane: no axes, one scale for both directions.
HIDDEN = {"visible": False, "constrain": "domain"}


def figure(
    traces: Iterable[Trace],
    height: int,
    x: dict[str, Any],
    y: dict[str, Any],
    shapes: Sequence[Shape] = (),
    legend: bool | dict[str, Any] = False,
    **more: Any,
) -> Figure:
    """Traces with their axes; shapes lie below them, unless they say otherwise.

    legend : whether there is one, or where it stands.
    """
    placed = [{"layer": "below", **shape} for shape in shapes]
    where = legend if isinstance(legend, dict) else LEGEND
    more |= {"showlegend": bool(legend), "legend": where, "shapes": placed}
    layout = chart_layout(height, **more)
    return {"data": list(traces), "layout": layout | {"xaxis": x, "yaxis": y}}


def plane(traces: Iterable[Trace], height: int, legend: bool = False) -> Figure:
    """Points of the plane."""
    return figure(traces, height, HIDDEN, HIDDEN | {"scaleanchor": "x"}, legend=legend)


def axis(title: str, grid: bool = False, **more: Any) -> dict[str, Any]:
    """An axis with its title; a faint grid if asked for."""
    return {"title": {"text": title}, "showgrid": grid, "gridcolor": FAINT} | more


def logarithmic(title: str, grid: bool = False, **more: Any) -> dict[str, Any]:
    """An axis of powers of ten."""
    return axis(title, grid, **POWERS, **more)


def numbers(values: Any) -> list[float | None]:
    """As JSON has them: what is not finite is a gap."""
    flat = np.atleast_1d(np.asarray(values, dtype=float)).tolist()
    return [v if isfinite(v) else None for v in flat]


def dots(x: Any, y: Any, color: Any, size: Any = 8, hover: str = "", **more: Any) -> Trace:
    """Marks. `marker` in `more` adds to their style; without a hover text they are silent."""
    marker = {"size": size, "color": color} | more.pop("marker", {})
    return _trace(x, y, hover, {"mode": "markers", "marker": marker} | more)


def curve(x: Any, y: Any, color: str, hover: str = "", dash: str = "solid", **more: Any) -> Trace:
    """A line."""
    line = {"color": color, "width": 2, "dash": dash}
    return _trace(x, y, hover, {"mode": "lines", "line": line} | more)


def bars(x: Any, y: Any, color: Any, hover: str, **more: Any) -> Trace:
    """Bars. `marker` in `more` adds to their style."""
    marker = {"color": color} | more.pop("marker", {})
    return {"type": "bar", "x": x, "y": y, "marker": marker} | said(hover) | more


def named(
    x: float, y: float, text: str, color: str, position: str, size: int = 9, **more: Any
) -> Trace:
    """One mark with its name beside it."""
    style = {"mode": "markers+text", "text": [text], "textposition": position} | more
    return dots(x, y, color, size, **style)


def words(x: float, y: float, text: str, position: str) -> Trace:
    """A text in the picture."""
    style = {"mode": "text", "text": [text], "textposition": position, "showlegend": False}
    return _trace(x, y, "", style)


def said(hover: str) -> dict[str, Any]:
    """What is said of a mark; the name of its trace beside it only where `hover` asks for it."""
    if not hover:
        return {"hoverinfo": "skip"}
    return {"hovertemplate": hover if "<extra>" in hover else f"{hover}<extra></extra>"}


def _trace(x: Any, y: Any, hover: str, more: dict[str, Any]) -> Trace:
    return {"type": "scatter", "x": numbers(x), "y": numbers(y)} | said(hover) | more


def across(y: float, color: str = LEFT_COLOR, **more: Any) -> Shape:
    """A dotted line at one height."""
    line = {"color": color, "width": 1, "dash": "dot"}
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return {"type": "line", "line": line} | ends | more


def upright(x: float, color: str = NEUTRAL, dash: str = "dash", **more: Any) -> Shape:
    """A line at one place."""
    line = {"color": color, "width": 1, "dash": dash}
    return {"type": "line", "line": line} | _whole_height(x, x) | more


def _whole_height(x0: float, x1: float) -> dict[str, Any]:
    return {"yref": "paper", "y0": 0, "y1": 1, "x0": x0, "x1": x1}


def band(x0: float, x1: float, opacity: float = 0.08) -> Shape:
    """A shaded interval."""
    style = {"fillcolor": LEFT_COLOR, "line": {"width": 0}, "opacity": opacity}
    return {"type": "rect"} | style | _whole_height(x0, x1)


def minus(text: str) -> str:
    """A true minus sign."""
    return text.replace("-", "−")
