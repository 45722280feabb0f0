"""Generated problems: graphs with labels, and matrices built from the spectrum they should have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import mavr
from mavr.relations import PAPER

seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Case:
    """One problem; W is None if Q is not a Laplacian. Shown in full by a failing test."""

    Q: np.ndarray
    Y: np.ndarray
    P: np.ndarray
    gamma: float
    tau: float
    W: np.ndarray | None = None
    kind: str = ""

    @property
    def n(self):
        return len(self.Q)

    @property
    def c(self):
        return self.Y.shape[1]


def logarithmic(low, high):
    """10^u for u between the two."""
    return st.floats(low, high).map(lambda u: float(10.0**u))


def random_similarity(rng, n, components, width):
    """Gaussian similarity of random points, cut into components."""
    W = mavr.gaussian_similarity(rng.standard_normal((n, 2)), width)
    part = rng.integers(components, size=n)
    W[part[:, None] != part] = 0.0
    return W


def random_labels(rng, n, c, negative=False):
    """One label or more; some points with several, some classes with none."""
    Y = np.zeros((n, c))
    for i in rng.choice(n, rng.integers(1, n + 1), replace=False):
        Y[i, rng.integers(c)] = 1.0
    if negative:
        extra = (rng.random((n, c)) < 0.2) & (Y == 0)
        Y[extra] = rng.choice([-1.0, 1.0], extra.sum())
    return Y


def random_relation(rng, c, form):
    """P: the identity, a diagonal, any positive definite matrix, or one of the paper's."""
    if form == "identity":
        return np.eye(c)
    if form == "diagonal":
        return np.diag(rng.uniform(0.2, 3.0, c))
    if form == "paper":
        fitting = [P for P in PAPER.values() if len(P) == c]
        return np.array(fitting[rng.integers(len(fitting))]) if fitting else np.eye(c)
    A = rng.standard_normal((c, c))
    return A @ A.T + 0.1 * np.eye(c)


signs = st.booleans()
relation_forms = st.sampled_from(["identity", "diagonal", "full", "paper"])


@st.composite
def graphs(draw, max_n=14, max_c=5, forms=relation_forms, negative=signs):
    """A Laplacian with labels."""
    rng = np.random.default_rng(draw(seeds))
    n, c = draw(st.integers(2, max_n)), draw(st.integers(1, max_c))
    W = random_similarity(rng, n, draw(st.integers(1, 3)), draw(logarithmic(-0.7, 1)))
    kind = draw(st.sampled_from(["normalized", "unnormalized"]))
    return Case(
        mavr.laplacian(W, kind),
        random_labels(rng, n, c, draw(negative)),
        random_relation(rng, c, draw(forms)),
        draw(logarithmic(-3, 4)),
        draw(logarithmic(-3, 3)),
        W,
        kind,
    )


SPECTRA = {
    "spread": lambda rng, n: np.sort(rng.uniform(0.0, 2.0, n)),
    "clustered": lambda rng, n: np.sort(rng.choice([0.3, 0.3 + 1e-9, 1.0], n)),
    "zeros": lambda rng, n: np.concatenate([np.zeros(n // 2), rng.uniform(0.1, 2, n - n // 2)]),
    "wide": lambda rng, n: np.logspace(-6, 1, n),
    "multiple": lambda rng, n: np.sort(np.repeat(rng.uniform(0.1, 2, (n + 1) // 2), 2)[:n]),
    "negative rounding": lambda rng, n: np.concatenate([[-1e-17], rng.uniform(0.1, 2, n - 1)]),
}


def with_spectrum(rng, lam):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    V = np.linalg.qr(rng.standard_normal((len(lam), len(lam))))[0]
    Q = (V * lam) @ V.T
    return (Q + Q.T) / 2, V


@st.composite
def spectral(draw, max_n=10, max_c=3):
    """Any positive semi-definite Q, built from its spectrum."""
    rng = np.random.default_rng(draw(seeds))
    n, c = draw(st.integers(2, max_n)), draw(st.integers(1, max_c))
    Q, _ = with_spectrum(rng, SPECTRA[draw(st.sampled_from(sorted(SPECTRA)))](rng, n))
    return Case(
        Q,
        random_labels(rng, n, c, draw(st.booleans())),
        random_relation(rng, c, draw(relation_forms)),
        draw(logarithmic(-2, 3)),
        draw(logarithmic(-2, 2)),
    )


@st.composite
def hard(draw, max_n=9, max_c=3):
    """Labels orthogonal to the lowest eigenspace, tau beyond what the rest reaches at the pole.

    Built in coordinates of the eigenbasis: a Householder reflection H with H e_1 = e_1 keeps
    labelled points apart from the lowest eigenvectors, which live on unlabelled points only.
    """
    rng = np.random.default_rng(draw(seeds))
    n, c = draw(st.integers(3, max_n)), draw(st.integers(1, max_c))
    multiplicity = draw(st.integers(1, n - 2))
    low = draw(st.floats(0.05, 1.0))
    Q = np.zeros((n, n))
    bottom, _ = with_spectrum(rng, np.full(multiplicity, low))
    top, _ = with_spectrum(rng, low + rng.uniform(0.2, 2.0, n - multiplicity))
    Q[:multiplicity, :multiplicity] = bottom
    Q[multiplicity:, multiplicity:] = top
    Y = np.zeros((n, c))
    Y[multiplicity:] = random_labels(rng, n - multiplicity, c)
    order = rng.permutation(n)
    gamma = draw(logarithmic(-1, 2))
    reach = np.linalg.norm(np.linalg.solve(top - low * np.eye(n - multiplicity), Y[multiplicity:]))
    tau = reach / gamma * draw(st.floats(1.05, 50.0))
    return Case(Q[np.ix_(order, order)], Y[order], np.eye(c), gamma, float(tau))


def three_circles(seed, n=300, noise=0.5):
    """(X, y, Y) with one label per class: the paper's set, written out a second time."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [n // 6, n // 3, n - n // 6 - n // 3])
    angle = rng.uniform(0, 2 * np.pi, n)
    X = np.c_[6 * (y + 1) * np.cos(angle), 5 * (y + 1) * np.sin(angle)]
    X += rng.normal(0, noise, X.shape)
    Y = np.zeros((n, 3))
    for j in range(3):
        Y[rng.choice(np.flatnonzero(y == j)), j] = 1.0
    return X, y, Y


def settled(*solutions):
    """(n,) points whose class every one of the solutions claims to know."""
    return ~np.logical_or.reduce([s.ties | s.uncertain for s in solutions])
