"""Labels from a truth, as Theorem 4 assumes them: Y = H* + E.

The entries of E are independent with mean 0; their standard deviation is sigma_l in the labelled
positions of Y and sigma_u in the others. There are l~ and u~ such positions, l~ + u~ = n c, and

    E|Y|^2 = |H*|^2 + l~ sigma_l^2 + u~ sigma_u^2 <= l~                          (assumed)
    V(H*) = tr(H*' Q H* P) / |H*|^2 <= C_h                                       (assumed)

Here C_h is V(H*) itself. Every entry of E is plus or minus its standard deviation: bounded, so that
the C of the theorem exists, and with few entries all outcomes can be listed, so that expectations
are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array, Mask
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import make_problem
from mavr.solvers.spectrum import Spectrum


@dataclass(frozen=True)
class Truth:
    """H* in the eigenbasis of P (x) Q.

    Attributes
    ----------
    lam, h : (n c,) eigenvalues and coordinates of H*.
    V, U : (n, n) and (c, c) eigenvectors of Q and P.
    noise : (n,) standard deviation of every entry of a row of E.
    labelled : (n,) rows of Y whose positions are labelled.
    """

    lam: Array
    h: Array
    V: Array
    U: Array
    noise: Array
    labelled: Mask

    @property
    def size(self) -> float:
        """|H*|."""
        return float(np.linalg.norm(self.h))

    @property
    def C_h(self) -> float:
        """V(H*), which does not change with the size of H*."""
        return float((self.lam * self.h**2).sum() / (self.h**2).sum())

    @property
    def lowest(self) -> float:
        return float(self.lam.min())

    @property
    def positions(self) -> int:
        """l~, the number of labelled positions."""
        return int(self.labelled.sum()) * len(self.U)

    @property
    def expected_noise(self) -> float:
        """E|E|^2 = l~ sigma_l^2 + u~ sigma_u^2."""
        return float(len(self.U) * (self.noise**2).sum())

    @property
    def expected_labels(self) -> float:
        """E|Y|^2."""
        return self.size**2 + self.expected_noise

    @property
    def assumed(self) -> bool:
        """Whether E|Y|^2 <= l~."""
        return self.expected_labels <= self.positions * (1 + 1e-12)

    def draw(self, count: int, seed: int) -> Array:
        """Outcomes of E, (k, n c) in the coordinates of the eigenbasis.

        All of them where there are at most `count`, each once; else `count` drawn ones.
        """
        n, c = len(self.V), len(self.U)
        noisy = np.flatnonzero(np.repeat(self.noise > 0, c))
        if 2 ** min(len(noisy), 60) <= count:
            signs = np.array(list(product((-1.0, 1.0), repeat=len(noisy))))
        else:
            rng = np.random.default_rng(seed)
            signs = 2.0 * rng.integers(0, 2, (count, len(noisy))) - 1
        E = np.zeros((len(signs), n * c))
        E[:, noisy] = signs * np.repeat(self.noise, c)[noisy]
        return np.asarray((self.V.T @ E.reshape(-1, n, c) @ self.U).reshape(-1, n * c))


def truth(
    spectrum: Spectrum,
    H_star: Array,
    noise: npt.ArrayLike,
    P: npt.ArrayLike | None = None,
    labelled: npt.ArrayLike | None = None,
) -> Truth:
    """H* : (n, c), the noise of each point, and which points are labelled (all by default)."""
    problem = make_problem(spectrum.structure, H_star, P, 1.0, None, 0.0)
    basis = Eigenbasis(problem, spectrum)
    U = problem.relation.U
    sd = np.broadcast_to(np.asarray(noise, dtype=float), (spectrum.n,))
    known = np.full(spectrum.n, labelled is None)
    if labelled is not None:
        known[np.asarray(labelled)] = True
    h = (spectrum.V.T @ H_star @ U).ravel()
    return Truth(basis.poles.ravel(), h, spectrum.V, U, sd, known)


def one_number(eigenvalue: float = 0.01, size: float = 1.0) -> tuple[Array, Array]:
    """(Q, H*): one point and one class."""
    return np.array([[eigenvalue]]), np.array([[size]])


def two_points(angle: float = 0.3, size: float = 0.99, lift: float = 0.0) -> tuple[Array, Array]:
    """(Q, H*): two joined points, H* at an angle to the constant vector.

    Q is the Laplacian of one edge, plus `lift` times I. For a norm tau = |H*| without noise 1 + rho
    is of the order of angle^2, the printed first term is 0 at lift = 0, and the error is of the
    order of the angle.
    """
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]]) + lift * np.eye(2)
    even, odd = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    return Q, size * (np.cos(angle) * even + np.sin(angle) * odd)[:, None]
