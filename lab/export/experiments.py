"""A few lines of Python that run the experiment of a page with the library."""

from __future__ import annotations

from lab.benchmarks.view import BenchmarkView
from lab.curves.view import Curves, sweeps
from lab.export.script import script


def curves_code(view: Curves) -> str:
    """Code for the error curves; it leaves `rows`, one for each method, value and sampling."""
    if view.figure == "paper":
        made = [
            'source = datasets.source("three_circles")',
            f"sweeps = [*paper_panels(source, {view.methods!r}, seed={view.seed}).values()]",
        ]
    else:
        made = [f"sweeps = [{sweeps(view)[0]!r}]"]
    return script(
        [
            *made,
            f"rows = list(run(sweeps, range({view.target}), n_jobs=-1))",
            "for p in summarise(rows):",
            '    print(f"{p.factor} {p.value:g} {p.method}: '
            '{p.mean:.4f} ± {p.standard_error:.4f}")',
        ]
    )


def benchmark_code(view: BenchmarkView, file: str = "") -> str:
    """Code for a benchmark; it leaves `rows`. file : name of a visitor's own file."""
    if view.data == "digits":
        source = ['source = datasets.source("digits")']
    elif file:
        packed = file.lower().endswith(".npz")
        source = [
            *(["# Save the points as .npz first, with arrays X and y."] * (not packed)),
            f"source = datasets.Stored({file.rpartition('.')[0] + '.npz'!r})",
        ]
    else:
        source = [
            f"datasets.fetch({view.data!r})  # once; it is kept",
            f"source = datasets.Stored(str(datasets.fetched_file({view.data!r})))",
        ]
    return script(
        [
            *source,
            f"panels = tuple(PANELS[name] for name in {view.similarities!r})",
            f"benchmark = Benchmark(source, {view.sizes!r}, panels, {view.methods!r}, "
            f"{view.target}, {view.seed})",
            "rows = list(run_benchmark(benchmark, n_jobs=-1))",
            "for c in summarise_benchmark(rows):",
            '    print(f"{c.similarity} n = {c.n} {c.method}: '
            '{c.mean:.4f} ± {c.standard_error:.4f}")',
        ]
    )
