"""The measures over the threshold as a figure, and the numbers of both P as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.plot import Figure, axis, curve, dots, figure, upright
from lab.sets.answers import Answer, Curves
from lab.sets.scores import MEASURES
from lab.tables import Bold, Cell, table
from lab.text import number
from lab.theme import FAINT, NEUTRAL

# Not the labels' colours: what is to be high in one hue and another, losses grey.
LINES = {
    "micro": ("#4a7fbd", "solid"),
    "macro": ("#4a7fbd", "dash"),
    "subset": ("#9b6fc3", "solid"),
    "hamming": (NEUTRAL, "solid"),
    "ranking": (NEUTRAL, "dot"),
}


def metric_figure(found: Curves) -> Figure:
    """All measures against the threshold; the one in use is marked."""
    data, at = [], int(np.searchsorted(found.x, found.now))
    for name, (color, dash) in LINES.items():
        title, y = MEASURES[name].title, found.values[name]
        hover = f"{title} %{{y:.3f}}"
        data.append(curve(found.x, y, color, hover, dash, name=title))
        if np.isfinite(found.now):
            data.append(dots(found.now, float(y[at]), color, 7, showlegend=False))
    word = "thresholds in use" if found.shifted else f"T = {number(found.now)}"
    note = {"text": word, "x": found.now, "yref": "paper", "y": 1.0, "yanchor": "bottom"}
    line = {"color": NEUTRAL, "width": 1.4, "dash": "solid"}
    shown = np.isfinite(found.now)
    title = "all thresholds shifted by" if found.shifted else "threshold T"
    return figure(
        data,
        268,
        axis(title, nticks=6, hoverformat=".3g"),
        {"range": [0, 1.02], "gridcolor": FAINT, "nticks": 5},
        [upright(found.now, layer="above", line=line)] if shown else [],
        legend={"orientation": "h", "y": -0.36, "x": 0, "yanchor": "top", "font": {"size": 11}},
        hovermode="x unified",
        margin={"l": 8, "r": 8, "t": 22, "b": 8},
        annotations=[note | {"showarrow": False}] if shown else [],
    )


def score_table(answers: Sequence[Answer]) -> str:
    """HTML: a row per measure, a column per P; the better of two values is bold."""
    rows: list[list[str]] = []
    for name, measure in MEASURES.items():
        values = [a.scores[name] if a.scores else np.nan for a in answers]
        shown = [f"{v:.3f}" if np.isfinite(v) else "–" for v in values]
        best = min(values) if measure.loss else max(values)
        differ = len(set(shown)) > 1
        cells = [
            (Bold if differ and v == best else Cell)(text, data_number=name)
            for v, text in zip(values, shown, strict=True)
        ]
        rows.append([Cell(measure.title, title=measure.help), *cells])
    size = Cell("Labels per point", title="Mean size of the predicted sets.")
    undecided = Cell(
        "Undecided, no label connected",
        title="Points with a response closer to T than its error bound (the measures take the side "
        "it happens to be on); points without any label in their part of the graph, for which no "
        "set is claimed.",
    )
    rows.append([size, *map(_cardinality, answers)])
    rows.append([undecided, *(f"{a.n_undecided}, {a.n_unreached}" for a in answers)])
    return table(rows, ["", *(a.title for a in answers)], light=True)


def _cardinality(a: Answer) -> str:
    reached = ~a.solution.unreached
    return f"{a.has[reached].sum(axis=1).mean():.2f}" if reached.any() else "–"
