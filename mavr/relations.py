"""Class-relation matrices: what P says about the classes.

    gamma tr(H' Q H P) = gamma sum_jk P_jk h_j' Q h_k

A positive off-diagonal entry P_jk charges for responses of j and k that vary together over the
graph, so the two classes are pushed apart; a negative entry lets them vary together. P must be
symmetric and positive definite, otherwise the volume term has no minimum at H = 0 and
the problem no unique answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array, Index
from mavr.declarations import shortened

# A P whose smallest eigenvalue is below this fraction of its largest is singular in practice.
ADMISSIBLE_RATIO = 1e-10
# `repair` leaves this fraction: far enough from singular for a well-posed problem.
REPAIR_RATIO = 1e-2
# Repulsion of the unknown class in P5 and P6, and its share of the largest admissible one where
# that printed value is not admissible.
PRINTED_STRENGTH = 0.5
REPELLED_SHARE = 0.8
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


def repelled(n_classes: int, unknown: int = 0, strength: float | None = None) -> Array:
    """P in which one unknown class is pushed away from every known one, as P5 and P6 do.

    Parameters
    ----------
    n_classes : c.
    unknown : number of the class that is pushed away.
    strength : of the repulsion. The smallest eigenvalue of P is 1 - strength sqrt(c - 1), so it
        must be below 1 / sqrt(c - 1). By default 0.5 as in print, and 0.8 / sqrt(c - 1) where
        that is less: from five classes on.

    Returns
    -------
    P : (c, c) array, positive definite.

    Examples
    --------
    >>> repelled(3)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """
    limit = 1 / sqrt(max(n_classes - 1, 1))
    if strength is None:
        strength = PRINTED_STRENGTH if n_classes <= 4 else REPELLED_SHARE * limit
    if abs(strength) >= limit:
        raise ValueError(
            f"strength must be below 1 / sqrt({n_classes} - 1) = {limit:.3g} for {n_classes} "
            f"classes, got {strength:g}; lower it, or leave it out"
        )
    P = np.eye(n_classes)
    P[unknown, :] = P[:, unknown] = strength
    P[unknown, unknown] = 1.0
    return P


def eigenvalues(P: npt.ArrayLike) -> Array:
    """Eigenvalues of the symmetric part of P, in increasing order."""
    P = np.asarray(P, dtype=float)
    values: Array = np.linalg.eigvalsh((P + P.T) / 2)
    return values


def check(P: npt.ArrayLike, n_classes: int, name: str = "P") -> Array:
    """P as a float array, or a ValueError that says what to change; name : what it is called."""
    try:
        P = np.asarray(P, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a matrix of numbers, got {shortened(P)}") from None
    if P.shape != (n_classes, n_classes):
        raise ValueError(
            f"{name} must have shape ({n_classes}, {n_classes}), one row per column of Y, "
            f"got {P.shape}"
        )
    if not np.isfinite(P).all():
        raise ValueError(f"{name} must be finite, got {P[~np.isfinite(P)][0]}; replace that entry")
    exactly = bool((P == P.T).all())
    if not exactly and not np.allclose(P, P.T, rtol=1e-10, atol=1e-12 * np.abs(P).max()):
        j, k = np.unravel_index(np.abs(P - P.T).argmax(), P.shape)
        raise ValueError(
            f"{name} must be symmetric, got {name}[{j}, {k}] = {P[j, k]:g} and "
            f"{name}[{k}, {j}] = {P[k, j]:g}; use ({name} + {name}.T) / 2"
        )
    P = (P + P.T) / 2
    values = eigenvalues(P)
    if values[0] <= ADMISSIBLE_RATIO * max(values[-1], 0.0) or values[-1] <= 0:
        raise ValueError(
            f"{name} must be positive definite, got smallest eigenvalue {values[0]:.3g}; "
            f"raise its diagonal or call mavr.relations.repair({name})"
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
    by_labels: dict[bytes, list[int]] = {}
    # + 0.0 turns a negative zero, which is equal but has other bytes, into zero.
    for j, column in enumerate(np.ascontiguousarray(Y.T) + 0.0):
        by_labels.setdefault(column.tobytes(), []).append(j)
    group = list(range(c))

    def join(a: int, b: int) -> None:
        low, high = sorted((group[a], group[b]))
        group[:] = [low if g == high else g for g in group]

    for alike in by_labels.values():
        for a, j in enumerate(alike[:-1]):
            for k in _swappable(P, j, np.array(alike[a + 1 :])):
                join(j, k)
    # Exchanges of several classes at once (two pairs that swap together, say).
    free = [j for alike in by_labels.values() if len(alike) > 1 for j in alike]
    if len(free) <= MAX_PERMUTED_CLASSES and len({group[j] for j in free}) > 1:
        images = {j: alike for alike in by_labels.values() for j in alike}
        for image in _automorphisms(P, images):
            for a, b in enumerate(image):
                join(a, b)
    found = [[j for j in range(c) if group[j] == g] for g in sorted(set(group))]
    return [members for members in found if len(members) > 1]


def exchangeable(P: npt.ArrayLike) -> list[list[int]]:
    """Groups of two classes or more of which any two can be exchanged without changing P.

    >>> exchangeable(PAPER["P5"])
    [[1, 2]]
    """
    P = np.asarray(P, dtype=float)
    left, found = list(range(len(P))), []
    while left:
        first, *others = left
        alike = [first, *_swappable(P, first, np.array(others, dtype=np.intp))] if others else []
        found += [alike] if len(alike) > 1 else []
        left = [j for j in others if j not in alike]
    return found


def _swappable(P: Array, j: int, others: Index) -> list[int]:
    """Those k among `others` for which exchanging j and k leaves P unchanged."""
    same = P[others] == P[j]
    rows = np.arange(len(others))
    # P_jk and P_kj trade places in a symmetric P; P_jj and P_kk trade places, too.
    same[:, j] = P[others, others] == P[j, j]
    same[rows, others] = True
    return [int(k) for k in others[same.all(axis=1)]]


def _automorphisms(P: Array, images: dict[int, list[int]]) -> Iterator[list[int]]:
    """Every permutation of the classes, j to one of images[j], that leaves P unchanged."""
    rows = P.tolist()

    def extend(image: list[int]) -> Iterator[list[int]]:
        j = len(image)
        if j == len(rows):
            yield image
            return
        for k in images[j]:
            # Entry by entry against the classes placed before: most branches end at once.
            if k not in image and all(rows[k][b] == rows[j][a] for a, b in enumerate([*image, k])):
                yield from extend([*image, k])

    return extend([])
