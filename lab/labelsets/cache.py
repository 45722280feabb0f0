"""Caches of the multi-label page: data sets and graphs, by small frozen keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

import datasets
from datasets import DataError, Dataset
from datasets.model import plane
from lab.cache import digest
from lab.labelsets.view import MAX_LABELS, TOY, LabelView
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity
from mavr.solvers.spectrum import spectrum_of

# A click is answered from the eigenvectors of the whole graph: 2,000 points take 3 seconds once.
MAX_POINTS = 2000


@dataclass(frozen=True)
class DataKey:
    data: str
    n: int
    seed: int


@dataclass(frozen=True)
class GraphKey:
    data: DataKey
    similarity: str
    parameter: float
    laplacian: str
    standardise: bool


def data_key(view: LabelView) -> DataKey:
    toy = view.data == TOY
    return DataKey(view.data, view.n if toy else 0, view.seed if toy else 0)


def graph_key(view: LabelView) -> GraphKey:
    parameter = view.sigma if view.similarity == "gaussian" else view.n_neighbors
    return GraphKey(data_key(view), view.similarity, parameter, view.laplacian, view.standardise)


@st.cache_resource(max_entries=32, show_spinner=False)
def _toy(key: DataKey) -> Dataset:
    return datasets.multilabel(key.n, seed=key.seed)


@st.cache_resource(max_entries=8, show_spinner=False)
def _file(key: DataKey, _data: Dataset) -> Dataset:
    return with_label_sets(_data)


def dataset(view: LabelView, uploads: dict[str, Dataset]) -> Dataset:
    """The data set of a view; a file must have been uploaded in this session."""
    if not view.data.startswith("file:"):
        return _toy(data_key(view))
    if view.data not in uploads:
        raise DataError(
            "This view belongs to a file that was not uploaded here. Upload the same file under "
            "Data in the sidebar, and the labels and settings of the link apply to it."
        )
    return _file(data_key(view), uploads[view.data])


def with_label_sets(data: Dataset) -> Dataset:
    """A file as this page needs it: label sets, not too many labels or points."""
    if data.Y is None:
        if data.y is None:
            raise DataError(
                "This file has no labels. Give an NPZ archive with X and Y, one column of Y per "
                "label, or a CSV file with a column label:name for each label."
            )
        # A class is a set of one label.
        one = np.arange(data.n_classes) == data.y[:, None]
        Y = np.where(data.y[:, None] < 0, datasets.UNKNOWN, one).astype(np.int8)
        data = replace(data, y=None, Y=Y)
    if data.n_classes > MAX_LABELS:
        raise DataError(
            f"This file has {data.n_classes} labels; the page draws up to {MAX_LABELS}. Keep the "
            "columns of Y that matter most."
        )
    if data.n < 3:
        raise DataError(f"This file has {data.n} points; a graph needs at least 3.")
    return datasets.subset(data, MAX_POINTS) if data.n > MAX_POINTS else data


@st.cache_resource(max_entries=12, show_spinner="Decomposing the graph …")
def _graph(key: GraphKey, _view: LabelView, _data: Dataset) -> Graph:
    X = _data.X
    if key.standardise:
        X = standardised(X)
    k = min(_view.n_neighbors, _data.n - 1)
    W = similarity(_view.similarity, X, sigma=_view.sigma, n_neighbors=k)
    graph = Graph(W.toarray() if hasattr(W, "toarray") else W, _view.laplacian)
    _ = spectrum_of(graph)
    return graph


def graph(view: LabelView, data: Dataset) -> Graph:
    return _graph(graph_key(view), view, data)


@st.cache_resource(max_entries=32, show_spinner=False)
def _places(key: DataKey, standardise: bool, _data: Dataset) -> np.ndarray:
    if _data.X.shape[1] <= 2:
        return _data.points
    found = plane(standardised(_data.X)) if standardise else _data.points
    # Main axes have no common unit: both fill the panel.
    return standardised(found)


def places(view: LabelView, data: Dataset) -> tuple[np.ndarray, str]:
    """(n, 2) where the points are drawn, in the features the graph is made of, and their name."""
    key, standardise = data_key(view), view.standardise and data.X.shape[1] > 2
    return _places(key, standardise, data), digest(("places", key, standardise))


def standardised(X: object) -> np.ndarray:
    """Every feature with mean 0 and variance 1; one that never varies is 0."""
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    spread = dense.std(axis=0)
    return (dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
