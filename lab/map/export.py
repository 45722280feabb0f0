"""The map as a table, and as ten lines of Python that compute it again. No Streamlit here."""

from __future__ import annotations

import csv
import io

import numpy as np

from datasets import Dataset
from lab.export.code import wrapped
from lab.map.axes import LABELS
from lab.map.job import MapJob
from lab.map.request import NUMBERS, Request
from mavr.settings import Setting


def as_csv(job: MapJob) -> str:
    """One line for every cell and method that is known so far."""
    request, file = job.request, io.StringIO()
    board = request.board
    table = csv.writer(file, lineterminator="\n")
    head = [request.x.name, request.y.name, "side", "method", *NUMBERS]
    table.writerow(head)
    rows = []
    for chunk in job.rows():
        for place, k in enumerate(chunk.cells.tolist()):
            cell = list(request.cell(k).values())
            for side, method in enumerate((board.left, board.right)):
                numbers = [_text(v) for v in chunk.numbers[side, :, place]]
                rows.append((k, side, [*cell, ("left", "right")[side], method, *numbers]))
    table.writerows(row for _, _, row in sorted(rows, key=lambda row: row[:2]))
    return file.getvalue()


def _text(value: np.float32) -> str:
    return "" if np.isnan(value) else f"{float(value):.6g}"


def as_code(request: Request, source: Dataset) -> str:
    """A script that computes the map with the library."""
    board = request.board
    c = len(source.class_names) + board.marks.extra
    setting = Setting(board.setting.graph, board.parameters(c))
    lines = [
        "import numpy as np",
        "import datasets, mavr",
        "from mavr.experiments.grid import Axis, Points, solve_grid",
        "from mavr.settings import GraphSpec, Parameters, Setting",
        *_points(request, source, c),
        f"setting = {setting!r}",
        *(f"{n} = Axis({a.name!r}, {a.values})" for n, a in (("x", request.x), ("y", request.y))),
        f"grid = solve_grid(points, x, y, setting, ({board.left!r}, {board.right!r}))",
        'print(grid.labels.shape, grid.measures["error"].min(axis=(1, 2)))',
    ]
    return wrapped(lines)


def _points(request: Request, source: Dataset, n_classes: int) -> list[str]:
    """Lines that define `points`, or the function that makes them of the axes' values."""
    data, marks = request.board.data, request.board.marks
    axes = [axis.name for axis in (request.x, request.y) if axis.of_data]
    own = {name: value for name, value in data.values.items() if name not in axes}
    arguments = [f"{name}={value!r}" for name, value in own.items()]
    arguments += [f"{name}={name}" for name in axes if name != LABELS.name]
    if data.uploaded:
        load = f"datasets.from_csv({source.name!r})  # or from_npz"
    else:
        listed = ", ".join([f"seed={data.seed}", *arguments])
        load = f"datasets.GENERATORS[{data.name!r}].function({listed})"
    given = dict(marks.labels)
    if LABELS.name in axes:
        chosen = f"datasets.draw_labels(data.y, int(n_labelled), 'balanced', {data.seed})"
        labels = [f"chosen = {chosen}", "given[chosen] = data.y[chosen]"]
    else:
        labels = [f"given[{list(given)}] = {list(given.values())}"]
    body = [f"data = {load}", "given = np.full(data.n, -1)", *labels]
    made = f"Points(data.X, given, data.y, {n_classes})"
    if not axes:
        return [*body, f"points = {made}"]
    head = f"def points({', '.join(axes)}):"
    return [head, *(f"    {line}" for line in [*body, f"return {made}"])]
