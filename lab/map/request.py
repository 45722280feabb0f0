"""What a map is computed from, its cells, and the answers of some of them. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from datasets import Dataset
from lab.board.scene import Scene, scene_of
from lab.board.view import SECOND, View
from lab.data import load
from lab.link import put_at
from lab.map.axes import (
    LABELS,
    PLACES,
    AxisView,
    axis_word,
    drawn_labels,
    moved,
    offered,
    taken_at,
    values,
)
from lab.map.ranges import ends_of
from lab.map.view import MapView, scale_axis
from mavr.experiments.grid import Answers, Points, answer_cells
from mavr.experiments.grid.plane import entry
from mavr.settings import Number, Setting

# A decomposition for each width: beyond, a map takes minutes.
MAX_POINTS = 1500
NUMBERS = (
    *("error", "tied", "largest", "margin", "volume", "effective", "entropy", "cut"),
    *("loo_error", "loo_margin", "stability", "evidence", "rho"),
)
# Added to the class of a tied point, for classes that fit into a byte, and for others.
TIED, TIED_WIDE = 64, 16384
Files = Mapping[str, Dataset]


class TooMany(ValueError):
    """More points than a map has room for."""


@dataclass(frozen=True)
class Axis:
    """An axis of a request: its name and the values of its cells."""

    name: str
    values: tuple[float, ...]

    @property
    def of_graph(self) -> bool:
        """Whether another value makes another graph."""
        settings = ("gamma", "tau", "balance", LABELS.name)
        return self.name not in settings and entry(self.name) is None

    @property
    def of_data(self) -> bool:
        """Whether another value moves or labels other points."""
        return self.name in PLACES or self.name == LABELS.name


@dataclass(frozen=True)
class Request:
    """A map: the board with its axes' settings at their first values, and the axes."""

    board: View
    x: Axis
    y: Axis

    def cell(self, k: int) -> dict[str, float]:
        """The values of a cell; cells are counted row by row along x."""
        row, column = divmod(k, len(self.x.values))
        return {self.x.name: self.x.values[column], self.y.name: self.y.values[row]}

    @property
    def columns(self) -> bool:
        """Whether a line, cells that share their graph, is a column."""
        return self.x.of_graph and not self.y.of_graph


def about_axes(view: MapView, source: Dataset) -> tuple[Number, Number]:
    """The declarations of both axes. Raises ValueError."""
    known = offered(view.board, source)
    for axis in (view.x, view.y):
        if axis.name not in known:
            raise ValueError(f"{axis_word(axis.name)} is no setting of this data set and graph")
    if view.x.name == view.y.name:
        raise ValueError("the two axes must differ; choose another setting for one of them")
    return known[view.x.name], known[view.y.name]


def settled(view: MapView, source: Dataset) -> tuple[MapView, str]:
    """The view with axes that this data set and graph have, and a sentence if one was not there."""
    known = offered(view.board, source)
    usual = [scale_axis(view.board), "gamma", "tau"]
    said = ""
    for name in ("x", "y"):
        axis, other = getattr(view, name), getattr(view, "y" if name == "x" else "x").name
        if axis.name in known and (name == "x" or axis.name != other):
            continue
        instead = next(u for u in usual if u != other)
        which, word = {"x": "across", "y": "upwards"}[name], known[instead].word.lower()
        said = f"{axis_word(axis.name)} cannot be the axis {which} here; it is {word} now."
        view = put_at(view, (name,), AxisView(instead))
    return view, said


def request_of(view: MapView, files: Files) -> Request:
    """What the map of a view is computed from. Raises ValueError with a sentence."""
    source = load(view.board.data, files)
    scene = scene_of(view.board, files)
    if (n := int(scene.alive.sum())) > MAX_POINTS:
        raise TooMany(
            f"A map has room for {MAX_POINTS:,} points, and these are {n:,}: every width needs a "
            "decomposition of its own. Choose fewer points, or load a sample of your file."
        )
    c = scene.n_classes
    abouts = about_axes(view, source)
    found = ends_of((view.x, view.y), abouts, view.board, scene)
    axes = [
        Axis(about.name, values(about, *both)) for about, both in zip(abouts, found, strict=True)
    ]
    if LABELS.name not in (view.x.name, view.y.name) and not scene.Y.any():
        raise ValueError("No point is labelled. Label some in the Playground, or draw labels.")
    return Request(_without(view.board, axes, c), *axes)


def _without(board: View, axes: Sequence[Axis], c: int) -> View:
    """The board with all that the map does not depend on at its usual place."""
    plain = View(board.data, board.marks, board.setting, board.left, board.right, board.own)
    plain = replace(plain, second=board.second if board.own else plain.second)
    # P for this many classes.
    plain = put_at(plain, ("setting", "parameters"), plain.parameters(c))
    first = {axis.name: axis.values[0] for axis in axes}
    if first.pop(LABELS.name, None) is not None:
        plain = put_at(plain, ("marks", "labels"), ())
    return taken_at(plain, first, c, {})


