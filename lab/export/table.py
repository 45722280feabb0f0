"""What is shown as CSV: the points of a board, where they are, what is given, what each method
says; the settings of a map with their numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any

import numpy as np

from lab.board.answers import TIE, UNREACHED
from lab.board.answers import Result as ClassResult
from lab.map.job import MapJob
from lab.map.request import NUMBERS
from lab.sets.answers import Result as SetResult
from lab.sets.labels import signs


def classes_table(result: ClassResult) -> str:
    """One row per point that is not deleted; no class is written where a point is unreached."""
    scene, titles = result.scene, _titles(a.title for a in result.answers)
    names = scene.names
    head = ["point", "x", "y", "label", *(["true class"] if scene.truth is not None else [])]
    for title in titles:
        head += [title, f"{title} tied", f"{title} unreached"]
        head += [f"{title} response {name}" for name in names]
    rows = []
    for i in scene.alive.nonzero()[0].tolist():
        row: list[Any] = [i, *scene.points[i].tolist(), _name(names, int(scene.labels[i]))]
        if scene.truth is not None:
            row.append(_name(names, int(scene.truth[i])))
        for a in result.answers:
            flags = int(a.flags[i])
            row += [_name(names, int(a.pred[i])), flags & TIE and 1, flags & UNREACHED and 1]
            # The responses in all their digits; what is drawn has fewer.
            row += a.solution.H[int(scene.alive[:i].sum())].tolist()
        rows.append(row)
    return written(head, rows)


def sets_table(result: SetResult) -> str:
    """One row per point; 1 has the label, -1 has it not, 0 unknown."""
    names, truth = result.data.class_names, signs(result.data)
    head = ["point", "x", "y", *(f"given {name}" for name in names)]
    head += [f"true {name}" for name in names] if truth.any() else []
    for title in _titles(a.title for a in result.answers):
        head += [f"{title} {name}" for name in names]
        head += [f"{title} undecided {name}" for name in names]
        head += [f"{title} unreached", *(f"{title} response {name}" for name in names)]
    rows = []
    for i, place in enumerate(result.places.tolist()):
        row = [i, *place, *result.given[i].tolist()]
        row += truth[i].tolist() if truth.any() else []
        for a in result.answers:
            row += [*a.has[i].astype(int).tolist(), *a.undecided[i].astype(int).tolist()]
            row += [int(a.solution.unreached[i]), *a.solution.H[i].tolist()]
        rows.append(row)
    return written(head, rows)


def map_table(job: MapJob) -> str:
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


def _name(names: Sequence[str], j: int) -> str:
    return names[j] if j >= 0 else ""


def _titles(titles: Iterable[str]) -> list[str]:
    """Two columns never have one name: the second method of a name is told apart."""
    found: list[str] = []
    for title in titles:
        names = chain([title], (f"{title} ({k})" for k in count(2)))
        found.append(next(name for name in names if name not in found))
    return found


def written(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()
