"""Several labels per point.

    minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau

with Y in {-1, 0, 1}; a point has label j if H_ij >= T_j.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from mavr import multilabel, relations
from mavr import validation as valid
from mavr.arrays import Array
from mavr.estimators import thresholds
from mavr.estimators.base import GraphEstimator, labelled_points
from mavr.estimators.parameters import Own
from mavr.graphs.graph import Graph
from mavr.methods import prior_of
from mavr.settings import Parameters, norm
from mavr.solvers.leave_one_out import left_out
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import spectrum_of


class MAVRMultiLabelClassifier(ClassifierMixin, GraphEstimator):
    """Multi-label MAVR: label sets, denied labels, partially labelled points.

    Unconstrained by default: has and has not cancel when smoothed, and a large norm can then only
    be had by adding a constant to all responses. Points without any known label have 0, or NaN
    beside labels of 0 and 1, in their row of Y; -1 says "has it not". A one-dimensional y of two
    values is one label, known at every point, and predicted as such; so is one column of 0 and 1.
    Labels are columns: there is no parameter `classes`.

    {parameters}

    Attributes
    ----------
    classes_ : (c,) array
        The column numbers 0 ... c-1.
    transduction_ : (n, c) array
        Indicator of the training points, -1 in rows that no label reaches.
    label_distributions_ : (n, c) array
        As `predict_proba` for the training points.
    threshold_ : (c,) array
        The thresholds T.
    class_relation_ : (c, c) array
        P.
    zero_ : str
        What 0 in Y meant: "no", "unknown", or "unlabelled": a row of zeros is unlabelled, and in
        other rows 0 counts as "has it not" where something is counted.
    {attributes}

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [2.0], [2.1], [2.2], [2.3]]
    >>> Y = [[1, 1], [0, 0], [1, 0], [0, 0], [-1, 1], [-1, 1], [0, 0], [0, 0]]
    >>> model = MAVRMultiLabelClassifier(n_neighbors=2, threshold=0.0).fit(X, Y)
    >>> model.predict([[0.05], [1.9]])
    array([[1, 1],
           [0, 1]])
    """

    method = "mavr"
    instead = 'learned thresholds need it for any similarity; use threshold="frequency" or a number'
    # Chosen by measurement, see docs/multilabel.md.
    defaults: ClassVar[dict[str, Any]] = {
        "similarity": "knn",
        "n_neighbors": 10,
        "width": 0.4,
        "laplacian": "unnormalized",
        "gamma": 9.0,
        "tau": None,
    }
    printed: ClassVar[dict[str, Any]] = {"similarity": "local_scaling", "tau": None}
    own: ClassVar[dict[str, Own]] = {
        "threshold": Own(
            "learned",
            "str, float or (c,) array",
            '"learned" maximises F1 on the labelled points, each without its own labels; '
            '"frequency" gives a label to the share of the unlabelled points that it has among '
            "the labelled ones; a number, or c numbers, is taken as it is.",
        ),
        "per_label": Own(True, "bool", "One threshold for each label, or a common one."),
        "zero": Own(
            "auto",
            "str",
            'What 0 in Y means: "unknown", with -1 for "has it not"; "no", with NaN for '
            '"unknown"; "auto" takes "no" if Y has a NaN, else "unknown".',
        ),
    }

    class_relation: Any
    threshold: Any
    per_label: bool
    zero: str

    def fit(self, X: Any, y: Any = None) -> MAVRMultiLabelClassifier:
        """Learn from points of which some labels are known.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
            With `similarity="precomputed"`, (n, n) similarities.
        y : (n, c) array or sparse matrix
            What its entries mean: see `zero`.

        Returns
        -------
        self
        """
        if y is None:
            self._validated(X, y)  # says that y is required
        X = self._validated(X)
        Y = self._labels(y)
        check_consistent_length(X, Y)
        if self._spectral(Y):
            valid.dense_size(
                len(Y), "tau with denied labels needs it for any similarity; use tau=None"
            )
        graph = self._graph(X)
        parameters = self._parameters(graph, Y)
        solution = self._solve(graph, Y, parameters)
        self.threshold_ = self._thresholds(graph, Y, parameters, solution)
        self._remember(graph, solution, parameters)
        for text in thresholds.oddities(Y, self._denied_rows, self.threshold_):
            warnings.warn(text, stacklevel=2)
        distance = np.abs(self.response_ - self.threshold_)
        # Labels with an infinite threshold, or without any spread, need no scale.
        scale = np.where(np.isfinite(distance), distance, 0.0).max(axis=0)
        # A little more than the largest distance: no score is certain.
        self._scale = np.where(scale > 0, scale * (1 + 1e-6), 1.0)
        has = (self.response_ >= self.threshold_).astype(int)
        has[solution.unreached] = -1
        self.transduction_ = has[:, 0] if self._binary else has
        self.label_distributions_ = self._shares(self.response_)
        return self

    def _labels(self, y: Any) -> Array:
        Y = check_array(
            y, accept_sparse="csr", ensure_2d=False, dtype=None, ensure_all_finite=False
        )
        self._binary, self.zero_, self._denied_rows = Y.ndim == 1, "no", 0
        if not self._binary:
            # One column of 0 and 1 is a one-dimensional y, known at every point.
            column = self.zero == "auto" and Y.shape[1] == 1
            signed = multilabel.encode(Y, self.zero)
            zero = "no" if column and (signed >= 0).all() else self.zero
            self.zero_ = multilabel.meaning(Y, zero)
            self._denied_rows = multilabel.denied_rows(Y, self.zero)
            self.classes_ = np.arange(Y.shape[1])
            return multilabel.encode(Y, zero)
        y = column_or_1d(check_array(Y, ensure_2d=False, dtype=None, input_name="y"))
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported for a one-dimensional y. The type of the "
                f"target is {type_of_target(y)}; pass one column per label instead, 1 has it, -1 "
                "has it not, 0 unknown; or, for one class per point and -1 where it is unknown, "
                "use MAVRClassifier."
            )
        # A single value is a label that every point has.
        return np.where(codes[:, None] == len(self.classes_) - 1, 1.0, -1.0)

    def _relation(self, Y: Array) -> Array:
        """P as `class_relation` says, kept in `class_relation_`."""
        if isinstance(self.class_relation, str):
            if self.class_relation != "co-occurrence":
                raise ValueError(
                    'class_relation must be a matrix, None or "co-occurrence", '
                    f"got {self.class_relation!r}"
                )
            P = multilabel.co_occurrence(Y)
        elif self.class_relation is None:
            P = np.eye(Y.shape[1])
        else:
            P = relations.check(self.class_relation, Y.shape[1], "class_relation")
        self.class_relation_ = P
        return P

    @property
    def _needs_dense(self) -> bool:
        return self._learned

    @property
    def _learned(self) -> bool:
        return isinstance(self.threshold, str) and self.threshold == "learned"

    def _spectral(self, Y: Array) -> bool:
        # Denied labels under a constraint need eigenvectors.
        return self.tau is not None and bool((Y < 0).any())

    def _solve(self, graph: Graph, Y: Array, p: Parameters) -> Solution:
        state = spectrum_of(graph) if self._spectral(Y) else graph.Q
        size = norm(p.tau, labelled_points(Y))
        return solve(state, Y, p.P, p.gamma, size, p.balance, prior_of(p, Y))

    def _thresholds(self, graph: Graph, Y: Array, p: Parameters, solution: Solution) -> Array:
        """(c,) as `threshold` says."""

        def held_out() -> Array:
            P = self.class_relation_
            return left_out(graph.Q, solution, Y, P, p.gamma, p.balance, prior_of(p, Y))

        return thresholds.found(self.threshold, self.per_label, Y, solution, held_out)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of points.

        A row that equals a training point has that point's labels, one that no label reaches none.

        Parameters
        ----------
        X : (m, d) array or sparse matrix

        Returns
        -------
        indicator : (m, c) array
            1 where a row has the label.
        """
        new = self._extended(X)
        has = ((self.threshold_ <= new.H) & ~new.unreached[:, None]).astype(int)
        if not self._binary:
            return has
        return np.asarray(self.classes_[np.minimum(has[:, 0], len(self.classes_) - 1)])

    def predict_proba(self, X: Any) -> Array:
        """Scores in [0, 1]: 1/2 at the threshold, linear in the response.

        The training response that is furthest from the threshold is next to 0 or 1.

        Parameters
        ----------
        X : (m, d) array or sparse matrix

        Returns
        -------
        scores : (m, c) array
            For a one-dimensional y, (m, number of classes).
        """
        return self._shares(self._extended(X).H)

    def _shares(self, H: Array) -> Array:
        share = np.clip(0.5 + 0.5 * (H - self.threshold_) / self._scale, 0.0, 1.0)
        if not self._binary:
            return share
        return np.hstack([1 - share, share])[:, -len(self.classes_) :]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows whose labels are all predicted right.

        Every entry of y must be known; `mavr.labelled_f1` counts known entries only. Training
        points answer as in `transduction_`.

        Parameters
        ----------
        X : (m, d) array or sparse matrix
        y : (m, c) array or sparse matrix
        sample_weight : (m,) array or None

        Returns
        -------
        accuracy : float
        """
        if y is None:
            raise ValueError("y must give the labels to score against, got None")
        check_is_fitted(self)
        if self._binary:
            return float(super().score(X, y, sample_weight))
        Y = multilabel.encode(y, "no" if multilabel.meaning(y) == "unlabelled" else "auto")
        if not Y.all():
            raise ValueError(
                f"y has {int((Y == 0).sum())} unknown entries, and rows count as right only where "
                "all are known; use mavr.labelled_f1(model, X, y), or scoring=mavr.labelled_f1"
            )
        return float(super().score(X, (Y > 0).astype(int), sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
