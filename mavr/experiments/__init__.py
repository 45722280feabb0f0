"""Experiments: sweeps over a factor and benchmarks, in parallel, summarised, compared with print.

They are handed their data: a `Source` draws the points of each sampling. Those of the package
`datasets` are made by ``datasets.source``.
"""

from mavr.experiments.benchmark import Benchmark
from mavr.experiments.design import FIGURE_SEED, Design, Sweep, factors, paper_panels
from mavr.experiments.engine import Row, Task, run, run_task, tasks
from mavr.experiments.measurement import Measurement, run_benchmark
from mavr.experiments.printed import Agreement, Printed, agreement, printed_error, printed_figure
from mavr.experiments.source import MAX_SAMPLINGS, Sample, Source, sampling_seed
from mavr.experiments.summary import (
    Cell,
    Difference,
    Point,
    paired,
    summarise,
    summarise_benchmark,
    write_csv,
)

__all__ = [
    "FIGURE_SEED",
    "MAX_SAMPLINGS",
    "Agreement",
    "Benchmark",
    "Cell",
    "Design",
    "Difference",
    "Measurement",
    "Point",
    "Printed",
    "Row",
    "Sample",
    "Source",
    "Sweep",
    "Task",
    "agreement",
    "factors",
    "paired",
    "paper_panels",
    "printed_error",
    "printed_figure",
    "run",
    "run_benchmark",
    "run_task",
    "sampling_seed",
    "summarise",
    "summarise_benchmark",
    "tasks",
    "write_csv",
]
