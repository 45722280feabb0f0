"""What a method says at many parameters on one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mavr.arrays import Array, Integers, Mask
from mavr.experiments.grid.balanced import Mixed, Wanted
from mavr.experiments.grid.related import Related
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
    related = graph.once(_related, Y.tobytes(), Y.shape)
    of = related.of
    kinds = {_kind(p): p for _, p in wanted}
    problems = {kind: _problem(of, p) for kind, p in kinds.items()}
    asked = {key: _wanted(problems[_kind(key[1])], key[1]) for key in wanted}
    plain = {key: one for key, one in asked.items() if one.problem.relation.unit and not one.weight}
    mixed = {key: one for key, one in asked.items() if key not in plain}
    answers = [*_resolved(of, list(plain.values())), *related.resolve(list(mixed.values()))]
    return {
        key: _said(key[1], of, one)
        for key, one in zip([*plain, *mixed], answers, strict=True)
        if one is not None and one.decision.certain
    }


def _kind(p: Parameters) -> tuple[Any, ...]:
    """What the checked problem depends on, gamma and balance being 1."""
    return p.P, p.class_prior, p.balance > 0


def _problem(of: Resolvents, p: Parameters) -> Problem:
    structure, balance = of.spectrum.structure, float(p.balance > 0)
    problem = make_problem(structure, of.Y, p.P, 1.0, None, balance, prior_of(p, of.Y))
    return without_inert_balance(problem)


def _wanted(problem: Problem, p: Parameters) -> Wanted:
    weight = p.balance / p.gamma if problem.balance else 0.0
    size = p.gamma * (norm(p.tau, len(problem.labelled)) or np.nan)
    return Wanted(problem, 1 / p.gamma, weight, size)


def _resolved(of: Resolvents, some: Sequence[Wanted]) -> list[Resolved]:
    eps, sizes = (np.array([getattr(one, f) for one in some]) for f in ("eps", "size"))
    constrained = np.isfinite(sizes)
    eps[constrained] = of.roots(sizes[constrained])
    return of.resolve(eps, sizes)


def _resolvable(graph: Graph, method: str) -> bool:
    if graph.sparse or graph.power != 1 or method not in VOLUME_METHODS:
        return False
    return spectrum_of(graph).structure.laplacian


def _said(p: Parameters, of: Resolvents, one: Resolved | Mixed) -> Said:
    volume = one.volume if isinstance(one, Mixed) else of.volume(one.eps)
    rho = -1.0 if p.tau is None else -p.gamma * one.eps
    d, H, alpha = one.decision, one.H / p.gamma, 1 / (1 + one.eps)
    return Said(p, d.labels, d.ties, of.unreached, H, rho, alpha, volume)


def _related(graph: Graph, raw: bytes, shape: tuple[int, int]) -> Related:
    return Related(Resolvents(spectrum_of(graph), np.frombuffer(raw).reshape(shape)))


def _generally(graph: Graph, Y: Array, method: str, p: Parameters) -> Said:
    """By the method's own solver, on the shared spectrum."""
    s = METHODS[method].run(graph, Y, p)
    rho, alpha = float(np.mean(s.rho)), float(np.mean(s.alpha))
    return Said(p, s.labels, s.ties, s.unreached, np.asarray(s.H), rho, alpha, float(s.volume))
