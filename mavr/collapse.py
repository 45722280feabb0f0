"""The collapse: one class takes nearly all points because the responses are nearly constant.

With few labels on many points, |H| = sqrt(l) forces rho close to 0, and a large gamma does the
same without the constraint. Then H is close to v a', v the null vector of the Laplacian, and the
class with the largest a_j has the largest response everywhere. The part that tells points apart is

    1 - s_1^2 / |H|^2,     s_1 the largest singular value of H,

and in a collapse it is small, one class has far more points than labels, and it has them because of
the common part: by what is left of H without it, other classes would have them. A class that is
large has its points either way. The balance term takes the constant part away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array
from mavr.solvers.solution import Solution

# Found on 12 data sets, two graphs, both Laplacians, 1 to 20 labels per class and five settings:
# see docs/defaults.md.
VARYING = 0.2
EXCESS = 0.4
FALL = 0.2
# Share of the other sign in a singular vector that still counts as one sign.
OTHER_SIGN = 0.01


@dataclass(frozen=True)
class Collapse:
    """One class takes nearly all.

    Attributes
    ----------
    column : the class, as a column of Y.
    share : of the points that labels reach, given to it.
    labels : its share of the labels.
    varying : share of |H|^2 that differs from point to point.
    without : its share of the points by what differs.
    """

    column: int
    share: float
    labels: float
    varying: float
    without: float

    def __str__(self) -> str:
        return (
            f"one class takes {self.share:.0%} of the points with {self.labels:.0%} of the labels, "
            f"because the responses are nearly constant over the graph: only {self.varying:.1%} of "
            f"their square differs from point to point, by which it would take {self.without:.0%}"
        )


def collapse(solution: Solution, Y: npt.ArrayLike) -> Collapse | None:
    """Whether the responses have collapsed.

    Parameters
    ----------
    solution : of MAVR, LGC or BAVR.
    Y : (n, c) its labels.

    Returns
    -------
    found : Collapse or None
        `str(found)` says it as a clause, without remedy: balance = 1, or a much smaller gamma.

    Examples
    --------
    >>> import mavr
    >>> X = np.random.default_rng(0).normal(size=(200, 1)) + np.arange(200)[:, None] % 2 * 4
    >>> Q = mavr.laplacian(mavr.local_scaling_similarity(X))
    >>> Y = np.zeros((200, 2)); Y[0, 0] = Y[1, 1] = 1
    >>> collapse(mavr.solve(Q, Y, gamma=1e6), Y).share > 0.9
    True
    >>> collapse(mavr.solve(Q, Y, gamma=1e6, balance=1.0), Y) is None
    True
    """
    given = np.maximum(np.asarray(Y, dtype=float), 0.0).sum(axis=0)
    reached = ~solution.unreached
    if np.count_nonzero(given) < 2 or not reached.any():
        return None
    H = solution.H[reached]
    counts = np.bincount(H.argmax(axis=1), minlength=H.shape[1])
    column = int(counts.argmax())
    share, labels = counts[column] / len(H), given[column] / given.sum()
    if share - labels < EXCESS * (1 - labels) or labels == 1:
        return None
    varying, rest = _common(H)
    without = float(np.mean(rest.argmax(axis=1) == column))
    if varying >= VARYING or share - without < FALL:
        return None
    return Collapse(column, float(share), float(labels), varying, without)


def _common(H: Array) -> tuple[float, Array]:
    """Share of |H|^2 that is not along one positive vector over the points, and H without that."""
    size = float(np.linalg.norm(H))
    if size == 0:
        return 1.0, H
    H = H / size
    squares, V = np.linalg.eigh(H.T @ H)
    u = H @ V[:, -1]
    rest = H - np.outer(u, u @ H) / squares[-1]
    # Labels of both signs make responses of both signs: one direction, and far from constant.
    low = min(float((np.minimum(u, 0) ** 2).sum()), float((np.maximum(u, 0) ** 2).sum()))
    return 1.0 if low > OTHER_SIGN * squares[-1] else max(0.0, 1.0 - float(squares[-1])), rest
