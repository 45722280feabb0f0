"""Choosing parameters where most points have no label: a scorer and folds.

`sklearn.model_selection` takes -1 for a class: it scores the unlabelled points, and its folds take
most of them away from the graph. Here a score counts labelled points only, and a fold holds out
labelled points only, so that every fit still sees all the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mavr import multilabel
from mavr.arrays import Array, Index, Mask
from mavr.labels import check_marks, is_unlabelled


def labelled_accuracy(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """A scorer: accuracy over the points whose class y gives.

    Parameters
    ----------
    estimator : fitted classifier
    X : (m, d) array or sparse matrix
    y : (m,) array
        -1, in arrays of strings "-1", where the class is unknown.
    sample_weight : (m,) array or None

    Returns
    -------
    accuracy : float

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mavr import LGCClassifier
    >>> search = GridSearchCV(LGCClassifier(), {"gamma": [1.0, 9.0]}, scoring=labelled_accuracy)
    """
    if y is None:
        raise ValueError("y must give the classes to score against, -1 where unknown, got None")
    y = column_or_1d(np.asarray(y))
    check_consistent_length(X, y, sample_weight)
    check_marks(y, getattr(estimator, "classes_", None))
    known = ~is_unlabelled(y)
    if not known.any():
        raise ValueError(
            "y has no labelled row to score (every entry is -1); use cv=mavr.LabelledFolds(), "
            "whose folds hold out labelled points"
        )
    # All rows: a pandas X keeps its names, and rows are predicted one by one.
    right = np.asarray(estimator.predict(X))[known] == y[known]
    return float(np.average(right, weights=_weights(sample_weight, known)[known]))


def _weights(sample_weight: Any, known: Mask) -> Array:
    """(m,) weights of rows, of which some are known; 1 where none are given."""
    if sample_weight is None:
        return np.ones(len(known))
    weights = np.asarray(sample_weight, dtype=float)
    total = float(weights[known].sum())
    if not total > 0:
        raise ValueError(
            f"sample_weight must have a sum > 0 over the labelled rows, got {total:g}; weigh at "
            "least one of them"
        )
    return weights


def labelled_f1(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """A scorer for several labels per point: macro F1 over the entries that y gives.

    A label that no row has, and none is given, does not count.

    Parameters
    ----------
    estimator : fitted multi-label classifier
        What 0 in y means is asked of its last step: `MAVRMultiLabelClassifier` keeps `zero_`.
    X : (m, d) array or sparse matrix
    y : (m, c) array or sparse matrix
        As `MAVRMultiLabelClassifier.fit` takes it.
    sample_weight : (m,) array or None

    Returns
    -------
    score : float

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mavr import LabelledFolds, MAVRMultiLabelClassifier
    >>> search = GridSearchCV(MAVRMultiLabelClassifier(), {"gamma": [1.0, 9.0]},
    ...                       scoring=labelled_f1, cv=LabelledFolds(3))
    """
    if y is None:
        raise ValueError("y must give the labels to score against, got None")
    Y = multilabel.evidence(y, getattr(_last(estimator), "zero_", None) or multilabel.meaning(y))
    if not Y.any():
        raise ValueError(
            "y has no known entry to score; use cv=mavr.LabelledFolds(), whose folds hold out "
            "labelled points"
        )
    check_consistent_length(X, Y, sample_weight)
    weights = _weights(sample_weight, np.asarray(Y.any(axis=1)))
    has = np.asarray(estimator.predict(X)) > 0
    hits = weights @ (has & (Y > 0))
    wrong = weights @ ((has & (Y < 0)) | (~has & (Y > 0)))
    some = 2 * hits + wrong > 0
    # Nothing to find, and nothing given.
    return float(np.mean(2 * hits[some] / (2 * hits + wrong)[some])) if some.any() else 1.0


def _last(estimator: Any) -> Any:
    """The estimator at the end of pipelines and searches."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


@dataclass(frozen=True)
class LabelledFolds:
    """Folds that hold out labelled points, in equal shares of each class, and nothing else.

    Of several labels per point, y : (n, c), rows are held out of which something is known, in
    about equal shares of those that have a rare label.

    Attributes
    ----------
    n_splits : number of folds, not more than the labels of the rarest class.
    seed : of the shuffle.
    zero : what 0 in a y of several labels means, see `MAVRMultiLabelClassifier`.

    Examples
    --------
    >>> y = np.array([0, 1, -1, 0, 1, -1])
    >>> [len(train) for train, test in LabelledFolds(2).split(np.zeros((6, 1)), y)]
    [4, 4]
    """

    n_splits: int = 3
    seed: int = 0
    zero: str = "auto"

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Pairs of training and test rows; all unlabelled rows are for training."""
        if getattr(y, "ndim", np.ndim(y)) == 2:
            yield from self._rows(multilabel.encode(y, self.zero))
            return
        y = np.asarray(y)
        known = np.flatnonzero(~is_unlabelled(y))
        least = np.unique(y[known], return_counts=True)[1].min() if len(known) else 0
        if least < self.n_splits:
            raise ValueError(
                f"n_splits = {self.n_splits} folds need as many labels of each class, the rarest "
                f"has {least}; use fewer folds (at least 2), or label more points"
            )
        folds = StratifiedKFold(self.n_splits, shuffle=True, random_state=self.seed)
        for _, test in folds.split(known, y[known]):
            held_out = known[test]
            yield np.setdiff1d(np.arange(len(y)), held_out), held_out

    def _rows(self, Y: Array) -> Iterator[tuple[Index, Index]]:
        known = np.flatnonzero(Y.any(axis=1))
        if len(known) < max(self.n_splits, 2):
            raise ValueError(
                f"n_splits = {self.n_splits} folds need as many labelled rows, at least 2, there "
                f"are {len(known)}; use fewer folds, or label more points"
            )
        # Rows whose rarest label is the same are dealt out in turn.
        rarity = np.where(Y[known] > 0, (Y > 0).sum(axis=0), len(Y) + 1)
        mixed = np.random.default_rng(self.seed).permutation(len(known))
        dealt = known[mixed[np.argsort(rarity.argmin(axis=1)[mixed], kind="stable")]]
        for fold in range(self.n_splits):
            held_out = np.sort(dealt[fold :: self.n_splits])
            yield np.setdiff1d(np.arange(len(Y)), held_out), held_out

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits
