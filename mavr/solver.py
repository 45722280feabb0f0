"""MAVR: multi-class approximate volume regularisation, solved exactly.

    minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC)   subject to |H| = tau

`decompose(Q)` once per graph, `solve(spectrum, Y, ...)` for every change of labels and parameters.
The eigenbasis gives rho and a first H. Its error bound is checked point by point; where it does
not settle a class, H is computed again by elimination, whose error is relative to each entry.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr import _validation as valid
from mavr.direct import find_delta, resolvent
from mavr.iterative import solve_sparse
from mavr.problem import Problem, pose
from mavr.reporting import Measured, finish, scaled
from mavr.solution import Solution
from mavr.spectral import Eigenbasis, Located, NeedsWholeForm
from mavr.spectrum import Spectrum, decompose
from mavr.structure import EPS, Structure, inspect

Array = npt.NDArray[np.float64]

# |H| / tau may be this far off before rho is found again with exact responses; a smaller
# difference is scaled away.
NORM_SLACK = 1e-9
# Balance with a Q that is no Laplacian may need the whole nc x nc form.
MAX_WHOLE_FORM = 6000


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
    Q = valid.square("Q", S_or_Q)
    structure = inspect(Q)
    problem = pose(structure, Y, P, gamma, tau, balance)
    if sp.issparse(Q):
        return solve_sparse(problem)
    return at_best(problem, structure, exact=False)


def at_best(problem: Problem, state: Spectrum | Structure, *, exact: bool) -> Solution:
    """Solve a posed problem; `exact` asks for elimination even where every class is certain."""
    if isinstance(state, Spectrum):
        return _by_spectrum(problem, state, exact)
    # Labels of one sign always reach a Laplacian's lowest eigenvectors: no hard case, no
    # eigenvectors.
    if state.laplacian and (problem.Y >= 0).all():
        return _by_elimination(problem)
    return _by_spectrum(problem, decompose(state.Q), exact)


def _by_spectrum(problem: Problem, spectrum: Spectrum, exact: bool) -> Solution:
    basis = Eigenbasis(problem, spectrum)
    try:
        located = basis.locate()
    except NeedsWholeForm:
        return _whole_form(problem)
    H = scaled(basis.responses(located), problem.tau)
    measured = Measured(problem, H, located.rho)
    smallest = located.delta if located.delta > 0 else _next_gap(basis)
    rounding = 4 * np.sqrt(spectrum.n) * EPS * (problem.size + abs(located.rho)) * np.linalg.norm(H)
    bound = np.full((1, 1), (measured.residual_norm + rounding) / smallest)
    found = finish(problem, H, located, bound, measured, "eigenbasis")
    if located.delta == 0 or (found[1].certain and not exact):
        return found[0]
    return _exactly(problem, located)


def _exactly(problem: Problem, located: Located) -> Solution:
    """H by elimination at the rho of the eigenbasis, or at a better one if its norm is off."""
    inverse = resolvent(problem, located.lowest, located.delta)
    H, error = inverse.apply(problem.Y)
    if problem.tau is not None and abs(np.linalg.norm(H) / problem.tau - 1) > NORM_SLACK:
        root, H, error = find_delta(problem, located.lowest, 0.0, start=located.delta)
        located = replace(located, delta=root.delta, steps=located.steps + root.steps)
        inverse = resolvent(problem, located.lowest, located.delta)
    H = scaled(H, problem.tau)
    name = inverse.factors[0].name
    return finish(problem, H, located, error, Measured(problem, H, located.rho), name)[0]


def _by_elimination(problem: Problem) -> Solution:
    """Without a spectrum, for a Laplacian: its lowest eigenvalue is 0, rho is found by Newton."""
    if problem.tau is None:
        return _exactly(problem, Located(0.0, 1.0, ()))
    root, H, error = find_delta(problem, 0.0, 0.0, start=_first_guess(problem))
    H = scaled(H, problem.tau)
    located = Located(0.0, root.delta, root.steps)
    measured = Measured(problem, H, located.rho)
    return finish(problem, H, located, error, measured, "Newton")[0]


def _first_guess(problem: Problem) -> float:
    """delta if every component answered with its mean only: below the root when gamma is large."""
    assert problem.tau is not None
    share = np.sqrt(len(problem.labelled) / problem.structure.n)
    return float(np.linalg.norm(problem.Y)) / problem.tau * min(1.0, 2 * float(share))


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
    smallest = located.delta if located.delta > 0 else _next_gap(basis)
    rounding = 4 * np.sqrt(n * c) * EPS * (problem.size + abs(located.rho)) * np.linalg.norm(H)
    bound = np.full((1, 1), (measured.residual_norm + rounding) / smallest)
    return finish(problem, H, located, bound, measured, "whole form")[0]


def _next_gap(basis: Eigenbasis) -> float:
    """In the hard case: the distance from the pole to the eigenvalues whose part is determined."""
    gap = basis.poles - basis.lowest
    above = gap[~basis._lowest_mask]
    return float(above.min()) if above.size else 1.0
