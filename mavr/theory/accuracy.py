"""Theorem 4: how far the responses are from a truth H* when the labels are Y = H* + E.

C_h = V(H*), lam_1 <= lam_2 <= ... the eigenvalues of P (x) Q, M = gamma P (x) Q; see `truth`.

Without the constraint H - H* = -(M + 1)^-1 M H* + (M + 1)^-1 E, so that for noise of mean 0

    E|H - H*|^2 = bias^2 + variance,    variance <= E|E|^2
    bias^2 = sum_k (gamma lam_k / (1 + gamma lam_k))^2 h_k^2 <= (gamma / 4) C_h |H*|^2

because x / (1 + x)^2 <= 1/4. Eq. (20) prints C_h / 4 without gamma.

With the constraint H - H* = (M - rho)^-1 (-M H* + (1 + rho) H* + E). If gamma lam_1 - rho >= C,

    |(M - rho)^-1 M H*| <= sqrt(C_h) S |H*|
    S = sup_{lam >= lam_1} sqrt(lam) / (lam - lam_1 + C/gamma)
    |1 + rho| <= max(a, b),    a = |Y| / tau - gamma lam_1 - 1,    b = 1 + gamma lam_1 - C

    E|H - H*| <= sqrt(C_h) S |H*| + E max(a, b) |H*| / C + sqrt(E|E|^2) / C

Eq. (19) prints gamma lam_1 / C for S. At lam = lam_1 the quotient is gamma sqrt(lam_1) / C, and
that is the supremum only if C / gamma <= 2 lam_1; else it is 1 / (2 sqrt(C/gamma - lam_1)).

Eq. (19) prints max(sqrt(l~) / tau - gamma lam_1 - 1, b) for E max(a, b), by E max(a, b) <=
max(E a, b), which is the wrong way round. With x = |Y| / tau and s = 2 + 2 gamma lam_1 - C,
max(a, b) = b + max(x - s, 0). Of all x >= 0 with E x^2 <= m = l~ / tau^2 the largest
E max(x - s, 0) is m / (4 s), reached by x = 2 s with probability m / (4 s^2) and else 0, as long as
that is a probability; beyond it is sqrt(m) - s, and the printed term is right. Hence

    E max(a, b) <= b + l~ / (4 tau^2 s)             if sqrt(l~) / tau < 2 s
                   sqrt(l~) / tau - gamma lam_1 - 1  otherwise

C is the smallest gamma lam_1 - rho of the outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mavr.arrays import Array
from mavr.theory.truth import Truth

BISECTIONS = 80
# A measured mean may exceed a bound by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Free:
    """Mean squared error without the constraint.

    Attributes
    ----------
    measured, standard_error : over the outcomes of the noise.
    exact : the expectation, bias2 + variance.
    noise : E|E|^2, which bounds the variance.
    printed, corrected : the bounds of the bias; see `printed_bound` and `corrected_bound`.
    """

    measured: float
    standard_error: float
    exact: float
    bias2: float
    variance: float
    noise: float
    printed: float
    corrected: float

    @property
    def printed_bound(self) -> float:
        """The right side of Eq. (20)."""
        return self.printed + self.noise

    @property
    def corrected_bound(self) -> float:
        return self.corrected + self.noise

    @property
    def printed_holds(self) -> bool:
        return self.exact <= self.printed_bound * (1 + ROUNDING)


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
        standard_error=float(squares.std() / np.sqrt(len(squares))),
        exact=bias2 + variance,
        bias2=bias2,
        variance=variance,
        noise=t.expected_noise,
        printed=t.C_h / 4 * t.size**2,
        corrected=gamma * t.C_h / 4 * t.size**2,
    )


def _variance(t: Truth, pole: Array) -> float:
    """E|(M + 1)^-1 E|^2: the variance of E's (i, j) coordinate is sum_k V_ki^2 noise_k^2."""
    per_row = (t.V**2).T @ t.noise**2
    filtered = (1 / (1 + pole) ** 2).reshape(len(t.V), len(t.U))
    return float((per_row[:, None] * filtered).sum())


@dataclass(frozen=True)
class Terms:
    """The three terms of a bound: smoothing of the truth, rho against -1, noise."""

    smoothing: float
    multiplier: float
    noise: float

    @property
    def sum(self) -> float:
        return self.smoothing + self.multiplier + self.noise


