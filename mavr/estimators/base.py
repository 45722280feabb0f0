"""What the estimators share: graph, extension to new points, warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from mavr.graphs import extension
from mavr.graphs.extension import Weights
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity
from mavr.labels import coding
from mavr.settings import SIMILARITIES, GraphSpec
from mavr.solvers.solution import Solution, Status

Array = npt.NDArray[np.float64]
Similarity = str | Callable[[Any, Any], Any]

# Distances are taken between dense rows; a sparse X is made dense for them up to this many entries.
OF_DISTANCES = ("gaussian", "local_scaling", "knn")
MAX_DENSE_ENTRIES = 1 << 27


class GraphEstimator(BaseEstimator):
    """A graph from X in `fit`, responses on it, their extension to new points.

    A subclass has the parameters `similarity`, `sigma` and `n_neighbors`.
    """

    similarity: Similarity
    sigma: float
    n_neighbors: int

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        checked = validate_data(self, X, y, accept_sparse=["csr"], dtype=np.float64, **options)
        X = checked[0] if isinstance(checked, tuple) else checked
        if not sp.issparse(X) or self.similarity not in OF_DISTANCES:
            return checked
        if X.shape[0] * X.shape[1] > MAX_DENSE_ENTRIES:
            raise ValueError(
                f"similarity {self.similarity!r} needs X dense, {X.shape[0]} x {X.shape[1]} "
                f"numbers of {X.shape[0] * X.shape[1] * 8 / 1024**3:.1f} GiB; use "
                'similarity="cosine", or fewer features (sklearn.decomposition.TruncatedSVD)'
            )
        X = X.toarray()
        return (X, *checked[1:]) if isinstance(checked, tuple) else X

    def _graph(self, X: Any, kind: str) -> Graph:
        """The graph of the training points; remembers what extends it to new ones."""
        W, self._weights = self._similarities(X)
        self.X_ = X
        return Graph(W, kind)

    def _similarities(self, X: Any) -> tuple[Any, Weights]:
        n = X.shape[0]
        if callable(self.similarity):
            W = extension.checked_rows(self.similarity(X, X), n, n)
            return W, extension.CalledWeights(self.similarity, X)
        if self.similarity == "precomputed":
            if X.shape[1] != n:
                raise ValueError(f"a precomputed similarity must be (n, n), got shape {X.shape}")
            return X, extension.GivenWeights(n)
        if self.similarity not in SIMILARITIES:
            names = ", ".join(SIMILARITIES)
            raise ValueError(
                f"similarity must be one of {names}, precomputed, or a function of two sets of "
                f"points, got {self.similarity!r}"
            )
        if n < 2:
            raise ValueError("a graph needs at least two points, got n_samples = 1")
        W = similarity(self.similarity, X, sigma=self.sigma, n_neighbors=self.n_neighbors)
        spec = GraphSpec.of(self.similarity, sigma=self.sigma, n_neighbors=self.n_neighbors)
        weights = extension.weights_of(spec, X)
        return W, weights

    def _remember(self, solution: Solution) -> None:
        self.solution_ = solution
        self.response_ = solution.H
        self.rho_ = solution.rho
        lost = int(solution.unreached.sum())
        if lost:
            warnings.warn(
                f"{lost} of {len(solution.labels)} points have no path to a labelled point and "
                "stay without class; label one of them, or join the graph with a larger sigma "
                "or n_neighbors",
                stacklevel=3,
            )
        if solution.status is not Status.OPTIMAL:
            warnings.warn(solution.status.value, ConvergenceWarning, stacklevel=3)

    def _extended(self, X: Any) -> tuple[Array, npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
        """Responses (m, c), unreached (m,), and the training point each row is, or -1."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        H, unreached = extension.extend(self._weights, X, self.response_, self.solution_.unreached)
        if self.similarity == "precomputed":
            # Rows of similarities do not say which point they belong to.
            return H, unreached, np.full(len(H), -1)
        same = extension.find_rows(self.X_, X)
        at = same >= 0
        H[at] = self.response_[same[at]]
        unreached[at] = self.solution_.unreached[same[at]]
        return H, unreached, same

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.similarity == "precomputed"
        return tags


class TransductiveClassifier(ClassifierMixin, GraphEstimator):
    """One class per point. A subclass has the parameter `classes` and says how to solve."""

    classes: Any

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from X : (n, d) and y : (n,), -1 (in arrays of strings "-1") where unlabelled.

        With `similarity="precomputed"`, X : (n, n) holds similarities. Points that no label
        reaches have -1 in `transduction_` and are warned about, once.
        """
        X, y = self._validated(X, y)
        self._coding = coding(y, self.classes)
        self.classes_ = self._coding.classes
        Y = self._coding.one_hot(y)
        self._remember(self._solve(X, Y))
        self.transduction_ = self._coding.decode(self.solution_.labels)
        self.label_distributions_ = distribution(self.response_)
        return self

    def _solve(self, X: Any, Y: Array) -> Solution:
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classes of the rows of X : (m, d); -1 for a row that sees no point reached by a label.

        A row that equals a training point has that point's class in `transduction_`. With
        `similarity="precomputed"`, X : (m, n) holds similarities to the training points.
        """
        H, unreached, same = self._extended(X)
        codes = np.where(unreached, -1, H.argmax(axis=1))
        codes[same >= 0] = self.solution_.labels[same[same >= 0]]
        return self._coding.decode(codes)

    def predict_proba(self, X: Any) -> Array:
        """Shares of the classes, (m, c): positive responses divided by their sum.

        They rank classes and are not calibrated. Where no response is positive, the lowest is
        taken as zero; where all are equal, the shares are, too.
        """
        return distribution(self._extended(X)[0])


def auto_tau(tau: float | str | None, Y: Array) -> float | None:
    """tau as a number or None; "auto" is the square root of the number of labelled points."""
    if isinstance(tau, str):
        if tau != "auto":
            raise ValueError(f'tau must be > 0, None or "auto", got {tau!r}')
        return float(np.sqrt((Y != 0).any(axis=1).sum()))
    return tau


def distribution(H: Array) -> Array:
    """Responses (n, c) as shares: non-negative rows that sum to 1, their order kept."""
    lowest = np.where((H > 0).any(axis=1), 0.0, H.min(axis=1))
    shares = np.maximum(H - lowest[:, None], 0.0)
    # By the largest first: a sum of numbers near the smallest double loses digits.
    top = shares.max(axis=1, keepdims=True)
    shares = np.divide(shares, top, out=np.ones_like(shares), where=top > 0)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
