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

from mavr.arrays import Index
from mavr.labels import is_unlabelled


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
    y = np.asarray(y)
    known = ~is_unlabelled(y)
    if not known.any():
        raise ValueError(
            "y has no labelled row to score (every entry is -1); use cv=mavr.LabelledFolds(), "
            "whose folds hold out labelled points"
        )
    # All rows: a pandas X keeps its names, and rows are predicted one by one.
    right = np.asarray(estimator.predict(X))[known] == y[known]
    weights = None if sample_weight is None else np.asarray(sample_weight)[known]
    return float(np.average(right, weights=weights))


@dataclass(frozen=True)
class LabelledFolds:
    """Folds that hold out labelled points, in equal shares of each class, and nothing else.

    Attributes
    ----------
    n_splits : number of folds, not more than the labels of the rarest class.
    seed : of the shuffle.

    Examples
    --------
    >>> y = np.array([0, 1, -1, 0, 1, -1])
    >>> [len(train) for train, test in LabelledFolds(2).split(np.zeros((6, 1)), y)]
    [4, 4]
    """

    n_splits: int = 3
    seed: int = 0

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Pairs of training and test rows; all unlabelled rows are for training."""
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

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits
