"""Theorem 3: change one label and see how far the responses move, against the bounds."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab import theory_figures
from lab.board import chart
from lab.controls import GAMMA, logarithmic
from lab.numbers import number
from lab.theme import LEFT_COLOR, NEUTRAL
from lab.theory.parts import beside, choice, key, numbers, slider
from lab.theory.source import Source, current
from mavr.theory import stability

WORDS = """
A method is **stable** if one changed label changes the answer a little. Theorem 3 bounds the change
of the responses by the change of the labels. The number that decides is **C**, how far ρ stays
below the pole γλ₁.

For the constrained problem the usual argument gives **two terms**; the second pays for the change
of ρ. It can be dropped: both answers have the same norm, so that part of the change cancels. The
**one-term** bound is ours. Without the constraint the change is never larger than that of the
labels.
"""
ACTIONS = {"flip": "flip", "move": "move", "add": "add", "remove": "remove"}


def changed(source: Source, action: str, which: int) -> tuple[np.ndarray, list[int]]:
    """Y after one change, and the points it concerns."""
    Y = np.array(source.Y)
    labelled = np.flatnonzero(Y.any(axis=1))
    i = int(labelled[which % len(labelled)])
    row = Y[i].copy()
    if action == "flip":
        Y[i] = np.roll(row, 1)
        return Y, [i]
    if action == "remove":
        Y[i] = 0.0
        return Y, [i]
    # The nearest point in the plane without a label.
    points = source.scene.points[source.scene.alive]
    distance = np.linalg.norm(points - points[i], axis=1)
    distance[labelled] = np.inf
    j = int(distance.argmin())
    Y[j] = row
    if action == "move":
        Y[i] = 0.0
    return Y, [i, j] if action == "move" else [j]


@st.fragment
def draw() -> None:
    source = current()
    labelled = np.flatnonzero(source.Y.any(axis=1))
    with beside("Stability (Theorem 3)", WORDS) as right:
        st.latex(
            r"\begin{aligned}\|H-H'\|\le{}&\|Y-Y'\|/C\\"
            r"&+\min(\|Y\|,\|Y'\|)\\&\;\times|\rho-\rho'|/C^2\end{aligned}"
        )
        st.latex(r"\|H-H'\|\le\frac{\|Y-Y'\|}{\gamma\lambda_1-\frac12(\rho+\rho')}")
        st.caption(f"Computed for {source.title}. {source.note}")
        action = choice(
            "Change one label",
            "action",
            ACTIONS,
            "move",
            "Flip: another class. Move: to the nearest point. Add: a second label next to it. "
            "Remove: no label there.",
        )
        if action == "remove" and len(labelled) == 1:
            st.caption("The only label stays: it is flipped instead.")
            action = "flip"
        which = 1.0
        # A slider needs two ends.
        if len(labelled) > 1:
            which = slider("Which label", "which", range(1, len(labelled) + 1), 1)
        d, usual = source.digest, source.view
        gamma = slider("Smoothness γ", f"gamma.{d}", GAMMA[:33], usual.gamma, fmt="{:.3g}")
        tau = slider("Norm τ / √l", f"tau.{d}", logarithmic(1e-2, 1e3), usual.tau, fmt="{:.3g}")
    Y, points = changed(source, action, int(which) - 1)
    tau = tau * source.tau / usual.tau
    found = stability.compare(source.spectrum, source.Y, Y, source.P, gamma, tau)
    with right:
        st.caption("How far each point's response moved; the star is the label that changed")
        plane = source.scene.points[source.scene.alive]
        figure = theory_figures.moved_map(plane, found.moved, points, labelled)
        chart(figure, key("moved"), "Change of the response of each point")
        rows = [
            ("measured ‖H − H′‖", [("measured", found.constrained)], LEFT_COLOR),
            ("one-term bound", [("bound", found.one_term)], NEUTRAL),
            (
                "two-term bound",
                [
                    ("change of the labels", found.change / found.C if found.C > 0 else np.inf),
                    ("change of ρ", found.two_terms - found.change / found.C if found.C > 0 else 0),
                ],
                NEUTRAL,
            ),
        ]
        chart(theory_figures.bounds(rows, "with ‖H‖ = τ"), key("bars"), "Change and bounds")
        free = [
            ("measured, no constraint", [("measured", found.free)], LEFT_COLOR),
            ("its bound ‖Y − Y′‖ / (γλ₁ + 1)", [("bound", found.free_bound)], NEUTRAL),
        ]
        chart(theory_figures.bounds(free, "ρ = −1"), key("bars.free"), "Without the constraint")
        C_all = stability.uniform_C(source.spectrum, labelled, tau)
        rows = [
            ["change of the labels ‖Y − Y′‖", number(found.change)],
            ["ρ before and after", f"{number(found.rho)} → {number(found.rho_after)}"],
            ["C, smaller distance to the pole", number(found.C)],
            ["C for any classes of these points", number(C_all) if C_all else "–"],
        ]
        numbers(rows, ["constants", ""])
