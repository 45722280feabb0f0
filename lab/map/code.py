"""The map as some ten lines of Python that compute it again. No Streamlit here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from datasets import Dataset
from lab.board.scene import Scene, scene_of
from lab.board.view import SECOND
from lab.export.code import data_lines, painted_places
from lab.export.script import script
from lab.map.axes import LABELS
from lab.map.request import Axis, Request
from mavr.experiments.grid.plane import entry
from mavr.methods import METHODS
from mavr.settings import GraphSpec, Parameters, Rows, declarations

Files = Mapping[str, Dataset]


def as_code(request: Request, files: Files) -> str:
    """A script that computes the map with the library; it leaves `grid`, and `right` where the
    right method has settings of its own.
    """
    board, scene = request.board, scene_of(request.board, files)
    methods = (board.left,) if board.own else (board.left, board.right)
    setting = _setting(request, scene.n_classes, methods)
    lines = [
        *_points(request, scene, files),
        f"x = Axis({request.x.name!r}, {_values(request.x)})",
        f"y = Axis({request.y.name!r}, {_values(request.y)})",
        *([f"setting = {setting}"] if setting else []),
        f"grid = solve_grid(points, x, y, {'setting' if setting else None}, {methods!r})",
        *(_right(request, scene.n_classes) if board.own else []),
        'print(grid.labels.shape, grid.measures["error"].min(axis=(1, 2)))',
    ]
    return script(lines)


def _points(request: Request, scene: Scene, files: Files) -> list[str]:
    """Lines that define `points`, or the function that makes them of the axes' values."""
    data = request.board.data
    axes = [axis.name for axis in (request.x, request.y) if axis.of_data]
    painted = scene.paintable and scene.marks.painted
    X, y = ("X", "y") if painted else ("data.X", "data.y")
    given = {int(i): int(scene.labels[i]) for i in np.flatnonzero(scene.labels >= 0)}
    if LABELS.name in axes:
        chosen = f"datasets.draw_labels({y}, int({LABELS.name}), 'balanced', {data.seed})"
        labels = [f"chosen = {chosen}", f"given[chosen] = {y}[chosen]"]
    else:
        labels = [f"given[{list(given)}] = {list(given.values())}"]
    keep = "[alive]" if painted else ""
    made = f"Points({X}{keep}, given{keep}, {y}{keep}, {scene.n_classes})"
    if painted and scene.truth is None:
        made = f"Points(X[alive], given[alive], None, {scene.n_classes})"
    body = [
        *data_lines(data, files, axes),
        *(_painted(scene) if painted else []),
        f"given = np.full({'len(X)' if painted else 'data.n'}, -1)",
        *labels,
    ]
    if not axes:
        return [*body, f"points = {made}"]
    head = f"def points({', '.join(axes)}):"
    return [head, *(f"    {line}" for line in [*body, f"return {made}"])]


def _painted(scene: Scene) -> list[str]:
    """X, y and which points are left, with what was moved, added and deleted."""
    gone, lines = np.flatnonzero(~scene.alive).tolist(), painted_places(scene)
    if scene.truth is not None:
        lines.append(f"y = np.append(data.y, {scene.truth[scene.data.n :].tolist()})")
        lines += [f"y[{gone}] = -1"] if gone else []
    return [*lines, f"alive = np.delete(np.arange(len(X)), {gone})"]


def _values(axis: Axis) -> str:
    """The values in one line, if they follow a rule."""
    low, high, count = axis.values[0], axis.values[-1], len(axis.values)
    if axis.values == tuple(range(int(low), int(low) + count)):
        return f"range({int(low)}, {int(high) + 1})"
    for steps in ("geomspace", "linspace"):
        if steps == "geomspace" and low <= 0:
            continue
        found = getattr(np, steps)(low, high, count)
        if axis.values == tuple(float(f"{v:.4g}") for v in found):
            return f'[float(f"{{v:.4g}}") for v in np.{steps}({low!r}, {high!r}, {count})]'
    return repr(axis.values)


def _setting(request: Request, c: int, methods: Collection[str], right: bool = False) -> str:
    """Everything that is neither usual nor on an axis; empty if nothing is."""
    axes, graph = (request.x.name, request.y.name), request.board.setting.graph
    usual = GraphSpec.of(graph.similarity)
    kept: dict[str, Any] = {}
    if graph.similarity != "gaussian":
        kept["similarity"] = graph.similarity
    kept |= {k: v for k, v in graph.arguments.items() if v != usual.arguments[k]}
    for name in declarations(GraphSpec):
        if name != "similarity" and getattr(graph, name) != getattr(usual, name):
            kept[name] = getattr(graph, name)
    p = request.board.parameters(c, right=right)
    uses = {u for m in methods for u in METHODS[m].uses}
    for name, about in declarations(Parameters).items():
        if name in uses and getattr(p, name) != about.usual:
            kept[name] = getattr(p, name)
    kept = {k: v for k, v in kept.items() if k not in axes or (right and k in SECOND)}
    P = _relation(p.P, axes)
    if P is not None and "P" in uses:
        kept["P"] = P
    said = ", ".join(f"{name}={value!r}" for name, value in kept.items())
    return f"Setting().having({said})" if said else ""


def _relation(rows: Rows | None, axes: Collection[str]) -> Rows | None:
    """P with entries that are axes as in I; None for I."""
    if rows is None:
        return None
    P, same = np.array(rows), np.eye(len(rows))
    for name in axes:
        if (place := entry(name)) is not None:
            P[place] = P[place[::-1]] = same[place]
    return None if (same == P).all() else tuple(map(tuple, P.tolist()))


def _right(request: Request, c: int) -> list[str]:
    """The right method keeps its own smoothness, size and balance, whatever the cell says."""
    named = {"a": request.x.name, "b": request.y.name}
    cell = ", ".join(f"{name!r}: {v}" for v, name in named.items() if name not in SECOND)
    own = _setting(request, c, (request.board.right,), right=True) or "Setting()"
    return [
        f"cells = [{{{cell}}} for b in y.values for a in x.values]",
        f"right = answer_cells(points, cells, {own}, ({request.board.right!r},))",
    ]
