"""`solve`: the way from a graph and labels to a Solution.

A problem goes to the eigenbasis if there is a spectrum, to conjugate gradients if Q is sparse, and
to elimination otherwise. Answers are taken one after the other (`mavr.solvers.answers`) until one
has an error bound that settles the class of every point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mavr.solvers.answers import direct_answers, sparse_answers, spectral_answers
from mavr.solvers.eigenbasis import Eigenbasis, NeedsWholeForm
from mavr.solvers.problem import Problem, make_problem, without_inert_balance
from mavr.solvers.report import Answer, Decided, conclude, finish, residual_norm, scaled
from mavr.solvers.solution import Solution
from mavr.solvers.sparse_state import SparseState, prepared
from mavr.solvers.spectrum import Spectrum, decompose, diagonalise
from mavr.solvers.structure import Structure, inspect
from mavr.solvers.units import in_units

State = Spectrum | SparseState | Structure
# Balance with a Q that is no Laplacian may need the whole nc x nc form.
MAX_WHOLE_FORM = 6000


def solve(
    S_or_Q: Any,
    Y: npt.ArrayLike,
    P: npt.ArrayLike | None = None,
    gamma: float = 99.0,
    tau: float | None = None,
    balance: float = 0.0,
    prior: npt.ArrayLike | None = None,
) -> Solution:
    """Minimise the MAVR objective.

    Parameters
    ----------
    S_or_Q : Spectrum, SparseState, Structure, or Q : (n, n) dense, sparse, a Laplacian, or a
        dask.array of sparse partitions.
    Y : (n, c) labels, 1 has it, -1 has it not, 0 unknown.
    P : (c, c) class relation, identity by default.
    gamma : weight of the volume term.
    tau : norm of H, None for the unconstrained problem.
    balance : weight of the class-balance term.
    prior : (c,) proportions that the balance term pulls the classes' totals to, equal by default.

    Returns
    -------
    Solution

    Notes
    -----
    LGC is ``solve(S, Y, gamma=alpha / (1 - alpha))``.

    Examples
    --------
    >>> Q = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> solve(decompose(Q), [[1, 0], [0, 0], [0, 1]], tau=1.0).ties
    array([False,  True, False])
    """
    state = state_for(S_or_Q)
    structure = state if isinstance(state, Structure) else state.structure
    return solve_problem(make_problem(structure, Y, P, gamma, tau, balance, prior), state)


def state_for(S_or_Q: Any) -> State:
    """What is known of Q: as it is given, or what can be read off it."""
    if isinstance(S_or_Q, Spectrum | SparseState):
        return S_or_Q
    structure = S_or_Q if isinstance(S_or_Q, Structure) else inspect(S_or_Q)
    return structure if structure.dense else prepared(structure, kept=False)


def solve_problem(problem: Problem, state: State, *, exact: bool = False) -> Solution:
    """Solve a checked problem.

    Parameters
    ----------
    problem : from `make_problem`.
    state : what is known of its Q.
    exact : take the closest answer, even where an earlier one makes every class certain.
    """
    if isinstance(state, SparseState) and state.order is not None:
        arranged = problem.permuted(state.arranged.structure, state.order)
        return solve_problem(arranged, state.arranged, exact=exact).restored(state.order)
    problem, units = in_units(without_inert_balance(problem))
    try:
        decided = _best(problem, _answers(problem, state, exact), exact)
    except NeedsWholeForm:
        decided = conclude(problem, _whole_form(problem))
    return units.restore(finish(problem, decided))


def _answers(problem: Problem, state: State, exact: bool) -> Iterator[Answer]:
    if isinstance(state, Spectrum):
        return spectral_answers(problem, state, exact)
    if isinstance(state, SparseState):
        return sparse_answers(problem, state, exact)
    if state.laplacian and (problem.Y >= 0).all():
        return direct_answers(problem)
    return spectral_answers(problem, diagonalise(state), exact)


def _best(problem: Problem, answers: Iterable[Answer], exact: bool) -> Decided:
    """The first answer that leaves nothing open, else the one that leaves least."""
    best: Decided | None = None
    for answer in answers:
        decided = conclude(problem, answer)
        if best is None or exact or decided.n_open < best.n_open:
            best = decided
        if decided.decision.certain and not exact:
            break
    assert best is not None
    return best


def _whole_form(problem: Problem) -> Answer:
    """Balance with a Q whose own lowest eigenvalue is not the form's: decompose it whole."""
    n, c = problem.Y.shape
    if n * c > MAX_WHOLE_FORM:
        raise ValueError(
            f"balance with labels that miss Q's lowest eigenvectors is limited to "
            f"n * c <= {MAX_WHOLE_FORM}, got {n} * {c} = {n * c}; use balance = 0, fewer points, "
            "or a Laplacian with positive labels"
        )
    Q, P = problem.structure.Q, problem.relation.P
    C = problem.relation.B @ problem.relation.B.T
    M = problem.gamma * np.kron(P, Q) + problem.balance * np.kron(C, np.ones((n, n)))
    spectrum = decompose((M + M.T) / 2)
    y = problem.Y.T.reshape(-1, 1)
    vector = make_problem(spectrum.structure, y, None, 1.0, problem.tau, 0.0)
    basis = Eigenbasis(vector, spectrum)
    multiplier = basis.locate()
    H = scaled(basis.responses(multiplier), problem.tau).reshape(c, n).T
    residual = residual_norm(problem, H, multiplier.rho)
    bound = np.full((1, 1), basis.error(multiplier, residual, H.T.reshape(-1, 1)))
    return Answer(H, bound, multiplier, "whole form")
