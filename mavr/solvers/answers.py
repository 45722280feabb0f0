"""The ways to solve a problem, each as a series of answers from the quickest to the closest.

A caller takes the first whose error bound settles every class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mavr.arrays import Array
from mavr.solvers.approach import approached
from mavr.solvers.completion import FAINT, FAINTER, completable, completed, sharpened
from mavr.solvers.constraint import Responses, constrained, on_sphere
from mavr.solvers.eigenbasis import Eigenbasis, InEigenbasis
from mavr.solvers.elimination import Eliminated, eliminated, sparsely_eliminated
from mavr.solvers.factor import NotDefinite
from mavr.solvers.mirrors import mirrors_of
from mavr.solvers.problem import Problem
from mavr.solvers.refinement import refinable, refined
from mavr.solvers.report import Answer, residual_norm, scaled
from mavr.solvers.resolvent import Multiplier
from mavr.solvers.sparse_search import by_gradients
from mavr.solvers.sparse_state import SparseState
from mavr.solvers.spectrum import Spectrum

# A Newton step by elimination costs a factorisation; the last one, to |H| = tau, is taken on H
# itself and leaves the square of this.
DIRECT_TOLERANCE = 1e-9
# Sparse elimination fills in; up to here it takes seconds and memory that any machine has.
MAX_ELIMINATED_POINTS = 5_000
# Responses below this are near the end of the range of doubles.
UNDERFLOW = 1e-290


def spectral_answers(problem: Problem, spectrum: Spectrum, exact: bool) -> Iterator[Answer]:
    """From the eigenbasis; for an M-matrix completed, then by elimination; else refined.

    `exact` leaves out the first ones where there is another.
    """
    basis = Eigenbasis(problem, spectrum)
    multiplier = basis.locate()
    H = scaled(basis.responses(multiplier), problem.tau)
    # Elimination is better on an M-matrix only, and in the hard case there is nothing to invert.
    better = problem.structure.m_matrix and multiplier.delta > 0
    skipped = better and (exact or _drowned(problem, basis, multiplier, H))
    if not skipped:
        first = _in_eigenbasis(problem, basis, multiplier, H)
        yield first
    if better and not exact and completable(problem):
        first = _in_eigenbasis(problem, basis, multiplier, H) if skipped else first
        yield from _closer(basis, first)
    eliminated_once = False
    for answer in _by_elimination(problem, multiplier) if better else ():
        eliminated_once = True
        yield replace(answer, volume=basis.volume)
    if eliminated_once:
        return
    if skipped:
        yield _in_eigenbasis(problem, basis, multiplier, H)
    # rho must be below the lowest eigenvalue by more than its rounding.
    if multiplier.delta > 2 * basis.width and refinable(problem, multiplier):
        answer = refined(Responses(InEigenbasis(basis, multiplier), H))
        found = replace(answer.multiplier, steps=multiplier.steps)
        yield replace(answer, multiplier=found, volume=basis.volume)


def direct_answers(problem: Problem) -> Iterator[Answer]:
    """By elimination alone, for a Laplacian and labels of one sign.

    Such labels always reach the lowest eigenvectors: no hard case, no eigenvectors needed.
    """
    # From below the root Newton's steps are monotone.
    delta = 1.0 if problem.tau is None else problem.least_delta()
    return _by_elimination(problem, Multiplier(0.0, delta))


def sparse_answers(problem: Problem, state: SparseState, exact: bool) -> Iterator[Answer]:
    """By conjugate gradients, refined, and by sparse elimination where the graph is small.

    `exact` leaves out the first where there is the second.
    """
    found, reached, steps = by_gradients(problem, state)
    multiplier = replace(found.resolvent.multiplier, steps=steps)
    structure = problem.structure
    small = structure.n <= MAX_ELIMINATED_POINTS and structure.m_matrix
    small = small and sp.issparse(structure.Q)
    if not (exact and small):
        yield from approached(found, reached, steps)
    if small:
        yield from _eliminated_with(problem, multiplier, lambda m: sparsely_eliminated(problem, m))


def _in_eigenbasis(problem: Problem, basis: Eigenbasis, multiplier: Multiplier, H: Array) -> Answer:
    residual = residual_norm(problem, H, multiplier.rho)
    bound = np.full((1, 1), basis.error(multiplier, residual, H))
    return Answer(H, bound, multiplier, "eigenbasis", volume=basis.volume, residual=residual)


def _closer(basis: Eigenbasis, first: Answer) -> Iterator[Answer]:
    """The responses of the eigenbasis, better known where that is cheap."""
    if (sharp := sharpened(basis, first)) is not None:
        yield sharp
    for faint in (FAINT, FAINTER):
        if (whole := completed(basis, sharp or first, faint)) is not None:
            yield whole


def _drowned(problem: Problem, basis: Eigenbasis, multiplier: Multiplier, H: Array) -> bool:
    """Some response is below rounding alone: no residual could make its class certain."""
    faint = np.abs(H).max(axis=1) < basis.error(multiplier, 0.0, H)
    return H.shape[1] > 1 and bool((faint & ~problem.unreached()).any())


def _by_elimination(problem: Problem, start: Multiplier) -> Iterator[Answer]:
    """By dense elimination; in long doubles where responses leave the range of doubles."""
    faint = False
    for answer in _eliminated_with(problem, start, lambda m: eliminated(problem, m)):
        yield answer
        faint = bool(((np.abs(answer.H).max(axis=1) < UNDERFLOW) & ~problem.unreached()).any())
        start = answer.multiplier
        if faint:
            break
    if faint:
        # x86's long double has 15 bits of exponent, down to 1e-4932; elsewhere nothing is gained.
        wide: Any = np.longdouble
        yield from _eliminated_with(problem, start, lambda m: eliminated(problem, m, wide))


def _eliminated_with(
    problem: Problem, start: Multiplier, factorise: Callable[[Multiplier], Eliminated]
) -> Iterator[Answer]:
    """As the factors have it, and refined; nothing where a form is not definite in doubles."""
    try:
        found, steps = constrained(
            problem, start, factorise, problem.least_delta(), DIRECT_TOLERANCE
        )
    except NotDefinite:
        return
    inverse = found.resolvent
    assert isinstance(inverse, Eliminated)
    multiplier = replace(inverse.multiplier, steps=start.steps + steps)
    H, error = inverse.bounded(problem.Y, found.H)
    first = Answer(*on_sphere(found, H, error, multiplier), inverse.name)
    yield first
    if refinable(problem, multiplier):
        closer = refined(found)
        first = replace(closer, multiplier=replace(closer.multiplier, steps=multiplier.steps))
    mirrors = mirrors_of(inverse, first.multiplier, unsure_delta(found, first))
    if mirrors or first.method != inverse.name:
        yield replace(first, mirrors=mirrors)


def unsure_delta(found: Responses, answer: Answer) -> float:
    """How far the delta of an answer may be from the exact one: as far as |H| from tau."""
    if found.resolvent.problem.tau is None:
        return 0.0
    return 1.01 * float(np.linalg.norm(answer.error)) / found.slope
