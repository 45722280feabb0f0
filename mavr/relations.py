"""Class-relation matrices: what P says about the classes.

    gamma tr(H' Q H P) = gamma sum_jk P_jk h_j' Q h_k

A positive off-diagonal entry P_jk charges for responses of j and k that vary together over the
graph, so the two classes are pushed apart; a negative entry lets them vary together. P must be
symmetric and positive definite, otherwise the volume term has no minimum at H = 0 and
the problem no unique answer.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# A P whose smallest eigenvalue is below this fraction of its largest is singular in practice.
ADMISSIBLE_RATIO = 1e-10
# `repair` leaves this fraction: far enough from singular for a well-posed problem.
REPAIR_RATIO = 1e-2
# Orbits under every permutation are searched only while there are few candidates (6! = 720).
MAX_PERMUTED_CLASSES = 6


def _frozen(rows: list[list[float]]) -> Array:
    P = np.array(rows, dtype=float)
    P.flags.writeable = False
    return P


# The matrices of the paper's serendipity figure (arXiv 1402.0288, Section 5).
PAPER: dict[str, Array] = {
    "P1": _frozen([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 3, 1], [0, 0, 1, 1]]),
    "P2": _frozen([[1, 0, 0, 0], [0, 3, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]),
    "P3": _frozen([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 3]]),
    "P4": _frozen([[1, 0.5, 0.5, 0.5], [0.5, 2, 0, 0.5], [0.5, 0, 2, 0.5], [0.5, 0.5, 0.5, 3]]),
    "P5": _frozen([[1, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]]),
    "P6": _frozen([[1, 0.5, 0.5, 0.5], [0.5, 1, 0, 0], [0.5, 0, 1, 0], [0.5, 0, 0, 1]]),
}


def repelled(n_classes: int, unknown: int = 0, strength: float = 0.5) -> Array:
    """P in which one unknown class is pushed away from every known one, as P5 and P6 do.

    >>> repelled(3)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """
    P = np.eye(n_classes)
    P[unknown, :] = P[:, unknown] = strength
    P[unknown, unknown] = 1.0
    return P


def eigenvalues(P: npt.ArrayLike) -> Array:
    """Eigenvalues of the symmetric part of P, in increasing order."""
    P = np.asarray(P, dtype=float)
    values: Array = np.linalg.eigvalsh((P + P.T) / 2)
    return values


def check(P: npt.ArrayLike, n_classes: int) -> Array:
    """P as a float array, or a ValueError that says what to change."""
    P = np.asarray(P, dtype=float)
    if P.shape != (n_classes, n_classes):
        raise ValueError(
            f"P must have shape ({n_classes}, {n_classes}), one row per column of Y, got {P.shape}"
        )
    if not np.isfinite(P).all():
        raise ValueError(f"P must be finite, got {P[~np.isfinite(P)][0]}; replace that entry")
    if not np.allclose(P, P.T, rtol=1e-10, atol=1e-12 * np.abs(P).max()):
        j, k = np.unravel_index(np.abs(P - P.T).argmax(), P.shape)
        raise ValueError(
            f"P must be symmetric, got P[{j}, {k}] = {P[j, k]:g} and P[{k}, {j}] = {P[k, j]:g}; "
            "use (P + P.T) / 2"
        )
    P = (P + P.T) / 2
    values = eigenvalues(P)
    if values[0] <= ADMISSIBLE_RATIO * max(values[-1], 0.0) or values[-1] <= 0:
        raise ValueError(
            f"P must be positive definite, got smallest eigenvalue {values[0]:.3g}; "
            "raise its diagonal or call mavr.relations.repair(P)"
        )
    return P


def repair(P: npt.ArrayLike, ratio: float = REPAIR_RATIO) -> Array:
    """The symmetric matrix nearest to P (Frobenius) with eigenvalues >= ratio * the largest.

    An admissible P comes back symmetrised and otherwise as it was.

    >>> np.round(repair([[1, 2], [2, 1]]), 3)
    array([[1.515, 1.485],
           [1.485, 1.515]])
    """
    P = np.asarray(P, dtype=float)
    P = (P + P.T) / 2
    values, U = np.linalg.eigh(P)
    top = values[-1] if values[-1] > 0 else 1.0
    floor = ratio * top
    if values[0] >= floor:
        return P
    P = (U * np.maximum(values, floor)) @ U.T
    P = (P + P.T) / 2
    return P


def orbits(P: npt.ArrayLike, Y: npt.ArrayLike) -> list[list[int]]:
    """Groups of classes that P and the labels treat alike, each of two classes or more.

    If a permutation of the classes leaves P and Y unchanged, it leaves the (unique) optimum
    unchanged, so the columns of H for classes it exchanges are equal.

    >>> orbits(PAPER["P5"], [[1, 0, 0]])
    [[1, 2]]
    """
    P, Y = np.asarray(P, dtype=float), np.asarray(Y, dtype=float)
    c = len(P)
    parent = list(range(c))

    def root(j: int) -> int:
        while parent[j] != j:
            j = parent[j]
        return j

    alike = [[k for k in range(c) if np.array_equal(Y[:, j], Y[:, k])] for j in range(c)]
    for j in range(c):
        for k in alike[j]:
            if k > j and _swap_keeps(P, j, k):
                parent[root(k)] = root(j)
    # Exchanges of several classes at once (two pairs that swap together, say). Representatives
    # of what the single swaps found would be fewer, but then a symmetry between unequal
    # groups could be missed; the candidates are few anyway.
    free = [j for j in range(c) if len(alike[j]) > 1]
    if len(free) <= MAX_PERMUTED_CLASSES and len({root(j) for j in free}) > 1:
        for order in permutations(free):
            if all(b in alike[a] for a, b in zip(free, order, strict=True)):
                full = np.arange(c)
                full[free] = order
                if np.array_equal(P[np.ix_(full, full)], P):
                    for a, b in zip(free, order, strict=True):
                        parent[max(root(a), root(b))] = min(root(a), root(b))
    groups: dict[int, list[int]] = {}
    for j in range(c):
        groups.setdefault(root(j), []).append(j)
    return [group for group in groups.values() if len(group) > 1]


def _swap_keeps(P: Array, j: int, k: int) -> bool:
    order = np.arange(len(P))
    order[[j, k]] = k, j
    return bool(np.array_equal(P[np.ix_(order, order)], P))
