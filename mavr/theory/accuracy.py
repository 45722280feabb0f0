"""Theorem 4: how far the responses are from a truth H* when the labels are Y = H* + E.

C_h = tr(H*'QH*P), lam_1 <= lam_2 <= ... the eigenvalues of P (x) Q, M = gamma P (x) Q.

Without the constraint H - H* = -(M + 1)^-1 M H* + (M + 1)^-1 E, so that for noise of mean 0

    E|H - H*|^2 = bias^2 + variance,    variance <= E|E|^2
    bias^2 = sum_k (gamma lam_k / (1 + gamma lam_k))^2 h_k^2 <= (gamma / 4) sum_k lam_k h_k^2

because x / (1 + x)^2 <= 1/4. The factor is gamma / 4, not 1/4: as printed the bound fails for
gamma > 1.

With the constraint H - H* = (M - rho)^-1 (-M H* + (1 + rho) H* + E). If gamma lam_1 - rho >= C,

    |(M - rho)^-1 M H*| <= sqrt(C_h) S,   S = sup_{lam >= lam_1} sqrt(lam) / (lam - lam_1 + C/gamma)
    |1 + rho| <= max(a, b),    a = |Y| / tau - gamma lam_1 - 1,    b = 1 + gamma lam_1 - C

    E|H - H*| <= sqrt(C_h) S + |H*| E max(a, b) / C + sqrt(E|E|^2) / C

S is gamma sqrt(lam_1) / C only if C / gamma <= 2 lam_1, else 1 / (2 sqrt(C/gamma - lam_1)); taken
as the former it is 0 for every Laplacian. And E max(a, b) is not max(E a, b): it may be larger.

C is the smallest gamma lam_1 - rho among the draws. Expectations on the right are means over the
same draws, so that the corrected bound holds for the drawn numbers themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import make_problem
from mavr.solvers.spectrum import Spectrum

Array = npt.NDArray[np.float64]
BISECTIONS = 80


@dataclass(frozen=True)
class Truth:
    """H* in the eigenbasis: lam : (m,) of P (x) Q; h : (m,) coordinates; V : (n, n), U : (c, c) to
    bring noise there; noise : (n,) standard deviation of every entry of a row of E."""

    lam: Array
    h: Array
    V: Array
    U: Array
    noise: Array

    @property
    def C_h(self) -> float:
        return float((self.lam * self.h**2).sum())

    @property
    def lowest(self) -> float:
        return float(self.lam.min())

    @property
    def expected_noise(self) -> float:
        """E|E|^2."""
        return float(self.U.shape[0] * (self.noise**2).sum())

    def draw(self, count: int, seed: int) -> Array:
        """(count, m) Gaussian noise in the coordinates of the eigenbasis."""
        rng = np.random.default_rng(seed)
        n, c = len(self.V), len(self.U)
        E = rng.standard_normal((count, n, c)) * self.noise[:, None]
        return np.asarray((self.V.T @ E @ self.U).reshape(count, n * c))


def truth(
    spectrum: Spectrum, H_star: Array, noise: npt.ArrayLike, P: npt.ArrayLike | None = None
) -> Truth:
    """H* : (n, c) and the noise of each point, in the eigenbasis of P (x) Q."""
    problem = make_problem(spectrum.structure, H_star, P, 1.0, None, 0.0)
    basis = Eigenbasis(problem, spectrum)
    U = problem.relation.U
    sd = np.broadcast_to(np.asarray(noise, dtype=float), (spectrum.n,))
    h = (spectrum.V.T @ H_star @ U).ravel()
    return Truth(basis.poles.ravel(), h, spectrum.V, U, sd)


@dataclass(frozen=True)
class Free:
    """Mean squared error without the constraint. exact : of the expectation; the others bounds."""

    measured: float
    standard_error: float
    exact: float
    bias2: float
    variance: float
    noise: float
    C_h: float
    printed: float
    corrected: float


def free(t: Truth, gamma: float, count: int = 400, seed: int = 0) -> Free:
    """Unconstrained MAVR on labels H* + E."""
    pole = gamma * t.lam
    # H - H* with the bias and the noise apart.
    bias = -pole / (1 + pole) * t.h
    squares = ((bias + t.draw(count, seed) / (1 + pole)) ** 2).sum(axis=1)
    bias2 = float((bias**2).sum())
    variance = _variance(t, pole)
    return Free(
        measured=float(squares.mean()),
        standard_error=float(squares.std() / np.sqrt(count)),
        exact=bias2 + variance,
        bias2=bias2,
        variance=variance,
        noise=t.expected_noise,
        C_h=t.C_h,
        printed=t.C_h / 4 + t.expected_noise,
        corrected=gamma * t.C_h / 4 + t.expected_noise,
    )


def _variance(t: Truth, pole: Array) -> float:
    """E|(M + 1)^-1 E|^2: the variance of E's (i, j) coordinate is sum_k V_ki^2 noise_k^2."""
    per_row = (t.V**2).T @ t.noise**2
    filtered = (1 / (1 + pole) ** 2).reshape(len(t.V), len(t.U))
    return float((per_row[:, None] * filtered).sum())


