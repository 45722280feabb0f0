"""What the benchmarks page shows: the figure, as plain dicts, and the table of means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.curves.figure import curve
from lab.tables import Bold, table
from lab.theme import METHOD_COLORS
from mavr.experiments import Benchmark, Cell
from mavr.experiments.benchmark import COMPETITORS, LABELLED_SHARE

# Colour and mark; MAVR and LGC have those of the other pages.
LOOKS = {
    "mavr_nor": (0, 0),
    "mavr_un": (5, 2),
    "lgc": (1, 1),
    "laprls": (3, 3),
    "laprls_weak": (4, 3),
}
ORACLE = (
    "The hyperparameters are an **oracle's choice**: for every method, similarity and n, the scale "
    "of the similarity, and for MAVR also τ, are those with the least error on ten additional "
    "repeats, measured with the true classes of the unlabelled points. Nobody has those in "
    "practice. n/10 points are labelled."
)
HOW_TO_READ = (
    "Error in %, mean ± standard error. **Bold**: the lowest mean of a row. \\*: not significantly "
    "worse than it (paired t-test, 5 %); with few repeats hardly any difference is significant."
)


def payload(benchmark: Benchmark, cells: Sequence[Cell], rows: int) -> dict[str, Any]:
    """What the figure is sent: one panel for each similarity."""
    at = {(c.similarity, c.method, c.n): c for c in cells}
    panels = []
    for panel in benchmark.panels:
        methods = [m for p, m in benchmark.trials() if p == panel]
        panels.append(
            {
                "id": panel.similarity,
                "title": panel.title.capitalize(),
                "symbol": "points n",
                "note": "error, %",
                "x": list(benchmark.n),
                "series": [
                    _curve(m, [at.get((panel.similarity, m, n)) for n in benchmark.n])
                    for m in methods
                ],
                "printed": [],
            }
        )
    legend = [
        {"name": title(m), "color": METHOD_COLORS[LOOKS[m][0]], "mark": LOOKS[m][1]}
        for m in benchmark.methods
    ]
    return {
        "rows": rows,
        "panels": panels,
        "legend": legend,
        "still": True,
        "file": "benchmarks",
    }


def _curve(method: str, known: Sequence[Cell | None]) -> dict[str, Any]:
    color, mark = LOOKS[method]
    more = [
        f", {c.unreached:.1f} with no label connected" if c and c.unreached else "" for c in known
    ]
    return curve(method, title(method), METHOD_COLORS[color], mark, known, more)


def title(method: str) -> str:
    """Its name, with the Laplacian in words where only that tells two apart."""
    about = COMPETITORS[method]
    return f"MAVR, {about.laplacian}" if about.method == "mavr" else about.title


def means_table(benchmark: Benchmark, cells: Sequence[Cell]) -> str:
    """HTML: one row for each similarity and n, the best in bold, a star for those close to it."""
    at = {(c.similarity, c.n, c.method): c for c in cells}
    lines = []
    for panel in benchmark.panels:
        for n in benchmark.n:
            row = [at.get((panel.similarity, n, m)) for m in benchmark.methods]
            if any(row):
                count = str(max(c.samplings for c in row if c))
                head = [panel.title.capitalize(), str(n), str(n // LABELLED_SHARE)]
                lines.append([*head, *map(_mean, row), count])
    head = ["similarity", "n", "labels", *map(title, benchmark.methods), "repeats"]
    return table(lines, head, light=True)


def _mean(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    text = f"{100 * cell.mean:.1f} ± {100 * cell.standard_error:.1f}"
    if cell.best:
        return Bold(text)
    return text + "*" if cell.close else text
