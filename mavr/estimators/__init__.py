"""scikit-learn estimators.

They follow `sklearn.semi_supervised`: `fit(X, y)` with -1 in y for points without label (several
labels per point: rows of 0 or NaN), `transduction_` for the points of X, `predict` and
`predict_proba` for others.
"""

from mavr.estimators.multi import MAVRMultiLabelClassifier as MAVRMultiLabelClassifier
from mavr.estimators.selection import LabelledFolds as LabelledFolds
from mavr.estimators.selection import labelled_accuracy as labelled_accuracy
from mavr.estimators.selection import labelled_f1 as labelled_f1
from mavr.estimators.single import BAVRClassifier as BAVRClassifier
from mavr.estimators.single import LapRLSClassifier as LapRLSClassifier
from mavr.estimators.single import LGCClassifier as LGCClassifier
from mavr.estimators.single import MAVRClassifier as MAVRClassifier
