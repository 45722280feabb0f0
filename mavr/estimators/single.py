"""Classifiers with one class per point: MAVR, LGC, BAVR, LapRLS.

minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mavr import relations
from mavr.estimators.base import Similarity, TransductiveClassifier, auto_tau
from mavr.least_squares import kernel_of, laprls
from mavr.methods import bavr, lgc
from mavr.solvers.solution import Solution
from mavr.solvers.solver import solve
from mavr.solvers.spectrum import spectrum_of

Array = npt.NDArray[np.float64]


class MAVRClassifier(TransductiveClassifier):
    """Multi-class approximate volume regularization.

    Parameters
    ----------
    similarity : "local_scaling", "gaussian", "knn", "cosine" or "precomputed"; or a function of
        two sets of points, as in `sklearn.metrics.pairwise`. X may be sparse.
    sigma : width of the Gaussian similarity, in the units of X.
    n_neighbors : number of neighbours for the other similarities.
    laplacian : "normalized" or "unnormalized".
    gamma : weight of the volume term, > 0.
    tau : norm of the responses; "auto" is the square root of the number of labels, None leaves
        them unconstrained.
    class_relation : P, (c, c) symmetric positive definite; None is the identity. Its rows are in
        the order of `classes` if that is given, else of `classes_`.
    balance : weight of the class-balance term, >= 0.
    classes : all classes, where some have no label; None takes those in y.

    Attributes
    ----------
    classes_ : (c,) sorted; transduction_ : (n,) classes of the training points, -1 (in arrays of
    strings "-1") where no label reaches; label_distributions_ : (n, c) their shares;
    response_ : (n, c) H; rho_ : multiplier of the constraint; solution_ : all that the solver says.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> model = MAVRClassifier(n_neighbors=2).fit(X, [0, -1, -1, 1, -1, -1])
    >>> model.transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.2], [1.9]])
    array([0, 1])

    A class that has no label yet is named; `class_relation` keeps it apart from the others.

    >>> model = MAVRClassifier(n_neighbors=2, classes=["new", "old"], balance=1.0,
    ...                        class_relation=[[1.0, 0.5], [0.5, 1.0]])
    >>> model.fit(X, ["old", "-1", "-1", "-1", "-1", "-1"]).transduction_
    array(['old', 'old', 'old', 'new', 'new', 'new'], dtype='<U3')
    """

    def __init__(
        self,
        similarity: Similarity = "local_scaling",
        *,
        sigma: float = 0.5,
        n_neighbors: int = 7,
        laplacian: str = "normalized",
        gamma: float = 99.0,
        tau: float | str | None = "auto",
        class_relation: npt.ArrayLike | None = None,
        balance: float = 0.0,
        classes: Any = None,
    ) -> None:
        self.similarity = similarity
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.laplacian = laplacian
        self.gamma = gamma
        self.tau = tau
        self.class_relation = class_relation
        self.balance = balance
        self.classes = classes

    def _solve(self, X: Any, Y: Array) -> Solution:
        P = None
        if self.class_relation is not None:
            order = self._coding.order
            P = relations.check(self.class_relation, len(order))[np.ix_(order, order)]
        graph = self._graph(X, self.laplacian)
        return solve(graph.Q, Y, P, self.gamma, auto_tau(self.tau, Y), self.balance)


class LGCClassifier(TransductiveClassifier):
    """Learning with local and global consistency (Zhou et al. 2003).

    MAVR without constraint, with the normalized Laplacian and unrelated classes; alpha in Zhou's
    paper and in `sklearn.semi_supervised.LabelSpreading` is gamma / (1 + gamma). The answer is
    exact, not iterated. Parameters and attributes as in `MAVRClassifier`.

    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> LGCClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        similarity: Similarity = "local_scaling",
        *,
        sigma: float = 0.5,
        n_neighbors: int = 7,
        gamma: float = 99.0,
        classes: Any = None,
    ) -> None:
        self.similarity = similarity
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.classes = classes

    def _solve(self, X: Any, Y: Array) -> Solution:
        return lgc(self._graph(X, "normalized").Q, Y, self.gamma)


class BAVRClassifier(TransductiveClassifier):
    """One binary volume regularisation per class (El-Yaniv, Pechyony and Vapnik 2008).

    Each class is learned against the rest, with labels +1 and -1 and norm tau / sqrt(c). It needs
    a dense similarity, or "cosine" and "knn" up to the size that fits in memory. Parameters and
    attributes as in `MAVRClassifier`; `tau` must be a number or "auto", and `rho_` is (c,).

    gamma is 1 by default, the paper's choice for local scaling. Labels of both signs cancel when
    smoothed, so with many labels and a large gamma the norm asked for can only be had by adding a
    constant to all responses; then choose a smaller tau.

    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> BAVRClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        similarity: Similarity = "local_scaling",
        *,
        sigma: float = 0.5,
        n_neighbors: int = 7,
        laplacian: str = "normalized",
        gamma: float = 1.0,
        tau: float | str = "auto",
        classes: Any = None,
    ) -> None:
        self.similarity = similarity
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.laplacian = laplacian
        self.gamma = gamma
        self.tau = tau
        self.classes = classes

    def _solve(self, X: Any, Y: Array) -> Solution:
        tau = auto_tau(self.tau, Y)
        if tau is None:
            raise ValueError('tau must be > 0 or "auto", got None; without norm use LGCClassifier')
        # Labels of both signs need the eigenvectors, which a sparse matrix has to be dense for.
        return bavr(spectrum_of(self._graph(X, self.laplacian)), Y, self.gamma, tau)


class LapRLSClassifier(TransductiveClassifier):
    """Laplacian regularised least squares (Belkin, Niyogi and Sindhwani 2006).

    Parameters
    ----------
    similarity, sigma, n_neighbors, classes : as in `MAVRClassifier`. The similarity, with a
        diagonal of 1, is also the kernel.
    lambda_A : weight of the norm in the kernel's space, > 0.
    lambda_I : weight of the smoothness on the graph, >= 0; 1 is the paper's choice for local
        scaling, 99 for the others.

    `rho_` is NaN: there is no constraint.

    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> LapRLSClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        similarity: Similarity = "local_scaling",
        *,
        sigma: float = 0.5,
        n_neighbors: int = 7,
        lambda_A: float = 1e-3,
        lambda_I: float = 1.0,
        classes: Any = None,
    ) -> None:
        self.similarity = similarity
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.lambda_A = lambda_A
        self.lambda_I = lambda_I
        self.classes = classes

    def _solve(self, X: Any, Y: Array) -> Solution:
        graph = self._graph(X, "unnormalized")
        return laprls(kernel_of(graph, self.lambda_A, self.lambda_I), Y)
