"""Answers that take longer than a blink are made outside the server, in line. No Streamlit here.

A graph of many points, its decomposition, and the solves of a labelling that no kept state makes
quick: a process makes them (`lab.server.line`) and the cache gets what it found, the graph with its
Krylov spaces, the solutions and the shaded cells. What follows from those, the server does itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from lab.board import scene as scenes
from lab.board.scene import Scene, Shading
from lab.board.view import View
from lab.cache import CACHE, GRAPH_SHARE, budget, fitting
from lab.server.line import Errand, line
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import GraphSpec, Parameters
from mavr.solvers.solution import Solution
from mavr.solvers.sparse_state import SparseState, state_of
from mavr.solvers.spectrum import Spectrum, spectrum_of
from mavr.validation import MAX_DENSE_POINTS

# Points up to which a graph is made, and solved, within a blink.
MAX_DENSE_HERE, MAX_SPARSE_HERE = 1000, 3000
# Methods that the kept Krylov spaces of a labelling answer.
FROM_KRYLOV = frozenset({"mavr", "unconstrained", "lgc", "lgc_balanced"})
# Seconds that an answer may take while a hand moves.
LIVE_SECONDS = 0.3


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a view: `runs`, methods with their parameters; none for the graph alone."""

    view: View
    scene: Scene
    runs: tuple[tuple[str, Parameters], ...]

    @cached_property
    def n(self) -> int:
        return int(self.scene.alive.sum())

    @property
    def graph_key(self) -> tuple[Any, ...]:
        return scenes.graph_key(self.view)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for questions with the same answer."""
        labels, classes = self.view.marks.labels, self.scene.n_classes
        return ("solved", self.graph_key, labels, classes, self.runs)

    @property
    def small(self) -> bool:
        """Whether everything about it is a matter of a blink."""
        sparse = self.view.setting.graph.similarity not in scenes.DENSE
        sparse = sparse and self.n > scenes.MAX_SOLVED_DENSE
        return self.n <= (MAX_SPARSE_HERE if sparse else MAX_DENSE_HERE)


@dataclass(frozen=True, eq=False)
class Solved:
    """Solutions of the runs, and how many seconds each took."""

    solutions: tuple[Solution, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Order:
    """What a process is handed; graph : without what was computed from it, None to make it."""

    spec: GraphSpec
    scene: Scene
    graph: Graph | None
    runs: tuple[tuple[str, Parameters], ...]
    shaded: bool
    max_bytes: float


@dataclass(frozen=True, eq=False)
class Found:
    """What it hands back."""

    graph: Graph
    shading: Shading | None
    solved: Solved


def is_far(q: Question) -> bool:
    """Whether the answer must be made outside the server. Raises ValueError if it does not fit."""
    if q.small or CACHE.find(q.key) is not None:
        return False
    graph = CACHE.find(q.graph_key)
    if graph is not None and (not q.runs or not graph.sparse):
        return False
    if graph is not None and all(method in FROM_KRYLOV for method, _ in q.runs):
        state = state_of(graph)
        if isinstance(state, SparseState) and state.knows(q.scene.Y):
            return False
    _check(q)
    return True


def _check(q: Question) -> None:
    scenes.check_size(q.view.setting.graph, q.n)
    dense = {"laprls"} | ({"bavr"} if q.n <= MAX_DENSE_POINTS else set())
    for method, _ in q.runs:
        if method in dense:
            what = f"the matrices of {METHODS[method].title} for {q.n} points"
            fitting(scenes.DENSE_COPIES * 8 * q.n**2, what)


def spectrum_at_hand(view: View, scene: Scene) -> Spectrum | None:
    """The spectrum of a dense graph that is kept, or made within a blink."""
    if is_far(Question(view, scene, ())):
        return None
    graph = scenes.graph(view, scene)
    return None if graph.sparse else spectrum_of(graph)


def at_once(q: Question) -> bool:
    """Whether an answer on a graph that is there comes while a hand moves."""
    if q.small:
        return True
    if is_far(q):
        return False
    before, last = _pace(q)
    # One slow answer does not speak for all; and after two, some questions later it is tried again.
    slow = min(before, last) > LIVE_SECONDS
    if slow:
        CACHE.put(("pace", q.graph_key), (before / 2, last / 2))
    return not slow


def _pace(q: Question) -> tuple[float, float]:
    """Seconds of the last two answers that the server gave by itself."""
    return CACHE.find(("pace", q.graph_key)) or (0.0, 0.0)


def note_pace(q: Question, seconds: float) -> None:
    """The server has answered it by itself, in so many seconds."""
    if not q.small:
        CACHE.put(("pace", q.graph_key), (_pace(q)[1], seconds))


def ask(q: Question, who: str, there: Callable[[], bool]) -> Errand:
    """Have it made in a process; who, there : who waits, and whether they still do."""
    return line().ask(q.key, work, lambda: _order(q), lambda found: _take(q, found), who, there)


def solved(q: Question) -> Solved | None:
    """What a process found; waits for it where it must. None if the server solves it itself."""
    if is_far(q):
        errand = ask(q, f"waits for {id(q)}", lambda: True)
        errand.wait()
        if errand.problem:
            raise ValueError(errand.problem)
    found: Solved | None = CACHE.find(q.key)
    return found


def _order(q: Question) -> Order:
    known, spec = CACHE.find(q.graph_key), q.view.setting.graph
    bare = None if known is None else Graph(known.W, known.kind, known.power, known.self_loops)
    shaded = q.view.shade and q.scene.paintable and CACHE.find(scenes.shading_key(q.view)) is None
    return Order(spec, q.scene, bare, q.runs, shaded, budget() * GRAPH_SHARE)


def _take(q: Question, found: Found) -> None:
    """Into the cache; a graph that is there keeps its place and gets the new Krylov spaces."""
    if found.shading is not None:
        CACHE.put(scenes.shading_key(q.view), found.shading)
    known = CACHE.find(q.graph_key)
    mine, theirs = None if known is None else state_of(known), state_of(found.graph)
    if isinstance(mine, SparseState) and isinstance(theirs, SparseState):
        mine.adopt(theirs)
        CACHE.put(q.graph_key, known)  # measured again: it has grown
    else:
        CACHE.put(q.graph_key, found.graph)
    if q.runs:
        CACHE.put(q.key, found.solved)


def work(task: tuple[Order, str]) -> list[Found]:
    """In a process: make what was ordered, and say in a file how far it is."""
    order, note = task

    def tell(stage: str) -> None:
        Path(note).write_text(stage, "utf-8")

    with threadpool_limits(1):
        graph = order.graph or scenes.build_graph(order.spec, order.scene, tell)
        state = state_of(graph)
        solved = _solved(graph, order, tell)
        tell("shading the plane" if order.shaded else "handing over")
        shading = scenes.build_shading(order.spec, order.scene) if order.shaded else None
    if isinstance(state, SparseState) and graph.nbytes > order.max_bytes:
        # Too large to be kept: the solutions stay, the next setting is solved anew.
        graph = Graph(graph.W, graph.kind, graph.power, graph.self_loops)
    return [Found(graph, shading, solved)]


def _solved(graph: Graph, order: Order, tell: Callable[[str], None]) -> Solved:
    """The runs, side by side where they share the state of a sparse graph: nearly all of their time
    goes into products, which do not hold the interpreter."""
    if not order.runs:
        return Solved((), ())
    state, Y, at_once = state_of(graph), order.scene.Y, 1
    if isinstance(state, SparseState) and all(method in FROM_KRYLOV for method, _ in order.runs):
        # Before they begin: else each would make it.
        state.shared(Y)
        at_once = len(order.runs)
    tell("solving, " + ", ".join(METHODS[method].title for method, _ in order.runs))

    def one(run: tuple[str, Parameters]) -> tuple[Solution, float]:
        start = time.perf_counter()
        found = METHODS[run[0]].run(graph, Y, run[1])
        return found, time.perf_counter() - start

    with ThreadPoolExecutor(at_once) as beside:
        found = list(beside.map(one, order.runs))
    return Solved(tuple(s for s, _ in found), tuple(seconds for _, seconds in found))
