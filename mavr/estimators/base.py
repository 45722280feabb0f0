"""What the estimators share: parameters, graph, extension to new points, warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from mavr import validation as valid
from mavr.arrays import EPS, Array
from mavr.estimators import automatic, remedies, words
from mavr.estimators.parameters import Initializer, Own, Parameter, parameters_of, section
from mavr.estimators.responses import Extended, tie_noise
from mavr.graphs import extension
from mavr.graphs.apart import held
from mavr.graphs.copies import find_rows
from mavr.graphs.graph import Graph, graph_of
from mavr.settings import (
    SIMILARITIES,
    GraphSpec,
    Parameters,
    declarations,
    frozen_rows,
    scale_parameters,
)
from mavr.solvers.solution import Solution, Status

Similarity = str | Callable[[Any, Any], Any]

# Distances are taken between dense rows; a sparse X is made dense for them up to this many entries.
MAX_DENSE_ENTRIES = 1 << 27
# Of an average of responses, relative to the average of their sizes.
ROUNDING = 64 * EPS


class GraphEstimator(BaseEstimator):
    """A graph from X in `fit`, responses on it, their extension to new points.

    Its parameters are derived, see `mavr.estimators.parameters`. A subclass says of which method
    (`method`), which settings of a graph the method leaves no choice of (`without`), which values
    it has by default where they differ from the declared ones (`defaults`) and in the paper
    (`printed`), and what else it takes (`own`).
    """

    method: ClassVar[str] = "mavr"
    without: ClassVar[frozenset[str]] = frozenset()
    defaults: ClassVar[Mapping[str, Any]] = {}
    printed: ClassVar[Mapping[str, Any]] = {}
    own: ClassVar[Mapping[str, Own]] = {}
    # Where a method needs a dense matrix whatever the similarity: what to use beyond its limit.
    instead: ClassVar[str] = ""

    similarity: Similarity

    if TYPE_CHECKING:

        def __init__(self, similarity: Similarity = ..., **parameters: Any) -> None: ...

    else:
        __init__ = Initializer()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__doc__:
            doc = cls.__doc__.replace("{parameters}", section(cls))
            cls.__doc__ = doc.replace("{attributes}", words.attributes(set(parameters_of(cls))))

    def __getattr__(self, name: str) -> Any:
        # Reached only for what is not stored: a parameter that was registered after __init__.
        if not name.startswith("_") and not name.endswith("_"):
            parameter = parameters_of(type(self)).get(name)
            if parameter is not None:
                return parameter.default
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """The estimator with the paper's setting, made for its toy sets.

        Parameters
        ----------
        **parameters : what differs from it.
        """
        usual = {p.name: p.about.usual for p in parameters_of(cls).values() if p.about}
        return cls(**(usual | dict(cls.printed) | parameters))

    # Settings

    def _is_auto(self, *names: str) -> bool:
        values = [getattr(self, name, None) for name in names]
        return all(isinstance(value, str) and value == "auto" for value in values)

    def _value(self, parameter: Parameter) -> Any:
        """A parameter's value, checked by its declaration."""
        value = getattr(self, parameter.name)
        if self._is_auto(parameter.name) and hasattr(self._kind, parameter.field):
            return getattr(self._kind, parameter.field)
        return value if parameter.about is None else parameter.about.check(value)

    def _spec(self, similarity: str) -> GraphSpec:
        """The settings of the graph, with the name of a similarity."""
        own = (set(scale_parameters()) | set(declarations(GraphSpec))) - {"similarity"}
        known = parameters_of(type(self)).values()
        return GraphSpec.of(
            similarity, **{p.field: self._value(p) for p in known if p.field in own}
        )

    def _parameters(self, graph: Graph, Y: Array) -> Parameters:
        """What the method is run with: names resolved, tau as a multiple of sqrt(l)."""
        own = set(declarations(Parameters))
        known = [p for p in parameters_of(type(self)).values() if p.field in own]
        values = {p.field: self._resolved(p, graph, Y) for p in known}
        if isinstance(values.get("class_prior"), tuple):
            values["class_prior"] = self._ordered(values["class_prior"], Y.shape[1])
        P = self._relation(Y)
        return Parameters(P=None if P is None else frozen_rows(P), **values)

    def _resolved(self, parameter: Parameter, graph: Graph, Y: Array) -> Any:
        value, labelled = getattr(self, parameter.name), labelled_points(Y)
        if isinstance(value, str) and parameter.field == "gamma":
            return automatic.gamma_of(value, graph, labelled, self._kind)
        if isinstance(value, str) and parameter.field == "tau":
            if value != "auto":
                raise ValueError(f'tau must be a number, None or "auto", got {value!r}')
            return 1.0
        checked = self._value(parameter)
        if parameter.field != "tau" or checked is None:
            return checked
        return float(checked / np.sqrt(labelled))

    def _ordered(self, shares: tuple[float, ...], c: int) -> tuple[float, ...]:
        """Shares of the classes in the order of the columns of Y."""
        if len(shares) != c:
            raise ValueError(f"class_prior must have {c} entries, one per class, got {len(shares)}")
        return shares

    def _relation(self, Y: Array) -> Array | None:
        """P, its rows in the order of the columns of Y; None for I."""
        return None

    # Graph

    @property
    def _needs_dense(self) -> bool:
        return True

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        # Rows as they lie in an array, in frames too: the same points have the same answer.
        how = {"accept_sparse": ["csr"], "dtype": np.float64, "order": "C"}
        checked = validate_data(self, X, y, **how, **options)
        X = checked[0] if isinstance(checked, tuple) else checked
        known = SIMILARITIES.get(self.similarity) if isinstance(self.similarity, str) else None
        if not sp.issparse(X) or known is None or not known.features:
            return checked
        if X.shape[0] * X.shape[1] > MAX_DENSE_ENTRIES:
            raise ValueError(
                f"similarity {self.similarity!r} needs X dense, {X.shape[0]} x {X.shape[1]} "
                f"numbers of {X.shape[0] * X.shape[1] * 8 / 1024**3:.1f} GiB; use "
                'similarity="cosine", or fewer features (sklearn.decomposition.TruncatedSVD)'
            )
        X = X.toarray()
        return (X, *checked[1:]) if isinstance(checked, tuple) else X

    def _graph(self, X: Any) -> Graph:
        """The graph of the training points; remembers what extends it to new ones."""
        n = X.shape[0]
        self._kind = automatic.FINE
        self.dimension_: float | None = None
        if self.instead and self._needs_dense:
            valid.dense_size(n, self.instead)
        if isinstance(self.similarity, str) and self.similarity in SIMILARITIES:
            if n < 2:
                raise ValueError("a graph needs at least two points, got n_samples = 1")
            if SIMILARITIES[self.similarity].features:
                valid.moderate(X)
            self._look_at(X)
            spec = self._spec(self.similarity)
            # The graph first: it says where there are too many points.
            graph = self._held(graph_of(spec, X))
            self._weights = extension.weights_of(spec, X)
            self.X_ = X
            return graph
        W: Any
        if callable(self.similarity):
            W = extension.checked_rows(self.similarity(X, X), n, n)
            self._weights = extension.CalledWeights(self.similarity, X)
        elif self.similarity == "precomputed":
            if X.shape[1] != n:
                raise ValueError(f"a precomputed similarity must be (n, n), got shape {X.shape}")
            W, self._weights = X, extension.GivenWeights(n)
        else:
            raise ValueError(
                f"similarity must be one of {', '.join(SIMILARITIES)}, precomputed, or a function "
                f"of two sets of points, got {self.similarity!r}"
            )
        self.X_ = X
        # The name stands in: what counts here is the Laplacian.
        spec = self._spec(next(iter(SIMILARITIES)))
        return Graph(W, spec.laplacian, spec.power, spec.self_loops)

    def _held(self, graph: Graph) -> Graph:
        """The graph; beside the balance term every point has a neighbour that counts."""
        balance = parameters_of(type(self)).get("balance")
        if self.similarity != "knn" or balance is None or not self._value(balance):
            return graph
        return held(graph)

    def _look_at(self, X: Any) -> None:
        """What "auto" means by the points alone; measured with this similarity, see the docs."""
        if self.similarity != "knn" or not self._is_auto("width", "laplacian_power"):
            return
        kind, self.dimension_ = automatic.kind_of(X)
        # The width of a shape is that for its many neighbours.
        if kind == automatic.CLOUD or self._is_auto("n_neighbors"):
            self._kind = kind

    # Results

    def _remember(self, graph: Graph, solution: Solution, parameters: Parameters) -> None:
        known = parameters_of(type(self))
        if "gamma" in known:
            self.gamma_ = parameters.gamma
        self.n_neighbors_ = min(self._value(known["n_neighbors"]), graph.n - 1)
        self.width_ = self._value(known["width"])
        if "laplacian_power" in known:
            self.laplacian_power_ = graph.power
        self.solution_ = solution
        self.response_ = solution.H
        self.rho_ = solution.rho
        lost = int(solution.unreached.sum())
        if lost:
            warnings.warn(
                f"{lost} of {len(solution.labels)} points have no path to a labelled point and "
                f"stay without class; label one of them, or {remedies.of_gaps(self.similarity)}",
                stacklevel=3,
            )
        unsure = int(solution.uncertain.sum())
        if unsure:
            warnings.warn(
                f"{unsure} of {len(solution.labels)} points have a largest response that is not "
                "certainly the largest: it leads by less than the solver's error bound; "
                "`solution_.uncertain` tells which",
                stacklevel=3,
            )
        elif solution.status not in (Status.OPTIMAL, Status.HARD_CASE):
            warnings.warn(solution.status.value, ConvergenceWarning, stacklevel=3)
        if solution.status is Status.HARD_CASE:
            warnings.warn(solution.status.value, ConvergenceWarning, stacklevel=3)

    def _extended(self, X: Any) -> Extended:
        """Responses at the rows of X, those of the training points where a row is one."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        signed = bool((self.response_ < 0).any())
        both = np.hstack([self.response_, np.abs(self.response_)]) if signed else self.response_
        H, unreached = extension.extend(self._weights, X, both, self.solution_.unreached)
        c = self.response_.shape[1]
        noise = ROUNDING * H[:, -c:].max(axis=1)
        H = np.ascontiguousarray(H[:, :c])
        if isinstance(self.similarity, str) and self.similarity == "precomputed":
            # Rows of similarities do not say which point they belong to.
            return Extended(H, noise, unreached, np.full(len(H), -1))
        # Of equal rows, one that a label reaches.
        first = np.argsort(self.solution_.unreached, kind="stable")
        same = find_rows(self.X_, X, first)
        at = same >= 0
        H[at] = self.response_[same[at]]
        noise[at] = tie_noise(self.solution_)[same[at]]
        unreached[at] = self.solution_.unreached[same[at]]
        return Extended(H, noise, unreached, same)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        precomputed = isinstance(self.similarity, str) and self.similarity == "precomputed"
        tags.input_tags.pairwise = precomputed
        return tags


def labelled_points(Y: Array) -> int:
    """The number of rows of Y : (n, c) with a label."""
    return int((Y != 0).any(axis=1).sum())
