"""Ties: which classes the responses cannot tell apart, and how to split what is tied.

Two responses of a point are tied if they agree as far as a close error bound tells: exactly, for
classes that P and the labels treat alike, or to within `TIE` of the point's largest response. Where
the bound is wider than that, nothing is known of a tie: the point is uncertain, and its class is
that of the largest response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from mavr.arrays import Array, Index, Integers, Mask, of_rows

Orbits = tuple[tuple[int, ...], ...]

# Responses that agree this closely, relative to the largest of the point, are equal.
TIE = 1e-10
# A trace of similarity everywhere keeps a graph in one piece, as spectral clustering asks.
TRACE = 1e-10


@dataclass(frozen=True)
class Mirror:
    """Classes whose responses differ as X does: H_j - H_k = X_j - X_k, for j and k of the group.

    classes : the group; X, error : (n, number of classes) and a bound of |error|.
    """

    classes: tuple[int, ...]
    X: Array
    error: Array

    def above(self, best: Index) -> tuple[Index, Mask]:
        """The best class after a look at X, and where others of the group are below it for sure."""
        rows, members = np.arange(len(best)), np.array(self.classes)
        place = np.argmax(members == best[:, None], axis=1)
        inside = members[place] == best
        top = self.X.argmax(axis=1)
        sure = self._low(rows, top) > self.X[rows, place] + self.error[rows, place]
        place = np.where(sure, top, place)
        below = self.X + self.error < self._low(rows, place)[:, None]
        return np.where(inside, members[place], best), below & inside[:, None]

    def _low(self, rows: Index, place: Index) -> Array:
        return np.asarray(self.X[rows, place] - self.error[rows, place])


@dataclass(frozen=True)
class Decision:
    """The class of each point as far as the error bound lets one tell.

    Attributes
    ----------
    labels : (n,) class, -1 where unreached; at a tie the lowest of the tied classes, else the
        largest response.
    ties : (n,) the best classes are tied.
    uncertain : (n,) the bound is too wide to tell the best class.
    certain : whether better arithmetic could settle nothing more, ties of equal classes apart.
    """

    labels: Integers
    ties: Mask
    uncertain: Mask
    certain: bool


def decide(
    H: Array, bound: Array, unreached: Mask, orbits: Orbits, mirrors: Sequence[Mirror] = ()
) -> Decision:
    """Classes of points from responses and a bound of their error.

    Parameters
    ----------
    H : (n, c) responses.
    bound : (n, c) or (n, 1) bound of |error|; NaN stands for no bound.
    unreached : (n,) points that no label reaches.
    orbits : groups of classes whose columns are equal in exact arithmetic.
    mirrors : groups of classes whose differences are known better than their responses.
    """
    labels, ties, uncertain, open_ = _compared(H, bound, unreached, orbits, mirrors)
    return Decision(labels, ties, uncertain, not open_.any())


def decide_all(H: Array, bound: Array, unreached: Mask, orbits: Orbits) -> list[Decision]:
    """`decide` for k answers at once; H : (k, n, c), bound : of a shape that broadcasts to it."""
    k, n, c = H.shape
    wide = np.broadcast_to(bound, H.shape).reshape(k * n, c)
    found = _compared(H.reshape(k * n, c), wide, np.tile(unreached, k), orbits, ())
    labels, ties, uncertain, open_ = (part.reshape(k, n) for part in found)
    return [Decision(labels[i], ties[i], uncertain[i], not open_[i].any()) for i in range(k)]


def _compared(
    H: Array, bound: Array, unreached: Mask, orbits: Orbits, mirrors: Sequence[Mirror]
) -> tuple[Integers, Mask, Mask, Mask]:
    """Each point's class; where it is tied, uncertain, and where a closer bound may say more."""
    n, c = H.shape
    if c == 1:
        nowhere = np.zeros(n, dtype=bool)
        return np.where(unreached, -1, 0), nowhere, nowhere, nowhere
    wide = np.broadcast_to(bound, H.shape)
    if mirrors:
        return _closely(H, wide, unreached, orbits, mirrors)
    labels, rows = H.argmax(axis=1), np.arange(n)
    with np.errstate(invalid="ignore"):
        # Most points have one class that is above all others; NaN is above nothing.
        below = H + wide < (H[rows, labels] - wide[rows, labels])[:, None]
    below[rows, labels] = True
    masks = [np.zeros(n, dtype=bool) for _ in range(3)]
    rest = np.flatnonzero(~of_rows(np.logical_and, below))
    labels[unreached] = -1
    found = _closely(H[rest], wide[rest], unreached[rest], orbits, ())
    for whole, part in zip((labels, *masks), found, strict=True):
        whole[rest] = part
    return labels, masks[0], masks[1], masks[2]


