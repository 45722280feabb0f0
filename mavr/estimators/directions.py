"""Points as classes tell them apart: a second look at a graph, see docs/defaults.md.

    S = mean of (x - m_j)(x - m_j)'   over the points x of all classes j,   shrunk (Ledoit, Wolf)
    Z = (X - m) S^(-1/2) V            V : a basis of the S^(-1/2) (m_j - m)

m_j is the mean of class j and m that of the m_j. Along Z the classes differ most beside their own
spread: it is Fisher's discriminant analysis. The graph is made of X and Z side by side: Z alone
would lose what no plane tells apart. Their total variances are 1 and r / (r + 1), r labels for each
class: the more labels, the better the classes of a first answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cholesky, orth, solve_triangular
from sklearn.covariance import ledoit_wolf

from mavr.arrays import EPS, Array, Index
from mavr.graphs.extension import Weights

# More features have no directions: S would take longer than the graph.
MOST_FEATURES = 1_000


@dataclass(frozen=True)
class Directions:
    """From points (n, d) to themselves beside their places along k directions, (n, d + k).

    Attributes
    ----------
    vectors : (d, k), of the length that gives their part its total variance.
    size : root of the total variance of the points.
    """

    vectors: Array
    size: float

    def __call__(self, X: Array) -> Array:
        return np.hstack([X / self.size, X @ self.vectors])


@dataclass(frozen=True)
class DirectedWeights:
    """Weights of new points on a graph that was made along directions."""

    directions: Directions
    weights: Weights

    def __call__(self, X: Any) -> Any:
        return self.weights(self.directions(X))


def directions_of(X: Array, classes: Index, part: float) -> Directions | None:
    """The directions that tell the classes of points X : (n, d) apart.

    classes : (n,), -1 for points that are not asked; part : the total variance along them. None if
    there are not two classes, a spread within them and a distance between, or too many features.
    """
    known = classes >= 0
    names, places = np.unique(classes[known], return_inverse=True)
    if X.shape[1] > MOST_FEATURES or not 2 <= len(names) < len(places):
        return None
    means = np.array([X[classes == j].mean(axis=0) for j in names])
    S = ledoit_wolf(X[known] - means[places], assume_centered=True)[0]
    spread = np.trace(S) / len(S)
    if not 0.0 < spread < np.inf:
        return None
    # Shrunk as it is, S may still be flat where nothing varies at all.
    R = cholesky(S + 8 * len(S) * EPS * spread * np.eye(len(S)))
    basis = orth(solve_triangular(R, (means - means.mean(axis=0)).T, trans="T"))
    if not basis.size:
        return None
    vectors = solve_triangular(R, basis)
    return Directions(vectors * np.sqrt(part) / _size(X @ vectors), _size(X))


def _size(X: Array) -> float:
    return float(np.sqrt(X.var(axis=0).sum()))
