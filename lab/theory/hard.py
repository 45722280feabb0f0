"""The hard case: labels that miss the lowest eigenvector."""

from __future__ import annotations

import streamlit as st

from lab.theory import take
from lab.theory.figures import roots
from lab.theory.parts import beside, judge, number, numbers, presets, slider
from mavr.theory import hard

PRESETS = {
    "Hard case": (
        "z₁ = 0 and a large norm: the root in the interval is the top of the hill.",
        {"z1": 0.0, "radius": 1.5},
    ),
    "Almost hard": (
        "A small z₁ already picks one of the two valleys.",
        {"z1": 0.05, "radius": 1.5},
    ),
    "Small norm": (
        "z₁ = 0, but the root is below γλ₁: it is the minimum after all.",
        {"z1": 0.0, "radius": 0.5},
    ),
}


@st.fragment
def draw() -> None:
    with beside("hard") as right:
        z1 = slider(
            "Part of the labels on v₁, z₁",
            "z1",
            (0.001, 1.0),
            0.0,
            "z₂ is 1; the eigenvalues of Q are 0.5 and 2; γ = 1.",
            log=True,
            zero=True,
        )
        tau = slider("Norm τ", "radius", (0.3, 2.0), 1.5)
        presets("hard", PRESETS)
    Q, y = hard.example(z1)
    found = hard.compare(Q, y, 1.0, tau)
    degrees, points = hard.circle(tau)
    with right:
        st.caption("The objective for every h on the circle ‖h‖ = τ")
        figure = roots.landscape(degrees, hard.objective(Q, y, 1.0, points), found)
        drawn = take.chart(figure, "landscape", "Objective", "Objective around the circle")
        side = "below γλ₁" if found.naive_rho <= found.lowest * (1 + 1e-12) else "above γλ₁"
        least = "at γλ₁" if found.hard else "below γλ₁"
        rows = [
            ["root in the interval", number(found.naive_rho), side, f"{found.naive_objective:.4f}"],
            ["minimum", number(found.rho), least, f"{found.objective:.4f}"],
        ]
        numbers(rows, ["", "ρ", f"γλ₁ = {number(found.lowest)}", "objective"])
        lost = found.naive_objective - found.objective
        judge(
            not found.hard,
            "The root in the interval is the minimum.",
            f"The root in the interval is **not** the minimum: it loses {lost:.3f}.",
        )
        take.export("hard", [drawn], z1=z1, tau=tau)
