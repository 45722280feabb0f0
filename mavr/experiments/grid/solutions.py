"""What a method says at many parameters on one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mavr.arrays import Array, Integers, Mask
from mavr.experiments.grid.balanced import Wanted, resolve_balanced
from mavr.experiments.grid.related import Mixed, Related
from mavr.experiments.grid.resolvents import Resolved, Resolvents
from mavr.graphs.graph import Graph
from mavr.methods import METHODS, prior_of
from mavr.settings import Parameters, norm
from mavr.solvers.problem import Problem, make_problem, without_inert_balance
from mavr.solvers.spectrum import spectrum_of

# Methods that are resolvents of Q where balance = 0; BAVR and LapRLS are others.
VOLUME_METHODS = ("mavr", "unconstrained", "lgc", "lgc_balanced")
USUAL = Parameters()


@dataclass(frozen=True, eq=False)
class Said:
    """One answer. H : (n, c) up to rounding; parameters : those that the method really used."""

    parameters: Parameters
    labels: Integers
    ties: Mask
    unreached: Mask
    H: Array
    rho: float
    alpha: float
    volume: float


def used(method: str, p: Parameters) -> Parameters:
    """The parameters with everything usual that the method does not look at."""
    names = METHODS[method].uses
    unused = {name: getattr(USUAL, name) for name in vars(USUAL) if name not in names}
    if "tau" not in names and method in VOLUME_METHODS:
        unused["tau"] = None
    return replace(p, **unused)


Asked = tuple[str, Parameters]
# The P and the prior that parameters name.
Relating = tuple[Any, Any]


def solve_all(graph: Graph, Y: Array, wanted: Sequence[Asked]) -> list[Said]:
    """Answers to (method, parameters) in their order; equal ones are computed once."""
    keys = [(method, used(method, p)) for method, p in wanted]
    different = list(dict.fromkeys(keys))
    found = _at_once(graph, Y, [key for key in different if _resolvable(graph, key[0])])
    for key in different:
        if key not in found:
            found[key] = _generally(graph, Y, *key)
    return [found[key] for key in keys]


def _at_once(graph: Graph, Y: Array, wanted: Sequence[Asked]) -> dict[Asked, Said]:
    """Those that certain classes were found for; each kind of settings is solved together."""
    if not wanted:
        return {}
    problems = _problems(graph, Y, [p for _, p in wanted if p.balance])
    balanced = [key for key in wanted if _balance_tells(problems, key[1])]
    rest = [key for key in wanted if not _balance_tells(problems, key[1])]
    plain = [key for key in rest if _identity(key[1])]
    mixed = [key for key in rest if not _identity(key[1])]
    of = graph.once(_resolvents, Y.tobytes(), Y.shape)
    related = graph.once(_related, Y.tobytes(), Y.shape)
    l, structure = len(of.labelled), of.spectrum.structure
    with_balance = [
        Wanted(problems[p.P, p.class_prior], 1 / p.gamma, p.balance / p.gamma, _size(p, l))
        for _, p in balanced
    ]
    with_relation = [
        (make_problem(structure, Y, p.P, 1.0, None, 0.0), 1 / p.gamma, _size(p, l))
        for _, p in mixed
    ]
    found: list[Resolved | Mixed | None] = [
        *_resolved(of, [p for _, p in plain]),
        *related.resolve(with_relation),
        *resolve_balanced(of, with_balance),
    ]
    return {
        key: _said(key[1], of, one)
        for key, one in zip([*plain, *mixed, *balanced], found, strict=True)
        if one is not None and one.decision.certain
    }


def _resolved(of: Resolvents, some: Sequence[Parameters]) -> list[Resolved]:
    sizes = np.array([_size(p, len(of.labelled)) for p in some])
    eps = np.array([1 / p.gamma for p in some])
    constrained = np.isfinite(sizes)
    eps[constrained] = of.roots(sizes[constrained])
    return of.resolve(eps, sizes)


def _identity(p: Parameters) -> bool:
    return p.P is None or bool((np.array(p.P) == np.eye(len(p.P))).all())


def _resolvable(graph: Graph, method: str) -> bool:
    if graph.sparse or graph.power != 1 or method not in VOLUME_METHODS:
        return False
    return spectrum_of(graph).structure.laplacian


def _problems(graph: Graph, Y: Array, some: Sequence[Parameters]) -> dict[Relating, Problem]:
    """The checked problem of each P and prior, gamma and balance being 1."""
    found: dict[Relating, Problem] = {}
    for p in some:
        if (key := (p.P, p.class_prior)) not in found:
            structure = spectrum_of(graph).structure
            problem = make_problem(structure, Y, p.P, 1.0, None, 1.0, prior_of(p, Y))
            found[key] = without_inert_balance(problem)
    return found


def _balance_tells(problems: dict[Relating, Problem], p: Parameters) -> bool:
    """Whether there is a balance term, and it is not 0 in exact arithmetic."""
    return bool(p.balance) and problems[p.P, p.class_prior].balance > 0


def _size(p: Parameters, l: int) -> float:
    """gamma tau, NaN without a constraint."""
    return p.gamma * (norm(p.tau, l) or np.nan)


def _said(p: Parameters, of: Resolvents, one: Resolved | Mixed) -> Said:
    volume = one.volume if isinstance(one, Mixed) else of.volume(one.eps)
    rho = -1.0 if p.tau is None else -p.gamma * one.eps
    d, H, alpha = one.decision, one.H / p.gamma, 1 / (1 + one.eps)
    return Said(p, d.labels, d.ties, of.unreached, H, rho, alpha, volume)


def _resolvents(graph: Graph, raw: bytes, shape: tuple[int, int]) -> Resolvents:
    return Resolvents(spectrum_of(graph), np.frombuffer(raw).reshape(shape))


def _related(graph: Graph, raw: bytes, shape: tuple[int, int]) -> Related:
    return Related(graph.once(_resolvents, raw, shape))


def _generally(graph: Graph, Y: Array, method: str, p: Parameters) -> Said:
    """By the method's own solver, on the shared spectrum."""
    s = METHODS[method].run(graph, Y, p)
    rho, alpha = float(np.mean(s.rho)), float(np.mean(s.alpha))
    return Said(p, s.labels, s.ties, s.unreached, np.asarray(s.H), rho, alpha, float(s.volume))