@dataclass(frozen=True)
class Constrained:
    """Mean error with |H| = tau. Without C > 0, which a hard case breaks, bounds are infinite.

    Attributes
    ----------
    printed : Eq. (19); rooted : the same with sqrt(lam_1) for lam_1; corrected : what holds.
    mean_max, max_mean : E max(a, b) and max(E a, b), the two sides of the proof's step.
    printed_max, corrected_max : what Eq. (19) has for E max(a, b), and what bounds it.
    """

    measured: float
    standard_error: float
    C: float
    mean_rho: float
    printed: Terms
    rooted: Terms
    corrected: Terms
    mean_max: float
    max_mean: float
    printed_max: float
    corrected_max: float

    @property
    def printed_holds(self) -> bool:
        return self.measured <= self.printed.sum * (1 + ROUNDING)

    @property
    def step_holds(self) -> bool:
        """Whether E max(a, b) is at most what Eq. (19) has in its place."""
        return self.mean_max <= self.printed_max * (1 + ROUNDING)


def constrained(t: Truth, gamma: float, tau: float, count: int = 400, seed: int = 0) -> Constrained:
    """Constrained MAVR on labels H* + E."""
    y = t.h + t.draw(count, seed)
    gap = gamma * (t.lam - t.lowest)
    delta = distances(gap, y, tau)
    H = y / (gap + delta[:, None]) if (delta > 0).all() else _with_fill(gap, y, delta, tau)
    errors = np.linalg.norm(H - t.h, axis=1)
    C, pole = float(delta.min()), gamma * t.lowest
    a, b = np.linalg.norm(y, axis=1) / tau - pole - 1, 1 + pole - C
    root_l = float(np.sqrt(t.positions))
    printed_max = max(root_l / tau - pole - 1, b)
    corrected_max = b + largest_excess(t.positions / tau**2, 2 + 2 * pole - C)
    over_C = t.size / C if C > 0 else np.inf
    smoothing = np.sqrt(t.C_h) * over_C * gamma
    noise = float(np.sqrt(t.expected_noise)) * over_C / t.size if t.expected_noise else 0.0
    first = float(np.sqrt(t.C_h)) * t.size * supremum(t.lowest, C / gamma)
    return Constrained(
        measured=float(errors.mean()),
        standard_error=float(errors.std() / np.sqrt(len(errors))),
        C=C,
        mean_rho=float((pole - delta).mean()),
        printed=Terms(_times(smoothing, t.lowest), printed_max * over_C, noise),
        rooted=Terms(_times(smoothing, np.sqrt(t.lowest)), printed_max * over_C, noise),
        corrected=Terms(first, corrected_max * over_C, noise),
        mean_max=float(np.maximum(a, b).mean()),
        max_mean=float(max(a.mean(), b)),
        printed_max=printed_max,
        corrected_max=corrected_max,
    )


def _times(factor: float, eigenvalue: float) -> float:
    """A product that is 0 for the eigenvalue 0 of a Laplacian, whatever C."""
    return float(factor * eigenvalue) if eigenvalue > 0 else 0.0


def supremum(lowest: float, shift: float) -> float:
    """S = sup over lam >= lowest of sqrt(lam) / (lam - lowest + shift).

    The derivative is 0 at lam = shift - lowest, which counts only if it is not below `lowest`.
    """
    if shift <= 0:
        return float("inf")
    if shift <= 2 * lowest:
        return float(np.sqrt(lowest) / shift)
    return float(1 / (2 * np.sqrt(shift - lowest)))


def largest_excess(second_moment: float, s: float) -> float:
    """The largest E max(x - s, 0) of all x >= 0 with E x^2 <= second_moment."""
    root = float(np.sqrt(second_moment))
    return second_moment / (4 * s) if root < 2 * s else root - s


def distances(gap: Array, y: Array, tau: float) -> Array:
    """delta of every outcome, y : (k, m): the root of |y / (gap + delta)| = tau, 0 if hard.

    Bisection on log delta, all at once: |y| / tau is above the root, and the part on the
    lowest eigenvalue over tau below.
    """
    size = np.linalg.norm(y, axis=1)
    low_part = np.linalg.norm(y[:, gap == 0], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(gap > 0, y / gap, 0.0)
    # What rounding leaves of a truth without any part there is no part.
    touched = low_part > 1e-14 * size
    hard = ~touched & (np.linalg.norm(rest, axis=1) < tau)
    high = np.log(np.maximum(size, 1e-300) / tau)
    low = np.where(touched, np.log(np.maximum(low_part, 1e-300) / tau), high - 60)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = np.linalg.norm(y / (gap + np.exp(middle)[:, None]), axis=1) > tau
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(hard, 0.0, np.exp((low + high) / 2))


def _with_fill(gap: Array, y: Array, delta: Array, tau: float) -> Array:
    """Responses where some outcomes are hard: the first lowest coordinate completes the norm."""
    H = np.where(gap > 0, y, 0.0) / np.where(gap > 0, gap, 1.0)
    H[:, np.argmin(gap)] = np.sqrt(np.maximum(tau**2 - (H**2).sum(axis=1), 0.0))
    easy = delta > 0
    H[easy] = y[easy] / (gap + delta[easy, None])
    return np.asarray(H)
