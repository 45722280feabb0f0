"""The map as a table, and as ten lines of Python that compute it again. No Streamlit here."""

from __future__ import annotations

import csv
import io

import numpy as np

from datasets import Dataset
from lab.board.view import View
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
    given = dict(board.marks.labels)
    data = board.data
    arguments = "".join(f", {name}={value!r}" for name, value in data.values.items())
    if data.uploaded:
        load = f"data = datasets.from_csv({source.name!r})  # or from_npz"
    else:
        load = f"data = datasets.GENERATORS[{data.name!r}].function(seed={data.seed}{arguments})"
    lines = [
        "import numpy as np",
        "import datasets, mavr",
        "from mavr.experiments.grid import Axis, Points, solve_grid",
        "from mavr.settings import GraphSpec, Parameters, Setting",
        load,
        "given = np.full(data.n, -1)",
        f"given[{list(given)}] = {list(given.values())}",
        f"setting = {_setting(board, len(source.class_names) + board.marks.extra)}",
        *(f"{n} = Axis({a.name!r}, {a.values})" for n, a in (("x", request.x), ("y", request.y))),
        "points = Points(data.X, given, data.y)",
        f"grid = solve_grid(points, x, y, setting, ({board.left!r}, {board.right!r}))",
        'print(grid.measures["error"].min(axis=(1, 2)))',
    ]
    return "\n".join(lines)


def _setting(board: View, n_classes: int) -> str:
    setting = Setting(board.setting.graph, board.parameters(n_classes))
    return repr(setting)
