"""The problem the sections work on: the Playground's, if there is one, else three circles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import datasets
from lab import cache
from lab.scene import Scene
from lab.session import Session, fresh_view, uploads
from lab.view import View
from mavr.graphs.graph import Graph
from mavr.solvers.spectrum import Spectrum, spectrum_of

# Sections draw many curves: beyond this a move of a slider would be felt.
MAX_POINTS = 1500


@dataclass(frozen=True, eq=False)
class Source:
    """A labelled data set with its graph. digest : changes when the Playground does."""

    title: str
    view: View
    scene: Scene
    graph: Graph
    P: np.ndarray
    tau: float
    note: str
    digest: str

    @property
    def spectrum(self) -> Spectrum:
        return spectrum_of(self.graph)

    @property
    def Y(self) -> np.ndarray:
        return self.scene.Y

    @property
    def unrelated(self) -> bool:
        """P = I."""
        return bool((np.eye(len(self.P)) == self.P).all())


def default() -> Source:
    view = fresh_view("three_circles", seed=43)
    return _source(view, "three circles, one label each", "")


def current() -> Source:
    """The Playground's problem; where it cannot be used, the default and a sentence why."""
    session: Session | None = st.session_state.get("session.playground")
    if session is None:
        return default()
    view = session.view
    try:
        found = _source(view, "the data and labels of your Playground", "")
    except (ValueError, datasets.DataError):
        return default()
    reason = ""
    if not found.Y.any():
        reason = "The Playground has no label"
    elif found.graph.n > MAX_POINTS:
        reason = f"The Playground has more than {MAX_POINTS} points"
    if reason:
        other = default()
        return Source(**{**_fields(other), "note": f"{reason}: three circles are shown instead."})
    if view.balance:
        note = "Class balance is left out here: the theorems do not have it."
        return Source(**{**_fields(found), "note": note})
    return found


def _fields(source: Source) -> dict[str, Any]:
    return {name: getattr(source, name) for name in Source.__dataclass_fields__}


def _source(view: View, title: str, note: str) -> Source:
    scene = cache.scene(view, uploads())
    graph = cache.graph(view, scene)
    labels = int((scene.labels[scene.alive] >= 0).sum())
    tau = view.tau * float(np.sqrt(max(labels, 1)))
    P = view.relation(scene.n_classes)
    return Source(title, view, scene, graph, P, tau, note, cache.digest(view)[:8])
