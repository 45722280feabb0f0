"""`python -m mavr reproduce choice`: settings chosen without the truth, over toy and real sets."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from mavr.commands.reading import data_sets
from mavr.estimators import MAVRClassifier
from mavr.experiments.choice import Choice, Regret, Verdict, choose, regrets, verdicts
from mavr.experiments.grid import Axis, Points
from mavr.experiments.summary import write_csv
from mavr.settings import Setting

# Generated sets of two dimensions, and digits; files come after them.
TOYS = ("three_circles", "two_moons", "unequal_blobs", "spiral", "smile", "bars", "disc_rings")
OWN = (*TOYS, "digits")
POINTS = 300
LABELS = (2, 5)
GAMMAS = (0.01, 0.1, 1.0, 5.0, 30.0, 100.0, 1e3, 1e4, 1e5)
NEIGHBORS = (5, 7, 10, 15)
USUAL = {"gamma": 30.0, "n_neighbors": 7}
WORDS = {
    "usual": "usual setting",
    "loo_error": "leave-one-out error",
    "loo_margin": "leave-one-out margin",
    "stability": "stability",
    "evidence": "evidence",
    "entropy": "entropy",
    "cut": "cut",
}


def usual_setting() -> tuple[Setting, dict[str, float]]:
    """The kind of graph and problem that `MAVRClassifier` has, and the middle of the planes."""
    kept = {name: MAVRClassifier.defaults[name] for name in ("similarity", "laplacian", "balance")}
    return Setting().having(**kept, tau=None, **USUAL), dict(USUAL)


def planes() -> dict[str, tuple[Axis, ...]]:
    gamma = Axis("gamma", GAMMAS)
    return {"γ": (gamma,), "γ and k": (gamma, Axis("n_neighbors", NEIGHBORS))}


def sampled(data: str, labels: int, seed: int) -> Points:
    """Points of one set with so many labels for each class."""
    datasets = data_sets()
    if data in datasets.GENERATORS:
        made = datasets.GENERATORS[data].function(seed=seed)
    else:
        made = datasets.from_npz(data)
    if made.y is None:
        raise ValueError(f"{data} has no y, one class a point; this comparison needs it")
    rows = np.sort(np.random.default_rng(seed).permutation(made.n)[:POINTS])
    X = made.X[rows].toarray() if sp.issparse(made.X) else np.asarray(made.X)[rows]
    y = np.unique(made.y[rows], return_inverse=True)[1]
    given = np.full(len(y), -1)
    rng = np.random.default_rng(seed)
    for j in range(y.max() + 1):
        own = rng.permutation(np.flatnonzero(y == j))
        # A class keeps at least one point to ask about.
        given[own[: min(labels, max(1, len(own) - 1))]] = j
    return Points(X.astype(float) / np.abs(X).max(), given, y)


def measured(data: str, labels: int, sampling: int, seed: int) -> list[Choice]:
    """Every way to choose, on one draw."""
    setting, usual = usual_setting()
    points, name = sampled(data, labels, seed + sampling), Path(data).stem
    found = []
    with threadpool_limits(limits=1):
        for plane, axes in planes().items():
            at = {axis.name: usual[axis.name] for axis in axes}
            errors, oracle = choose(points, setting, axes, at)
            found += [
                Choice(name, labels, sampling, plane, way, e, oracle) for way, e in errors.items()
            ]
    return found


def choice(arguments: argparse.Namespace) -> list[Path]:
    """Measure every set; write rows and the table."""
    begin = time.monotonic()
    sets = [*OWN, *(d for d in arguments.data if d not in OWN)]
    rows = list(_all(sets, arguments))
    print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr)
    found = regrets(rows)
    write_csv(rows, arguments.out / "choice_rows.csv")
    write_csv(found, arguments.out / "choice.csv")
    text = table(found) + "\n" + summary(verdicts(found))
    (arguments.out / "choice.md").write_text(text, encoding="utf-8")
    return [arguments.out / f"choice{end}" for end in (".md", ".csv", "_rows.csv")]


def _all(sets: Sequence[str], arguments: argparse.Namespace) -> Iterator[Choice]:
    asked = [
        (data, labels, sampling, arguments.seed or 0)
        for data in sets
        for labels in LABELS
        for sampling in range(arguments.samplings)
    ]
    some: Any = Parallel(n_jobs=arguments.jobs, return_as="generator")(
        delayed(measured)(*one) for one in asked
    )
    last = ""
    for rows in some:
        if rows[0].data != last:
            last = rows[0].data
            print(last, file=sys.stderr, flush=True)
        yield from rows


def table(found: Sequence[Regret]) -> str:
    """Markdown: error in % on each set, the best way in bold, beside that of the oracle."""
    lines = []
    for plane in dict.fromkeys(r.plane for r in found):
        head = [f"choosing {plane}", "oracle", *WORDS.values()]
        lines += ["", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
        for data in dict.fromkeys(r.data for r in found):
            own = {r.way: r for r in found if (r.data, r.plane) == (data, plane)}
            low = min(r.error for r in own.values() if np.isfinite(r.error))
            oracle = own["usual"].error - own["usual"].regret
            cells = [_cell(own[way].error, low) for way in WORDS]
            lines.append(f"| {data} | {100 * oracle:.1f} | {' | '.join(cells)} |")
    return "\n".join(lines[1:]) + "\n"


def _cell(error: float, low: float) -> str:
    if not np.isfinite(error):
        return "–"
    return f"**{100 * error:.1f}**" if error <= low + 1e-9 else f"{100 * error:.1f}"


def summary(said: Sequence[Verdict]) -> str:
    """Markdown: how often each criterion beats the usual setting, and what it may cost."""
    lines = [
        "| choosing | by | better than the usual setting | largest loss, points | good enough |",
        "|---|---|---:|---:|---|",
    ]
    for v in said:
        lines.append(
            f"| {v.plane} | {WORDS[v.way]} | {v.better} of {v.sets} sets | "
            f"{100 * v.largest_loss:+.1f} | {'yes' if v.deserves else 'no'} |"
        )
    return "\n".join(lines) + "\n"
