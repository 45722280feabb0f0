"""From a view to answers: what each method says of each point. No Streamlit here."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from datasets import Dataset
from lab.board import far
from lab.board import scene as scenes
from lab.board.compare import Comparison, compare
from lab.board.scene import Plane, Scene, Shading
from lab.board.view import SECOND, View
from lab.cache import RECENT
from lab.text import short
from mavr.arrays import Array
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import Parameters, declarations
from mavr.solvers.solution import Solution
from mavr.ties import split_ties

TIE, UNREACHED, WRONG, DISAGREE = 1, 2, 4, 8

# From so many points on two panels are answered sooner by two threads than by one.
MANY = 2000
_BESIDE = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="panel")


@dataclass(frozen=True, eq=False)
class Answer:
    """One method's reply; arrays over all points, pred is -1 where unreached and -2 where deleted.

    Attributes
    ----------
    error : share of the points asked that are wrong, None where no true class is known; a tied or
        unreached point claims no class and is not wrong.
    not_right : the same share, tied and unreached points counted.
    n_wrong, n_tied, n_unreached : numbers of points.
    """

    method: str
    title: str
    solution: Solution
    parameters: Parameters
    seconds: float
    pred: npt.NDArray[np.int16]
    confidence: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    H: npt.NDArray[np.float32]
    grid: npt.NDArray[np.int16] | None
    error: float | None
    not_right: float | None
    n_wrong: int
    n_tied: int
    n_unreached: int

    @property
    def nbytes(self) -> int:
        """About the memory of its arrays, and of those of its solution."""
        shades = 0 if self.grid is None else self.grid.nbytes
        return 6 * self.H.nbytes + 2 * len(self.pred) + shades


@dataclass(frozen=True, eq=False)
class Result:
    """What the board shows; no answers where nothing is labelled.

    Sessions and caches keep it: it holds neither the graph nor the weights of the shading, which
    are large and belong to the cache alone.
    """

    scene: Scene
    plane: Plane | None
    answers: tuple[Answer, ...]
    compared: Comparison

    @property
    def disagree(self) -> int:
        """How many points the two methods answer differently."""
        return self.compared.differ

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.answers)

    @property
    def left(self) -> Answer:
        return self.answers[0]

    @property
    def right(self) -> Answer:
        return self.answers[1]


def compute(
    view: View,
    uploads: Mapping[str, Dataset],
    also: tuple[str, ...] = (),
    coarse: bool = False,
) -> Result:
    """The answers of the left and the right method, and of further ones.

    coarse : with fewer shaded cells, while a hand moves.
    """
    scene = scenes.scene_of(view, uploads)
    question = question_of(view, scene, also)
    solved = far.solved(question)
    graph = scenes.graph(view, scene)
    shading = scenes.shading(view, scene, coarse)
    plane = shading.plane if shading else None
    if not question.runs:
        return Result(scene, plane, (), Comparison(int(scene.alive.sum()), 0, 0, 0))
    if solved is not None:
        found = zip(question.runs, solved.solutions, solved.seconds, strict=True)
        answers = [present(m, p, s, seconds, scene, shading) for (m, p), s, seconds in found]
    else:
        answers = _answered(view, question.runs, graph, scene, shading)
        far.note_pace(question, sum(a.seconds for a in answers))
    if view.split:
        answers[0] = _split(answers[0], scene, graph, view.data.seed, shading)
    answers[:2] = told_apart(*answers[:2])
    answers[:2], compared = with_disagreement(*answers[:2])
    return Result(scene, plane, tuple(answers), compared)


def _answered(
    view: View,
    runs: tuple[tuple[str, Parameters], ...],
    graph: Graph,
    scene: Scene,
    shading: Shading | None,
) -> list[Answer]:
    """A method that none of the changes moves is not run again. Of many points the methods are run
    side by side: most of the time goes into products, which do not hold the interpreter."""
    cells = shading.plane if shading else None
    same = ("answer", view.data, view.marks, view.setting.graph.key, cells)

    def one(run: tuple[str, Parameters]) -> Answer:
        method, p = run
        used = tuple(getattr(p, name) for name in sorted(METHODS[method].uses))
        found = RECENT.get((*same, method, used), lambda: answer(method, p, graph, scene, shading))
        return replace(found, parameters=p)

    return list(_BESIDE.map(one, runs) if graph.n >= MANY else map(one, runs))


def told_apart(left: Answer, right: Answer) -> list[Answer]:
    """Two answers of one method by names of their own: by the setting in which they differ."""
    if left.title != right.title:
        return [left, right]
    pairs = {n: [getattr(a.parameters, n) for a in (left, right)] for n in SECOND}
    differ = [name for name, (one, other) in pairs.items() if one != other]
    words = ["left", "right"]
    if len(differ) == 1:
        word = declarations(Parameters)[differ[0]].word.lower()
        words = [f"{word} {'free' if v is None else short(v)}" for v in pairs[differ[0]]]
    return [replace(a, title=f"{a.title}, {w}") for a, w in zip((left, right), words, strict=True)]


def question_of(view: View, scene: Scene, also: tuple[str, ...] = ()) -> far.Question:
    """What is asked of which methods; nothing where nothing is labelled."""
    if not scene.Y.any():
        return far.Question(view, scene, ())
    c = scene.n_classes
    both = view.parameters(c)
    runs = (
        (view.left, both),
        (view.right, view.parameters(c, right=True) if view.own else both),
        # Shown for what balance does: with some, whatever the other methods have.
        *((m, replace(both, balance=both.balance or 1.0)) for m in also),
    )
    return far.Question(view, scene, runs)


def finer(view: View, result: Result) -> Result:
    """The same answers with the fine shading of a board at rest; nothing is solved again."""
    shading = scenes.shading(view, result.scene)
    answers = tuple(replace(a, grid=_shade(shading, a.solution)) for a in result.answers)
    return replace(result, plane=shading.plane if shading else None, answers=answers)


def answer(
    method: str, p: Parameters, graph: Graph, scene: Scene, shading: Shading | None
) -> Answer:
    """Run one method and turn its responses into what the board draws."""
    start = time.perf_counter()
    solution = METHODS[method].run(graph, scene.Y, p)
    return present(method, p, solution, time.perf_counter() - start, scene, shading)


def present(
    method: str,
    p: Parameters,
    solution: Solution,
    seconds: float,
    scene: Scene,
    shading: Shading | None,
) -> Answer:
    """A solution as the board draws it."""
    alive = scene.alive

    def full(values: np.ndarray, dtype: type, rest: int = 0) -> np.ndarray:
        found = np.full((len(alive), *values.shape[1:]), rest, dtype=dtype)
        found[alive] = values
        return found

    pred = full(solution.labels, np.int16, -2)
    confidence = full(np.round(255 * relative_margin(solution.H)), np.uint8)
    flags = full(TIE * solution.ties + UNREACHED * solution.unreached, np.uint8)
    error = not_right = None
    wrong = np.zeros(len(alive), dtype=bool)
    if scene.truth is not None:
        asked = alive & (scene.labels < 0) & (scene.truth >= 0)
        # A tied or unreached point claims no class: it is open, not wrong.
        wrong = asked & (pred != scene.truth) & (flags & (TIE | UNREACHED) == 0)
        flags[wrong] |= WRONG
        open_ = asked & (flags & (TIE | UNREACHED) > 0)
        if asked.any():
            error = float(wrong.sum() / asked.sum())
            not_right = float((wrong | open_).sum() / asked.sum())
    return Answer(
        method=method,
        title=METHODS[method].title,
        solution=solution,
        parameters=p,
        seconds=seconds,
        pred=pred,
        confidence=confidence,
        flags=flags,
        H=full(solution.H, np.float32),
        grid=_shade(shading, solution),
        error=error,
        not_right=not_right,
        n_wrong=int(wrong.sum()),
        n_tied=int(solution.ties.sum()),
        n_unreached=int(solution.unreached.sum()),
    )


def relative_margin(H: Array) -> Array:
    """(best - second) / (|best| + |second|) of each point, 0..1: the confidence that is shown."""
    if H.shape[1] == 1:
        return np.ones(len(H))
    top = np.partition(H, -2, axis=1)[:, -2:]
    size = np.abs(top).sum(axis=1)
    margin = np.divide(top[:, 1] - top[:, 0], size, out=np.zeros(len(H)), where=size > 0)
    return np.minimum(margin, 1.0)


def _shade(shading: Shading | None, solution: Solution) -> npt.NDArray[np.int16] | None:
    if shading is None:
        return None
    H = np.maximum(solution.H, 0.0)
    # Each point votes with its shares, so that a far point with small responses counts like any.
    # A point whose responses are all negative votes for its class; a tied or unreached one not at
    # all.
    rows = np.arange(len(H))
    negative = (H.sum(axis=1) == 0) & ~solution.unreached
    H[rows[negative], solution.labels[negative]] = 1.0
    total = H.sum(axis=1, keepdims=True)
    share = np.divide(H, total, out=np.zeros_like(H), where=total > 0)
    share[solution.unreached | solution.ties] = 0.0
    vote = shading.weights @ share
    best = vote.argmax(axis=1)
    most = vote[np.arange(len(vote)), best]
    return np.where(most > 0, best, -1).astype(np.int16)


def with_disagreement(left: Answer, right: Answer) -> tuple[list[Answer], Comparison]:
    """Both, points flagged that they answer differently, and how many there are."""
    one, other = ((a.pred, a.flags & (TIE | UNREACHED) > 0) for a in (left, right))
    differ, compared = compare(one, other, left.pred != -2)
    flagged = [replace(a, flags=a.flags | np.uint8(DISAGREE) * differ) for a in (left, right)]
    return flagged, compared


def _split(left: Answer, scene: Scene, graph: Graph, seed: int, shading: Shading | None) -> Answer:
    labels = split_ties(left.solution, graph.W, seed)
    if labels is None:
        return left
    H = np.array(left.solution.H)
    rows = np.arange(len(H))
    # For drawing only: the chosen class takes the group's response, the others in it none.
    for group in left.solution.interchangeable:
        members = np.isin(labels, group) & left.solution.ties
        value = H[:, group[0]].copy()
        H[np.ix_(members, np.array(group))] = 0.0
        H[rows[members], labels[members]] = value[members]
    none = np.zeros_like(left.solution.ties)
    solved = replace(left.solution, labels=labels, ties=none, H=H)
    split = present(left.method, left.parameters, solved, left.seconds, scene, shading)
    return replace(split, n_tied=left.n_tied, title=f"{left.title}, tie split")
