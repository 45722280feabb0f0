"""The methods one can compare, all called alike: `METHODS[name].run(graph, Y, parameters)`.

MAVR            |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC),  |H| = tau
unconstrained   the same without the constraint, rho = -1
LGC             unconstrained, P = I, no balance (Zhou et al. 2003), alpha = gamma / (1 + gamma)
BAVR            one binary volume regularisation per class, labels +-1, |h_j| = tau / sqrt(c)
                (El-Yaniv, Pechyony and Vapnik 2008)
LapRLS          Laplacian regularised least squares (Belkin et al. 2006), see `mavr.least_squares`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr import validation as valid
from mavr.arrays import Array
from mavr.graphs.graph import Graph
from mavr.least_squares import kernel_of, laprls
from mavr.settings import Parameters, norm
from mavr.solvers.problem import Problem, make_problem
from mavr.solvers.solution import Solution, Status
from mavr.solvers.solver import solve, solve_problem, state_for
from mavr.solvers.sparse_state import state_of
from mavr.solvers.spectrum import spectrum_of
from mavr.solvers.structure import Structure
from mavr.ties import decide


def lgc(S_or_Q: Any, Y: npt.ArrayLike, gamma: float = 99.0) -> Solution:
    """Learning with local and global consistency: MAVR without constraint, with P = I."""
    return solve(S_or_Q, Y, gamma=gamma)


def bavr(S_or_Q: Any, Y: npt.ArrayLike, gamma: float = 99.0, tau: float = 1.0) -> Solution:
    """One-against-rest binary approximate volume regularisation; `rho` and `alpha` are per class.

    Y : (n, c), 1 where a point has the class. Each class j is a problem of its own, with labels
    +1 for its points and -1 for the other labelled ones, and the norm tau / sqrt(c).
    """
    state = state_for(S_or_Q)
    structure = state if isinstance(state, Structure) else state.structure
    whole = make_problem(structure, Y, None, gamma, valid.positive("tau", tau), 0.0)
    c = whole.Y.shape[1]
    problems = [_against_rest(whole, j, tau / np.sqrt(c)) for j in range(c)]
    for exact in (False, True):
        columns = [solve_problem(problem, state, exact=exact) for problem in problems]
        solution, certain = _join(whole, columns)
        if certain:
            break
    return solution


def _against_rest(whole: Problem, j: int, tau: float) -> Problem:
    y = np.zeros((whole.structure.n, 1))
    y[whole.labelled, 0] = np.where(whole.Y[whole.labelled, j] > 0, 1.0, -1.0)
    return make_problem(whole.structure, y, None, whole.gamma, tau, 0.0)


def _join(whole: Problem, columns: list[Solution]) -> tuple[Solution, bool]:
    """One solution out of one per class, and whether every class is certain."""
    H = np.hstack([s.H for s in columns])
    bound = np.stack([s.error_bound for s in columns], axis=1)
    unreached = whole.unreached()
    # Two classes without labels have the same binary problem, hence equal columns.
    decision = decide(H, bound, unreached, whole.orbits)
    hard = any(s.status is Status.HARD_CASE for s in columns)
    norm2 = float((H * H).sum())
    solution = Solution(
        H=H,
        rho=np.array([s.rho for s in columns]),
        labels=decision.labels,
        ties=decision.ties,
        uncertain=decision.uncertain,
        unreached=unreached,
        volume=sum(s.volume * float((s.H**2).sum()) for s in columns) / norm2,
        objective=sum(s.objective for s in columns),
        residual=max(s.residual for s in columns),
        n_iter=sum(s.n_iter for s in columns),
        status=Status.HARD_CASE if hard else Status.OPTIMAL,
        error_bound=bound.max(axis=1),
        method=columns[0].method,
        alpha=np.array([s.alpha for s in columns]),
        interchangeable=whole.orbits,
    )
    return solution, decision.certain


Run = Callable[[Graph, Array, Parameters], Solution]


@dataclass(frozen=True)
class Method:
    """A method with its name, one sentence, and the parameters that move it."""

    title: str
    help: str
    uses: frozenset[str]
    run: Run


def _norm(p: Parameters, Y: Array) -> float | None:
    return norm(p.tau, int((Y != 0).any(axis=1).sum()))


def prior_of(p: Parameters, Y: Array) -> Array | None:
    """The proportions that balance heeds with labels Y : (n, c); None for equal ones."""
    if p.class_prior is None or not p.balance:
        return None
    if isinstance(p.class_prior, str):
        return estimated_proportions(np.maximum(Y, 0.0).sum(axis=0))
    return np.array(p.class_prior)


def estimated_proportions(counts: Array) -> Array | None:
    """Proportions of classes from their numbers of labels : (c,); None if a class has no label.

    Those of the labels, shrunk towards equal ones as far as chance explains that they differ:
    pi = a/c + (1 - a) p,  a = (1 - sum p_j^2) / ((l - 1) sum (p_j - 1/c)^2), at most 1, the
    estimate of James-Stein kind of Hausser and Strimmer (2009).

    Examples
    --------
    >>> estimated_proportions(np.array([4.0, 6.0])), estimated_proportions(np.array([10.0, 190.0]))
    (array([0.5, 0.5]), array([0.05053..., 0.94946...]))
    """
    if not counts.all():
        return None
    total = counts.sum()
    share, equal = counts / total, 1 / len(counts)
    spread = (total - 1) * np.square(share - equal).sum()
    chance = 1 - np.square(share).sum()
    shrunk = 1.0 if spread <= chance else chance / spread
    return np.asarray(shrunk * equal + (1 - shrunk) * share)


def _volume(*names: str) -> tuple[frozenset[str], Run]:
    """MAVR with these parameters; what is not among them is P = I, no norm, no balance."""

    def run(graph: Graph, Y: Array, p: Parameters) -> Solution:
        P = p.P if "P" in names else None
        tau = _norm(p, Y) if "tau" in names else None
        balance, prior = (p.balance, prior_of(p, Y)) if "balance" in names else (0.0, None)
        return solve(state_of(graph), Y, P, p.gamma, tau, balance, prior)

    return frozenset(names), run


def _run_bavr(graph: Graph, Y: Array, p: Parameters) -> Solution:
    size = _norm(p, Y)
    if size is None:
        raise ValueError("BAVR needs a norm of the responses; set tau, or use LGC")
    # Labels of both signs may cancel: only the eigenvectors know the hard case.
    dense = graph.n <= valid.MAX_DENSE_POINTS
    return bavr(spectrum_of(graph) if dense else state_of(graph), Y, p.gamma, size)


def _run_laprls(graph: Graph, Y: Array, p: Parameters) -> Solution:
    return laprls(graph.once(kernel_of, p.lambda_A, p.lambda_I), Y)


METHODS: dict[str, Method] = {
    "mavr": Method(
        "MAVR",
        "Multi-class approximate volume regularisation: the norm of the responses is fixed at τ.",
        *_volume("gamma", "tau", "balance", "class_prior", "P"),
    ),
    "unconstrained": Method(
        "MAVR, unconstrained",
        "MAVR without the norm constraint: ρ = −1.",
        *_volume("gamma", "balance", "class_prior", "P"),
    ),
    "lgc": Method(
        "LGC",
        "Local and global consistency: unconstrained MAVR with unrelated classes (P = I).",
        *_volume("gamma"),
    ),
    "lgc_balanced": Method(
        "LGC, balanced",
        "LGC with the class-balance term added.",
        *_volume("gamma", "balance", "class_prior"),
    ),
    "bavr": Method(
        "BAVR",
        "Binary approximate volume regularisation: one per class, each against the rest.",
        frozenset({"gamma", "tau"}),
        _run_bavr,
    ),
    "laprls": Method(
        "LapRLS",
        "Laplacian regularised least squares: kernel ridge regression that is smooth on the graph.",
        frozenset({"lambda_A", "lambda_I"}),
        _run_laprls,
    ),
}
