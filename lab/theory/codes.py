"""A few lines of Python for each section that compute what its charts draw. No Streamlit here.

Each script leaves `drawn`, the numbers of the charts by name.
"""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np

from lab.export.script import script as written
from lab.theory.source import Source

# By the name of the section's export. `$name` is a value that the section gives; a line that is
# empty then is left out.
SCRIPTS = {
    "volume": """
Q = volume.form([$lam1, $lam2], volume.rotation($angle))
h = np.array($h)
drawn = {"area": volume.quadrant_areas(Q), "V(h)": volume.volume_of(Q, h)}
""",
    "space": """
Q = volume.form($lams, volume.rotation_3d($yaw, $pitch))
thrown = volume.sample(Q, $count, seed=0)
drawn = {"by drawing points": thrown.volumes, "exact": volume.octant_volumes(Q)}
""",
    "classes": """
P = $P
Q = np.asarray(mavr.laplacian(kronecker.$graph($n), "unnormalized"))
product = kronecker.product(P, Q)
drawn = {"P": P, "Q": Q, "P ⊗ Q": product.K, "eigenvalues": product.eigenvalues}
drawn |= dict(enumerate(product.products))  # one row for each eigenvalue of P
""",
    "two": """
Q = volume.form([0.3, 1.5], volume.rotation(0.6))
P = kronecker.two_classes($coupling)
angles = np.radians(np.linspace(0, 180, 91))
directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
tables = [kronecker.opposite(h, [$extra, 0]) for h in directions]
drawn = {
    "V(h1)": [volume.volume_of(Q, h) for h in directions],
    "V(H)": [kronecker.volume_both_ways(P, Q, H)[0] for H in tables],
}
""",
    "sets": """
data = datasets.multilabel(150, seed=0)
sets = data.Y > 0
Y = label_sets.coded(sets, data.labelled, denied=$denied)
S = spectrum_of(mavr.make_graph(data.X$graph))
found = label_sets.respond(S, Y, $gamma, np.sqrt(len(data.labelled)))
T = $T
drawn = {"has the label": found.H[sets], "has it not": found.H[~sets], "threshold": T}
""",
    "losses": """
found = losses.compare(S.Q, Y, $gamma, $tau)
drawn = dict(zip(["loss 2", "loss 3", "loss 4"], found.distances))
""",
    "root": """
s = root.secular(S, Y, P, $gamma, $tau)
found = s.find(from_left=$from_left)
steps = np.array(found.steps)  # distances below the first pole that the labels touch
rho = s.interval[1] - steps
drawn = {"steps": steps, "norm": s.norm(rho)}
print(s.interval, s.root)
""",
    "hard": """
Q, y = hard.example($z1)
found = hard.compare(Q, y, 1.0, $tau)
degrees, points = hard.circle($tau)
drawn = {"direction": degrees, "objective": hard.objective(Q, y, 1.0, points)}
print(found)
""",
    "stability": """
after = Y.copy()
$changes
found = stability.compare(S, Y, after, P, $gamma, $tau)
drawn = {
    "moved": found.moved, "measured": found.constrained, "one term": found.one_term,
    "measured, no constraint": found.free, "its bound": found.free_bound,
}
print(found.two_terms, found.corollary)  # Eq. (18) and its consequence
""",
    "accuracy": """
$made
t = truth.truth(S, H, $noise, labelled=range($labelled))
found = accuracy.$given
drawn = {$shown}
$terms
""",
    "links": """
$changes
plain = mavr.make_graph($points, "local_scaling", n_neighbors=$k, laplacian="unnormalized")
taus = np.sqrt(Y.sum()) * np.geomspace(0.1, 1e6, 8)
balanced, alone = (
    links.to_poisson(spectrum_of(plain), Y, 1.0, balance, taus) for balance in (1e4, 0.0)
)
drawn = {"minus rho": balanced.minus_rho, "balance": balanced.differ, "no balance": alone.differ}
""",
    "recovery": """
found = pitfalls.recover_by_eigenvectors(S, Y, 99.0, $tau)
order = np.argsort(-found.top, kind='stable')
top, wrong = found.top[order], found.wrong[order]
drawn = {"right by eigenvectors": top[~wrong], "wrong by eigenvectors": top[wrong]}
""",
    "shortcut": """
found = pitfalls.shortcut(S, Y, 99.0, $tau)
drawn = {"as printed": found.by_sums.root, "row norms": found.by_rows.root}
print(found.norm_sum)
""",
    "ties": """
found = mavr.solve(S, Y, P, gamma=$gamma, tau=$tau, balance=$balance)
drawn = {
    j: data.X[~found.ties & (found.labels == j)] for j in np.unique(found.labels)
}
drawn["tied"] = data.X[found.ties]
""",
}


def script(name: str, source: Source | None = None, /, **values: Any) -> str:
    """The script of a section; source : whose problem, graph, S, Y and P, it begins with."""
    said = {k: v if isinstance(v, str) else repr(v) for k, v in values.items()}
    lines = filter(None, Template(SCRIPTS[name]).substitute(said).splitlines())
    return written([*(_problem(source) if source else []), *lines])


def _problem(source: Source) -> list[str]:
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


def changes(name: str, before: np.ndarray, after: np.ndarray) -> str:
    """Lines that set the rows of a table in which it differs from another."""
    rows = np.flatnonzero((after != before).any(axis=1))
    return "\n".join(f"{name}[{i}] = {after[i].tolist()}" for i in rows)
