"""Figure 4 of the paper: error against the number of points on real data, as CSV and SVG.

One row of panels for each data set, one column for each similarity.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mavr.commands import svg
from mavr.commands.reading import data_sets
from mavr.experiments.benchmark import COMPETITORS, PANELS, Benchmark
from mavr.experiments.measurement import Measurement, run_benchmark
from mavr.experiments.summary import Cell, summarise_benchmark, write_csv

COLORS = dict(zip(COMPETITORS, svg.COLORS, strict=False))
PANEL = (380, 290)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What only this figure reads."""
    group = parser.add_argument_group("figure4")
    group.add_argument(
        "--data",
        nargs="+",
        default=["digits"],
        metavar="FILE",
        help=".npz files with X and y (default: scikit-learn's digits)",
    )
    group.add_argument(
        "--sizes",
        nargs="+",
        type=int,
        default=list(Benchmark.n),
        metavar="N",
        help=f"numbers of points (default: {' '.join(map(str, Benchmark.n))})",
    )


def figure4(arguments: argparse.Namespace) -> list[Path]:
    """Measure every data set; write rows, points, tables and the picture."""
    rows: list[Measurement] = []
    for data in arguments.data:
        begin = time.monotonic()
        benchmark = Benchmark(
            data_sets().source(data),
            tuple(sorted(set(arguments.sizes))),
            methods=tuple(COMPETITORS),
            samplings=arguments.samplings,
            seed=arguments.seed or 0,
        )
        rows += run_benchmark(benchmark, arguments.jobs)
        print(f"{data}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        # After each: what is done survives an interruption.
        written = _write(rows, arguments.out)
    return written


def _write(rows: Sequence[Measurement], out: Path) -> list[Path]:
    order = list(dict.fromkeys(row.data for row in rows))
    cells = summarise_benchmark(rows)
    rows = sorted(rows, key=lambda row: (row.data, row.similarity, row.n, row.method, row.sampling))
    write_csv(rows, out / "figure4_rows.csv")
    write_csv(cells, out / "figure4.csv")
    (out / "figure4.md").write_text(table(cells, order), encoding="utf-8")
    (out / "figure4.svg").write_text(draw(cells, order), encoding="utf-8")
    return [out / f"figure4{end}" for end in (".svg", ".md", ".csv", "_rows.csv")]


def draw(cells: Sequence[Cell], order: Sequence[str]) -> str:
    """SVG, one panel for each data set and similarity."""
    kinds = [kind for kind in PANELS if any(p.similarity == kind for p in cells)]
    methods, panels = _methods(cells), []
    for data in order:
        for kind in kinds:
            inside = [p for p in cells if (p.data, p.similarity) == (data, kind)]
            title = f"{data}, {PANELS[kind].title}: error, %"
            curves = [
                svg.measured(COLORS[m], own, "n")
                for m in methods
                if (own := [p for p in inside if p.method == m])
            ]
            panels.append(svg.CurvePanel(title, "points n", curves))
    legend = [(COMPETITORS[m].title, COLORS[m], "") for m in methods]
    return svg.document(panels, len(kinds), PANEL, legend)


def _methods(cells: Sequence[Cell]) -> list[str]:
    return [m for m in COMPETITORS if any(p.method == m for p in cells)]


def table(cells: Sequence[Cell], order: Sequence[str]) -> str:
    """Markdown: error in %, the best in bold, those not significantly worse (5 %) with a star."""
    methods = _methods(cells)
    head = ["data", "similarity", "n", *(COMPETITORS[m].title for m in methods)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    at = {(p.data, p.similarity, p.n, p.method): p for p in cells}
    for data in order:
        for kind in PANELS:
            for n in sorted({p.n for p in cells if (p.data, p.similarity) == (data, kind)}):
                texts = [_text(at.get((data, kind, n, m))) for m in methods]
                lines.append(f"| {data} | {PANELS[kind].title} | {n} | {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"


def _text(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    mean, error = 100 * cell.mean, 100 * cell.standard_error
    if cell.best:
        return f"**{mean:.1f}** ± {error:.1f}"
    return f"{mean:.1f} ± {error:.1f}" + ("*" if cell.close else "")
