"""The paper's figures without a browser: `python -m mavr reproduce figure2|figure3|figure4`, and
what settings chosen without the truth are worth: `reproduce choice`.

Figure numbers are those of arXiv 1402.0288. Every figure is written as CSV and as SVG.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from mavr import relations
from mavr.commands import svg
from mavr.commands.choice import choice
from mavr.commands.figure4 import add_options, figure4
from mavr.commands.reading import data_sets
from mavr.experiments import (
    FIGURE_SEED,
    Point,
    Row,
    agreement,
    paired,
    paper_panels,
    printed_figure,
    run,
    summarise,
    write_csv,
)
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS
from mavr.settings import Setting, frozen_rows
from mavr.ties import split_ties

# What the six panels vary, as the paper writes it; and whether on a logarithmic axis.
AXES = {
    "noise": ("noise σ_ε", True),
    "n_labelled": ("labels l", False),
    "n": ("points n", False),
    "sigma": ("width σ of the similarity", True),
    "gamma": ("weight γ of the volume", True),
    "tau": ("size τ / √l of the responses", True),
}
_ORDER = ("mavr", "lgc", "bavr", "laprls", "unconstrained", "lgc_balanced")
METHOD_COLORS = dict(zip(_ORDER, svg.COLORS, strict=False))


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`reproduce` with its options."""
    parser = subparsers.add_parser(
        "reproduce",
        help="recompute a figure of the paper",
        description="Recompute a figure of the paper (arXiv 1402.0288) as CSV and SVG.",
    )
    parser.add_argument(
        "figure",
        choices=sorted(FIGURES),
        help="number as in the arXiv version; choice: settings chosen without the true classes",
    )
    parser.add_argument(
        "--samplings", type=int, default=100, metavar="N", help="draws per point (default: 100)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes, -1 for all (default: 1)"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help=f"default: {FIGURE_SEED} for figure3, else 0"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="default: out")
    add_options(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in FIGURES[arguments.figure](arguments):
        print(path)
    return 0


# Figure 3: error rates on 3circles over six factors.


def figure3(arguments: argparse.Namespace) -> list[Path]:
    panels = paper_panels(
        data_sets().source("three_circles"),
        samplings=arguments.samplings,
        seed=FIGURE_SEED if arguments.seed is None else arguments.seed,
    )
    total = sum(len(s.values) * len(s.methods) for s in panels.values()) * arguments.samplings
    rows = list(progress(run(list(panels.values()), n_jobs=arguments.jobs), total, sys.stderr))
    rows.sort(key=lambda row: (row.factor, row.value, row.method, row.sampling))
    points = summarise(rows)
    out: Path = arguments.out
    tables: dict[str, Sequence[Any]] = {"": points, "_rows": rows}
    tables |= {"_differences": paired(rows), "_agreement": agreement(points)}
    for name, items in tables.items():
        write_csv(items, out / f"figure3{name}.csv")
    (out / "figure3.svg").write_text(draw_curves(points), encoding="utf-8")
    return [out / "figure3.svg", *(out / f"figure3{name}.csv" for name in tables)]


def draw_curves(points: list[Point]) -> str:
    """SVG of one panel per factor, the printed curves behind ours."""
    methods = [m for m in METHODS if any(p.method == m for p in points)]
    shown = [f for f in AXES if any(p.factor == f for p in points)]
    panels = []
    for factor in shown:
        curves = []
        for m in methods:
            own = [p for p in points if (p.factor, p.method) == (factor, m)]
            curves.append(svg.measured(METHOD_COLORS[m], own, "value"))
        behind = printed_figure()[factor]
        for method, errors in behind.errors.items():
            y, no_bars = [100 * e for e in errors], [0.0] * len(errors)
            color = METHOD_COLORS[method]
            curves.append(svg.Curve(behind.values, y, no_bars, color, behind=True))
        label, log = AXES[factor]
        panels.append(svg.CurvePanel("Error, %", label, curves, log))
    legend = [(METHODS[m].title, METHOD_COLORS[m], "") for m in methods]
    return svg.document(panels, 3, (380, 290), [*legend, ("as printed", svg.GREY, svg.DASH)])


# Figure 2: serendipity, classes that nobody labelled.


@dataclass(frozen=True)
class Painted:
    """A panel of the serendipity figure, solved."""

    title: str
    data: Any
    labels: np.ndarray
    ties: np.ndarray

    @property
    def counts(self) -> list[int]:
        known = self.labels[self.labels >= 0]
        return list(map(int, np.bincount(known, minlength=self.data.n_classes)))


def figure2(arguments: argparse.Namespace) -> list[Path]:
    panels = [*serendipity_panels(arguments.seed or 0)]
    out: Path = arguments.out
    with (out / "figure2.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["panel", "class", "points", "predicted", "tied", "unreached"])
        for panel in panels:
            for j, name in enumerate(panel.data.class_names):
                own = panel.data.y == j
                writer.writerow([panel.title, name, int(own.sum()), panel.counts[j],
                                 int(panel.ties[own].sum()),
                                 int((panel.labels[own] < 0).sum())])  # fmt: skip
    drawn = [
        svg.ScatterPanel(
            panel.title,
            _caption(panel),
            panel.data.X[:, 0].tolist(),
            panel.data.X[:, 1].tolist(),
            panel.labels.tolist(),
            panel.data.labelled.tolist(),
        )
        for panel in panels
    ]
    (out / "figure2.svg").write_text(svg.document(drawn, 3, (300, 320)), encoding="utf-8")
    return [out / "figure2.svg", out / "figure2.csv"]


def _caption(panel: Painted) -> str:
    counts = " / ".join(str(k) for k in panel.counts)
    tied = int(panel.ties.sum())
    return f"{counts} points" + (f", {tied} tied and split" if tied else "")


def serendipity_panels(seed: int) -> Iterator[Painted]:
    """Each set with LGC where the paper shows it, then with its class relations."""
    datasets = data_sets()
    for which, panel in datasets.PANELS.items():
        data = datasets.serendipity(which, seed=seed)
        # The figure's Data 1 comes with LGC, P1, P2, P3; the others with one P each.
        if which == 1:
            yield _paint(f"{_label(which)}, LGC", data, None)
        for name in sorted(panel.relations):
            yield _paint(f"{_label(which)}, {name}", data, name)


def _label(which: int | str) -> str:
    return "Data 5 (ICML)" if which == "5-icml" else f"Data {which}"


def _paint(title: str, data: Any, relation: str | None) -> Painted:
    setting: Setting = data.setting
    Y = np.zeros((data.n, data.n_classes))
    Y[data.labelled, data.y[data.labelled]] = 1.0
    P = relations.PAPER[relation] if relation else None
    parameters = replace(setting.parameters, P=None if P is None else frozen_rows(P))
    graph = graph_of(setting.graph, data.X)
    solution = METHODS["mavr" if relation else "lgc"].run(graph, Y, parameters)
    # In print rounding errors told equal responses apart; here clustering does.
    labels = split_ties(solution, graph.W)
    return Painted(title, data, solution.labels if labels is None else labels, solution.ties)


FIGURES: dict[str, Callable[[argparse.Namespace], list[Path]]] = {
    "choice": choice,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
}


def progress(rows: Iterable[Row], total: int, stream: TextIO) -> Iterator[Row]:
    """The rows, with a bar on the stream if it is a terminal, else a line every tenth."""
    begin, width, shown = time.monotonic(), 30, 0
    for done, row in enumerate(rows, start=1):
        yield row
        step = done * (100 if stream.isatty() else 10) // total
        if step == shown:
            continue
        shown = step
        passed = time.monotonic() - begin
        left = passed / done * (total - done)
        bar = "█" * (done * width // total)
        line = f"{bar:·<{width}} {done / total:4.0%}  {passed:.0f} s, {left:.0f} s left"
        stream.write(f"\r{line}" if stream.isatty() else f"{line}\n")
        stream.flush()
    if stream.isatty():
        stream.write("\n")
