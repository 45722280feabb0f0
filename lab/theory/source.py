"""The problems that the sections work on: the Playground's, if there is one, or a set of ours.

This is the one place of the Theory page that knows where data, graphs and the Playground's state
come from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import streamlit as st

import datasets
from lab.board import scene as scenes
from lab.board.tables import digest
from lab.board.view import View
from lab.cache import CACHE
from lab.export.code import graph_arguments, problem_code
from lab.page import Page
from lab.theory.parts import slider
from lab.uploads import uploads
from mavr.graphs.graph import Graph, graph_of
from mavr.settings import GraphSpec, Setting
from mavr.solvers.spectrum import Spectrum, spectrum_of

# Sections draw many curves: beyond this a move of a slider would be felt.
MAX_POINTS = 1500
GAMMAS = (1e-3, 1e5)
TAUS = (1e-2, 1e3)


@dataclass(frozen=True, eq=False)
class Source:
    """A labelled data set with its graph.

    Attributes
    ----------
    points : (n, 2) for pictures; X : (n, d) features; truth : (n,) classes or None.
    tau : a multiple of the square root of the number of labels.
    digest : changes when the problem does.
    code : lines of Python that leave its labels and its graph.
    """

    title: str
    points: np.ndarray
    X: Any
    truth: np.ndarray | None
    Y: np.ndarray
    graph: Graph
    P: np.ndarray
    gamma: float
    tau: float
    balance: float
    digest: str
    note: str = ""
    code: tuple[str, ...] = ()

    @property
    def spectrum(self) -> Spectrum:
        return spectrum_of(self.graph)

    @property
    def labelled(self) -> np.ndarray:
        return np.flatnonzero(self.Y.any(axis=1))

    @property
    def unrelated(self) -> bool:
        """P = I."""
        return bool((np.eye(len(self.P)) == self.P).all())

    def norm(self, tau: float) -> float:
        """|H| for a multiple of the square root of the number of labels."""
        return tau * sqrt(max(len(self.labelled), 1))

    def sliders(self) -> tuple[float, float]:
        """gamma and the norm, from sliders that start where the problem has them."""
        gamma = slider("Smoothness γ", f"gamma.{self.digest}", GAMMAS, self.gamma, log=True)
        tau = slider("Norm τ / √l", f"tau.{self.digest}", TAUS, self.tau, log=True)
        return gamma, self.norm(tau)


def current() -> Source:
    """The Playground's problem; where it cannot be used, the default and a sentence why."""
    page: Page[View] | None = st.session_state.get("page.playground")
    if page is None:
        return three_circles()
    try:
        found = _playground(page.view)
    except (ValueError, datasets.DataError):
        return three_circles()
    reason = ""
    if not found.Y.any():
        reason = "The Playground has no label"
    elif found.graph.n > MAX_POINTS:
        reason = f"The Playground has more than {MAX_POINTS} points"
    if reason:
        return replace(three_circles(), note=f"{reason}: three circles are shown instead.")
    if found.balance:
        return replace(found, note="Class balance is left out here: the theorems do not have it.")
    return found


def _playground(view: View) -> Source:
    scene = scenes.scene_of(view, uploads())
    p = view.setting.parameters
    return Source(
        title="the data and labels of your Playground",
        points=scene.points[scene.alive],
        X=scene.X,
        truth=None if scene.truth is None else scene.truth[scene.alive],
        Y=scene.Y,
        graph=scenes.graph(view, scene),
        P=view.relation(scene.n_classes),
        gamma=p.gamma,
        tau=1.0 if p.tau is None else p.tau,
        balance=p.balance,
        digest=digest(view)[:8],
        code=tuple(problem_code(view, uploads())),
    )


def three_circles(seed: int = 43, n: int = 300, **settings: Any) -> Source:
    """Three circles with one label each, in the paper's setting but for what is given."""
    data = datasets.three_circles(n=n, seed=seed)
    y = np.asarray(data.y)
    labelled = datasets.draw_labels(y, 3, "balanced", seed)
    setting = (data.setting or Setting()).having(**settings)
    rows = [(int(i), int(y[i])) for i in labelled]
    made = f"data = datasets.three_circles(n={n}, seed={seed})"
    return of(data, f"circles.{n}.{seed}", rows, setting, "three circles, one label each", made)


def of(
    data: datasets.Dataset,
    name: str,
    labels: list[tuple[int, int]],
    setting: Setting,
    title: str,
    made: str,
) -> Source:
    """A set of ours; name : tells its points from others; labels : (point, class) pairs.

    made : the line of Python that makes the data.
    """
    p = setting.parameters
    c = data.n_classes
    Y = np.zeros((data.n, c))
    for i, j in labels:
        Y[i, j] = 1.0
    return Source(
        title=title,
        points=data.X,
        X=data.X,
        truth=data.y,
        Y=Y,
        graph=graph(name, setting.graph, data.X),
        P=np.eye(c) if p.P is None else np.array(p.P),
        gamma=p.gamma,
        tau=1.0 if p.tau is None else p.tau,
        balance=p.balance,
        digest=name,
        code=(
            made,
            f"labels = {dict(labels)}  # point: class",
            f"graph = mavr.make_graph(data.X{graph_arguments(setting.graph)})",
        ),
    )


def graph(points_key: str, spec: GraphSpec, X: Any) -> Graph:
    """The graph of some points, cached."""
    return CACHE.get(("theory", points_key, spec.key), lambda: _made(spec, X))


def _made(spec: GraphSpec, X: Any) -> Graph:
    made = graph_of(spec, X)
    spectrum_of(made)
    return made