@dataclass(frozen=True, eq=False)
class Chunk:
    """Answers of m cells, as they are sent.

    Attributes
    ----------
    cells : (m,) numbers of the cells.
    codes : (k, m, N) class of each point, `TIED` more where tied, -1 unreached, -2 deleted.
    numbers : (k, len(NUMBERS), m).
    scene : (m,) which of the places and labels below a cell has.
    places : (s, N, 2) where the points are; None if they are where the board has them.
    given : (s, N) labels; None if they are those of the board.
    """

    cells: npt.NDArray[np.uint16]
    codes: npt.NDArray[np.int8] | npt.NDArray[np.int16]
    numbers: npt.NDArray[np.float32]
    scene: npt.NDArray[np.uint16]
    places: npt.NDArray[np.float32] | None
    given: npt.NDArray[np.int16] | None


@dataclass(frozen=True)
class Part:
    """Some cells of a request: a unit of work.

    Attributes
    ----------
    request, cells : what is to be computed.
    sampling : its place in the order.
    coarse : whether it belongs to the first map.
    files : uploads that it takes.
    """

    request: Request
    cells: tuple[int, ...]
    sampling: int
    coarse: bool = False
    files: Files = field(default_factory=dict, compare=False, repr=False)


class Drawn:
    """Makes the points of a cell, and remembers the scene of each."""

    def __init__(self, board: View, files: Files) -> None:
        self.board, self.files = board, files
        self.scenes: dict[tuple[tuple[str, float], ...], Scene] = {}

    def scene(self, **rest: float) -> Scene:
        key = tuple(sorted(rest.items()))
        if key not in self.scenes:
            board = self.board
            for name, value in key:
                if name in PLACES:
                    board = replace(board, data=moved(board.data, name, value))
            if LABELS.name in rest:
                board = drawn_labels(board, int(rest[LABELS.name]), self.files)
            self.scenes[key] = scene_of(board, self.files)
        return self.scenes[key]

    def __call__(self, **rest: float) -> Points:
        scene = self.scene(**rest)
        alive = scene.alive
        truth = None if scene.truth is None else scene.truth[alive]
        return Points(scene.X, scene.labels[alive], truth, scene.n_classes)


def run_part(part: Part) -> list[Chunk]:
    """Answer some cells, in a process of its own."""
    with threadpool_limits(limits=1):
        return [answered(part.request, part.cells, part.files)]


def answered(request: Request, cells: Sequence[int], files: Files) -> Chunk:
    """The chunk of some cells."""
    board, wanted = request.board, [request.cell(k) for k in cells]
    drawn = Drawn(board, files)
    of_data = [axis.name for axis in (request.x, request.y) if axis.of_data]
    rest = [{name: cell[name] for name in of_data} for cell in wanted]
    first = drawn.scene(**rest[0])
    setting = Setting(board.setting.graph, board.parameters(first.n_classes))
    gamma = [cell.get("gamma", setting.parameters.gamma) for cell in wanted]
    if board.own:
        # The right method keeps its own smoothness, size and balance.
        own = Setting(setting.graph, board.parameters(first.n_classes, right=True))
        kept = [{k: v for k, v in cell.items() if k not in SECOND} for cell in wanted]
        said = [
            answer_cells(drawn, wanted, setting, (board.left,), unlabelled=True),
            answer_cells(drawn, kept, own, (board.right,), unlabelled=True),
        ]
        gammas = [gamma, [own.parameters.gamma] * len(wanted)]
    else:
        both = (board.left, board.right)
        said = [answer_cells(drawn, wanted, setting, both, unlabelled=True)]
        gammas = [gamma, gamma]
    return _chunk(request, cells, drawn, rest, said, np.array(gammas))


def _chunk(
    request: Request,
    cells: Sequence[int],
    drawn: Drawn,
    rest: Sequence[dict[str, float]],
    said: Sequence[Answers],
    gammas: Any,
) -> Chunk:
    labels = np.concatenate([a.labels for a in said])
    ties = np.concatenate([a.ties for a in said])
    scenes = [drawn.scene(**r) for r in rest]
    different = list({id(s): s for s in scenes}.values())
    where = {id(s): k for k, s in enumerate(different)}
    few = different[0].n_classes < TIED
    codes = np.full((*labels.shape[:2], len(different[0].alive)), -2, np.int8 if few else np.int16)
    codes[:, :, different[0].alive] = labels + (TIED if few else TIED_WIDE) * ties
    measures = {name: np.concatenate([a.measures[name] for a in said]) for name in said[0].measures}
    with np.errstate(divide="ignore", invalid="ignore"):
        measures["effective"] = gammas / -measures["rho"]
    axes = (request.x, request.y)
    return Chunk(
        cells=np.array(cells, np.uint16),
        codes=codes,
        numbers=np.stack([measures[name] for name in NUMBERS], axis=1).astype(np.float32),
        scene=np.array([where[id(s)] for s in scenes], np.uint16),
        places=np.array([s.points for s in different], np.float32)
        if any(a.name in PLACES for a in axes)
        else None,
        given=np.array([s.labels for s in different], np.int16)
        if any(a.name == LABELS.name for a in axes)
        else None,
    )
