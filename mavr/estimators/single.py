"""Classifiers with one class per point: MAVR, LGC, BAVR, LapRLS.

minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from mavr.arrays import Array, Index, Mask
from mavr.estimators import automatic, remedies
from mavr.estimators.base import labelled_points
from mavr.estimators.classifier import CLASSES, TransductiveClassifier
from mavr.estimators.directions import DirectedWeights, directions_of
from mavr.estimators.parameters import Own, Parameter
from mavr.graphs.extension import weights_of
from mavr.graphs.graph import Graph, graph_of
from mavr.methods import METHODS, lgc, prior_of
from mavr.settings import Parameters, norm, shortened
from mavr.solvers.solution import Solution
from mavr.solvers.solver import State, solve, state_for

# What the paper uses for data without a natural width.
PRINTED = {"similarity": "local_scaling", "tau": "auto"}
# Chosen by measurement, see docs/defaults.md.
NEIGHBORS = {"similarity": "knn", "n_neighbors": 7, "width": 0.4}

DIRECTIONS = Own(
    "auto",
    '"auto" or None',
    'Where the width and the power of the Laplacian are "auto" and follow the dimension: make '
    "the graph anew, of the points and beside them their places along the directions that tell "
    "apart the classes of a first answer. None keeps the graph of the points.",
)


class MAVRClassifier(TransductiveClassifier):
    """Multi-class approximate volume regularization.

    Every point has a response to each class, a number; the largest is its class. Responses stay
    near to the labels, differ little between neighbours on the graph (the volume term), and add
    up to the classes' proportions (the balance term).

    With many classes most of the time goes into looking for settings: on 5,000 points of 50 classes
    a fit took 20 s, and with `width=0.4, laplacian_power=1, class_prior="labels"` 2 s.

    {parameters}

    Attributes
    ----------
    {attributes}
    directions_ : (d, k) array or None
        What tells the classes apart: the graph is made of the points, divided by the root of
        their total variance, and X @ directions_ beside them. None if of the points alone.
    class_prior_ : (c,) array or None
        The proportions that the balance term heeds, in the order of `classes_`; None if equal.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> model = MAVRClassifier(n_neighbors=2).fit(X, [0, -1, -1, 1, -1, -1])
    >>> model.transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.2], [1.9]])
    array([0, 1])

    A class that has no label yet is named; `class_relation` keeps it apart from the others.

    >>> model = MAVRClassifier.paper(n_neighbors=2, classes=["new", "old"], balance=1.0,
    ...                              class_relation=[[1.0, 0.5], [0.5, 1.0]])
    >>> model.fit(X, ["old", "-1", "-1", "-1", "-1", "-1"]).transduction_
    array(['old', 'old', 'old', 'new', 'new', 'new'], dtype='<U3')
    """

    method = "mavr"
    defaults: ClassVar[dict[str, Any]] = NEIGHBORS | {
        "n_neighbors": "auto",
        "width": "auto",
        "laplacian": "unnormalized",
        "laplacian_power": "auto",
        "gamma": "auto",
        "tau": None,
        "balance": 1.0,
        "class_prior": "auto",
    }
    printed: ClassVar[dict[str, Any]] = PRINTED
    own: ClassVar[dict[str, Own]] = {"classes": CLASSES, "directions": DIRECTIONS}
    n_neighbors: Any
    width: Any
    directions: Any

    def _remedy(self) -> str:
        return "use balance=1, best with the other defaults, those of MAVRClassifier(), too"

    def _resolved(self, parameter: Parameter, graph: Graph, Y: Array) -> Any:
        if parameter.field == "class_prior" and self._is_auto("class_prior"):
            return "labels"
        return super()._resolved(parameter, graph, Y)

    def _settled(self, graph: Graph, Y: Array) -> Graph:
        """The graph as points and labels want it, and as a first answer on it does."""
        if self.directions is not None and not self._is_auto("directions"):
            given = shortened(self.directions)
            raise ValueError(f'directions must be "auto" or None, got {given}')
        self.directions_: Array | None = None
        self._missed: Mask | None = None
        if self._kind == automatic.CLOUD and automatic.enough_labels(Y):
            graph = self._held_out(graph, Y)
        if self.dimension_ is None or self.directions is None:
            return graph
        first = self._solve(graph, Y, self._parameters(graph, Y))
        return self._along(graph, Y, automatic.settled_classes(first, Y), remember=True)

    def _held_out(self, graph: Graph, Y: Array) -> Graph:
        """The graph of a cloud, or one that has fewer held-out labels wrong."""
        fine = self._held(automatic.finer(graph))
        finely, wrong = (automatic.mistakes(Y, partial(self._answer, g)) for g in (fine, graph))
        if finely.sum() < wrong.sum():
            weights: Any = self._weights
            self._kind = automatic.FINE
            self._weights = replace(weights, scale=weights.scale / automatic.FINER)
            graph, wrong = fine, finely
        self._missed = wrong
        if self.directions is None:
            return graph
        along = automatic.mistakes(Y, partial(self._answer_along, graph))
        # By more than a standard error: a few labels make poor directions.
        if wrong.sum() - along.sum() <= np.sqrt((wrong != along).sum()):
            return graph
        self._missed = along
        return self._along(graph, Y, automatic.classes_of(Y))

    def _along(self, graph: Graph, Y: Array, classes: Index, remember: bool = False) -> Graph:
        """The graph along the directions that tell these classes apart, if there are any."""
        r = labelled_points(Y) / Y.shape[1]
        found = directions_of(self.X_, classes, part=r / (r + 1))
        if found is None:
            return graph
        spec, points = self._spec("knn"), found(self.X_)
        if remember:
            self.directions_ = found.vectors
            self._weights = DirectedWeights(found, weights_of(spec, points))
        return self._held(graph_of(spec, points))

    def _answer_along(self, graph: Graph, Y: Array) -> Index:
        return self._answer(self._along(graph, Y, automatic.classes_of(Y)), Y)

    def _answer(self, graph: Graph, Y: Array) -> Index:
        """(n,) classes by some of the labels."""
        p = self._parameters(graph, Y)
        return self._solution(graph, Y, p, prior_of(p, Y)).labels

    def _solve(self, graph: Graph, Y: Array, parameters: Parameters) -> Solution:
        p = parameters
        self.class_prior_ = prior_of(p, Y)
        solution = self._solution(graph, Y, p, self.class_prior_)
        plain = p.P is None and p.tau is None and p.balance
        if not plain or not self._is_auto("class_prior"):
            return solution
        found = automatic.found_proportions(solution, Y, partial(self._mistakes, graph, Y))
        if found is None:
            return solution
        self.class_prior_ = found
        # A label stands for as many points as its class has for each.
        return self._solution(graph, Y * (len(found) * found), p, found)

    def _mistakes(self, graph: Graph, Y: Array) -> Mask:
        """(l,) labelled points whose class a first answer does not find without them."""
        if self._missed is None:
            self._missed = automatic.mistakes(Y, partial(self._answer, graph))
        return self._missed

    def _solution(self, graph: Graph, Y: Array, p: Parameters, prior: Array | None) -> Solution:
        # What is read off Q, not its eigenvectors: one solve is one elimination.
        state = graph.once(_state)
        size = norm(p.tau, labelled_points(Y))
        return solve(state, Y, p.P, p.gamma, size, p.balance, prior)


def _state(graph: Graph) -> State:
    return state_for(graph.Q)


class LGCClassifier(TransductiveClassifier):
    """Learning with local and global consistency (Zhou et al. 2003).

    MAVR without constraint, with the normalized Laplacian and unrelated classes; alpha in Zhou's
    paper and in `sklearn.semi_supervised.LabelSpreading` is gamma / (1 + gamma). The answer is
    exact, not iterated.

    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> LGCClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    method = "lgc"
    without = frozenset({"laplacian", "power"})
    defaults: ClassVar[dict[str, Any]] = NEIGHBORS | {"width": 0.7, "gamma": 9.0}
    printed: ClassVar[dict[str, Any]] = {"similarity": "local_scaling"}

    def _remedy(self) -> str:
        less = f", or gamma={remedies.SMALL_GAMMA:g}" if self.gamma_ > remedies.SMALL_GAMMA else ""
        return remedies.of_collapse(self.similarity) + less

    def _solve(self, graph: Graph, Y: Array, parameters: Parameters) -> Solution:
        return lgc(graph.Q, Y, parameters.gamma)


