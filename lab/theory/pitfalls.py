"""What goes wrong when formulas are taken as printed: recovery, shortcut, ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import datasets
from lab.plot import minus
from lab.theory import take
from lab.theory.figures import bounds, roots
from lab.theory.parts import beside, choice, judge, number, numbers, say, slider
from lab.theory.source import Source, of, three_circles
from mavr import relations, solve
from mavr.settings import Setting, frozen_rows
from mavr.solvers.solution import Solution
from mavr.theory import pitfalls

DEMOS = {"recovery": "eigenvectors", "shortcut": "shortcut for P = I", "ties": "ties"}
# Set of the figure, its P.
PANELS = {2: "P4", 3: "P5", 4: "P5", 5: "P6", 1: "P3"}
TITLES = {2: "Data 2, P4", 3: "Data 3, P5", 4: "Data 4, P5", 5: "Data 5, P6", 1: "Data 1, P3"}


@st.fragment
def draw() -> None:
    demo = choice("Demonstration", "pitfall", DEMOS, "recovery")
    {"recovery": _recovery, "shortcut": _shortcut, "ties": _ties}[demo]()


def _recovery() -> None:
    with beside("recovery") as right:
        sigma = slider("Width σ of the graph", "sigma", (0.25, 1.0), 0.3, log=True)
        seed = int(slider("Data seed", "seed", (0, 9), 0, whole=True))
    source = three_circles(seed, sigma=sigma)
    Y, tau = source.Y, source.norm(1.0)
    found = pitfalls.recover_by_eigenvectors(source.spectrum, Y, 99.0, tau)
    count = int(found.wrong.sum())
    with right:
        figure = bounds.strengths(found.top, found.wrong)
        alt = "Largest response of every point"
        drawn = take.chart(figure, "strengths", "Largest responses", alt)
        rows = [
            [name, f"{100 * float((labels != source.truth).mean()):.1f} %"]
            for name, labels in (
                ("by eigenvectors", found.naive),
                ("by the solver", found.solution.labels),
            )
        ]
        numbers(rows, ["three circles, 300 points", "error"])
        judge(
            not count,
            "No response is lost here: both agree.",
            f"Eigenvectors give another class to **{count} of {len(found.wrong)}** points.",
        )
        take.export("recovery", [drawn], source, tau=tau)


def _shortcut() -> None:
    with beside("shortcut") as right:
        sigma = slider("Width σ of the graph", "sigma.wide", (0.5, 5.0), 3.0, log=True)
        tau = slider("Norm τ / √l", "tau.short", (0.1, 100.0), 1.0, log=True)
    source = three_circles(sigma=sigma)
    size = source.norm(tau)
    found = pitfalls.shortcut(source.spectrum, source.Y, 99.0, size)
    off = found.norm_sum / size - 1
    with right:
        figure = roots.two_roots(found.by_sums, found.by_rows)
        alt = "The norm by the shortcut and the true norm"
        drawn = take.chart(figure, "two roots", "Two roots", alt)
        rows = [
            ["as printed, z = VᵀY1", minus(f"{found.by_sums.root:.6g}"), number(found.norm_sum)],
            ["row norms", minus(f"{found.by_rows.root:.6g}"), number(size)],
        ]
        numbers(rows, ["", "root ρ", f"‖H‖, should be {number(size)}"])
        judge(
            abs(off) <= 1e-6,
            "Here no eigenvector sees two classes: both agree.",
            f"The shortcut misses the norm by **{100 * abs(off):.2g} %**.",
        )
        take.export("shortcut", [drawn], source, tau=size)


def panel(which: int, row: int, shape: int) -> Source:
    """A set of the figure with the label of one shape on a row of its P, both from 0.

    Data 1 has three labels of its own, and row and shape do not count.
    """
    data = datasets.serendipity(which)
    y = np.asarray(data.y)
    labels = [(int(i), int(y[i])) for i in data.labelled]
    if which != 1:
        first = int(np.flatnonzero(y == shape)[0])
        labels = [(labels[0][0] if shape == 0 else first, row)]
    P = frozen_rows(relations.PAPER[PANELS[which]])
    setting = (data.setting or Setting()).having(P=P)
    made = f"data = datasets.serendipity({which})"
    return of(data, f"serendipity.{which}", labels, setting, TITLES[which], made)


def own_colours(truth: np.ndarray, found: Solution) -> int:
    """Shapes that are all of one class which no other shape has."""
    decided = ~(found.ties | found.uncertain | found.unreached)
    sets = [set(found.labels[truth == j].tolist()) for j in np.unique(truth)]
    clear = [bool(decided[truth == j].all()) for j in np.unique(truth)]
    alone = [len(s) == 1 and sum(bool(s & other) for other in sets) == 1 for s in sets]
    return sum(a and c for a, c in zip(alone, clear, strict=True))


def _ties() -> None:
    with beside("ties") as right:
        which = int(choice("Panel of the figure", "panel", TITLES, 2))
        row = shape = 0
        if which != 1:
            count = len(relations.PAPER[PANELS[which]])
            options = {j: str(j + 1) for j in range(count)}
            row = int(choice("The label is on row", "row", options, 0, "Of the matrix P."))
            shape = int(choice("It is given to shape", "shape", options, 0))
    source = panel(which, row, shape)
    p: dict[str, Any] = {"gamma": source.gamma, "balance": source.balance}
    tau = source.norm(source.tau)
    found = solve(source.spectrum, source.Y, source.P, tau=tau, **p)
    groups = [", ".join(str(j + 1) for j in g) for g in found.interchangeable]
    truth = np.asarray(source.truth)
    with right:
        figure = bounds.tie_map(source.points, found.labels, found.ties, source.labelled.tolist())
        drawn = take.chart(figure, "ties", "Points", "Points by class, tied ones hollow")
        shapes = f"{own_colours(truth, found)} of {len(np.unique(truth))}"
        rows = [
            ["classes P and the labels treat alike", "; ".join(groups) or "none"],
            ["largest difference of their columns", number(pitfalls.tied_columns(found), 1)],
            ["tied points", f"{int(found.ties.sum())} of {source.graph.n}"],
            ["shapes with a colour of their own", shapes],
        ]
        numbers(rows, [source.title, ""])
        if found.ties.any():
            words = "Tied points have no colour of their own. The Serendipity page can split them."
            say(words, ":material/balance:", good=False)
        else:
            say("No two classes are alike: no ties.", ":material/check:", good=True)
        take.export("ties", [drawn], source, tau=tau, **p)
