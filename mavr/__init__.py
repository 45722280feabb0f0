"""MAVR: transductive learning with multi-class volume approximation.

Niu, Dai, du Plessis, Sugiyama, "Transductive Learning with Multi-class Volume Approximation",
arXiv 1402.0288, ICML 2014.

Most users need the estimators, which follow scikit-learn. With one class per point, -1 in y marks
a point without label; with several labels per point its row of y is 0, or NaN:

    MAVRClassifier().fit(X, y).transduction_

MAVRClassifier, LGCClassifier, BAVRClassifier, LapRLSClassifier    one class per point
MAVRMultiLabelClassifier                                           several labels per point
LabelledFolds, labelled_accuracy, labelled_f1                      for GridSearchCV

A graph, a few labels and a method by its name: `make_graph` and `transduce`.

Below them lie similarities (`knn_similarity` and others), `laplacian`, `decompose` and `solve`:

    minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau

==========  =======  ==================================================================
symbol      shape    meaning
==========  =======  ==================================================================
W           (n, n)   similarity, W_ii = 0
Q           (n, n)   Laplacian of W, or any symmetric positive semi-definite matrix
P           (c, c)   class relation, symmetric positive definite, I by default
Y           (n, c)   labels: 1 has it, -1 has it not, 0 unknown
H           (n, c)   soft responses; the class of a point is its largest response
gamma       > 0      weight of the volume term
tau         > 0      norm of H; None for the unconstrained problem
balance     >= 0     weight of the class-balance term
rho                  multiplier of the constraint; -1 for the unconstrained problem
lam, V               eigenvalues and eigenvectors of Q;  mu, U: of P
C           (c, c)   I - pp'/|p|^2, p the prior of the classes, 1 by default
==========  =======  ==================================================================
"""

from mavr.estimators import (
    BAVRClassifier,
    LabelledFolds,
    LapRLSClassifier,
    LGCClassifier,
    MAVRClassifier,
    MAVRMultiLabelClassifier,
    labelled_accuracy,
    labelled_f1,
)
from mavr.graphs.laplacians import Laplacian, laplacian
from mavr.graphs.similarities import (
    cosine_similarity,
    gaussian_similarity,
    knn_similarity,
    local_scaling_similarity,
)
from mavr.least_squares import deform, laprls
from mavr.methods import METHODS, bavr, lgc
from mavr.solvers.solution import Solution, Status
from mavr.solvers.solver import solve
from mavr.solvers.sparse_state import SparseState, prepare
from mavr.solvers.spectrum import Spectrum, decompose
from mavr.transduction import make_graph, transduce

__version__ = "0.1.0"

# The name of an earlier version, for powers alone.
LaplacianPower = Laplacian

__all__ = [
    "METHODS",
    "BAVRClassifier",
    "LGCClassifier",
    "LabelledFolds",
    "LapRLSClassifier",
    "Laplacian",
    "LaplacianPower",
    "MAVRClassifier",
    "MAVRMultiLabelClassifier",
    "Solution",
    "SparseState",
    "Spectrum",
    "Status",
    "bavr",
    "cosine_similarity",
    "decompose",
    "deform",
    "gaussian_similarity",
    "knn_similarity",
    "labelled_accuracy",
    "labelled_f1",
    "laplacian",
    "laprls",
    "lgc",
    "local_scaling_similarity",
    "make_graph",
    "prepare",
    "solve",
    "transduce",
]