def _closely(
    H: Array, wide: Array, unreached: Mask, orbits: Orbits, mirrors: Sequence[Mirror]
) -> tuple[Integers, Mask, Mask, Mask]:
    """`_compared` for points that may be tied."""
    n, c = H.shape
    # A response that is no number must not win.
    H = np.where(np.isnan(H), -np.inf, H)
    best = H.argmax(axis=1)
    settled = np.zeros(H.shape, dtype=bool)
    for mirror in mirrors:
        best, settled[:, list(mirror.classes)] = mirror.above(best)
    rows = np.arange(n)
    with np.errstate(invalid="ignore"):
        # Certainly below the best: its upper end against the lower end of the best's interval.
        # Asked this way round, a comparison with NaN settles nothing.
        below = H + wide < (H[rows, best] - wide[rows, best])[:, None]
        close = wide + wide[rows, best][:, None] <= TIE * np.abs(H).max(axis=1, keepdims=True)
    open_ = ~(below | settled)
    open_[rows, best] = False
    member = np.arange(c)
    for orbit in orbits:
        member[list(orbit)] = orbit[0]
    equal = member[None, :] == member[best][:, None]
    open_ &= ~equal
    tied = equal | (open_ & close)
    labels = np.where(unreached, -1, tied.argmax(axis=1))
    ties = (tied.sum(axis=1) > 1) & ~unreached
    uncertain = (open_ & ~close).any(axis=1) & ~unreached
    return labels, ties, uncertain, open_.any(axis=1) & ~unreached


class Tied(Protocol):
    """What `split_ties` reads of a solution."""

    @property
    def labels(self) -> Integers: ...
    @property
    def ties(self) -> Mask: ...
    @property
    def interchangeable(self) -> Orbits: ...


def split_ties(solution: Tied, W: Any, seed: int = 0) -> Integers | None:
    """Labels with interchangeable classes told apart by clustering.

    The paper has nothing like it. The points whose best class is one of several interchangeable
    ones are clustered into as many groups, by spectral clustering on the same similarity.

    Parameters
    ----------
    solution : with `labels`, `ties` and `interchangeable`.
    W : (n, n) similarity, dense or sparse.
    seed : of the clustering.

    Returns
    -------
    labels : (n,), or None where nothing is tied.
    """
    from sklearn.cluster import SpectralClustering

    labels = np.array(solution.labels)
    found = False
    for group in solution.interchangeable:
        members = np.flatnonzero(solution.ties & np.isin(labels, group))
        if len(members) < 2 * len(group):
            continue
        A = W[members][:, members].toarray() if sp.issparse(W) else W[np.ix_(members, members)]
        model = SpectralClustering(
            len(group), affinity="precomputed", assign_labels="cluster_qr", random_state=seed
        )
        cluster = model.fit_predict(np.asarray(A) + TRACE)
        # Numbered by their first point, so that the colours do not depend on the algorithm's order.
        first = [np.append(np.flatnonzero(cluster == k), len(labels))[0] for k in range(len(group))]
        rank = np.argsort(np.argsort(first))
        labels[members] = np.array(group)[rank[cluster]]
        found = True
    return labels if found else None
