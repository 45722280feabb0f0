"""The map as a table. No Streamlit here."""

from __future__ import annotations

import numpy as np

from lab.export.table import written
from lab.map.job import MapJob
from lab.map.request import NUMBERS


def as_csv(job: MapJob) -> str:
    """One line for every cell and method that is known so far."""
    request, rows = job.request, []
    for chunk in job.rows():
        for place, k in enumerate(chunk.cells.tolist()):
            cell = list(request.cell(k).values())
            for side, method in enumerate((request.board.left, request.board.right)):
                found = chunk.numbers[side, :, place]
                numbers = ["" if np.isnan(v) else f"{float(v):.6g}" for v in found]
                rows.append((k, side, [*cell, ("left", "right")[side], method, *numbers]))
    head = [request.x.name, request.y.name, "side", "method", *NUMBERS]
    return written(head, (row for _, _, row in sorted(rows, key=lambda row: row[:2])))
