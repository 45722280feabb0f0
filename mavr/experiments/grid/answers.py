"""Answers at any cells of a plane, or at all: classes of all points, and numbers about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array, Mask
from mavr.experiments.grid import criteria
from mavr.experiments.grid.plane import Axis, Points, cell_setting
from mavr.experiments.grid.resolvents import BLOCK_ENTRIES
from mavr.experiments.grid.solutions import Said, solve_all
from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS
from mavr.settings import Setting

Cell = Mapping[str, float]
Draw = Callable[..., Points]

# A sparse similarity of fewer points is made dense: a spectrum serves every cell.
MAX_DENSE = 1500
PLAIN = ("error", "tied", "unreached", "largest", "margin", "entropy", "cut", "volume", "rho")
MEASURES = (*PLAIN, "alpha", *criteria.NAMES)


@dataclass(frozen=True, eq=False)
class Answers:
    """What k methods say in m cells of n points.

    Attributes
    ----------
    methods : their k names.
    labels : (k, m, n) classes, -1 where unreached, the lowest of the tied ones at a tie.
    ties : (k, m, n) points whose best classes are tied.
    measures : (k, m) arrays by name.

    Notes
    -----
    error : share of the unlabelled points whose class is wrong, a tied or unreached one claiming
    none, NaN without truth; tied, unreached : shares of the points; largest : share of the largest
    class; margin : mean of (best - second) / (|best| + |second|); entropy : mean of the responses'
    entropy, 0 to 1; cut : normalised cut of the found classes, a class without points counting 1;
    volume, rho, alpha : see `mavr.Solution`, means over the classes for BAVR; loo_error,
    loo_margin, stability, evidence : see `mavr.experiments.grid.criteria`, NaN unless they were
    asked for. Where responses are only enclosed, margin and entropy are those of the middle.
    """

    methods: tuple[str, ...]
    labels: npt.NDArray[np.int16]
    ties: Mask
    measures: dict[str, Array]


@dataclass(frozen=True, eq=False)
class Grid(Answers):
    """Answers on a plane of h rows, along y, and w columns, along x: (h, w) in the place of m."""

    x: Axis
    y: Axis


def answer_cells(
    points: Points | Draw,
    cells: Sequence[Cell],
    setting: Setting | None = None,
    methods: Sequence[str] = ("mavr",),
    *,
    unlabelled: bool = False,
) -> Answers:
    """Answers at some cells.

    Parameters
    ----------
    points : the points, or a function that makes them of the values that are no setting; the
        number of points must not change.
    cells : values by the name of their axis, see `Axis`.
    setting : everything else.
    methods : names in `mavr.METHODS`.
    unlabelled : also compute the criteria that need no true class.
    """
    for method in methods:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    draw = cache(points if callable(points) else lambda: points)
    placed = [_placed(cell, setting or Setting(), draw) for cell in cells]
    shape = (len(methods), len(cells), placed[0][0].n)
    labels, ties = np.empty(shape, np.int16), np.empty(shape, np.bool_)
    measures = {name: np.full(shape[:2], np.nan) for name in MEASURES}
    graphs: dict[Any, Graph] = {}
    for members in _grouped(placed):
        drawn, at = placed[members[0]]
        key = (id(drawn.X), at.graph.key)
        if key not in graphs:
            # One is enough: cells come grouped.
            graphs = {key: graph_of(at.graph, drawn.X).dense_up_to(MAX_DENSE)}
        graph = graphs[key]
        wanted = [(m, placed[k][1].parameters) for k in members for m in methods]
        said = solve_all(graph, drawn.Y, wanted)
        measured = _measured(graph, drawn, wanted, said, unlabelled)
        places = ((j, k) for k in members for j in range(len(methods)))
        for place, one, numbers in zip(places, said, measured, strict=True):
            labels[place], ties[place] = one.labels, one.ties
            for name, value in numbers.items():
                measures[name][place] = value
    return Answers(tuple(methods), labels, ties, measures)


def solve_grid(
    points: Points | Draw,
    x: Axis,
    y: Axis,
    setting: Setting | None = None,
    methods: Sequence[str] = ("mavr",),
    *,
    unlabelled: bool = False,
) -> Grid:
    """Predictions of methods over a plane of two settings.

    Parameters
    ----------
    x, y : the axes.
    points, setting, methods, unlabelled : as in `answer_cells`.

    Returns
    -------
    Grid

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> points = Points(X, [0, -1, -1, -1, -1, 1])
    >>> found = solve_grid(points, Axis("gamma", (1, 9)), Axis("tau", (0.5, 1, 2)))
    >>> found.labels[0, 0, 0]
    array([0, 0, 0, 1, 1, 1], dtype=int16)
    """
    if x.name == y.name:
        raise ValueError(f"the two axes must differ, got {x.name} twice")
    cells = [{x.name: a, y.name: b} for b in y.values for a in x.values]
    found = answer_cells(points, cells, setting, methods, unlabelled=unlabelled)
    k, shape = len(found.methods), (len(y.values), len(x.values))
    return Grid(
        found.methods,
        found.labels.reshape(k, *shape, -1),
        found.ties.reshape(k, *shape, -1),
        {name: values.reshape(k, *shape) for name, values in found.measures.items()},
        x,
        y,
    )


def _placed(cell: Cell, setting: Setting, draw: Draw) -> tuple[Points, Setting]:
    """The points of a cell and its setting."""
    # Points may add classes but not settings: the first call only sorts the values.
    rest = cell_setting(setting, {k: v for k, v in cell.items() if k[0] != "P"}, 0)[1]
    drawn = draw(**dict(sorted(rest.items())))
    return drawn, cell_setting(setting, cell, drawn.n_classes)[0]


def _grouped(placed: Sequence[tuple[Points, Setting]]) -> list[list[int]]:
    """Numbers of the cells that share their points and their graph."""
    groups: dict[Any, list[int]] = {}
    for k, (drawn, at) in enumerate(placed):
        first = placed[0][0]
        if drawn.n != first.n:
            raise ValueError(
                f"the cells must have equally many points, got {first.n} and {drawn.n}"
            )
        groups.setdefault((id(drawn), at.graph.key), []).append(k)
    return list(groups.values())


def _measured(
    graph: Graph,
    points: Points,
    wanted: Sequence[tuple[str, Any]],
    said: Sequence[Said],
    unlabelled: bool,
) -> list[dict[str, float]]:
    """Numbers of each answer; answers that are one object are measured once."""
    methods = {id(s): method for (method, _), s in zip(wanted, said, strict=True)}
    different = list({id(s): s for s in said}.values())
    known: dict[int, dict[str, float]] = {}
    step = max(1, BLOCK_ENTRIES // (points.n * points.n_classes))
    for start in range(0, len(different), step):
        some = different[start : start + step]
        for s, numbers in zip(some, _numbers(points, some), strict=True):
            known[id(s)] = numbers
    cuts = _cuts(graph, points.n_classes, different)
    for s in different:
        known[id(s)] |= {"cut": cuts[id(s)]}
        if unlabelled:
            known[id(s)] |= criteria.criteria(graph, points.Y, methods[id(s)], s)
    return [known[id(s)] for s in said]


def _numbers(points: Points, some: Sequence[Said]) -> list[dict[str, float]]:
    labels, ties, unreached, H = (
        np.stack([getattr(s, f) for s in some]) for f in ("labels", "ties", "unreached", "H")
    )
    asked, reached = points.asked, ~unreached
    error = np.full(len(some), np.nan)
    if asked is not None and asked.any():
        error = ((labels != points.truth) & ~ties & reached)[:, asked].mean(axis=1)
    sizes = np.stack([(labels == j).sum(axis=1) for j in range(points.n_classes)])
    count = reached.sum(axis=1)
    entropy = np.where(reached, _entropy(H), 0.0).sum(axis=1)
    found = {
        "error": error,
        "tied": ties.mean(axis=1),
        "unreached": unreached.mean(axis=1),
        "largest": sizes.max(axis=0) / np.maximum(count, 1),
        "margin": _margin(H).mean(axis=1),
        "entropy": np.where(count, entropy / np.maximum(count, 1), np.nan),
    }
    return [
        {name: float(values[k]) for name, values in found.items()}
        | {"volume": s.volume, "rho": s.rho, "alpha": s.alpha}
        for k, s in enumerate(some)
    ]


def _margin(H: Array) -> Array:
    """(..., n) of (..., n, c) responses: (best - second) / (|best| + |second|)."""
    if H.shape[-1] == 1:
        return np.ones(H.shape[:-1])
    top = np.partition(H, -2, axis=-1)[..., -2:]
    size = np.abs(top).sum(axis=-1)
    margin = np.divide(top[..., 1] - top[..., 0], size, out=np.zeros_like(size), where=size > 0)
    return np.asarray(np.minimum(margin, 1.0))


def _entropy(H: Array) -> Array:
    """Of each point's responses as shares of their sum, negative ones as 0; 1 is uniform."""
    H = np.maximum(H, 0.0)
    top = H.max(axis=-1, keepdims=True)
    share = np.divide(H, top, out=np.ones_like(H), where=top > 0)
    share /= share.sum(axis=-1, keepdims=True)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(share * logs).sum(axis=-1) / max(np.log(H.shape[-1]), 1e-300))


def _cuts(graph: Graph, c: int, said: Sequence[Said]) -> dict[int, float]:
    """Normalised cut of the found classes (Shi and Malik): sum of cut / volume of each."""
    degree = np.asarray(graph.W.sum(axis=1)).ravel()
    found: dict[bytes, float] = {}
    cuts = {}
    for s in said:
        key = s.labels.tobytes()
        if key not in found:
            U = (s.labels[:, None] == np.arange(c)).astype(float)
            volume = degree @ U
            inside = (U * (graph.W @ U)).sum(axis=0)
            kept = np.divide(inside, volume, out=np.zeros(c), where=volume > 0)
            found[key] = float((1 - kept).sum())
        cuts[id(s)] = found[key]
    return cuts
