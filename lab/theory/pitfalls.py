"""What goes wrong when formulas are taken as printed: recovery, shortcut, ties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from lab import cache, root_figures, theory_figures
from lab.board import chart
from lab.gallery import PANELS
from lab.numbers import number
from lab.session import fresh_view, uploads
from lab.theory.parts import beside, choice, key, numbers, say, slider
from mavr import solve
from mavr.solvers.spectrum import spectrum_of, state_of
from mavr.theory import pitfalls

DEMOS = {"recovery": "eigenvectors", "shortcut": "shortcut for P = I", "ties": "ties"}
RECOVERY = """
The responses can be written with the eigenvectors of *Q*. On paper that is exact. In a computer the
sum leaves noise of about 10⁻¹⁶ of the largest response, and far from the labels the true responses
are **smaller** than that. There the class is read off noise.

Elimination has no such sum: every response keeps its digits, however small.
"""
SHORTCUT = """
For unrelated classes the paper shortens the equation for ρ: it adds up the columns of *Y* first,
and uses z = VᵀY1. That lets classes **cancel or reinforce** each other. What is needed is the
length of each row of VᵀY. With the shortcut the responses do not get the norm τ.

Far-apart groups hide the mistake, since no eigenvector sees two of them. A wider σ shows it.
"""
TIES = """
If two classes have no label and *P* treats them alike, exchanging them changes nothing. The minimum
is unique, so their two columns of **H are equal**, and every point that prefers one prefers the
other as much. A colour between them is decided by rounding, unless something else decides.

This happens in the paper's own serendipity figure, where one class is labelled and several are not.
"""


@st.fragment
def draw() -> None:
    demo = choice("Demonstration", "pitfall", DEMOS, "recovery")
    {"recovery": _recovery, "shortcut": _shortcut, "ties": _ties}[demo]()


def _circles(seed: int, sigma: float) -> tuple:
    view = replace(fresh_view("three_circles", seed=seed), sigma=sigma)
    scene = cache.scene(view, uploads())
    return spectrum_of(cache.graph(view, scene)), scene


def _recovery() -> None:
    with beside("Responses from eigenvectors", RECOVERY) as right:
        st.latex(r"H=V\,\mathrm{diag}\!\left(\frac1{\gamma\lambda_k-\rho}\right)V^\top Y")
        sigma = slider("Width σ of the graph", "sigma", (0.25, 0.3, 0.4, 0.5, 0.7, 1.0), 0.5)
        seed = int(slider("Data seed", "seed", range(0, 10), 0))
    spectrum, scene = _circles(seed, sigma)
    found = pitfalls.recover_by_eigenvectors(spectrum, scene.Y, 99.0, float(np.sqrt(3)))
    count = int(found.wrong.sum())
    with right:
        figure = theory_figures.strengths(found.top, found.wrong)
        chart(figure, key("strengths"), "Largest response of every point")
        truth = scene.truth
        rows = [
            ["by eigenvectors", f"{100 * float((found.naive != truth).mean()):.1f} %"],
            ["by the solver", f"{100 * float((found.solution.labels != truth).mean()):.1f} %"],
        ]
        numbers(rows, ["three circles, 300 points", "error"])
        if count:
            words = f"Eigenvectors give another class to **{count} of {len(found.wrong)}** points."
            say(words, ":material/warning:", good=False)
        else:
            say("No response is lost here: both agree.", ":material/check:", good=True)


def _shortcut() -> None:
    with beside("The shortcut for P = I", SHORTCUT) as right:
        st.latex(r"z=V^\top Y\mathbf 1\quad\text{printed};\qquad z_k^2=\sum_j (V^\top Y)_{kj}^2")
        sigma = slider("Width σ of the graph", "sigma.wide", (0.5, 1.0, 1.5, 2.0, 3.0, 5.0), 3.0)
        tau = slider("Norm τ / √l", "tau.short", (0.1, 0.3, 1.0, 3.0, 10.0, 100.0), 1.0)
    spectrum, scene = _circles(43, sigma)
    size = tau * float(np.sqrt(3))
    found = pitfalls.shortcut(spectrum, scene.Y, 99.0, size)
    off = found.norm_sum / size - 1
    with right:
        figure = root_figures.two_roots(found.by_sums, found.by_rows)
        chart(figure, key("two roots"), "The norm by the shortcut and the true norm")
        rows = [
            ["as printed, z = VᵀY1", f"{found.by_sums.root:.6g}", number(found.norm_sum)],
            ["row norms", f"{found.by_rows.root:.6g}", number(size)],
        ]
        rows = [[cell.replace("-", "−") for cell in row] for row in rows]
        numbers(rows, ["", "root ρ", f"‖H‖, should be {number(size)}"])
        if abs(off) > 1e-6:
            words = f"The shortcut misses the norm by **{100 * abs(off):.2g} %**."
            say(words, ":material/warning:", good=False)
        else:
            say("Here no eigenvector sees two classes: both agree.", ":material/check:", True)


def _ties() -> None:
    panels = {"2-P4": "rings, P4", "3-P5": "smile, P5", "5-P6": "bars, P6", "1-P3": "rings, P3"}
    panels = {name: title for name, title in panels.items() if name in PANELS}
    with beside("Ties", TIES) as right:
        name = choice("Panel of the figure", "panel", panels, next(iter(panels)))
    view = PANELS[name].view()
    scene = cache.scene(view, uploads())
    graph = cache.graph(view, scene)
    labels = int((scene.labels >= 0).sum())
    tau = view.tau * float(np.sqrt(labels))
    found = solve(
        state_of(graph), scene.Y, view.relation(scene.n_classes), view.gamma, tau, view.balance
    )
    groups = [", ".join(str(j + 1) for j in g) for g in found.interchangeable]
    with right:
        plane = scene.points[scene.alive]
        labelled = np.flatnonzero(scene.Y.any(axis=1))
        figure = theory_figures.tie_map(plane, found.labels, found.ties, labelled)
        chart(figure, key("ties"), "Points by class, tied ones hollow")
        numbers(
            [
                ["classes P and the labels treat alike", "; ".join(groups) or "none"],
                ["largest difference of their columns", f"{pitfalls.tied_columns(found):.0e}"],
                ["tied points", f"{int(found.ties.sum())} of {graph.n}"],
            ],
            [PANELS[name].title, ""],
        )
        if found.ties.any():
            words = "Tied points have no colour of their own. The Serendipity page can split them."
            say(words, ":material/balance:", good=False)
        else:
            say("No two classes are alike: no ties.", ":material/check:", good=True)
