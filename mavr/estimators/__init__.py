"""scikit-learn estimators.

They follow `sklearn.semi_supervised`: `fit(X, y)` with -1 in y for points without label,
`transduction_` for the points of X, `predict` and `predict_proba` for others.
"""

from mavr.estimators.multi import MAVRMultiLabelClassifier
from mavr.estimators.selection import LabelledFolds, labelled_accuracy
from mavr.estimators.single import (
    BAVRClassifier,
    LapRLSClassifier,
    LGCClassifier,
    MAVRClassifier,
)

__all__ = [
    "BAVRClassifier",
    "LGCClassifier",
    "LabelledFolds",
    "LapRLSClassifier",
    "MAVRClassifier",
    "MAVRMultiLabelClassifier",
    "labelled_accuracy",
]