@dataclass(frozen=True)
class Constrained:
    """Mean error with |H| = tau. first, middle, last : the three terms of the bound as corrected;
    printed_first, printed_middle : the terms as printed; C = 0 where a draw is a hard case."""

    measured: float
    standard_error: float
    worst: float
    C: float
    C_h: float
    first: float
    printed_first: float
    middle: float
    printed_middle: float
    last: float
    mean_max: float
    max_mean: float
    mean_rho: float

    @property
    def printed(self) -> float:
        return self.printed_first + self.printed_middle + self.last

    @property
    def corrected(self) -> float:
        return self.first + self.middle + self.last


def constrained(t: Truth, gamma: float, tau: float, count: int = 400, seed: int = 0) -> Constrained:
    """Constrained MAVR on labels H* + E."""
    noise = t.draw(count, seed)
    y = t.h + noise
    gap = gamma * (t.lam - t.lowest)
    delta = distances(gap, y, tau)
    rho = gamma * t.lowest - delta
    H = y / (gap + delta[:, None]) if (delta > 0).all() else _with_fill(gap, y, delta, tau)
    errors = np.linalg.norm(H - t.h, axis=1)
    C = float(delta.min())
    a = np.linalg.norm(y, axis=1) / tau - gamma * t.lowest - 1
    b = 1 + gamma * t.lowest - C
    mean_max, max_mean = float(np.maximum(a, b).mean()), float(max(a.mean(), b))
    size = float(np.linalg.norm(t.h))
    root_C_h = float(np.sqrt(t.C_h))
    over_C = 1 / C if C > 0 else np.inf
    # 0 for every Laplacian, whatever C.
    printed_first = root_C_h * gamma * np.sqrt(t.lowest) * over_C if t.lowest > 0 else 0.0
    return Constrained(
        measured=float(errors.mean()),
        standard_error=float(errors.std() / np.sqrt(count)),
        worst=float(errors.max()),
        C=C,
        C_h=t.C_h,
        first=root_C_h * supremum(t.lowest, C / gamma),
        printed_first=float(printed_first),
        middle=size * mean_max * over_C,
        printed_middle=size * max_mean * over_C,
        last=float(np.sqrt((noise**2).sum(axis=1).mean())) * over_C if noise.any() else 0.0,
        mean_max=mean_max,
        max_mean=max_mean,
        mean_rho=float(rho.mean()),
    )


def supremum(lowest: float, shift: float) -> float:
    """S = sup over lam >= lowest of sqrt(lam) / (lam - lowest + shift).

    The derivative is 0 at lam = shift - lowest, which counts only if it is not below `lowest`.
    """
    if shift <= 0:
        return float("inf")
    if shift <= 2 * lowest:
        return float(np.sqrt(lowest) / shift)
    return float(1 / (2 * np.sqrt(shift - lowest)))


def distances(gap: Array, y: Array, tau: float) -> Array:
    """delta of every draw, y : (count, m): the root of |y / (gap + delta)| = tau, 0 if hard.

    Bisection on log delta, all draws at once: |y| / tau is above the root, and the part on the
    lowest eigenvalue over tau below.
    """
    size = np.linalg.norm(y, axis=1)
    low_part = np.linalg.norm(y[:, gap == 0], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(gap > 0, y / gap, 0.0)
    # What rounding leaves of a truth without any part there is no part.
    touched = low_part > 1e-14 * size
    hard = ~touched & (np.linalg.norm(rest, axis=1) < tau)
    high = np.log(size / tau)
    low = np.where(touched, np.log(np.maximum(low_part, 1e-300) / tau), high - 60)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = np.linalg.norm(y / (gap + np.exp(middle)[:, None]), axis=1) > tau
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(hard, 0.0, np.exp((low + high) / 2))


def _with_fill(gap: Array, y: Array, delta: Array, tau: float) -> Array:
    """Responses where some draws are hard: the first lowest coordinate completes the norm."""
    H = np.where(gap > 0, y, 0.0) / np.where(gap > 0, gap, 1.0)
    H[:, np.argmin(gap)] = np.sqrt(np.maximum(tau**2 - (H**2).sum(axis=1), 0.0))
    easy = delta > 0
    H[easy] = y[easy] / (gap + delta[easy, None])
    return np.asarray(H)


def one_number() -> tuple[Array, Array, float]:
    """(Q, H*, gamma): one point, one class, where the printed unconstrained bound fails."""
    return np.array([[0.01]]), np.array([[1.0]]), 99.0


def two_points(angle: float = 0.3) -> tuple[Array, Array, float, float]:
    """(Q, H*, gamma, tau): two joined points, where the printed constrained bound fails.

    H* has the angle to the constant vector and the length tau. Then 1 + rho is of the order of
    angle^2, the printed first term is 0, and the error is of the order of the angle.
    """
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    even, odd = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    H_star = (np.cos(angle) * even + np.sin(angle) * odd)[:, None]
    return Q, H_star, 99.0, 1.0
