"""Every cache of the app: one thin call each, keyed on small frozen values, bounded, shared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st

import datasets
from datasets import Dataset
from lab import scene as scenes
from lab.marks import Marks
from lab.scene import Scene, Shading
from lab.view import View
from mavr.graphs.graph import Graph


@dataclass(frozen=True)
class DataKey:
    """Which data set: enough to make it again."""

    data: str
    params: tuple[tuple[str, float], ...]
    seed: int
    unknown: int


@dataclass(frozen=True)
class GraphKey:
    """Which graph: the points and how they are joined."""

    data: DataKey
    added: tuple[tuple[float, float, int], ...]
    moved: tuple[tuple[int, float, float], ...]
    deleted: tuple[int, ...]
    similarity: str
    parameter: float
    laplacian: str


def digest(key: object) -> str:
    """A short name for a frozen key, the same in every process."""
    return hashlib.sha256(repr(key).encode()).hexdigest()[:16]


def data_key(view: View) -> DataKey:
    return DataKey(view.data, view.params, view.seed, view.unknown)


def graph_key(view: View) -> GraphKey:
    marks = view.marks
    parameter = view.sigma if view.similarity == "gaussian" else view.n_neighbors
    return GraphKey(
        data_key(view),
        tuple((x, y, -1) for x, y, _ in marks.added),
        marks.moved,
        marks.deleted,
        view.similarity,
        parameter,
        view.laplacian,
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _generated(key: DataKey) -> Dataset:
    generator = datasets.GENERATORS[key.data]
    # What a link leaves out is what the slider stands at, not what the function would take.
    usual = {p.name: p.usual for p in generator.params}
    data = generator.function(seed=key.seed, **(usual | dict(key.params)))
    return _hidden(data, key.unknown)


def _hidden(data: Dataset, unknown: int) -> Dataset:
    if 0 <= unknown < data.n_classes and data.y is not None:
        return datasets.all_but_one(data, unknown)
    return data


def dataset(view: View, uploads: dict[str, Dataset]) -> Dataset:
    """The data set of a view; a file must have been uploaded in this session."""
    if view.data.startswith("file:"):
        if view.data not in uploads:
            raise datasets.DataError(
                "This view belongs to a file that was not uploaded here. Upload the same file "
                "under Data in the sidebar, and the labels and settings of the link apply to it."
            )
        return _hidden(uploads[view.data], view.unknown)
    return _generated(data_key(view))


def scene(view: View, uploads: dict[str, Dataset]) -> Scene:
    return scenes.compose(dataset(view, uploads), view.marks)


# A spectrum of 3000 points takes 150 MB: few are kept, and shared by all sessions.
@st.cache_resource(max_entries=12, show_spinner="Decomposing the graph …")
def _graph(key: GraphKey, _view: View, _scene: Scene) -> Graph:
    return scenes.build_graph(_view, _scene)


def graph(view: View, scene: Scene) -> Graph:
    return _graph(graph_key(view), view, scene)


@st.cache_resource(max_entries=24, show_spinner=False)
def _shading(key: GraphKey, _view: View, _scene: Scene) -> Shading | None:
    return scenes.build_shading(_view, _scene)


def shading(view: View, scene: Scene) -> Shading | None:
    return _shading(graph_key(view), view, scene)


def without_labels(marks: Marks) -> Marks:
    return Marks((), marks.added, marks.moved, marks.deleted, marks.extra)
