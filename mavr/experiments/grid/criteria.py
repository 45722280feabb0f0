"""What speaks for a setting where nobody knows the true classes.

At fixed rho the responses are linear in the labels, vec H = M^-1 vec Y with

    M = gamma P (x) Q + balance C (x) 11' - rho I,

so each label's own part of H can be taken off: leave-one-out error and margin, and how many points
keep their class without it. M is also the posterior precision of a Gaussian model whose mean is H:
prior precision M + rho I, noise of precision -rho at every point, unlabelled points observed as 0.
Given those zeros the labels have precision proportional to T, the labelled block of I + rho M^-1,
and with their scale set to its best value the logarithm of their density is, per label and class,

    (log det T) / (2 l c) - log(y'Ty / (l c)) / 2 + constant.
"""

from __future__ import annotations

import numpy as np

from mavr.arrays import EPS, Array
from mavr.experiments.grid.solutions import VOLUME_METHODS, Said
from mavr.graphs.graph import Graph
from mavr.methods import prior_of
from mavr.solvers.balance import balance_projection
from mavr.solvers.eigenbasis import Eigenbasis
from mavr.solvers.problem import Problem, make_problem
from mavr.solvers.spectrum import Spectrum, spectrum_of

# Labels times classes up to which the evidence is computed: a determinant of that size.
MAX_EVIDENCE = 300
# Responses below so many roundings of the largest one say nothing once a part is taken off.
NOISE = 64
NAMES = ("loo_error", "loo_margin", "stability", "evidence")


def criteria(graph: Graph, Y: Array, method: str, said: Said) -> dict[str, float]:
    """The criteria of one answer by name; NaN where the method is none that they are made for."""
    none = dict.fromkeys(NAMES, float("nan"))
    if graph.sparse or method not in VOLUME_METHODS or not said.rho < 0:
        return none
    spectrum, p = spectrum_of(graph), said.parameters
    if not spectrum.structure.laplacian:
        return none
    problem = make_problem(spectrum.structure, Y, p.P, p.gamma, None, p.balance, prior_of(p, Y))
    own = own_parts(problem, spectrum, said.rho)
    return _left_out(problem, said, own) | {"evidence": evidence(problem, spectrum, said.rho)}


def own_parts(problem: Problem, spectrum: Spectrum, rho: float) -> Array:
    """(l, n, c) the part of H that each label makes, at fixed rho."""
    rows, (n, c) = problem.labelled, problem.Y.shape
    if problem.relation.identity and not problem.balance:
        gap = problem.gamma * float(problem.relation.mu[0]) * spectrum.lam - rho
        A = spectrum.V @ (spectrum.V[rows] / gap).T
        return np.asarray(A.T[:, :, None] * problem.Y[rows][:, None, :])
    basis = Eigenbasis(problem, spectrum)
    turned = problem.Y[rows] @ problem.relation.U
    delta = basis.lowest - rho
    G = [
        basis.coordinates(delta, np.multiply.outer(spectrum.V[i], y))
        for i, y in zip(rows, turned, strict=True)
    ]
    H = (spectrum.V @ np.hstack(G)).reshape(n, len(rows), c) @ problem.relation.U.T
    return np.asarray(H.transpose(1, 0, 2))


def _left_out(problem: Problem, said: Said, own: Array) -> dict[str, float]:
    rows, c = problem.labelled, problem.Y.shape[1]
    classes = problem.Y[rows].argmax(axis=1)
    rest = said.H - own
    noise = NOISE * problem.structure.n * EPS * np.abs(said.H).max()
    here = rest[np.arange(len(rows)), rows]
    # What is left is known to rounding of what was taken off: below it nothing is heard.
    here = np.where(np.abs(here) > noise, here, 0.0)
    mine = here[np.arange(len(rows)), classes]
    others = np.where(np.arange(c) == classes[:, None], -np.inf, here).max(axis=1)
    size = np.abs(mine) + np.abs(others)
    margin = np.divide(mine - others, size, out=np.zeros(len(rows)), where=size > 0)
    heard = (np.abs(rest).max(axis=2) > noise) & (np.abs(said.H).max(axis=1) > noise)
    kept = (rest.argmax(axis=2) == said.H.argmax(axis=1)) & heard
    return {
        # A point that hears of no other label has no class: not right.
        "loo_error": float(np.mean(~(margin > 0))) if c > 1 else 0.0,
        "loo_margin": float(margin.mean()) if c > 1 else 1.0,
        "stability": float(kept.sum() / heard.sum()) if heard.any() else float("nan"),
    }


def evidence(problem: Problem, spectrum: Spectrum, rho: float) -> float:
    """Logarithm of the density of the labels per label and class; NaN where there are too many."""
    rows, c = problem.labelled, problem.Y.shape[1]
    size = len(rows) * c
    if size > MAX_EVIDENCE:
        return float("nan")
    if problem.relation.identity and not problem.balance:
        poles = problem.gamma * float(problem.relation.mu[0]) * spectrum.lam
        K = (spectrum.V[rows] * (poles / (poles - rho))) @ spectrum.V[rows].T
        sign, logdet = np.linalg.slogdet(K)
        logdet, quadratic = c * logdet, float((problem.Y[rows] * (K @ problem.Y[rows])).sum())
    else:
        T, y = _label_precision(problem, spectrum, rho), problem.Y[rows].ravel()
        sign, logdet = np.linalg.slogdet(T)
        quadratic = float(y @ T @ y)
    if sign <= 0 or quadratic <= 0:
        return float("nan")
    return float(logdet / (2 * size) - np.log(quadratic / size) / 2)


def _label_precision(problem: Problem, spectrum: Spectrum, rho: float) -> Array:
    """T : (l c, l c), the labelled block of I + rho M^-1, points before classes."""
    rows, relation = problem.labelled, problem.relation
    V = spectrum.V[rows]
    poles = problem.gamma * np.multiply.outer(spectrum.lam, relation.mu)
    # Without balance it is a quotient: nothing cancels.
    share = poles / (poles - rho)
    K = np.einsum("in,nj,kn->jik", V, share, V, optimize=True)
    T = np.einsum("aj,bj,jik->iakb", relation.U, relation.U, K, optimize=True)
    if problem.balance:
        inverse = 1 / (poles - rho)
        ones = V @ (spectrum.ones[:, None] * inverse)
        E = relation.U * ones[:, None, :]
        project = balance_projection(relation, problem.balance, (spectrum.ones**2) @ inverse)
        T -= rho * np.einsum("iam,mq,kbq->iakb", E, project, E, optimize=True)
    size = T.shape[0] * T.shape[1]
    return np.asarray(T.reshape(size, size))
