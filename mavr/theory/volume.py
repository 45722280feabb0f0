"""The large volume principle: how much of an ellipsoid has one pattern of signs.

    E = { h : h'Qh <= 1 },    an equivalence class = the h in E with the same signs,
    V(h) = h'Qh / |h|^2 = sum_k lam_k cos^2(h, v_k)

V is small where E is long. With u = Q^1/2 h the ellipsoid becomes the unit ball and the orthant of
the signs s becomes the cone spanned by the columns s_i Q^1/2 e_i, so a volume is an angle:

    two dimensions    area   = angle / (2 sqrt(det Q)),   cos(angle) = s1 s2 Q12 / sqrt(Q11 Q22)
    three dimensions  volume = solid angle / (3 sqrt(det Q))

Beyond three there is no such formula, and there are 2^n classes: hence the approximation V.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma as gamma_function

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from mavr.arrays import Array, Integers
from mavr.graphs.laplacians import laplacian
from mavr.theory.kronecker import path

# Counter-clockwise, as quadrants are numbered.
QUADRANTS = ((1, 1), (-1, 1), (-1, -1), (1, -1))


def form(eigenvalues: npt.ArrayLike, V: Array) -> Array:
    """Q = V diag(eigenvalues) V', exactly symmetric."""
    Q = (V * np.asarray(eigenvalues, dtype=float)) @ V.T
    return (Q + Q.T) / 2


def rotation(angle: float) -> Array:
    """(2, 2): the first column at this angle, in radians."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def rotation_3d(yaw: float, pitch: float) -> Array:
    """(3, 3): turn about the third axis, after a turn about the second."""
    return np.asarray(Rotation.from_euler("ZY", [yaw, pitch]).as_matrix())


def volume_of(Q: Array, h: npt.ArrayLike) -> float:
    """V(h); it does not change with the length of h."""
    h = np.asarray(h, dtype=float)
    h = h / np.abs(h).max()
    return float(h @ Q @ h / (h @ h))


def reach(Q: Array, h: npt.ArrayLike) -> float:
    """Distance from 0 to the border of the ellipsoid along h: 1 / sqrt(V(h))."""
    return float(1 / np.sqrt(volume_of(Q, h)))


def total_volume(Q: Array) -> float:
    """Volume of the whole ellipsoid."""
    n = len(Q)
    ball = np.pi ** (n / 2) / gamma_function(n / 2 + 1)
    return float(ball / np.sqrt(np.linalg.det(Q)))


def quadrant_areas(Q: Array) -> Array:
    """(4,) exact areas in the order of QUADRANTS.

    >>> bool(np.allclose(quadrant_areas(np.eye(2)), np.pi / 4))
    True
    """
    cosine = np.clip(Q[0, 1] / np.sqrt(Q[0, 0] * Q[1, 1]), -1.0, 1.0)
    same = np.arccos(cosine) / (2 * np.sqrt(np.linalg.det(Q)))
    other = np.arccos(-cosine) / (2 * np.sqrt(np.linalg.det(Q)))
    return np.array([same, other, same, other])


def quadrant_of(h: npt.ArrayLike) -> int:
    """Which of QUADRANTS h is in; an entry of 0 counts as positive."""
    h = np.asarray(h, dtype=float)
    return QUADRANTS.index((1 if h[0] >= 0 else -1, 1 if h[1] >= 0 else -1))


def signs(n: int) -> Integers:
    """(2^n, n) all patterns of signs; row k has -1 where k has a bit, highest first."""
    k = np.arange(2**n)
    return 1 - 2 * ((k[:, None] >> np.arange(n - 1, -1, -1)) & 1)


def octant_volumes(Q: Array) -> Array:
    """(8,) exact, in the order of `signs(3)`: solid angles of Van Oosterom and Strackee (1983)."""
    R = np.linalg.cholesky(Q).T  # u = R h serves as well as Q^1/2 h: R'R = Q
    unit = R / np.linalg.norm(R, axis=0)
    a, b, c = unit.T
    ab, bc, ca = a @ b, b @ c, c @ a
    triple = abs(np.linalg.det(unit))
    volumes = []
    for s, t, w in signs(3):
        below = 1 + s * t * ab + t * w * bc + w * s * ca
        # The angle may exceed pi: arctan2 keeps the branch.
        volumes.append(2 * np.arctan2(triple, below) / (3 * np.sqrt(np.linalg.det(Q))))
    return np.array(volumes)


@dataclass(frozen=True)
class Sampled:
    """Monte-Carlo volumes: points : (count, n) uniform in the ellipsoid; index : their classes;
    volumes, errors : (2^n,) estimates and their standard errors; empty : classes never hit."""

    points: Array
    index: Integers
    volumes: Array
    errors: Array
    empty: int


def sample(Q: Array, count: int, seed: int) -> Sampled:
    """Volumes of the 2^n classes by drawing points of the ellipsoid."""
    n = len(Q)
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((count, n))
    u *= (rng.random(count) ** (1 / n) / np.linalg.norm(u, axis=1))[:, None]
    # Q = L L', |L'h| = |u|.
    points = np.linalg.solve(np.linalg.cholesky(Q).T, u.T).T
    index = ((points < 0) @ (1 << np.arange(n - 1, -1, -1))).astype(int)
    hits = np.bincount(index, minlength=2**n)
    share = hits / count
    total = total_volume(Q)
    errors = total * np.sqrt(share * (1 - share) / count)
    return Sampled(points, index, total * share, errors, int((hits == 0).sum()))


def chain(n: int, softness: float = 0.2) -> Array:
    """Q of n points in a row: the Laplacian of the path plus a multiple of I, to be definite."""
    return np.asarray(laplacian(path(n), "unnormalized")) + softness * np.eye(n)
