"""One class per point: what MAVR, LGC, BAVR and LapRLS share."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from mavr import relations
from mavr.arrays import Array
from mavr.collapse import collapse
from mavr.declarations import keyed
from mavr.estimators.base import GraphEstimator
from mavr.estimators.parameters import Own, Parameter
from mavr.estimators.responses import tie_noise
from mavr.estimators.selection import labelled_accuracy
from mavr.graphs.graph import Graph
from mavr.labels import check_marks, class_names
from mavr.settings import Parameters
from mavr.solvers.solution import Solution

CLASSES = Own(None, "list or None", "All classes, where some have no label; None takes those in y.")


class TransductiveClassifier(ClassifierMixin, GraphEstimator):
    """One class per point. A subclass says how to solve."""

    own: ClassVar[dict[str, Own]] = {"classes": CLASSES}
    classes: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from points of which some are labelled.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
            With `similarity="precomputed"`, (n, n) similarities.
        y : (n,) array
            -1, in arrays of strings "-1", where a point has no label.

        Returns
        -------
        self
            Points that no label reaches have -1 in `transduction_`; a warning counts them.
        """
        # Of pandas' own dtypes scikit-learn makes floats.
        y = np.asarray(y) if hasattr(y, "to_numpy") else y
        if y is not None:
            check_marks(y, self.classes)
        X, y = self._validated(X, y)
        self._names = class_names(y, self.classes)
        self.classes_ = self._names.classes
        Y = self._names.one_hot(y)
        graph = self._settled(self._graph(X), Y)
        parameters = self._parameters(graph, Y)
        solution = self._solve(graph, Y, parameters)
        self._remember(graph, solution, parameters)
        # With balance the constant part is that of the classes' proportions.
        remedy = "" if parameters.balance else self._remedy()
        fallen = collapse(solution, Y) if remedy else None
        if fallen is not None:
            warnings.warn(f"{fallen}; {remedy}", stacklevel=2)
        self.transduction_ = self._names.named(solution.labels)
        self.label_distributions_ = distribution(self.response_, tie_noise(solution))
        return self

    def _settled(self, graph: Graph, Y: Array) -> Graph:
        """The graph, or another if the labels prefer it."""
        return graph

    def _solve(self, graph: Graph, Y: Array, parameters: Parameters) -> Solution:
        raise NotImplementedError

    def _remedy(self) -> str:
        """What to do when the responses collapse; "" where they do not."""
        return ""

    def _value(self, parameter: Parameter) -> Any:
        given = getattr(self, parameter.name)
        if parameter.about is None or parameter.field != "class_prior" or not keyed(given):
            return super()._value(parameter)
        return parameter.about.check(self._names.arranged(parameter.name, given))

    def _ordered(self, shares: tuple[float, ...], c: int) -> tuple[float, ...]:
        given = super()._ordered(shares, c)
        return tuple(given[j] for j in self._names.order)

    def _relation(self, Y: Array) -> Array | None:
        given = getattr(self, "class_relation", None)
        if given is None:
            return None
        order = self._names.order
        return relations.check(given, len(order), "class_relation")[np.ix_(order, order)]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classes of points.

        A row that equals a training point has that point's class in `transduction_`; if several
        are equal, that of the first which a label reaches.

        Parameters
        ----------
        X : (m, d) array or sparse matrix
            With `similarity="precomputed"`, (m, n) similarities to the training points.

        Returns
        -------
        y : (m,) array
            -1 for a row that sees no point reached by a label.
        """
        new = self._extended(X)
        columns = np.where(new.unreached, -1, new.H.argmax(axis=1))
        at = new.same >= 0
        columns[at] = self.solution_.labels[new.same[at]]
        return self._names.named(columns)

    def predict_proba(self, X: Any) -> Array:
        """Shares of the classes: positive responses divided by their sum.

        They rank classes and are not calibrated. Where no response is positive, the lowest is
        taken as zero; where all are equal, the shares are, too.

        Parameters
        ----------
        X : (m, d) array or sparse matrix
            As in `predict`.

        Returns
        -------
        shares : (m, c) array
        """
        new = self._extended(X)
        return distribution(new.H, new.noise)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over the rows whose class y gives; -1 in y marks the others.

        A training point answers as in `transduction_`: where it was labelled in `fit`, this is
        the accuracy of training. Score other labels, or use `mavr.LabelledFolds`.

        Parameters
        ----------
        X : (m, d) array or sparse matrix
        y : (m,) array
        sample_weight : (m,) array or None

        Returns
        -------
        accuracy : float
        """
        return labelled_accuracy(self, X, y, sample_weight)


def distribution(H: Array, noise: Array | None = None) -> Array:
    """Responses (n, c) as shares: non-negative rows that sum to 1, their order kept.

    noise : (n,), classes that are as close to the best share equally.
    """
    if noise is not None:
        close = H.max(axis=1, keepdims=True) - 2 * noise[:, None] <= H
        mean = (H * close).sum(axis=1, keepdims=True) / close.sum(axis=1, keepdims=True)
        H = np.where(close, mean, H)
    lowest = np.where((H > 0).any(axis=1), 0.0, H.min(axis=1))
    shares = np.maximum(H - lowest[:, None], 0.0)
    # By the largest first: a sum of numbers near the smallest double loses digits.
    top = shares.max(axis=1, keepdims=True)
    shares = np.divide(shares, top, out=np.ones_like(shares), where=top > 0)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
