"""Experiments: sweeps over a factor, run in parallel, summarised, and compared with print."""

from mavr.experiments.engine import Row, Task, run, run_task, tasks
from mavr.experiments.printed import Agreement, Printed, agreement, printed_error, printed_figure
from mavr.experiments.summary import Difference, Point, paired, summarise, write_csv
from mavr.experiments.sweep import (
    FIGURE_SEED,
    MAX_SAMPLINGS,
    Design,
    Draw,
    Sweep,
    draw,
    draw_labels,
    factors,
    make_data,
    paper_panels,
    sampling_seed,
)

__all__ = [
    "FIGURE_SEED",
    "MAX_SAMPLINGS",
    "Agreement",
    "Design",
    "Difference",
    "Draw",
    "Point",
    "Printed",
    "Row",
    "Sweep",
    "Task",
    "agreement",
    "draw",
    "draw_labels",
    "factors",
    "make_data",
    "paired",
    "paper_panels",
    "printed_error",
    "printed_figure",
    "run",
    "run_task",
    "sampling_seed",
    "summarise",
    "tasks",
    "write_csv",
]
