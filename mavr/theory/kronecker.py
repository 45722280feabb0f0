"""Theorem 1: the volume of a response matrix is that of one long vector.

    V(H) = tr(H'QHP) / |H|^2 = vec(H)' (P (x) Q) vec(H) / |vec(H)|^2

The form is P (x) Q; its eigenvalues are the products mu_j lam_i, its eigenvectors u_j (x) v_i.

Two classes with h_1 + h_2 = 0 and P = I are the binary case: the numerator and the denominator both
count h_1 twice, V(H) = V(h_1). For P = [[1, p], [p, 1]] it is (1 - p) V(h_1), and away from
h_1 + h_2 = 0 another number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.arrays import Array


@dataclass(frozen=True)
class Product:
    """K = P (x) Q; mu : (c,) of P; lam : (n,) of Q; products : (c, n); eigenvalues : (nc,) of K,
    computed from K itself; mismatch : largest difference between the two lists."""

    K: Array
    mu: Array
    lam: Array
    products: Array
    eigenvalues: Array
    mismatch: float


def product(P: Array, Q: Array) -> Product:
    """The form, its spectrum, and how well the products predict it."""
    K: Array = np.asarray(np.kron(P, Q), dtype=float)
    mu, lam = np.linalg.eigh(P)[0], np.linalg.eigh(Q)[0]
    products = np.multiply.outer(mu, lam)
    eigenvalues: Array = np.asarray(np.linalg.eigvalsh(K), dtype=float)
    mismatch = float(np.abs(np.sort(products.ravel()) - eigenvalues).max())
    return Product(K, mu, lam, products, eigenvalues, mismatch)


def volume_both_ways(P: Array, Q: Array, H: Array) -> tuple[float, float]:
    """V(H) by the trace and by the long vector."""
    h = H.T.ravel()
    norm2 = float((H * H).sum())
    by_trace = float(np.trace(H.T @ Q @ H @ P)) / norm2
    return by_trace, float(h @ np.kron(P, Q) @ h) / norm2


def two_classes(coupling: float) -> Array:
    """P of two classes that repel (coupling > 0) or attract (< 0)."""
    return np.array([[1.0, coupling], [coupling, 1.0]])


def opposite(h: Array, sum_of_both: npt.ArrayLike = 0.0) -> Array:
    """H : (n, 2) with the columns h and -h, plus what their sum shall be in the second."""
    return np.stack([h, np.asarray(sum_of_both) - h], axis=1)


def path(n: int) -> Array:
    off = np.diag(np.ones(n - 1), 1)
    return np.asarray(off + off.T)


def ring(n: int) -> Array:
    W = path(n)
    W[0, -1] = W[-1, 0] = 1.0
    return W


def star(n: int) -> Array:
    W = np.zeros((n, n))
    W[0, 1:] = W[1:, 0] = 1.0
    return W


GRAPHS = {"path": path, "ring": ring, "star": star}
