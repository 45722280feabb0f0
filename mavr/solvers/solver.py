"""MAVR: multi-class approximate volume regularisation, solved exactly.

    minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau

`decompose(Q)` once per graph, `solve(spectrum, Y, ...)` for every change of labels and parameters.
The eigenbasis gives rho and a first H. Its error bound is checked point by point; where it does
not settle a class, H is computed again by elimination, whose error is relative to each entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.solvers.conjugate_gradients import solve_sparse
from mavr.solvers.eigenbasis import Eigenbasis, Located, NeedsWholeForm
from mavr.solvers.factor import NotDefinite
from mavr.solvers.problem import Problem, pose
from mavr.solvers.report import Measured, finish, scaled
from mavr.solvers.resolvent import recover, resolvent
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import Spectrum, decompose, diagonalise
from mavr.solvers.structure import Structure, inspect

Array = npt.NDArray[np.float64]

# Balance with a Q that is no Laplacian may need the whole nc x nc form.
MAX_WHOLE_FORM = 6000
# Responses below this are near the end of the range of doubles.
UNDERFLOW = 1e-290


def solve(
    S_or_Q: Any,
    Y: npt.ArrayLike,
    P: npt.ArrayLike | None = None,
    gamma: float = 99.0,
    tau: float | None = None,
    balance: float = 0.0,
) -> Solution:
    """Minimise the MAVR objective.

    S_or_Q : Spectrum, or Q : (n, n) dense or sparse; Y : (n, c) labels, 1 has it, -1 has it not, 0
    unknown; P : (c, c) class relation, identity by default; gamma : weight of the volume term; tau
    : norm of H, None for the unconstrained problem; balance : weight of the class-balance term.

    LGC is `solve(S, Y, gamma=alpha / (1 - alpha))`.

    >>> Q = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> solve(decompose(Q), [[1, 0], [0, 0], [0, 1]], tau=1.0).ties
    array([False,  True, False])
    """
    if isinstance(S_or_Q, Spectrum):
        return at_best(pose(S_or_Q.structure, Y, P, gamma, tau, balance), S_or_Q, exact=False)
    structure = inspect(S_or_Q)
    return at_best(pose(structure, Y, P, gamma, tau, balance), structure, exact=False)


def at_best(problem: Problem, state: Spectrum | Structure, *, exact: bool) -> Solution:
    """Solve a posed problem; `exact` asks for elimination even where every class is certain."""
    if isinstance(state, Spectrum):
        return _by_spectrum(problem, state, exact)
    if sp.issparse(state.Q):
        return solve_sparse(problem, exact)
    # Labels of one sign always reach a Laplacian's lowest eigenvectors: no hard case, no
    # eigenvectors.
    if state.laplacian and (problem.Y >= 0).all():
        # From below the root Newton's steps are monotone.
        delta = 1.0 if problem.tau is None else problem.least_delta()
        return _exactly(problem, Located(0.0, delta, ()))
    return _by_spectrum(problem, diagonalise(state), exact)


def _by_spectrum(problem: Problem, spectrum: Spectrum, exact: bool) -> Solution:
    basis = Eigenbasis(problem, spectrum)
    try:
        located = basis.locate()
    except NeedsWholeForm:
        return _whole_form(problem)
    H = scaled(basis.responses(located), problem.tau)
    # Elimination is better on an M-matrix only, and in the hard case there is nothing to invert.
    better = problem.structure.m_matrix and located.delta > 0
    if better and (exact or _drowned(problem, basis, located, H)):
        try:
            return _exactly(problem, located)
        except NotDefinite:
            better = False
    measured = Measured(problem, H, located.rho)
    bound = np.full((1, 1), basis.error(located, measured.residual_norm, H))
    solution, decision = finish(problem, H, located, bound, measured, "eigenbasis")
    if not better or decision.certain:
        return solution
    try:
        return _exactly(problem, located)
    except NotDefinite:
        return solution


def _drowned(problem: Problem, basis: Eigenbasis, located: Located, H: Array) -> bool:
    """Some response is below rounding alone: no residual could make its class certain."""
    faint = np.abs(H).max(axis=1) < basis.error(located, 0.0, H)
    return H.shape[1] > 1 and bool((faint & ~problem.unreached()).any())


def _exactly(problem: Problem, located: Located, dtype: Any = np.float64) -> Solution:
    """H by elimination, from the rho of the eigenbasis or a guess."""
    H, error, found, name = recover(
        problem, located, lambda delta: resolvent(problem, located.lowest, delta, dtype)
    )
    measured = Measured(problem, scaled(H.astype(float), problem.tau), found.rho)
    solution, decision = finish(problem, H, found, error, measured, name)
    faint = (np.abs(H).max(axis=1) < UNDERFLOW) & ~solution.unreached
    if decision.certain or not faint.any() or dtype is not np.float64:
        return solution
    # x86's long double has 15 bits of exponent, down to 1e-4932; where it is a double, ties remain.
    return _exactly(problem, found, np.longdouble)


def _whole_form(problem: Problem) -> Solution:
    """Balance with a Q whose own lowest eigenvalue is not the form's: decompose it whole."""
    n, c = problem.Y.shape
    if n * c > MAX_WHOLE_FORM:
        raise ValueError(
            f"balance with labels that miss Q's lowest eigenvectors is limited to "
            f"n * c <= {MAX_WHOLE_FORM}, got {n} * {c} = {n * c}; use balance = 0, fewer points, "
            "or a Laplacian with positive labels"
        )
    Q, P = problem.structure.Q, problem.relation.P
    C = np.eye(c) - 1 / c
    M = problem.gamma * np.kron(P, Q) + problem.balance * np.kron(C, np.ones((n, n)))
    spectrum = decompose((M + M.T) / 2)
    vector = pose(spectrum.structure, problem.Y.T.reshape(-1, 1), None, 1.0, problem.tau, 0.0)
    basis = Eigenbasis(vector, spectrum)
    located = basis.locate()
    H = scaled(basis.responses(located), problem.tau).reshape(c, n).T
    measured = Measured(problem, H, located.rho)
    bound = np.full((1, 1), basis.error(located, measured.residual_norm, H.T.reshape(-1, 1)))
    return finish(problem, H, located, bound, measured, "whole form")[0]