class BAVRClassifier(TransductiveClassifier):
    """One binary volume regularisation per class (El-Yaniv, Pechyony and Vapnik 2008).

    Each class is learned against the rest, with labels +1 and -1 and norm tau / sqrt(c). `rho_`
    has the shape (c,). `tau` must be a number or "auto".

    Labels of both signs cancel when smoothed, so with many labels and a large gamma the norm asked
    for can only be had by adding a constant to all responses; then choose a smaller tau.

    Up to 16,384 points the time grows with their cube: 4,000 take about 11 s, 16,000 many minutes.

    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> BAVRClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    method = "bavr"
    # With a larger gamma, or the unnormalized Laplacian, labels that cancel are often a hard case:
    # two classes with equally many labels.
    defaults: ClassVar[dict[str, Any]] = NEIGHBORS | {"gamma": 1.0, "tau": "auto"}
    # The paper's gamma for local scaling.
    printed: ClassVar[dict[str, Any]] = PRINTED | {"gamma": 1.0}

    def _remedy(self) -> str:
        return remedies.of_collapse(self.similarity)

    def _solve(self, graph: Graph, Y: Array, parameters: Parameters) -> Solution:
        if parameters.tau is None:
            raise ValueError('tau must be > 0 or "auto", got None; without norm use LGCClassifier')
        return METHODS["bavr"].run(graph, Y, parameters)


class LapRLSClassifier(TransductiveClassifier):
    """Laplacian regularised least squares (Belkin, Niyogi and Sindhwani 2006).

    The similarity, with a diagonal of 1, is also the kernel. `rho_` is NaN, as there is no
    constraint.

    The time grows with the cube of the number of points: 4,000 take about 16 s, 16,000 many
    minutes; 16,384 are the most.

    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [2.0], [2.1], [2.3]]
    >>> LapRLSClassifier("gaussian", sigma=0.5).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    method = "laprls"
    instead = (
        "LapRLSClassifier needs it for any similarity; use MAVRClassifier or LGCClassifier, or "
        "fewer points"
    )
    without = frozenset({"laplacian", "power", "self_loops"})
    defaults: ClassVar[dict[str, Any]] = NEIGHBORS | {"lambda_I": 1e4}
    # The paper's lambda_I is 1 for local scaling, 99 for the others.
    printed: ClassVar[dict[str, Any]] = {"similarity": "local_scaling", "lambda_I": 1.0}

    def _solve(self, graph: Graph, Y: Array, parameters: Parameters) -> Solution:
        return METHODS["laprls"].run(graph, Y, parameters)
