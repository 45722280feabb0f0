"""From points and a few labels to an answer for every point, in two calls.

    graph = make_graph(X, "gaussian", sigma=0.5)
    solution = transduce(graph, {0: 0, 17: 1}, gamma=99.0)

What the parameters mean, and their usual values, `mavr.settings` declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS
from mavr.settings import GraphSpec, Parameters
from mavr.solvers.solution import Solution


def make_graph(X: Any, similarity: str = "gaussian", **settings: Any) -> Graph:
    """The graph of points, by a similarity's name.

    Parameters
    ----------
    X : (n, d) points.
    similarity : a name in `mavr.settings.SIMILARITIES`.
    settings : parameters of the similarity, and `laplacian`, `power`, `self_loops`.

    Examples
    --------
    >>> import mavr
    >>> mavr.make_graph([[0.0], [1.0], [5.0]], "knn", n_neighbors=1).n
    3
    """
    return graph_of(GraphSpec.of(similarity, **settings), np.asarray(X))


def transduce(
    graph: Graph,
    labels: Mapping[int, int] | Any,
    n_classes: int | None = None,
    method: str = "mavr",
    **parameters: Any,
) -> Solution:
    """What a method says of every point.

    Parameters
    ----------
    graph : see `make_graph`.
    labels : point -> class; or Y : (n, c), 1 has it, -1 has it not, 0 unknown.
    n_classes : c, where classes without a label come last; as many as are labelled by default.
    method : a name in `mavr.METHODS`.
    parameters : `gamma`, `balance`, `P`, ...; `tau` is a multiple of the root of the number of
        labelled points, None for the unconstrained problem.

    Examples
    --------
    >>> import mavr
    >>> graph = mavr.make_graph([[0.0], [0.3], [2.0], [2.2]], sigma=0.5)
    >>> mavr.transduce(graph, {0: 0, 3: 1}).labels.tolist()
    [0, 0, 1, 1]
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    known = [field.name for field in fields(Parameters)]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise ValueError(f"a parameter must be one of {', '.join(known)}, got {unknown[0]!r}")
    Y = _one_hot(labels, graph.n, n_classes) if isinstance(labels, Mapping) else np.asarray(labels)
    return METHODS[method].run(graph, Y.astype(np.float64), Parameters(**parameters))


def _one_hot(labels: Mapping[int, int], n: int, n_classes: int | None) -> np.ndarray:
    if not labels:
        raise ValueError("labels must name at least one point")
    points, classes = np.array(list(labels)), np.array(list(labels.values()))
    c = max(int(classes.max()) + 1, n_classes or 0)
    if points.min() < 0 or points.max() >= n or classes.min() < 0:
        raise ValueError(f"labels must be classes from 0 of points 0 to {n - 1}")
    Y = np.zeros((n, c))
    Y[points, classes] = 1
    return Y
