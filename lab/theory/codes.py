"""A few lines of Python for each section that compute what its charts draw. No Streamlit here.

Each script leaves `drawn`, the numbers of the charts by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.export.code import wrapped
from lab.theory.source import Source

Lines = list[str]


def script(*lines: str, theory: str = "", more: Sequence[str] = (), data: bool = False) -> str:
    """The imports, then the lines; theory : names of mavr.theory; data : of our data sets too."""
    head = ["import numpy as np", "", *(["import datasets"] if data else []), "import mavr"]
    head += [f"from mavr.solvers.spectrum import {name}" for name in more]
    head += [f"from mavr.theory import {theory}"] if theory else []
    return wrapped([*head, "", *lines])


def problem(source: Source) -> Lines:
    """Lines that leave graph, S, its spectrum, Y and P."""
    n, c = source.Y.shape
    rows = np.asarray(source.P).tolist()
    return [
        *source.code,
        "S = spectrum_of(graph)",
        f"Y = np.zeros(({n}, {c}))",
        "Y[list(labels), list(labels.values())] = 1",
        f"P = {'None' if source.unrelated else f'np.array({rows})'}",
    ]


def of_problem(source: Source, *lines: str, theory: str) -> str:
    return script(*problem(source), *lines, theory=theory, more=["spectrum_of"], data=True)


def plane(lam1: float, lam2: float, angle: float, h: Sequence[float]) -> str:
    return script(
        f"Q = volume.form([{lam1!r}, {lam2!r}], volume.rotation({angle!r}))",
        f"h = np.array({list(map(float, h))!r})",
        'drawn = {"area": volume.quadrant_areas(Q), "V(h)": volume.volume_of(Q, h)}',
        theory="volume",
    )


def space(lams: Sequence[float], yaw: float, pitch: float, count: int) -> str:
    return script(
        f"Q = volume.form({list(lams)!r}, volume.rotation_3d({yaw!r}, {pitch!r}))",
        f"thrown = volume.sample(Q, {count}, seed=0)",
        'drawn = {"by drawing points": thrown.volumes, "exact": volume.octant_volumes(Q)}',
        theory="volume",
    )


def classes(graph: str, n: int, relation: str, coupling: float) -> str:
    P = f"kronecker.two_classes({coupling!r})"
    if relation != "two":
        P = f'np.array(mavr.relations.PAPER["{relation}"])'
    return script(
        f"P = {P}",
        f'Q = np.asarray(mavr.laplacian(kronecker.{graph}({n}), "unnormalized"))',
        "product = kronecker.product(P, Q)",
        'drawn = {"P": P, "Q": Q, "P ⊗ Q": product.K, "eigenvalues": product.eigenvalues}',
        "drawn |= dict(enumerate(product.products))  # one row for each eigenvalue of P",
        theory="kronecker",
    )


def two_classes(coupling: float, extra: float) -> str:
    return script(
        "Q = volume.form([0.3, 1.5], volume.rotation(0.6))",
        f"P = kronecker.two_classes({float(coupling)!r})",
        "angles = np.radians(np.linspace(0, 180, 91))",
        "directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)",
        f"tables = [kronecker.opposite(h, [{float(extra)!r}, 0]) for h in directions]",
        "drawn = {",
        '    "V(h1)": [volume.volume_of(Q, h) for h in directions],',
        '    "V(H)": [kronecker.volume_both_ways(P, Q, H)[0] for H in tables],',
        "}",
        theory="kronecker, volume",
    )


def label_sets(denied: bool, gamma: float, graph: str, how: str) -> str:
    T = {"zero": "np.zeros(3)", "common": "np.full(3, found.common)", "each": "found.learned"}
    return script(
        "data = datasets.multilabel(150, seed=0)",
        "sets = data.Y > 0",
        f"Y = label_sets.coded(sets, data.labelled, denied={denied})",
        f"S = spectrum_of(mavr.make_graph(data.X{graph}))",
        f"found = label_sets.respond(S, Y, {gamma!r}, np.sqrt(len(data.labelled)))",
        f"T = {T[how]}",
        'drawn = {"has the label": found.H[sets], "has it not": found.H[~sets], "threshold": T}',
        theory="label_sets",
        more=["spectrum_of"],
        data=True,
    )


def losses(source: Source, gamma: float, tau: float) -> str:
    return of_problem(
        source,
        f"found = losses.compare(S.Q, Y, {gamma!r}, {tau!r})",
        'drawn = dict(zip(["loss 2", "loss 3", "loss 4"], found.distances))',
        theory="losses",
    )


def root(source: Source, gamma: float, tau: float, start: str) -> str:
    return of_problem(
        source,
        f"s = root.secular(S, Y, P, {gamma!r}, {tau!r})",
        f"found = s.find(from_left={start == 'left'})",
        "steps = np.array(found.steps)  # distances below the first pole that the labels touch",
        "rho = s.interval[1] - steps",
        'drawn = {"steps": steps, "norm": s.norm(rho)}',
        "print(s.interval, s.root)",
        theory="root",
    )


def hard(z1: float, tau: float) -> str:
    return script(
        f"Q, y = hard.example({z1!r})",
        f"found = hard.compare(Q, y, 1.0, {tau!r})",
        f"degrees, points = hard.circle({tau!r})",
        'drawn = {"direction": degrees, "objective": hard.objective(Q, y, 1.0, points)}',
        "print(found)",
        theory="hard",
    )


def stability(source: Source, after: np.ndarray, gamma: float, tau: float) -> str:
    rows = np.flatnonzero((after != source.Y).any(axis=1))
    return of_problem(
        source,
        "after = Y.copy()",
        *(f"after[{i}] = {after[i].tolist()}" for i in rows),
        f"found = stability.compare(S, Y, after, P, {gamma!r}, {tau!r})",
        "drawn = {",
        '    "moved": found.moved, "measured": found.constrained, "one term": found.one_term,',
        '    "measured, no constraint": found.free, "its bound": found.free_bound,',
        "}",
        "print(found.two_terms, found.corollary)  # Eq. (18) and its consequence",
        theory="stability",
    )


def accuracy(made: Sequence[str], noise: float, labelled: int, kind: str, values: Any) -> str:
    """made : lines that leave S and H, the truth; values : gamma, or gamma and tau."""
    given = ", ".join(repr(float(v)) for v in values)
    terms = {
        "free": ["bias2", "variance", "printed", "corrected", "noise"],
        "tau": ["measured"],
    }[kind]
    shown = ", ".join(f'"{name}": found.{name}' for name in terms)
    lines = [
        *made,
        f"t = truth.truth(S, H, {noise!r}, labelled=range({labelled}))",
        f"found = accuracy.{'free' if kind == 'free' else 'constrained'}(t, {given})",
        f"drawn = {{{shown}}}",
    ]
    if kind == "tau":
        lines += [
            'for name in ("printed", "rooted", "corrected"):',
            "    terms = getattr(found, name)",
            "    drawn[name] = [terms.smoothing, terms.multiplier, terms.noise]",
        ]
    return script(*lines, theory="accuracy, truth", more=["spectrum_of"], data=True)


def links(source: Source, Y: np.ndarray, neighbours: int, points: str) -> str:
    extra = np.flatnonzero((source.Y != Y).any(axis=1))
    return of_problem(
        source,
        *(f"Y[{i}] = {Y[i].tolist()}" for i in extra),
        f'plain = mavr.make_graph({points}, "local_scaling", n_neighbors={neighbours}, '
        'laplacian="unnormalized")',
        "taus = np.sqrt(Y.sum()) * np.geomspace(0.1, 1e6, 8)",
        "balanced, alone = (",
        "    links.to_poisson(spectrum_of(plain), Y, 1.0, balance, taus) for balance in (1e4, 0.0)",
        ")",
        'drawn = {"minus rho": balanced.minus_rho, "balance": balanced.differ, '
        '"no balance": alone.differ}',
        theory="links",
    )


def recovery(source: Source, tau: float) -> str:
    return of_problem(
        source,
        f"found = pitfalls.recover_by_eigenvectors(S, Y, 99.0, {tau!r})",
        "order = np.argsort(-found.top, kind='stable')",
        "top, wrong = found.top[order], found.wrong[order]",
        'drawn = {"right by eigenvectors": top[~wrong], "wrong by eigenvectors": top[wrong]}',
        theory="pitfalls",
    )


def shortcut(source: Source, tau: float) -> str:
    return of_problem(
        source,
        f"found = pitfalls.shortcut(S, Y, 99.0, {tau!r})",
        'drawn = {"as printed": found.by_sums.root, "row norms": found.by_rows.root}',
        "print(found.norm_sum)",
        theory="pitfalls",
    )


def ties(source: Source, p: Mapping[str, float], tau: float) -> str:
    return script(
        *problem(source),
        f"found = mavr.solve(S, Y, P, gamma={p['gamma']!r}, tau={tau!r}, balance={p['balance']!r})",
        "drawn = {",
        "    j: data.X[~found.ties & (found.labels == j)] for j in np.unique(found.labels)",
        "}",
        'drawn["tied"] = data.X[found.ties]',
        more=["spectrum_of"],
        data=True,
    )
