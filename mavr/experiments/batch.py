"""Many settings on one graph. With P = I and no balance every method is a resolvent of Q,

    H = (Q + eps I)^-1 E S,      E = columns of I at the labelled points,

up to scale: LGC has eps = 1/gamma and S the one-hot labels; MAVR the same S and the eps at which
|H| = gamma tau; BAVR, for each class, a column S of signs and the eps at which |H| = gamma tau /
sqrt(c), tau being the norm here. So all that differs between settings is eps, and what is computed
for one helps the others. A class is given only where the error bound settles it; everything else is
asked of the general solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mavr.arrays import Array, Integers, Mask
from mavr.experiments.responses import NewtonResponses, SpectralResponses, Subproblem
from mavr.experiments.source import IntArray
from mavr.graphs.graph import Graph
from mavr.methods import METHODS
from mavr.settings import Parameters, norm
from mavr.solvers.solution import Solution
from mavr.solvers.spectrum import spectrum_of
from mavr.solvers.structure import Structure, inspect
from mavr.ties import decide

Responses = NewtonResponses | SpectralResponses
# Part of a class's signs in the null space of Q, below which the general solver looks for the
# hard case.
LEAST_PART = 1e-9
# gamma tau is rounded to this many digits, so that a sweep over gamma and one over tau meet.
SIZE_DIGITS = 12
# Methods that are resolvents of Q.
RESOLVENTS = ("lgc", "unconstrained", "mavr", "bavr")


@dataclass(frozen=True)
class Case:
    """One solve: a method, the labelled points with their classes, and the parameters."""

    method: str
    labelled: tuple[int, ...]
    classes: tuple[int, ...]
    n_classes: int
    parameters: Parameters

    @property
    def Y(self) -> Array:
        """(l, c) one-hot labels of the labelled points."""
        return np.eye(self.n_classes)[list(self.classes)]

    def subproblems(self) -> tuple[Subproblem, ...]:
        """Resolvents that answer the case; none if only the general solver can."""
        p, uses = self.parameters, METHODS[self.method].uses
        special = {"P": p.P is not None, "balance": p.balance > 0, "tau": p.tau is None}
        every_class_labelled = len(set(self.classes)) == self.n_classes > 1
        if self.method not in RESOLVENTS or not every_class_labelled:
            return ()
        if any(special[name] for name in uses & special.keys()):
            return ()
        # BAVR has a column of signs for each class.
        signs = 2 * self.Y - 1
        each = [signs[:, [j]] for j in range(self.n_classes)]
        columns = each if self.method == "bavr" else [self.Y]
        tau = norm(p.tau, len(self.labelled)) if "tau" in uses else None
        # Only the product of gamma and tau moves the direction of H.
        part = p.gamma * (tau or np.nan) / np.sqrt(len(columns))
        size = None if tau is None else float(f"{part:.{SIZE_DIGITS}g}")
        return tuple(Subproblem(self.labelled, S, size, 1 / p.gamma) for S in columns)


@dataclass(frozen=True)
class Outcome:
    """What a solve says of each point. rho : mean over the classes for BAVR."""

    labels: Integers
    ties: Mask
    unreached: Mask
    rho: float


@dataclass(frozen=True)
class Score:
    """Counts over the unlabelled points whose class is known. A tied point is wrong."""

    n_wrong: int
    n_unlabelled: int
    ties: int
    unreached: int

    @property
    def error(self) -> float:
        return self.n_wrong / self.n_unlabelled if self.n_unlabelled else 0.0


def score(outcome: Outcome, y: IntArray, labelled: Sequence[int]) -> Score:
    """Compare an outcome with the truth y : (n,)."""
    # A point whose class nobody knows is neither right nor wrong.
    counted = y >= 0
    counted[list(labelled)] = False
    # An undecided point is not right.
    wrong = (outcome.labels != y) | outcome.ties
    wrong, ties, unreached = (
        int(np.count_nonzero(mask & counted)) for mask in (wrong, outcome.ties, outcome.unreached)
    )
    return Score(wrong, int(np.count_nonzero(counted)), ties, unreached)


def run_batch(graph: Graph, cases: Sequence[Case], spectral: bool) -> list[Outcome]:
    """Outcomes of the cases, in their order; `spectral` if many of them share the graph."""
    batch = Batch(graph, spectral)
    parts = [batch.subproblems(case) for case in cases]
    if not any(parts):
        return [general(graph, case) for case in cases]
    responses = batch.responses([part for some in parts for part in some])
    outcomes = []
    for case, some in zip(cases, parts, strict=True):
        found = batch.outcome(case, some, responses) if some else None
        outcomes.append(found or general(graph, case))
    return outcomes


def general(graph: Graph, case: Case) -> Outcome:
    """Any method and any parameters, by its own solver."""
    Y = np.zeros((graph.n, case.n_classes))
    Y[list(case.labelled)] = case.Y
    solution: Solution = METHODS[case.method].run(graph, Y, case.parameters)
    rho = float(np.mean(solution.rho))
    return Outcome(solution.labels, solution.ties, solution.unreached, rho)


@dataclass(frozen=True, eq=False)
class Batch:
    """Cases on one graph."""

    graph: Graph
    spectral: bool

    @cached_property
    def structure(self) -> Structure:
        """Of the graph's Q."""
        if self.spectral:
            return spectrum_of(self.graph).structure
        return inspect(self.graph.Q)

    def subproblems(self, case: Case) -> tuple[Subproblem, ...]:
        """What the case asks for; nothing if only the general solver can answer it."""
        if self.graph.sparse or self.graph.power != 1:
            return ()
        parts = case.subproblems()
        if not parts or not self.structure.laplacian or not all(map(self._not_hard, parts)):
            return ()
        return parts

    def _not_hard(self, part: Subproblem) -> bool:
        if (part.S >= 0).all():
            return True
        null_part = self.structure.null_rows(part.labelled).T @ part.S
        return bool(np.linalg.norm(null_part) > LEAST_PART * np.linalg.norm(part.S))

    def responses(self, parts: Sequence[Subproblem]) -> Responses:
        """Solve them all."""
        if self.spectral:
            return SpectralResponses(spectrum_of(self.graph), parts)
        return NewtonResponses(self.structure, parts)

    def outcome(
        self, case: Case, parts: Sequence[Subproblem], responses: Responses
    ) -> Outcome | None:
        """The classes, by the least accurate responses that settle them; None where none do.

        None of them settles a tie, nor responses below the range of doubles.
        """
        unreached = self.structure.unreached(list(case.labelled))
        for found in zip(*(responses.of(part) for part in parts), strict=True):
            H = np.hstack([response.H for response in found])
            error = np.hstack([response.error for response in found])
            decision = decide(H, error, unreached, ())
            if decision.certain:
                rho = -case.parameters.gamma * float(np.mean([r.eps for r in found]))
                return Outcome(decision.labels, decision.ties, unreached, rho)
        return None
